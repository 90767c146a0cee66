package answer

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Refusal is why OLM would not carry out an answer: it does not take a definition of a new bundle
// of it, or lacks Rights for its bundles. WayOut is nil if none is known.
type Refusal struct {
	Bundle solver.Var
	Why    result.Reason
	WayOut *result.Repair
	Rights *request.Rights
}

// Refused returns the refusals of a solution, those of definitions first, and of these those without a
// way out; none if OLM would carry it out. Nothing of an InstallPlan comes after what fails.
func Refused(m *world.Problem, s *solver.Solution) (list []Refusal) {
	for _, p := range m.Model.Parts {
		if rights, first := MissingRights(m.Model, p, s.Selected); rights != nil {
			list = append(list, Refusal{Bundle: first, Why: rights.Refused(p.NameOf(first)), Rights: rights})
		}
	}
	known := m.Model.In.Cluster
	if len(known.ClusterScoped().Definitions) == 0 {
		return list
	}
	for _, sel := range s.Selected {
		p := m.Model.Of(sel.Var)
		if p.AsInstalled(sel.Var) != nil {
			continue
		}
		states := p.PropertiesOf(sel.Var)
		for _, r := range request.RefusedDefinitions(known, known.Extension(p.Scope.Extension()), p.NameOf(sel.Var), states) {
			name := r.Args().Other
			list = append(list, Refusal{Bundle: sel.Var, Why: r, WayOut: request.StoredRepair(&r, known.Definition(name), states.Objects().Definition(name))})
		}
	}
	slices.SortStableFunc(list, func(a, b Refusal) int { return cmp.Compare(a.rank(), b.rank()) })
	return list
}

// MissingRights returns what the account with which OLM installs in the namespace of a Part needs for
// what is selected there and has not, nil if nothing is missing that is known. first is the first of the
// new bundles.
func MissingRights(m *model.Model, p *model.Part, selected []solver.Selection) (rights *request.Rights, first solver.Var) {
	if !p.Kind.Namespaced || inventory.AccountOf(p.In.Cluster, p.Namespace) == nil {
		return nil, solver.None
	}
	var bundles []request.Brought
	for _, sel := range selected {
		if m.Of(sel.Var) != p || p.AsInstalled(sel.Var) != nil {
			continue
		}
		if len(bundles) == 0 {
			first = sel.Var
		}
		bundles = append(bundles, *request.BroughtBy(p, sel.Var))
	}
	return request.MissingRights(p.In.Cluster, p.Namespace, bundles...), first
}

// NeverInstalled returns why OLM leaves a new bundle Pending on every cluster, and carries the rest out;
// nil if it does not.
func NeverInstalled(p *model.Part, name string, states *properties.Set) []result.Reason {
	if err := states.Metadata().KubeFault(); err != nil && p.Kind.NeedsKube {
		return []result.Reason{reason.NeverInstalled(name, err)}
	}
	return nil
}

// rank is the higher, the less it takes to end the refusal.
func (r *Refusal) rank() int {
	switch {
	case r.Rights != nil:
		return 2
	case r.WayOut != nil && r.WayOut.Kind == words.RepairStored:
		return 1
	}
	return 0
}
