package answer

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// JudgesChanges reports whether a rule of a policy judges answers of the problem.
func JudgesChanges(m *world.Problem) bool {
	return slices.ContainsFunc(m.Model.Parts, func(p *model.Part) bool { return p.Judge.Rules().JudgeChanges() })
}

// Denied reports whether a rule of a policy denies a solution.
func Denied(m *world.Problem, s *solver.Solution) bool {
	return JudgesChanges(m) && slices.ContainsFunc(Breaches(m, s), func(list []policy.Breach) bool {
		return slices.ContainsFunc(list, func(b policy.Breach) bool { return !b.Rule.Warn })
	})
}

// Breaches returns the rules about changes that a solution breaks, by Part. If the context or
// the limit of the cost of rules ends it, the Pace of the Model has the error.
func Breaches(m *world.Problem, s *solver.Solution) [][]policy.Breach {
	all := make([][]policy.Breach, len(m.Scopes))
	for i := range m.Scopes {
		p := m.Scopes[i].Part
		if p.Judge.Rules().JudgeChanges() {
			all[i] = p.Judge.Changes(Changes(m, s, i), nil)
		}
	}
	return all
}

// Changes returns what a solution changes in a scope, as rules read it: what is selected, in
// this order, then what goes, by name.
func Changes(m *world.Problem, s *solver.Solution, scope int) []policy.Change {
	scoped := &m.Scopes[scope]
	p := scoped.Part
	selected := slices.DeleteFunc(slices.Clone(s.Selected), func(sel solver.Selection) bool { return m.Model.Of(sel.Var) != p })
	a := newAnswer(scoped, selected, nil, whole)
	gone := map[solver.Var]bool{}
	for i := range p.Installed {
		if v := p.InstalledVar(i); !p.Installed[i].Foreign && a.at(v) < 0 {
			gone[v] = true
		}
	}
	var list []policy.Change
	for n, sel := range selected {
		if p.AsInstalled(sel.Var) != nil {
			continue
		}
		c := policy.Change{Kind: words.ChangeInstall, To: p.Judge.Bundle(sel.Var)}
		c.Requested = slices.ContainsFunc(scoped.Requests, func(r request.Request) bool { return r.PackageName() == p.Bundle(sel.Var).Package })
		var owners []solver.Var
		for _, i := range a.serving[n] {
			if by := &a.required[i]; by.owner != sel.Var && !slices.Contains(owners, by.owner) {
				owners = append(owners, by.owner)
				c.Dependency, c.RequiredBy = true, append(c.RequiredBy, by.by.Judge.Bundle(by.owner))
			}
		}
		if from := a.replacedBy(sel.Var, gone); from != solver.None {
			delete(gone, from)
			if c.Kind, c.From = words.ChangeUpdate, p.Judge.Bundle(from); c.To.Version.LT(c.From.Version) {
				c.Kind = words.ChangeDowngrade
			}
		}
		list = append(list, c)
	}
	for i := range p.Installed {
		if v := p.InstalledVar(i); gone[v] {
			list = append(list, policy.Change{Kind: words.ChangeRemove, From: p.Judge.Bundle(v)})
		}
	}
	return list
}

// replacedBy returns the installed bundle that goes for a new one: one that it replaces, else
// one of its package. It returns None if there is none.
func (a *answer) replacedBy(v solver.Var, gone map[solver.Var]bool) solver.Var {
	for _, cur := range a.p.Excludes[v] {
		if gone[cur] {
			return cur
		}
	}
	pkg := a.p.Bundle(v).Package
	for i := range a.p.Installed {
		if cur := a.p.InstalledVar(i); gone[cur] && a.p.Installed[i].PackageName() == pkg {
			return cur
		}
	}
	return solver.None
}

// BreachOf returns the reason that states a breach of a rule about the changes of a scope.
func BreachOf(scope cluster.Scope, b policy.Breach) result.Reason {
	if b.Rule.Warn {
		return reason.PolicyWarning(scope.String(), b)
	}
	return reason.DeniedAnswer(scope.String(), b)
}
