// Package candidate lists the bundles that catalogs offer, in the order in which
// they are preferred: by catalog priority, channel and nearness to the head.
// Bundles have numbers, so that all problems on the same catalogs share their
// lists and at-most-one groups. It knows no request, and nothing installed.
package candidate

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/solver"
)

// Universe is the set of catalogs that some namespaces see, in the order of
// preference that holds without a dependent bundle. Every bundle of it has a
// number: the base of its catalog plus its ID, so that lists of candidates can
// be shared by all problems on the same catalogs.
//
// It is immutable but for its memory of candidate lists, and safe for any
// number of goroutines.
type Universe struct {
	Catalogs []Catalog
	Size     solver.Var
	// ByVersion: for requests of the whole cluster channels give no order, and
	// no bundle is hidden because a channel skips it or has no order.
	ByVersion bool
	Groups    groupTable
	// Kinds finds the bundles that provide a kind, in any version, by number.
	Kinds func() map[properties.GVK][]solver.Var
	// lists remembers, by listKey, what matches an expression.
	lists sync.Map
	// listed is about how many candidates these lists hold together.
	listed atomic.Int64
	// offered remembers, by offerKey, what channels and packages offer.
	offered sync.Map
}

// Catalog is a catalog with the number of its first bundle.
type Catalog struct {
	Key      catalog.Key
	Priority int
	Snapshot *catalog.Snapshot
	base     solver.Var
}

// ListKey identifies a list of candidates: the meaning of the expression, the
// cluster facts if it reads any, and the catalog that comes first.
type ListKey struct {
	Expr  string
	Facts string
	own   int
}

// NoCatalog stands for the own catalog of what has none.
const NoCatalog = -1

// newUniverse orders catalogs for namespace: higher priority first, then those
// of the namespace, then by key. Without a namespace it serves the whole
// cluster, where an API is owned by its kind.
func newUniverse(catalogs []cache.Catalog, namespace string) *Universe {
	ordered := slices.Clone(catalogs)
	slices.SortStableFunc(ordered, func(a, b cache.Catalog) int {
		return cmp.Or(
			cmp.Compare(b.Priority, a.Priority),
			foreign(a.Key, namespace)-foreign(b.Key, namespace),
			cmp.Compare(a.Key.Namespace, b.Key.Namespace),
			cmp.Compare(a.Key.Name, b.Key.Name))
	})
	u := &Universe{Catalogs: make([]Catalog, len(ordered)), ByVersion: namespace == ""}
	for i, c := range ordered {
		u.Catalogs[i] = Catalog{Key: c.Key, Priority: c.Priority, Snapshot: c.Snapshot, base: u.Size}
		u.Size += solver.Var(c.Snapshot.Len())
	}
	u.Kinds = sync.OnceValue(u.indexKinds)
	u.Groups.byKind = u.ByVersion
	u.Groups.of = make([]atomic.Pointer[[]solver.Group], u.Size)
	u.Groups.ids = make(map[GroupKey]solver.Group)
	return u
}

func (u *Universe) indexKinds() map[properties.GVK][]solver.Var {
	index := map[properties.GVK][]solver.Var{}
	for v := range u.Size {
		for _, kind := range inventory.KindsOf(u.Bundle(v).Properties.GVKs()) {
			index[kind] = append(index[kind], v)
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
	i, found := slices.BinarySearchFunc(u.Catalogs, v, func(c Catalog, v solver.Var) int {
		return cmp.Compare(c.base, v)
	})
	if !found {
		i--
	}
	// An empty catalog shares its base with the next one.
	for i+1 < len(u.Catalogs) && u.Catalogs[i+1].base <= v {
		i++
	}
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

// order yields the indices of the catalogs, own first.
func (u *Universe) order(own int) []int {
	order := make([]int, 0, len(u.Catalogs))
	if own != NoCatalog {
		order = append(order, own)
	}
	for i := range u.Catalogs {
		if i != own {
			order = append(order, i)
		}
	}
	return order
}

// Candidates returns the bundles that match the expression, in order of
// preference, for a dependent bundle of the own catalog. The result is shared.
// The error is that of the context.
func (u *Universe) Candidates(ctx context.Context, e constraints.Expr, facts constraints.Facts, own int) ([]solver.Var, error) {
	key := ListKey{Expr: constraints.Key(e), own: own}
	if constraints.ReadsCluster(e) {
		key.Facts = facts.Key()
	}
	if list, ok := u.lists.Load(key); ok {
		return list.([]solver.Var), nil
	}
	var list []solver.Var
	for _, c := range u.order(own) {
		from := &u.Catalogs[c]
		ids, _, err := from.Snapshot.Matches(ctx, e, facts)
		if err != nil {
			return nil, err
		}
		end := catalog.ID(from.Snapshot.Candidates())
		for _, id := range ids {
			if id >= end && !u.ByVersion {
				break // ascending: the rest are no candidates either
			}
			list = append(list, from.base+solver.Var(id))
		}
	}
	if u.ByVersion {
		u.sortByVersion(list, own)
	}
	return u.remember(key, list), nil
}

// maxListed bounds the candidates in all remembered lists together.
const maxListed = 16 << 20

// remember keeps a list unless there are too many, and returns the one that is
// kept: racing callers compute the same one.
func (u *Universe) remember(key ListKey, list []solver.Var) []solver.Var {
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

// offerKey identifies a channel of a catalog or, with channel nil, a package.
type offerKey struct {
	catalog int
	pkg     *catalog.Package
	channel *catalog.Channel
}

// offer returns the list for the key, made by collect if it is not remembered.
func (u *Universe) offer(k offerKey, collect func(*List)) *List {
	if known, ok := u.offered.Load(k); ok {
		return known.(*List)
	}
	list := &List{}
	collect(list)
	known, _ := u.offered.LoadOrStore(k, list)
	return known.(*List)
}

// ChannelCandidates returns what a channel offers, the head first.
func (u *Universe) ChannelCandidates(c int, channel *catalog.Channel) *List {
	return u.offer(offerKey{catalog: c, channel: channel}, func(list *List) {
		for _, e := range channel.Order {
			if entry := &channel.Entries[e]; entry.Candidate() {
				list.Add(u.Number(c, entry.Bundle), Place{channel, int(e)})
			}
		}
	})
}

// PackageCandidates returns what all channels of a package offer.
func (u *Universe) PackageCandidates(c int, pkg *catalog.Package) *List {
	return u.offer(offerKey{catalog: c, pkg: pkg}, func(list *List) {
		snapshot := u.Catalogs[c].Snapshot
		for _, id := range pkg.Bundles {
			if int(id) >= snapshot.Candidates() {
				break // ascending: the rest are reached by name only
			}
			best := snapshot.Bundle(id).Places[0]
			list.Add(u.Number(c, id), Place{best.Channel, best.Entry})
		}
	})
}

// Bundles walks the bundles of a package, those nearest to a head first.
func (c *Catalog) Bundles(pkg string) iter.Seq[*catalog.Bundle] {
	return func(yield func(*catalog.Bundle) bool) {
		found := c.Snapshot.Package(pkg)
		if found == nil {
			return
		}
		for _, id := range found.Bundles {
			if !yield(c.Snapshot.Bundle(id)) {
				return
			}
		}
	}
}
