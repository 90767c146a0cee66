package encode

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/solver"
)

// numbers are those of the bundles of a part: from Base on, first the bundles of the
// universe in its order.
type numbers struct {
	Base     solver.Var
	Universe *candidate.Universe
	// renumbered are lists of the universe in the numbers of the model.
	renumbered map[candidate.Segment][]solver.Var
}

// Number returns the number of a catalog's bundle.
func (n *numbers) Number(catalog int, id catalog.ID) solver.Var {
	return n.Base + n.Universe.Number(catalog, id)
}

// Locate returns the catalog and ID of a bundle by its number.
func (n *numbers) Locate(v solver.Var) (catalog int, id catalog.ID) {
	return n.Universe.Locate(v - n.Base)
}

// Bundle returns a catalog's bundle by its number.
func (n *numbers) Bundle(v solver.Var) *catalog.Bundle { return n.Universe.Bundle(v - n.Base) }

// numbered returns the numbers that bundles of the universe have in the model.
// The list is shared; of a long one, the copy is.
func (n *numbers) numbered(list []solver.Var) []solver.Var {
	if n.Base == 0 || len(list) == 0 {
		return list
	}
	key := candidate.SegmentOf(list)
	if known, ok := n.renumbered[key]; ok {
		return known
	}
	out := make([]solver.Var, len(list))
	for i, v := range list {
		out[i] = v + n.Base
	}
	if n.renumbered == nil {
		n.renumbered = map[candidate.Segment][]solver.Var{}
	}
	n.renumbered[key] = out
	return out
}

// ClusterWide reports whether a request of the whole cluster is resolved, not those
// of a namespace: catalogs without a namespace serve it, and an API is owned by its
// kind.
func (n *numbers) ClusterWide() bool { return n.Universe.ByVersion }
