package live

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registryimage"
)

// flags are those of kubectl that say which cluster is meant and who asks.
type flags struct {
	kubeconfig    string
	overrides     clientcmd.ConfigOverrides
	allNamespaces bool
	mirrors       []registryimage.Mirror
}

// Usage says how catalogs of the cluster and of registries are named.
const Usage = `
  Without -f, the objects and catalogs are those of the running cluster; -f FILE stands
  for its objects, and --catalog NAME=FROM for its catalog of that name. FROM, and a
  CATALOG that is an argument, may also be
    cluster:[NAMESPACE/]NAME the catalog of a CatalogSource, or of a ClusterCatalog
    docker://IMAGE           an image in a registry, with the credentials of docker
                             or podman login
`

// Register implements [command.Live].
func (c *Cluster) Register(set *pflag.FlagSet) {
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.LongName = "" // -n of commands says what to resolve
	clientcmd.BindOverrideFlags(&c.flags.overrides, set, names)
	set.StringVar(&c.flags.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "the kubeconfig `FILE`")
	set.BoolVarP(&c.flags.allNamespaces, "all-namespaces", "A", false,
		"resolve every namespace and every ClusterExtension; default: the namespace of the context, or that of -n")
	set.Func("registry-mirror", "read images of docker:// whose names begin with `HOST[/PATH]=MIRROR[/PATH]` from the mirror, if it has them; repeatable", func(s string) error {
		of, at, _ := strings.Cut(s, "=")
		if of == "" || at == "" {
			return errors.New("want HOST=MIRROR")
		}
		c.flags.mirrors = append(c.flags.mirrors, registryimage.Mirror{Of: of, At: at})
		return nil
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
