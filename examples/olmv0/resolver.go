// Package olmv0 asks the resolver of OLM v0 itself, from its published module, what it would
// install. Tests hold what this project predicts of OLM against it: what a lock says that OLM
// chooses by itself.
package olmv0

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/blang/semver/v4"
	operators "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/controller/registry/resolver"
	olmcache "github.com/operator-framework/operator-lifecycle-manager/pkg/controller/registry/resolver/cache"
	"github.com/operator-framework/operator-registry/pkg/api"
	"github.com/operator-framework/operator-registry/pkg/registry"
	"github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Bundle is a bundle that OLM would install.
type Bundle struct {
	Name, Package, Channel string
	Catalog                catalog.Key
	// Replaces is the installed bundle whose place it takes, empty for a new one.
	Replaces string
}

// Resolver asks about one set of catalogs. It converts them once.
type Resolver struct {
	catalogs   olmcache.StaticSourceProvider
	priorities priorities
	bundles    map[string]*catalog.Bundle // by name
}

// New converts the catalogs.
func New(view *cache.View) *Resolver {
	r := &Resolver{olmcache.StaticSourceProvider{}, priorities{}, map[string]*catalog.Bundle{}}
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		key := olmcache.SourceKey{Name: c.Key.Name, Namespace: c.Key.Namespace}
		r.priorities[key] = c.Priority
		r.catalogs[key] = &olmcache.Snapshot{Entries: r.entries(c.Snapshot, key)}
	}
	return r
}

type priorities map[olmcache.SourceKey]int

// Priority implements the interface of OLM's cache.
func (p priorities) Priority(key olmcache.SourceKey) int { return p[key] }

// entries has one entry for each bundle of each channel, as a registry pod lists them.
func (r *Resolver) entries(s *catalog.Snapshot, key olmcache.SourceKey) (list []*olmcache.Entry) {
	for p := range s.Packages() {
		for _, channel := range p.Channels {
			for i := range channel.Entries {
				e := &channel.Entries[i]
				if e.Bundle == catalog.NoBundle {
					continue
				}
				b := s.Bundle(e.Bundle)
				r.bundles[b.Name] = b
				entry := entryOf(b)
				entry.Replaces, entry.Skips, entry.BundlePath = e.Replaces, e.Skips, b.Image
				if text := e.SkipRange.String(); text != "" {
					if skips, err := semver.ParseRange(text); err == nil {
						entry.SkipRange = skips
					}
				}
				entry.SourceInfo = &olmcache.OperatorSourceInfo{Package: p.Name, Channel: channel.Name, Catalog: key, DefaultChannel: channel.Name == p.DefaultChannel}
				list = append(list, entry)
			}
		}
	}
	return list
}

// entryOf is what a bundle states.
func entryOf(b *catalog.Bundle) *olmcache.Entry {
	version := b.Version
	entry := &olmcache.Entry{Name: b.Name, Version: &version, ProvidedAPIs: olmcache.APISet{}, RequiredAPIs: olmcache.APISet{}}
	for _, p := range b.Properties.All() {
		entry.Properties = append(entry.Properties, &api.Property{Type: p.Type, Value: string(p.Value)})
	}
	for _, gvk := range b.Properties.GVKs() {
		entry.ProvidedAPIs[registry.APIKey{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind}] = struct{}{}
	}
	return entry
}

// Next returns what OLM would install now in a namespace, sorted by name. Global namespaces are
// those whose catalogs all namespaces see. A ClusterServiceVersion has the properties of the
// bundle of its name. The error is OLM's own.
func (r *Resolver) Next(known *cluster.Index, namespace string, global ...string) ([]Bundle, error) {
	objects := known.In(namespace)
	var subscriptions []*operators.Subscription
	for _, s := range objects.Subscriptions {
		of := &operators.Subscription{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name},
			Spec:       &operators.SubscriptionSpec{Package: s.Package, Channel: s.Channel, CatalogSource: s.Catalog, CatalogSourceNamespace: s.CatalogNamespace, StartingCSV: s.StartingCSV},
		}
		of.Status.InstalledCSV, of.Status.CurrentCSV = s.InstalledCSV, s.Observed.CurrentCSV
		subscriptions = append(subscriptions, of)
	}
	existing := olmcache.NewVirtualSourceKey(namespace)
	var running []*olmcache.Entry
	for _, csv := range objects.CSVs {
		entry := &olmcache.Entry{Name: csv.Name, ProvidedAPIs: olmcache.APISet{}, RequiredAPIs: olmcache.APISet{}, SourceInfo: &olmcache.OperatorSourceInfo{}}
		if b := r.bundles[csv.Name]; b != nil {
			entry = entryOf(b)
			entry.SourceInfo = &olmcache.OperatorSourceInfo{Package: b.Package}
			entry.Properties = slices.DeleteFunc(entry.Properties, func(p *api.Property) bool { return p.Type == properties.TypeDeprecated })
		}
		entry.SourceInfo.Catalog = existing
		if at := slices.IndexFunc(subscriptions, func(s *operators.Subscription) bool { return s.Status.InstalledCSV == csv.Name }); at >= 0 {
			entry.SourceInfo.Subscription = subscriptions[at]
		}
		running = append(running, entry)
	}
	sources := olmcache.StaticSourceProvider{existing: &olmcache.Snapshot{Entries: running}}
	for key, source := range r.catalogs {
		sources[key] = source
	}
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	entries, err := resolver.NewDefaultResolver(olmcache.New(sources, olmcache.WithLogger(quiet), olmcache.WithSourcePriorityProvider(r.priorities)), quiet).
		Resolve(append([]string{namespace}, global...), subscriptions)
	if err != nil {
		return nil, err
	}
	var list []Bundle
	for _, e := range entries {
		replaces := ""
		if slices.ContainsFunc(running, func(old *olmcache.Entry) bool { return old.Name == e.Replaces }) {
			replaces = e.Replaces
		}
		list = append(list, Bundle{e.Name, e.Package(), e.Channel(), catalog.Key{Namespace: e.SourceInfo.Catalog.Namespace, Name: e.SourceInfo.Catalog.Name}, replaces})
	}
	slices.SortFunc(list, func(a, b Bundle) int { return cmp.Or(cmp.Compare(a.Name, b.Name), a.Catalog.Compare(b.Catalog)) })
	return list, nil
}

// Unmet returns the first bundle that then runs and requires what no other provides, or the first
// Subscription that gets nothing; empty if there is none. OLM's resolver gives such answers now and
// then, where a bundle is reached in two ways.
func (r *Resolver) Unmet(ctx context.Context, known *cluster.Index, namespace string, answer []Bundle) string {
	var selected []*catalog.Bundle
	for _, csv := range After(known, namespace, answer).In(namespace).CSVs {
		if b := r.bundles[csv.Name]; b != nil {
			selected = append(selected, b)
		}
	}
	for _, b := range selected {
		for _, required := range b.Constraints {
			if !slices.ContainsFunc(selected, func(other *catalog.Bundle) bool {
				verdict, _, _ := constraints.Match(ctx, required.Expr, other.Properties, rules.Facts{})
				return verdict == rules.Yes
			}) {
				return b.Name
			}
		}
	}
	for _, s := range known.In(namespace).Subscriptions {
		if !slices.ContainsFunc(selected, func(b *catalog.Bundle) bool { return b.Package == s.Package }) {
			return s.Name
		}
	}
	return ""
}

// After returns the cluster once OLM has installed bundles in a namespace: a dependency has a
// Subscription of its own.
func After(known *cluster.Index, namespace string, bundles []Bundle) *cluster.Index {
	return known.WithNamespace(namespace, false, func(n *cluster.NamespaceObjects) {
		n.CSVs, n.Subscriptions = slices.Clone(n.CSVs), slices.Clone(n.Subscriptions)
		for _, b := range bundles {
			n.CSVs = slices.DeleteFunc(n.CSVs, func(csv cluster.ClusterServiceVersion) bool { return b.Replaces != "" && csv.Name == b.Replaces })
			n.CSVs = append(n.CSVs, cluster.ClusterServiceVersion{Namespace: namespace, Name: b.Name, Phase: "Succeeded"})
			served := false
			for i := range n.Subscriptions {
				s := &n.Subscriptions[i]
				if s.Package == b.Package && (s.Channel == "" || s.Channel == b.Channel) && (s.Catalog == "" || s.Names(b.Catalog)) {
					s.InstalledCSV, s.Observed.CurrentCSV, served = b.Name, b.Name, true
				}
			}
			if !served {
				n.Subscriptions = append(n.Subscriptions, cluster.Subscription{
					Namespace: namespace, Name: b.Package + "-" + b.Channel + "-" + b.Catalog.Name + "-" + b.Catalog.Namespace, Package: b.Package, Channel: b.Channel,
					Catalog: b.Catalog.Name, CatalogNamespace: b.Catalog.Namespace, InstalledCSV: b.Name, Generated: true, Observed: cluster.Observed{CurrentCSV: b.Name},
				})
			}
		}
		slices.SortFunc(n.CSVs, func(a, b cluster.ClusterServiceVersion) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(n.Subscriptions, func(a, b cluster.Subscription) int { return cmp.Compare(a.Name, b.Name) })
	})
}
