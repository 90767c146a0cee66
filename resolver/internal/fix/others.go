package fix

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// maxFailed is the number of failed sets of edits for which others are sought.
const maxFailed = 8

// others returns the changes that only others can make and with which the goal is reached: as
// things are, or else after a change of one field of a request.
func (s *search) others() []fixes.Other {
	if len(s.exceptions) > 0 {
		return s.exceptions
	}
	for _, n := range s.failed {
		var list []fixes.Other
		for _, r := range n.try.Core {
			if r.Kind != solver.KindRoot || r.Rule < 0 {
				continue
			}
			p, req := n.try.Problem.Root(r.Rule)
			if f := req.Fault; f != nil && f.Kind == request.FaultPackage && nowhere(missing.FaultFacts(p, req)) {
				list = append(list, fixes.Other{Kind: "catalog", Constraints: []string{"package " + req.PackageName()}})
			}
		}
		for _, v := range ownersOf(n) {
			if o, ok := s.ask(n, v); ok {
				list = append(list, o)
			}
		}
		for i := range list {
			list[i].After = changesOf(n.edits)
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// platforms are the codes of rules about the version of the cluster.
var platforms = map[code.Code]string{code.OpenShift: "OpenShift", code.Lifecycle: "OpenShift", code.Kubernetes: "Kubernetes"}

// ownersOf returns the bundles of catalogs whose constraints are in the core, of each package
// the newest.
func ownersOf(n *node) []solver.Var {
	var list []solver.Var
	for _, r := range n.try.Core {
		if r.Kind != solver.KindRule || n.try.Problem.Model.Of(r.Var).AsInstalled(r.Var) != nil {
			continue
		}
		p, o := n.try.Problem.Model.OriginOf(r.Var, r.Rule)
		if o.Code != code.Requires && platforms[o.Code] == "" {
			continue
		}
		at := slices.IndexFunc(list, func(v solver.Var) bool {
			return n.try.Problem.Model.Of(v) == p && p.Bundle(v).Package == p.Bundle(r.Var).Package
		})
		if at < 0 {
			list = append(list, r.Var)
		} else if p.Bundle(r.Var).Version.GT(p.Bundle(list[at]).Version) {
			list[at] = r.Var
		}
	}
	return list
}

// ask finds the smallest change of one bundle's constraints with which the goal is reached. All
// changed constraints are of one kind. A requirement is widened, never dropped.
func (s *search) ask(n *node, v solver.Var) (other fixes.Other, ok bool) {
	p := n.try.Problem.Model.Of(v)
	try := everything(n.try.Problem, n.wanted).problem
	try.Instead = map[solver.Reason]solver.Formula{}
	var own []solver.Reason
	for i, rule := range n.try.Problem.Model.Rules(v) {
		if _, o := n.try.Problem.Model.OriginOf(v, i); o.Code == code.Requires || platforms[o.Code] != "" {
			r := solver.Reason{Kind: solver.KindRule, Var: v, Rule: i}
			own, try.Instead[r] = append(own, r), &solver.Or{Parts: []solver.Formula{model.Always, rule.Formula}}
		}
	}
	if s.solved(n, try) == nil {
		return other, false
	}
	own = slices.DeleteFunc(own, func(r solver.Reason) bool {
		dropped := try.Instead[r]
		delete(try.Instead, r)
		if s.solved(n, try) != nil {
			return true
		}
		try.Instead[r] = dropped
		return false
	})
	other.Bundle = p.Ref(v).Bundle
	for _, r := range own {
		_, o := n.try.Problem.Model.OriginOf(v, r.Rule)
		kind := "publisher"
		if platform := platforms[o.Code]; platform != "" {
			kind, other.Accepts = "platform", append(other.Accepts, platform)
		} else if e := p.ConstraintOf(o).Expr; nowhere(missing.Find(p, e)) {
			kind, other.Constraints = "catalog", append(other.Constraints, e.String())
		} else if not, is := e.(constraints.Not); is && len(not.Exprs) == 1 {
			other.Accepts = append(other.Accepts, not.Exprs[0].String())
		} else if !s.widen(n, r, e, try, &other) {
			return other, false
		}
		if other.Kind != "" && other.Kind != kind {
			return other, false
		}
		other.Kind = kind
	}
	return other, other.Kind != ""
}

// nowhere reports whether the facts state that no catalog has anything like what is missing,
// and a catalog could have it.
func nowhere(facts []*result.Explanation) bool {
	absent := []code.Code{code.NoPackage, code.MissingPackage, code.MissingVersion, code.MissingAPI, code.MissingLabel, code.NoMatch}
	return !slices.ContainsFunc(facts, func(e *result.Explanation) bool {
		args := e.Reason.Args()
		return !slices.Contains(absent, e.Reason.Code()) || len(args.Bundles) > 0 || e.Reason.Code() == code.NoPackage && len(args.Names) > 0
	})
}

// widen lets a constraint accept one thing more, with which the problem holds.
func (s *search) widen(n *node, r solver.Reason, e constraints.Expr, try model.Restricted, other *fixes.Other) bool {
	accepts := ""
	switch of := e.(type) {
	case constraints.Package:
		if e, accepts = s.otherVersion(n, r, of, try); accepts == "" {
			return false
		}
	case constraints.GVK:
		solution := s.solved(n, try)
		for i := 0; solution != nil && i < len(solution.Selected) && accepts == ""; i++ {
			v := solution.Selected[i].Var
			for _, api := range n.try.Problem.Model.Of(v).PropertiesOf(v).GVKs() {
				if api != of.GVK && inventory.KindOf(api) == inventory.KindOf(of.GVK) {
					e, accepts = constraints.Any{Exprs: []constraints.Expr{of, constraints.GVK{GVK: api}}}, api.Describe()
				}
			}
		}
	}
	if accepts == "" {
		return false
	}
	try.Instead[r] = n.try.Problem.Model.Of(r.Var).FormulaOf(r.Var, e)
	other.Constraints, other.Accepts = append(other.Constraints, e.String()), append(other.Accepts, accepts)
	return s.solved(n, try) != nil
}

// otherVersion finds the excluded version closest to an end of a range, on a tie the newer,
// with which the problem holds. It returns the constraint that accepts it as well.
func (s *search) otherVersion(n *node, r solver.Reason, of constraints.Package, try model.Restricted) (with constraints.Expr, accepts string) {
	p := n.try.Problem.Model.Of(r.Var)
	versions := p.Universe.VersionsOf(of.Name)
	left := slices.DeleteFunc(slices.Clone(versions), of.Range.Contains)
	for i := range p.Installed {
		if v := p.Installed[i].Version; p.Installed[i].PackageName() == of.Name && !of.Range.Contains(v) {
			left = append(left, v)
		}
	}
	apart := func(v semver.Version) int {
		least := len(versions)
		for _, end := range of.Range.Samples()[1:] { // the first is the least of all
			least = min(least, request.Apart(versions, v, end))
		}
		return least
	}
	slices.SortFunc(left, func(v, w semver.Version) int { return cmp.Or(cmp.Compare(apart(v), apart(w)), w.Compare(v)) })
	text, wider := of.Range.Text(), of
	for len(left) > 0 { // each solution uses one, then only those that are closer may be
		var err error
		if wider.Range, err = versionrange.Parse(text + " || " + strings.Join(words.Texts(left), " || ")); err != nil {
			break
		}
		try.Instead[r] = p.FormulaOf(r.Var, wider)
		at, solution := -1, s.solved(n, try)
		for i := 0; solution != nil && i < len(solution.Selected); i++ {
			v := solution.Selected[i].Var
			if stated, ok := n.try.Problem.Model.Of(v).PropertiesOf(v).Package(); ok && stated.Name == of.Name {
				at = max(at, slices.IndexFunc(left, stated.Version.EQ))
			}
		}
		if at < 0 {
			break
		}
		accepts, left = left[at].String(), left[:at]
	}
	if accepts == "" {
		return of, ""
	}
	of.Range, _ = versionrange.Parse(text + " || " + accepts)
	return of, of.Name + " " + accepts
}

// solved solves a problem that differs from the node's. It returns nil without a solution.
func (s *search) solved(n *node, problem model.Restricted) *solver.Solution {
	solution, err := n.try.Problem.Satisfy(problem)
	if err != nil {
		_, ended := errors.AsType[*solver.Incomplete](err)
		s.limited = s.limited || ended
		return nil
	}
	return solution
}
