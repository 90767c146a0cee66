// Package lock makes one file of the answers for a fleet: which bundle each cluster gets. People
// review the file as a diff, a bot moves it, and a controller holds InstallPlans to it.
//
// [Make] resolves the requests of every cluster, carries the answers out as OLM would, and notes
// where each package ends and which bundles lie on the way. [Lock.Update] moves packages, and with
// them only what must move. [Lock.Check] says what no longer holds. [Lock.Judge] judges InstallPlans.
// [Read] and [Lock.Text] are the file:
//
//	result, err := lock.Make(ctx, []lock.Cluster{{Name: "prod", Problem: problem}}, lock.Options{})
//	if err == nil && len(result.Unresolved) == 0 {
//		text, err = result.Lock.Text()
//	}
//
// A bundle that does not move keeps its block byte for byte, so that git merges branches that move
// other bundles. Resolving takes updates from the named catalog and constraints as a whole, as OLM
// does (policy.Options.NamedUpdates and BundleScope).
package lock

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Lock says which bundle each cluster gets. A Lock is data; nothing in this package changes one.
type Lock struct {
	APIVersion string `yaml:"apiVersion" json:"apiVersion"`
	Kind       string `yaml:"kind" json:"kind"`
	// Policies are those under which the lock was made, by name.
	Policies []Policy `yaml:"policies,omitempty" json:"policies,omitempty"`
	// Waves are kept by hand: the clusters that move together, first ones first.
	Waves []Wave `yaml:"waves,omitempty" json:"waves,omitempty"`
	// Scopes are sorted by cluster, then namespaces before ClusterExtensions, then by name.
	Scopes []Scope `yaml:"scopes" json:"scopes"`
}

// Policy is a policy and the digest of its text.
type Policy struct {
	Name   string `yaml:"name" json:"name"`
	Digest string `yaml:"digest" json:"digest"`
}

// Wave is a group of clusters that move together.
type Wave struct {
	Name     string   `yaml:"name" json:"name"`
	Clusters []string `yaml:"clusters" json:"clusters"`
}

// Scope is what one namespace or ClusterExtension of a cluster gets.
type Scope struct {
	// Cluster is empty if there is only one.
	Cluster   string `yaml:"cluster,omitempty" json:"cluster,omitempty"`
	Namespace string `yaml:"namespace,omitempty" json:"namespace,omitempty"`
	Extension string `yaml:"clusterExtension,omitempty" json:"clusterExtension,omitempty"`
	// Requests are sorted by name, Bundles by package.
	Requests []Request `yaml:"requests" json:"requests"`
	Bundles  []Bundle  `yaml:"bundles" json:"bundles"`
}

// Request is what a Subscription or ClusterExtension asks for.
type Request struct {
	Name    string `yaml:"name" json:"name"`
	Package string `yaml:"package" json:"package"`
	// Channel and Catalog are those of a Subscription, Channels and Version those of a
	// ClusterExtension. StartingCSV counts only where nothing is installed.
	Channel     string   `yaml:"channel,omitempty" json:"channel,omitempty"`
	Channels    []string `yaml:"channels,omitempty" json:"channels,omitempty"`
	Version     string   `yaml:"version,omitempty" json:"version,omitempty"`
	Catalog     string   `yaml:"catalog,omitempty" json:"catalog,omitempty"`
	StartingCSV string   `yaml:"startingCSV,omitempty" json:"startingCSV,omitempty"`
}

// Bundle is a locked bundle. A scope has one per package.
type Bundle struct {
	Package string `yaml:"package" json:"package"`
	Name    string `yaml:"bundle" json:"bundle"`
	Version string `yaml:"version" json:"version"`
	Channel string `yaml:"channel,omitempty" json:"channel,omitempty"`
	// Catalog is NAMESPACE/NAME, or NAME for a ClusterExtension; empty if no given one has it.
	Catalog string `yaml:"catalog,omitempty" json:"catalog,omitempty"`
	Image   string `yaml:"image,omitempty" json:"image,omitempty"`
	// Replaces is the bundle that its entry in the channel replaces.
	Replaces string `yaml:"replaces,omitempty" json:"replaces,omitempty"`
	// Request is the Subscription or ClusterExtension that brings it, also one that OLM makes.
	Request string `yaml:"request" json:"request"`
	// For are the requests and the packages that need it.
	For []string `yaml:"for,omitempty" json:"for,omitempty"`
	// Way are the bundles between the installed one and this one, in order.
	Way []string `yaml:"way,omitempty" json:"way,omitempty"`
	// ByItself is false if OLM does not choose the bundle by itself. Planned is what it plans
	// instead, empty for nothing.
	ByItself *bool  `yaml:"byItself,omitempty" json:"byItself,omitempty"`
	Planned  string `yaml:"planned,omitempty" json:"planned,omitempty"`
	// Digest is that of the bundle's blob, PackageDigest that of all blobs of its package when
	// the bundle was locked.
	Digest        string `yaml:"digest,omitempty" json:"digest,omitempty"`
	PackageDigest string `yaml:"packageDigest,omitempty" json:"packageDigest,omitempty"`
	// Newer are the bundles above it in its channel, where a minimum age counts.
	Newer []Newer `yaml:"newer,omitempty" json:"newer,omitempty"`
}

// Newer is a bundle that is not taken yet.
type Newer struct {
	Name string `yaml:"bundle" json:"bundle"`
	// FirstSeen is the day on which a lock first saw it, as YYYY-MM-DD.
	FirstSeen string `yaml:"firstSeen" json:"firstSeen"`
}

// Automatic reports whether OLM chooses the bundle by itself.
func (b *Bundle) Automatic() bool { return b.ByItself == nil || *b.ByItself }

// key returns the bundle's key in its catalog.
func (b *Bundle) key() catalog.BundleKey {
	return catalog.BundleKey{Name: b.Name, Package: b.Package, Catalog: catalog.ParseKey(b.Catalog)}
}

// Scope returns the scope of the resolver.
func (s *Scope) Scope() cluster.Scope {
	if s.Extension != "" {
		return cluster.OfExtension(s.Extension)
	}
	return cluster.InNamespace(s.Namespace)
}

// String returns the scope, with its cluster if it has one.
func (s *Scope) String() string { return title(s.Cluster, s.Scope()) }

func title(name string, scope cluster.Scope) string {
	if name == "" {
		return scope.String()
	}
	return "cluster " + name + ", " + scope.String()
}

// Bundle returns the locked bundle of a package, nil if there is none.
func (s *Scope) Bundle(pkg string) *Bundle {
	i, found := slices.BinarySearchFunc(s.Bundles, pkg, func(b Bundle, pkg string) int { return strings.Compare(b.Package, pkg) })
	if !found {
		return nil
	}
	return &s.Bundles[i]
}

// Find returns the scope of a cluster, nil if it is not locked.
func (l *Lock) Find(name string, scope cluster.Scope) *Scope {
	i, found := slices.BinarySearchFunc(l.Scopes, scope, func(s Scope, scope cluster.Scope) int {
		return cmp.Or(strings.Compare(s.Cluster, name), s.Scope().Compare(scope))
	})
	if !found {
		return nil
	}
	return &l.Scopes[i]
}

// Clusters returns the names of the clusters, sorted.
func (l *Lock) Clusters() (names []string) {
	for i := range l.Scopes {
		if name := l.Scopes[i].Cluster; len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

func (l *Lock) sort() {
	slices.SortFunc(l.Policies, func(a, b Policy) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(l.Scopes, func(a, b Scope) int {
		return cmp.Or(strings.Compare(a.Cluster, b.Cluster), a.Scope().Compare(b.Scope()))
	})
}

// Move is what differs between two locks for one package of a scope.
type Move struct {
	Cluster string
	Scope   cluster.Scope
	Package string
	// From is nil for a package that is new, To for one that goes.
	From, To *Bundle
	// Because is why the package moves although nobody asked for that, empty if somebody did.
	Because string
	// Notes are what a reviewer should know: risks and deprecations.
	Notes []string
}

// String returns the move in one line.
func (m Move) String() string {
	return fmt.Sprintf("%s: %s %s -> %s", title(m.Cluster, m.Scope), m.Package, version(m.From), version(m.To))
}

func version(b *Bundle) string {
	if b == nil {
		return "none"
	}
	return b.Version
}

// Moves returns the packages whose bundle differs between two locks, sorted by scope and package.
func Moves(before, after *Lock) []Move {
	var list []Move
	type place struct {
		name  string
		scope cluster.Scope
	}
	add := func(p place, from, to *Scope) {
		was, is := map[string]*Bundle{}, map[string]*Bundle{}
		var names []string
		for at, s := range []*Scope{from, to} {
			for i := 0; s != nil && i < len(s.Bundles); i++ {
				b := &s.Bundles[i]
				names = append(names, b.Package)
				[]map[string]*Bundle{was, is}[at][b.Package] = b
			}
		}
		slices.Sort(names)
		for _, pkg := range slices.Compact(names) {
			if a, b := was[pkg], is[pkg]; a == nil || b == nil || a.Name != b.Name || a.Catalog != b.Catalog {
				list = append(list, Move{Cluster: p.name, Scope: p.scope, Package: pkg, From: a, To: b})
			}
		}
	}
	var places []place
	for _, l := range []*Lock{before, after} {
		for i := range l.Scopes {
			places = append(places, place{l.Scopes[i].Cluster, l.Scopes[i].Scope()})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(strings.Compare(a.name, b.name), a.scope.Compare(b.scope)) })
	for _, p := range slices.Compact(places) {
		add(p, before.Find(p.name, p.scope), after.Find(p.name, p.scope))
	}
	return list
}
