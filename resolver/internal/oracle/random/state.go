package random

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/world"
)

// Catalog is the catalog that all states subscribe to.
var Catalog = catalog.Key{Namespace: "olm", Name: "community"}

// StateConfig says what a state looks like.
type StateConfig struct {
	Seed uint64
	// Namespaces is how many there are; each has between Fewest and Most
	// Subscriptions.
	Namespaces   int
	Fewest, Most int
	// InstalledShare is the share of Subscriptions that have something installed.
	InstalledShare float64
}

// State returns the namespaces of a cluster. What is installed in each could
// have been resolved there.
func State(snapshot *catalog.Snapshot, config StateConfig) cluster.Objects {
	r := rand.New(rand.NewPCG(config.Seed, 1))
	packages := slices.Collect(func(yield func(*catalog.Package) bool) {
		for p := range snapshot.Packages() {
			if fits(snapshot, p) && !yield(p) {
				return
			}
		}
	})
	var objects cluster.Objects
	for i := range config.Namespaces {
		namespace := fmt.Sprintf("team-%04d", i)
		objects.OperatorGroups = append(objects.OperatorGroups, cluster.OperatorGroup{
			Namespace: namespace, Name: "group", TargetNamespaces: []string{namespace},
		})
		count := min(config.Fewest+r.IntN(config.Most-config.Fewest+1), len(packages))
		state := namespaceState{objects: &objects, namespace: namespace, snapshot: snapshot, taken: map[string]bool{}}
		for _, k := range r.Perm(len(packages))[:count] {
			state.subscribe(r, packages[k], r.Float64() < config.InstalledShare)
		}
	}
	return objects
}

// fits reports whether the head of the default channel can run in one namespace:
// people subscribe to what can.
func fits(snapshot *catalog.Snapshot, p *catalog.Package) bool {
	c := p.Channel(p.DefaultChannel)
	if c == nil || len(c.Order) == 0 || !c.Head().Candidate() {
		return false
	}
	m := snapshot.Bundle(c.Head().Bundle).Properties.Metadata()
	return m == nil || !m.StatesModes() || m.Supports(properties.OwnNamespace)
}

// namespaceState adds to one namespace of a state.
type namespaceState struct {
	objects   *cluster.Objects
	namespace string
	snapshot  *catalog.Snapshot
	// taken are the APIs that something installed provides.
	taken map[string]bool
}

// subscribe adds a Subscription, with a bundle installed if one can be that
// stands by itself.
func (s *namespaceState) subscribe(r *rand.Rand, pkg *catalog.Package, installed bool) {
	channel := pkg.Channel(pkg.DefaultChannel)
	sub := cluster.Subscription{
		Namespace: s.namespace, Name: pkg.Name, Package: pkg.Name, Channel: channel.Name,
		Catalog: Catalog.Name, CatalogNamespace: Catalog.Namespace,
	}
	entry := &channel.Entries[channel.Order[r.IntN(len(channel.Order))]]
	if installed && entry.Candidate() {
		if b := s.snapshot.Bundle(entry.Bundle); len(b.Constraints) == 0 && s.take(b) {
			made := Installed(s.namespace, s.snapshot, pkg.Name, channel.Name, entry.Bundle)
			sub = made.Subscriptions[0]
			s.objects.CSVs = append(s.objects.CSVs, made.CSVs...)
		}
	}
	s.objects.Subscriptions = append(s.objects.Subscriptions, sub)
}

// take reports whether nothing provides the APIs of a bundle yet, and takes
// them.
func (s *namespaceState) take(b *catalog.Bundle) bool {
	apis := b.Properties.GVKs()
	for _, api := range apis {
		if s.taken[api.String()] {
			return false
		}
	}
	for _, api := range apis {
		s.taken[api.String()] = true
	}
	return true
}

// Installed returns a Subscription with one bundle installed.
func Installed(namespace string, snapshot *catalog.Snapshot, pkg, channel string, id catalog.ID) cluster.Objects {
	b := snapshot.Bundle(id)
	return cluster.Objects{
		Subscriptions: []cluster.Subscription{{
			Namespace: namespace, Name: pkg, Package: pkg, Channel: channel,
			Catalog: Catalog.Name, CatalogNamespace: Catalog.Namespace, InstalledCSV: b.Name,
		}},
		CSVs: []cluster.ClusterServiceVersion{CSV(namespace, b)},
	}
}

// CSV is the object that an installed bundle leaves.
func CSV(namespace string, b *catalog.Bundle) cluster.ClusterServiceVersion {
	return cluster.ClusterServiceVersion{
		Namespace: namespace, Name: b.Name, Version: b.Version.String(), Phase: world.PhaseSucceeded,
		Annotations: map[string]string{cluster.AnnotationProperties: annotation(b)},
	}
}

// annotation is what the installed bundle states of itself.
func annotation(b *catalog.Bundle) string {
	list := []object{}
	for _, p := range b.Properties.All() {
		list = append(list, property(p.Type, json.RawMessage(p.Value)))
	}
	return line(object{"properties": list})
}
