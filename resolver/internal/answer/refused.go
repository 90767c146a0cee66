package answer

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Refusal is why OLM would not carry out an answer: it does not take a definition of a new bundle
// of it. WayOut is nil if none is known.
type Refusal struct {
	Bundle solver.Var
	Why    result.Reason
	WayOut *result.Repair
}

// Refused returns the refusals of a solution, those without a way out first; none if OLM would carry
// it out. Nothing of an InstallPlan comes after what fails.
func Refused(m *world.Problem, s *solver.Solution) (list []Refusal) {
	known := m.Model.In.Cluster
	if len(known.ClusterScoped().Definitions) == 0 {
		return nil
	}
	for _, sel := range s.Selected {
		p := m.Model.Of(sel.Var)
		if p.AsInstalled(sel.Var) != nil {
			continue
		}
		states := p.PropertiesOf(sel.Var)
		for _, r := range request.RefusedDefinitions(known, known.Extension(p.Scope.Extension()), p.NameOf(sel.Var), states) {
			name := r.Args().Other
			list = append(list, Refusal{sel.Var, r, request.StoredRepair(&r, known.Definition(name), states.Objects().Definition(name))})
		}
	}
	slices.SortStableFunc(list, func(a, b Refusal) int { return cmp.Compare(a.ways(), b.ways()) })
	return list
}

// NeverInstalled returns why OLM leaves a new bundle Pending on every cluster, and carries the rest out;
// nil if it does not.
func NeverInstalled(p *model.Part, name string, states *properties.Set) []result.Reason {
	if err := states.Metadata().KubeFault(); err != nil && p.Kind.NeedsKube {
		return []result.Reason{result.New(words.NeverInstalled, result.Args{Subject: name, Err: err})}
	}
	return nil
}

// ways is the number of ways out.
func (r *Refusal) ways() int {
	if r.WayOut == nil || r.WayOut.Kind != words.RepairStored {
		return 0
	}
	return 1
}
