package live

import (
	"flag"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// flags are those of kubectl that say which cluster is meant and who asks.
type flags struct {
	kubeconfig    string
	overrides     clientcmd.ConfigOverrides
	allNamespaces bool
}

// Usage explains the flags, and how catalogs of the cluster and of registries are named.
const Usage = `
Cluster:
  Without -f, the objects and catalogs are those of the running cluster; -f FILE stands
  for its objects, and --catalog NAME=FROM for its catalog of that name.
  -A, --all-namespaces       resolve every namespace and every ClusterExtension;
                             default: the namespace of the context, or that of -n
  --context NAME, --kubeconfig FILE, --as USER, --as-group GROUP, --server, --token, ...
                             the flags of kubectl that choose a cluster and a user
  FROM, and a CATALOG that is an argument, may also be
    cluster:[NAMESPACE/]NAME the catalog of a CatalogSource, or of a ClusterCatalog
    docker://IMAGE           an image in a registry, with the credentials of docker
                             or podman login
`

// Register adds the flags to those of a command, but none that it has already.
func (c *Cluster) Register(set *flag.FlagSet) {
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.LongName = "" // -n of commands says what to resolve
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	clientcmd.BindOverrideFlags(&c.flags.overrides, all, names)
	all.StringVar(&c.flags.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "")
	for _, name := range []string{"A", "all-namespaces"} {
		all.BoolVar(&c.flags.allNamespaces, name, false, "")
	}
	all.VisitAll(func(each *pflag.Flag) {
		if set.Lookup(each.Name) == nil {
			set.Var(each.Value, each.Name, each.Usage)
		}
	})
}

// Namespaces implements [command.Live].
func (c *Cluster) Namespaces(named []string) ([]string, error) {
	if c.flags.allNamespaces {
		return nil, nil
	}
	if len(named) > 0 {
		return named, nil
	}
	namespace, _, err := c.flags.config().Namespace()
	return []string{namespace}, err
}

// config is the kubeconfig, as kubectl finds it.
func (f *flags) config() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &f.overrides)
}

// connection is how requests are made. Nobody changes it.
type connection struct {
	config *rest.Config
	client dynamic.Interface
	// inCluster: this process runs in a pod of the cluster.
	inCluster bool
}

// connect makes no request yet.
func (f *flags) connect() (*connection, error) {
	loader := f.config()
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("%w; --kubeconfig FILE names one, and -f and --catalog do without a cluster", err)
	}
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100 // it makes few requests, and none in a loop
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &connection{config, client, len(raw.Clusters) == 0 && f.overrides.ClusterInfo.Server == ""}, nil
}
