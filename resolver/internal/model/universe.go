package model

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/memo"
	"github.com/resolvent/resolvent/solver"
)

// Universe is a set of catalogs in order of preference, as some namespaces or the
// ClusterExtensions see it. The number of a bundle is the base of its catalog plus its ID.
//
// Apart from its caches it is immutable. It is safe for any number of goroutines.
type Universe struct {
	Catalogs []Catalog
	// Size is the number of bundles.
	Size   solver.Var
	span   Span
	Groups groupTable
	// Kinds returns, by kind and by its versions, the bundles that provide it, by number.
	Kinds func() map[properties.GVK]map[string][]solver.Var
	// matching caches the bundles that match an expression, offered those that a channel
	// or a package offers.
	matching memo.Memo[ListKey, []solver.Var]
	offered  memo.Memo[offerKey, *List]
	// versions caches the versions of packages.
	versions memo.Memo[string, []semver.Version]
	// judged caches what rules of policies say of bundles.
	judged memo.Memo[string, *Judgments]
}

// Span is how far the bundles of a Universe reach.
type Span struct {
	// ByChannel is true if channels order the bundles and hide those that none offers. Else
	// all bundles count, and a higher version comes first.
	ByChannel bool
	// OneInCluster is true if an API has one provider in the cluster, whatever its version,
	// and not one in a namespace.
	OneInCluster bool
}

// VersionsOf returns the distinct versions of a package, sorted. The result is shared: read
// it only.
func (u *Universe) VersionsOf(pkg string) []semver.Version {
	return u.versions.Value(pkg, func() []semver.Version {
		var list []semver.Version
		for i := range u.Catalogs {
			for b := range u.Catalogs[i].Bundles(pkg) {
				list = append(list, b.Version)
			}
		}
		slices.SortFunc(list, semver.Version.Compare)
		return slices.CompactFunc(list, semver.Version.EQ)
	})
}

// Catalog is a catalog with the number of its first bundle.
type Catalog struct {
	Key      catalog.Key
	Priority int
	Snapshot *catalog.Snapshot
	base     solver.Var
}

// ListKey identifies a list of candidates: the meaning of its expression, the cluster facts
// if the expression reads any, and the catalog that comes first.
type ListKey struct {
	expr, facts string
	own         int
}

// KeyOf returns the key of the list of an expression that a bundle of the own catalog
// states.
func KeyOf(e constraints.Expr, facts rules.Facts, own int) ListKey {
	key := ListKey{expr: constraints.Key(e), own: own}
	if _, cluster := constraints.Reads(e); cluster {
		key.facts = facts.Key()
	}
	return key
}

// NoCatalog is the own catalog of a bundle that has none.
const NoCatalog = -1

// newUniverse orders catalogs for a namespace: by priority, highest first, then those of
// the namespace, then by key.
func newUniverse(catalogs []*cache.Catalog, namespace string, span Span) *Universe {
	ordered := slices.Clone(catalogs)
	slices.SortStableFunc(ordered, func(a, b *cache.Catalog) int {
		return cmp.Or(
			cmp.Compare(b.Priority, a.Priority),
			foreign(a.Key, namespace)-foreign(b.Key, namespace),
			cmp.Compare(a.Key.Namespace, b.Key.Namespace),
			cmp.Compare(a.Key.Name, b.Key.Name))
	})
	u := &Universe{Catalogs: make([]Catalog, len(ordered)), span: span}
	for i, c := range ordered {
		u.Catalogs[i] = Catalog{Key: c.Key, Priority: c.Priority, Snapshot: c.Snapshot, base: u.Size}
		u.Size += solver.Var(c.Snapshot.Len())
	}
	u.Kinds = sync.OnceValue(u.indexKinds)
	u.versions.Max, u.versions.Weigh = maxVersions, func(list []semver.Version) int { return len(list) + 1 }
	u.judged.Max = maxJudged
	u.matching.Max, u.matching.Weigh = maxMatching, func(list []solver.Var) int { return len(list) + 1 }
	u.Groups.byKind = span.OneInCluster
	u.Groups.of = make([]atomic.Pointer[[]solver.Group], u.Size)
	u.Groups.ids = make(map[GroupKey]solver.Group)
	return u
}

func (u *Universe) indexKinds() map[properties.GVK]map[string][]solver.Var {
	index := map[properties.GVK]map[string][]solver.Var{}
	for v := range u.Size {
		for kind, versions := range inventory.VersionsOf(u.Bundle(v).Properties.GVKs()) {
			if index[kind] == nil {
				index[kind] = map[string][]solver.Var{}
			}
			index[kind][versions] = append(index[kind][versions], v)
		}
	}
	return index
}

func foreign(k catalog.Key, namespace string) int {
	if k.Namespace == namespace {
		return 0
	}
	return 1
}

// Locate returns the catalog and ID of a bundle by its number.
func (u *Universe) Locate(v solver.Var) (at int, id catalog.ID) {
	// If catalogs have the same base, only the last of them has bundles.
	i := sort.Search(len(u.Catalogs), func(i int) bool { return u.Catalogs[i].base > v }) - 1
	return i, catalog.ID(v - u.Catalogs[i].base)
}

// Bundle returns a bundle by its number.
func (u *Universe) Bundle(v solver.Var) *catalog.Bundle {
	c, id := u.Locate(v)
	return u.Catalogs[c].Snapshot.Bundle(id)
}

// Number returns the number of a bundle.
func (u *Universe) Number(at int, id catalog.ID) solver.Var {
	return u.Catalogs[at].base + solver.Var(id)
}

// order returns the indices of the catalogs, own first.
func (u *Universe) order(first int) []int {
	order := make([]int, len(u.Catalogs))
	for i := range order {
		order[i] = i
	}
	if first != NoCatalog {
		copy(order[1:], order[:first])
		order[0] = first
	}
	return order
}

// Candidates returns the bundles that match an expression which a bundle of the own catalog
// states, in order of preference. The result is shared. The error is that of the context.
func (u *Universe) Candidates(ctx context.Context, e constraints.Expr, facts rules.Facts, first int) ([]solver.Var, error) {
	return u.matching.Get(KeyOf(e, facts, first), func() (list []solver.Var, err error) {
		for _, c := range u.order(first) {
			from := &u.Catalogs[c]
			ids, err := from.Snapshot.Matches(ctx, e, facts)
			if err != nil {
				return nil, err
			}
			end := catalog.ID(from.Snapshot.Candidates())
			for _, id := range ids {
				if id >= end && u.span.ByChannel {
					break // ascending: the rest are no candidates either
				}
				list = append(list, from.base+solver.Var(id))
			}
		}
		if !u.span.ByChannel {
			u.sortByVersion(list, first)
		}
		return list, nil
	})
}

// sortByVersion sorts bundles without regard to channels: not deprecated first, then
// by catalog, own first, then by package, then the highest version first.
func (u *Universe) sortByVersion(list []solver.Var, own int) {
	rank := make([]int, len(u.Catalogs))
	for i, c := range u.order(own) {
		rank[c] = i
	}
	slices.SortStableFunc(list, func(v, w solver.Var) int {
		catalogV, _ := u.Locate(v)
		catalogW, _ := u.Locate(w)
		a, b := u.Bundle(v), u.Bundle(w)
		return cmp.Or(
			Deprecated(a)-Deprecated(b),
			cmp.Compare(rank[catalogV], rank[catalogW]),
			cmp.Compare(a.Package, b.Package),
			ReleaseOf(b).Compare(ReleaseOf(a)))
	})
}

// offerKey identifies a channel or package of a catalog. The pointer alone would not do:
// catalogs may share a snapshot.
type offerKey struct {
	catalog int
	of      any // *catalog.Channel or *catalog.Package
}

// ChannelCandidates returns the candidates that a channel of a catalog offers, the head
// first. The result is shared.
func (u *Universe) ChannelCandidates(c int, channel *catalog.Channel) *List {
	return u.offered.Value(offerKey{c, channel}, func() *List {
		list := &List{}
		for at := range channel.Chain() {
			if e := at.At(); e.Candidate() {
				list.Add(u.Number(c, e.Bundle), at)
			}
		}
		return list
	})
}

// PackageCandidates returns the candidates that all channels of a package of a catalog
// offer. The result is shared.
func (u *Universe) PackageCandidates(c int, pkg *catalog.Package) *List {
	return u.offered.Value(offerKey{c, pkg}, func() *List {
		list := &List{}
		snapshot := u.Catalogs[c].Snapshot
		for _, id := range pkg.Bundles {
			if int(id) >= snapshot.Candidates() {
				break // ascending: the rest can only be selected by name
			}
			list.Add(u.Number(c, id), snapshot.Bundle(id).Places[0])
		}
		return list
	})
}

// Bundles yields the bundles of a package, those closest to a head first.
func (c *Catalog) Bundles(pkg string) iter.Seq[*catalog.Bundle] {
	return func(yield func(*catalog.Bundle) bool) {
		if found := c.Snapshot.Package(pkg); found != nil {
			for _, id := range found.Bundles {
				if !yield(c.Snapshot.Bundle(id)) {
					return
				}
			}
		}
	}
}
