// Command controller resolves the Subscriptions of a cluster, again whenever
// something changes that the answer may depend on. It installs nothing: what is
// to be installed stands in a ConfigMap of the namespace, and why nothing can be
// in the condition ResolutionFailed of its Subscriptions.
//
// It is meant to be read, and copied from:
//
//   - main.go: flags, and catalogs in folders, such as image volumes.
//   - controller.go: what is shared, the queue, and one reconciliation.
//   - informers.go: objects of the cluster are converted once, when they arrive.
//   - report.go: what an answer, or a failure of each type, tells the namespace.
//   - write.go: the ConfigMap and the conditions that say so.
//   - rbac.yaml: what it may do in the cluster.
//
// On a cluster that has the CRDs of OLM, with the kubeconfig of its user or of its
// pod:
//
//	go run . --kubeconfig ~/.kube/config --catalog olm/coast=../../testdata/catalogs/coast
//
// The controller of OLM writes the same condition; beside it, give this one a name
// of its own: --condition example.com/ResolutionFailed. There is no election of a
// leader: run one replica. Should two overlap, they find the same answer, and the
// second has nothing to write.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		klog.ErrorS(err, "The controller cannot run")
		os.Exit(1)
	}
}

// run is main without the process. It returns nil once ctx has ended.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("controller", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "path to a kubeconfig; the pod's own account if empty")
	sources := catalogFlags{}
	flags.Var(sources, "catalog", "catalog as NAMESPACE/NAME=FOLDER; may be repeated")
	var options Options
	flags.StringVar(&options.Condition, "condition", DefaultCondition, "type of the condition to write")
	flags.StringVar(&options.KubernetesVersion, "kube-version", "", "version of the cluster, for bundles with a minimum")
	flags.DurationVar(&options.Timeout, "timeout", 10*time.Second, "time that one resolution may take")
	flags.DurationVar(&options.Schedule.Interval, "interval", 10*time.Minute, "time between two looks at a catalog")
	if err := flags.Parse(args); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 50, 100 // a change of a catalog may concern every namespace
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	return New(client, sources, options).Run(ctx)
}

// catalogFlags are the values of --catalog. A catalog that is fetched from
// elsewhere is a cache.Source that does so.
type catalogFlags map[catalog.Key]cache.Source

func (f catalogFlags) String() string { return "" }

func (f catalogFlags) Set(value string) error {
	id, folder, _ := strings.Cut(value, "=")
	namespace, name, _ := strings.Cut(id, "/")
	if namespace == "" || name == "" || folder == "" {
		return errors.New("want NAMESPACE/NAME=FOLDER")
	}
	key := catalog.Key{Namespace: namespace, Name: name}
	if _, ok := f[key]; ok {
		return fmt.Errorf("catalog %s is given twice", key)
	}
	f[key] = cache.FS(os.DirFS(folder), cache.Options{})
	return nil
}
