// Command controller resolves the Subscriptions and ClusterExtensions of a cluster,
// again whenever something changes that the answer may depend on. It installs nothing:
// what is to be installed, or why nothing can be, stands in a condition of each
// request. README.md says how to run it; what it does is in package reconcile.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/examples/controller/reconcile"
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
	options := reconcile.Options{Sources: map[catalog.Key]cache.Source{}}
	flags := flag.NewFlagSet("controller", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "path to a kubeconfig; the pod's own account if empty")
	flags.Var(catalogFlags(options.Sources), "catalog", "catalog as [NAMESPACE/]NAME=FROM: a folder, file, URL or image on disk; may be repeated")
	authority := flags.String("catalogd-ca-file", "", "certificates that catalogd's is checked against; the system's if empty")
	leaseNamespace := flags.String("lease-namespace", "", "namespace of the lease for which replicas compete; no election if empty")
	listen := flags.String("listen", "", "address of /metrics, /healthz and /readyz, such as :8080; none if empty")
	flags.StringVar(&options.Condition, "condition", reconcile.DefaultCondition, "type of the condition to write")
	flags.StringVar(&options.KubernetesVersion, "kube-version", "", "version of the cluster, for bundles with a minimum")
	flags.DurationVar(&options.Timeout, "timeout", 10*time.Second, "time that one resolution may take")
	flags.DurationVar(&options.Schedule.Interval, "interval", 10*time.Minute, "time between two looks at a catalog")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if options.Catalogd, err = catalogd(*authority); err != nil {
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
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	controller := reconcile.New(client, kube, options)
	prometheus.MustRegister(controller)

	var serving sync.WaitGroup
	defer serving.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	state := &health{controller: controller}
	serving.Go(func() {
		if err := serve(ctx, *listen, state); err != nil {
			stop(err)
		}
	})
	err = lead(ctx, kube, *leaseNamespace, func(ctx context.Context) error {
		state.leads.Store(true)
		return controller.Run(ctx)
	})
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// catalogd returns how to read what catalogd serves.
func catalogd(authority string) (func(base string) (cache.Source, error), error) {
	var options remote.Options
	if authority != "" {
		text, err := os.ReadFile(authority)
		if err != nil {
			return nil, err
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: no certificate in it; want PEM", authority)
		}
		options.Transport = transport
	}
	return func(base string) (cache.Source, error) {
		return cache.Open(base, cache.OriginOptions{Remote: options.Open})
	}, nil
}

// catalogFlags are the values of --catalog. A catalog that is fetched from elsewhere
// is a cache.Source that does so.
type catalogFlags map[catalog.Key]cache.Source

func (f catalogFlags) String() string { return "" }

func (f catalogFlags) Set(value string) error {
	id, from, _ := strings.Cut(value, "=")
	namespace, name, isV0 := strings.Cut(id, "/")
	if !isV0 {
		namespace, name = "", id
	}
	if isV0 && namespace == "" || name == "" || from == "" {
		return errors.New("want [NAMESPACE/]NAME=FROM")
	}
	key := catalog.Key{Namespace: namespace, Name: name}
	if _, ok := f[key]; ok {
		return fmt.Errorf("catalog %s is given twice", key)
	}
	source, err := cache.Open(from, cache.OriginOptions{Remote: remote.Options{}.Open})
	if err != nil {
		return err
	}
	f[key] = source
	return nil
}
