// Command controller resolves the Subscriptions and ClusterExtensions of a cluster,
// again whenever something changes that the answer may depend on. It installs nothing:
// what is to be installed, or why nothing can be, stands in a condition of each
// request. README.md says how to run it; what it does is in package reconcile.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
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
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registryimage"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registrypod"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/policy"
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
	options := reconcile.Options{Sources: map[catalog.Key]cache.Source{}, Registry: registry}
	flags := flag.NewFlagSet("controller", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "path to a kubeconfig; the pod's own account if empty")
	flags.Var(catalogFlags(options.Sources), "catalog", "catalog as [NAMESPACE/]NAME=FROM, in place of what the cluster serves: a folder, file, URL, image on disk or docker://IMAGE; repeatable")
	authority := flags.String("catalogd-ca-file", "", "authorities that verify catalogd's certificate; the system's if empty")
	leaseNamespace := flags.String("lease-namespace", "", "namespace of the lease for which replicas compete; no election if empty")
	listen := flags.String("listen", "", "address of /metrics, /healthz and /readyz, such as :8080; none if empty")
	flags.StringVar(&options.Condition, "condition", reconcile.DefaultCondition, "type of the condition to write")
	flags.StringVar(&options.KubernetesVersion, "kube-version", "", "version of the cluster, for bundles with a minimum")
	flags.Func("policy", "file of rules that answers obey; repeatable", func(name string) error {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p, err := policy.Parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		options.Resolver.Policies = append(options.Resolver.Policies, p)
		return nil
	})
	flags.BoolVar(&options.Approve, "approve", false, "approve InstallPlans that bring exactly what resolving brings and that --policy admits; needs the rights of approve.yaml")
	flags.StringVar(&options.Cluster, "cluster", "", "name of this cluster in the lock")
	flags.Func("lock", "operators.lock, which resolvent lock writes: with --approve, InstallPlans may bring only what it has for --cluster, or what leads there", func(name string) error {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if options.Lock, err = lock.Read(text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	flags.DurationVar(&options.Timeout, "timeout", 10*time.Second, "time that one resolution may take")
	qps := flags.Float64("qps", 200, "at most this many requests per second to the API server, for conditions and for events each; 0: no limit")
	flags.DurationVar(&options.Schedule.Interval, "interval", 10*time.Minute, "time between two readings of a catalog")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if options.Approve && len(options.Resolver.Policies) == 0 && options.Lock == nil {
		return errors.New("--approve: it approves what a policy or a lock admits; name its file with --policy or --lock")
	}
	if options.Lock != nil && !slices.Contains(options.Lock.Clusters(), options.Cluster) {
		return fmt.Errorf("--cluster %q: the lock has no such cluster", options.Cluster)
	}
	var err error
	if options.Catalogd, err = catalogd(*authority); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = float32(*qps), int(2**qps)
	if *qps == 0 {
		config.QPS = -1
	}
	measureRequests(prometheus.DefaultRegisterer)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	controller := reconcile.New(client, kube, options)
	leads := prometheus.NewGauge(prometheus.GaugeOpts{Name: "resolvent_leader", Help: "1 if this replica works, 0 if it waits for its turn."})
	prometheus.MustRegister(controller, leads)

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
		leads.Set(1)
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
		transport := &trusting{file: authority}
		if _, err := transport.current(); err != nil {
			return nil, err
		}
		options.Transport = transport
	}
	return func(base string) (cache.Source, error) {
		return cache.Open(base, cache.OriginOptions{Remote: options.Open})
	}, nil
}

// trusting makes requests to servers whose certificates an authority signed. Its file may
// change.
type trusting struct {
	file string

	mu        sync.Mutex
	text      []byte
	transport *http.Transport
}

// RoundTrip implements [http.RoundTripper].
func (t *trusting) RoundTrip(r *http.Request) (*http.Response, error) {
	transport, err := t.current()
	if err != nil {
		return nil, err
	}
	return transport.RoundTrip(r)
}

// current is the transport for the file as it is now.
func (t *trusting) current() (*http.Transport, error) {
	text, err := os.ReadFile(t.file)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.transport != nil && bytes.Equal(text, t.text) {
		return t.transport, nil
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in it; want PEM", t.file)
	}
	if t.transport != nil {
		t.transport.CloseIdleConnections()
	}
	t.text, t.transport = text, transport
	return transport, nil
}

// registry returns the catalog of a registry pod, of which the address is that of a service.
func registry(key catalog.Key, address string) (cache.Source, error) {
	return registrypod.At("registry pod of CatalogSource "+key.String(), address, cache.OriginOptions{}), nil
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
	var source cache.Source
	var err error
	if image, ok := strings.CutPrefix(from, "docker://"); ok {
		source, err = registryimage.New(image, nil, nil, cache.OriginOptions{})
	} else {
		source, err = cache.Open(from, cache.OriginOptions{Remote: remote.Options{}.Open})
	}
	f[key] = source
	return err
}
