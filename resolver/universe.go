package resolver

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	catalogpkg "github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/solver"
)

// universe is the set of catalogs that some namespaces see, in the order of
// preference that holds without a dependent bundle. Every bundle of it has a
// number: the base of its catalog plus its ID, so that lists of candidates can
// be shared by all problems on the same catalogs.
//
// It is immutable but for its memory of candidate lists, and safe for any
// number of goroutines.
type universe struct {
	catalogs []visibleCatalog
	size     solver.Var
	// byVersion: for requests of the whole cluster channels give no order, and
	// no bundle is hidden because a channel skips it or has no order.
	byVersion bool
	groups    groupTable
	// kinds finds the bundles that provide a kind, in any version, by number.
	kinds func() map[properties.GVK][]solver.Var
	// lists remembers, by listKey, what matches an expression.
	lists sync.Map
	// listed is about how many candidates these lists hold together.
	listed atomic.Int64
	// offered remembers, by offerKey, what channels and packages offer.
	offered sync.Map
}

// visibleCatalog is a catalog with the number of its first bundle.
type visibleCatalog struct {
	key      catalogpkg.Key
	priority int
	snapshot *catalogpkg.Snapshot
	base     solver.Var
}

// listKey identifies a list of candidates: the meaning of the expression, the
// cluster facts if it reads any, and the catalog that comes first.
type listKey struct {
	expr  string
	facts string
	own   int
}

// noCatalog stands for the own catalog of what has none.
const noCatalog = -1

// newUniverse orders catalogs for namespace: higher priority first, then those
// of the namespace, then by key. Without a namespace it serves the whole
// cluster, where an API is owned by its kind.
func newUniverse(catalogs []cache.Catalog, namespace string) *universe {
	ordered := slices.Clone(catalogs)
	slices.SortStableFunc(ordered, func(a, b cache.Catalog) int {
		return cmp.Or(
			cmp.Compare(b.Priority, a.Priority),
			foreign(a.Key, namespace)-foreign(b.Key, namespace),
			cmp.Compare(a.Key.Namespace, b.Key.Namespace),
			cmp.Compare(a.Key.Name, b.Key.Name))
	})
	u := &universe{catalogs: make([]visibleCatalog, len(ordered)), byVersion: namespace == ""}
	for i, c := range ordered {
		u.catalogs[i] = visibleCatalog{key: c.Key, priority: c.Priority, snapshot: c.Snapshot, base: u.size}
		u.size += solver.Var(c.Snapshot.Len())
	}
	u.kinds = sync.OnceValue(u.indexKinds)
	u.groups.byKind = u.byVersion
	u.groups.of = make([]atomic.Pointer[[]solver.Group], u.size)
	u.groups.ids = make(map[groupKey]solver.Group)
	return u
}

func (u *universe) indexKinds() map[properties.GVK][]solver.Var {
	index := map[properties.GVK][]solver.Var{}
	for v := range u.size {
		for _, kind := range kindsOf(u.bundle(v).Properties.GVKs()) {
			index[kind] = append(index[kind], v)
		}
	}
	return index
}

func foreign(k catalogpkg.Key, namespace string) int {
	if k.Namespace == namespace {
		return 0
	}
	return 1
}

// locate returns the catalog and ID of a bundle by its number.
func (u *universe) locate(v solver.Var) (catalog int, id catalogpkg.ID) {
	i, found := slices.BinarySearchFunc(u.catalogs, v, func(c visibleCatalog, v solver.Var) int {
		return cmp.Compare(c.base, v)
	})
	if !found {
		i--
	}
	// An empty catalog shares its base with the next one.
	for i+1 < len(u.catalogs) && u.catalogs[i+1].base <= v {
		i++
	}
	return i, catalogpkg.ID(v - u.catalogs[i].base)
}

// bundle returns a bundle by its number.
func (u *universe) bundle(v solver.Var) *catalogpkg.Bundle {
	c, id := u.locate(v)
	return u.catalogs[c].snapshot.Bundle(id)
}

// number returns the number of a bundle.
func (u *universe) number(catalog int, id catalogpkg.ID) solver.Var {
	return u.catalogs[catalog].base + solver.Var(id)
}

// order yields the indices of the catalogs, own first.
func (u *universe) order(own int) []int {
	order := make([]int, 0, len(u.catalogs))
	if own != noCatalog {
		order = append(order, own)
	}
	for i := range u.catalogs {
		if i != own {
			order = append(order, i)
		}
	}
	return order
}

// candidates returns the bundles that match the expression, in order of
// preference, for a dependent bundle of the own catalog. The result is shared.
// The error is that of the context.
func (u *universe) candidates(ctx context.Context, e constraints.Expr, facts constraints.Facts, own int) ([]solver.Var, error) {
	key := listKey{expr: constraints.Key(e), own: own}
	if constraints.ReadsCluster(e) {
		key.facts = facts.Key()
	}
	if list, ok := u.lists.Load(key); ok {
		return list.([]solver.Var), nil
	}
	var list []solver.Var
	for _, c := range u.order(own) {
		catalog := &u.catalogs[c]
		ids, _, err := catalog.snapshot.Matches(ctx, e, facts)
		if err != nil {
			return nil, err
		}
		end := catalogpkg.ID(catalog.snapshot.Candidates())
		for _, id := range ids {
			if id >= end && !u.byVersion {
				break // ascending: the rest are no candidates either
			}
			list = append(list, catalog.base+solver.Var(id))
		}
	}
	if u.byVersion {
		u.sortByVersion(list, own)
	}
	return u.remember(key, list), nil
}

// maxListed bounds the candidates in all remembered lists together.
const maxListed = 16 << 20

// remember keeps a list unless there are too many, and returns the one that is
// kept: racing callers compute the same one.
func (u *universe) remember(key listKey, list []solver.Var) []solver.Var {
	if u.listed.Add(int64(len(list)+1)) > maxListed {
		u.listed.Add(-int64(len(list) + 1))
		return list
	}
	kept, _ := u.lists.LoadOrStore(key, list)
	return kept.([]solver.Var)
}

// sortByVersion brings bundles into the order in which requests of the whole
// cluster prefer them: those that are not deprecated first; then by catalog,
// own first; in a catalog by package, and the highest version first.
func (u *universe) sortByVersion(list []solver.Var, own int) {
	rank := make([]int, len(u.catalogs))
	for i, c := range u.order(own) {
		rank[c] = i
	}
	slices.SortStableFunc(list, func(v, w solver.Var) int {
		catalogV, _ := u.locate(v)
		catalogW, _ := u.locate(w)
		a, b := u.bundle(v), u.bundle(w)
		return cmp.Or(
			deprecated(a)-deprecated(b),
			cmp.Compare(rank[catalogV], rank[catalogW]),
			cmp.Compare(a.Package, b.Package),
			releaseOf(b).Compare(releaseOf(a)))
	})
}

// offerKey identifies a channel of a catalog or, with channel nil, a package.
type offerKey struct {
	catalog int
	pkg     *catalogpkg.Package
	channel *catalogpkg.Channel
}

// offer returns the list for the key, made by collect if it is not remembered.
func (u *universe) offer(k offerKey, collect func(*candidateList)) *candidateList {
	if known, ok := u.offered.Load(k); ok {
		return known.(*candidateList)
	}
	list := &candidateList{}
	collect(list)
	known, _ := u.offered.LoadOrStore(k, list)
	return known.(*candidateList)
}

// channelCandidates returns what a channel offers, the head first.
func (u *universe) channelCandidates(c int, channel *catalogpkg.Channel) *candidateList {
	return u.offer(offerKey{catalog: c, channel: channel}, func(list *candidateList) {
		for _, e := range channel.Order {
			if entry := &channel.Entries[e]; entry.Candidate() {
				list.add(u.number(c, entry.Bundle), entryPlace{channel, int(e)})
			}
		}
	})
}

// packageCandidates returns what all channels of a package offer.
func (u *universe) packageCandidates(c int, pkg *catalogpkg.Package) *candidateList {
	return u.offer(offerKey{catalog: c, pkg: pkg}, func(list *candidateList) {
		snapshot := u.catalogs[c].snapshot
		for _, id := range pkg.Bundles {
			if int(id) >= snapshot.Candidates() {
				break // ascending: the rest are reached by name only
			}
			best := snapshot.Bundle(id).Places[0]
			list.add(u.number(c, id), entryPlace{best.Channel, best.Entry})
		}
	})
}

// bundles walks the bundles of a package, those nearest to a head first.
func (c *visibleCatalog) bundles(pkg string) iter.Seq[*catalog.Bundle] {
	return func(yield func(*catalog.Bundle) bool) {
		found := c.snapshot.Package(pkg)
		if found == nil {
			return
		}
		for _, id := range found.Bundles {
			if !yield(c.snapshot.Bundle(id)) {
				return
			}
		}
	}
}
