// Package live reads a running cluster: the objects that a resolution depends on, and
// its catalogs, those of OLM v0 by their registry pods and those of OLM v1 by catalogd.
// It only reads, with the credentials of a kubeconfig or, in a pod, of its account.
package live

import (
	"flag"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
)

// Flags are those of kubectl that say which cluster is meant and who asks.
type Flags struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
}

// Register adds the flags to a set, but none that it has already.
func (f *Flags) Register(set *flag.FlagSet) {
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.LongName = "" // says what to resolve, not only where
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	clientcmd.BindOverrideFlags(&f.overrides, all, names)
	all.StringVar(&f.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "")
	all.VisitAll(func(each *pflag.Flag) {
		if set.Lookup(each.Name) == nil {
			set.Var(each.Value, each.Name, each.Usage)
		}
	})
}

// config is the kubeconfig, as kubectl finds it.
func (f *Flags) config() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &f.overrides)
}
