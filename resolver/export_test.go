package resolver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// EndsInFailure reports whether the chain of spec.replaces that starts at a
// ClusterServiceVersion ends in one in phase Failed. A cycle does not, nor does
// a name that is not there.
func EndsInFailure(c *cluster.Index, namespace, name string) bool {
	n := c.In(namespace)
	i := slices.IndexFunc(n.CSVs, func(v cluster.ClusterServiceVersion) bool { return v.Name == name })
	return i >= 0 && inventory.EndsInFailure(n, &n.CSVs[i])
}

// InstalledProperties returns the properties of a ClusterServiceVersion as
// resolution sees them.
func InstalledProperties(c *cluster.Index, namespace, name string) ([]properties.Property, error) {
	n := c.In(namespace)
	i := slices.IndexFunc(n.CSVs, func(v cluster.ClusterServiceVersion) bool { return v.Name == name })
	return inventory.PropertiesOf(n, &n.CSVs[i], "")
}

// partly is a problem of which only some demands are made.
type partly struct {
	model  *model.Model
	given  []solver.Var
	roots  []solver.Rule
	keeps  func(solver.Reason) bool
	groups bool // all groups and rules are kept
}

func (p *partly) Given() []solver.Var  { return p.given }
func (p *partly) Roots() []solver.Rule { return p.roots }

func (p *partly) Rules(v solver.Var) []solver.Rule {
	if p.groups {
		return p.model.Rules(v)
	}
	var kept []solver.Rule
	for i, r := range p.model.Rules(v) {
		if p.keeps(solver.Reason{Kind: solver.KindRule, Var: v, Rule: i}) {
			kept = append(kept, r)
		}
	}
	return kept
}

func (p *partly) Groups(v solver.Var) []solver.Group {
	if p.groups {
		return p.model.Groups(v)
	}
	var kept []solver.Group
	for _, g := range p.model.Groups(v) {
		if p.keeps(solver.Reason{Kind: solver.KindGroup, Var: solver.None, Rule: -1, Group: g}) {
			kept = append(kept, g)
		}
	}
	return kept
}

// demanding is the problem of some demands.
func demanding(m *world.Problem, demands []solver.Reason) *partly {
	o := &partly{model: m.Model, keeps: func(r solver.Reason) bool {
		return slices.ContainsFunc(demands, func(d solver.Reason) bool {
			return d.Kind == r.Kind && (r.Kind == solver.KindRule && d.Var == r.Var && d.Rule == r.Rule ||
				r.Kind == solver.KindGroup && d.Group == r.Group)
		})
	}}
	for _, d := range demands {
		switch d.Kind {
		case solver.KindGiven:
			o.given = append(o.given, d.Var)
		case solver.KindRoot:
			o.roots = append(o.roots, m.Model.Roots()[d.Rule])
		}
	}
	return o
}

func holds(ctx context.Context, p solver.Problem) (bool, error) {
	_, err := solver.Solve(ctx, p, solver.Options{})
	if unsatisfiable := (*solver.Unsatisfiable)(nil); errors.As(err, &unsatisfiable) {
		return false, nil
	}
	return err == nil, err
}

// contradiction tries a problem. It returns nil of one that has an answer, or another kind of
// failure.
func contradiction(ctx context.Context, r *Resolver, problem Problem, scopes []cluster.Scope) (*world.Try, error) {
	t := r.world(problem, scopes...).Try(ctx)
	switch {
	case t.Core != nil:
		return t, nil
	case t.Problem == nil || t.Refused:
		return nil, nil
	}
	return nil, t.Err
}

// CheckCore checks that the constraints of a failure cannot hold together by
// themselves, that they can without any one of them, and that the derivation
// states each of them. Several namespaces are resolved jointly.
func CheckCore(ctx context.Context, r *Resolver, problem Problem, scopes []cluster.Scope) error {
	t, err := contradiction(ctx, r, problem, scopes)
	if t == nil {
		return err
	}
	p, core := t.Problem, t.Core
	if ok, err := holds(ctx, demanding(p, core)); err != nil || ok {
		return fmt.Errorf("the core can hold (%v): %v", err, core)
	}
	for i := range core {
		if ok, err := holds(ctx, demanding(p, slices.Delete(slices.Clone(core), i, i+1))); err != nil || !ok {
			return fmt.Errorf("member %d is not needed (%v): %v", i, err, core)
		}
	}
	e := explain.Explain(p, cause.Of(core))
	told := map[string]bool{}
	for leaf := range e.Explanation.Leaves() {
		if leaf.Core {
			told[leaf.Reason.Args().Namespace+string(leaf.Reason.Kind())+leaf.Reason.Args().Subject] = true
		}
	}
	for _, c := range e.Constraints {
		if !told[c.Args().Namespace+string(c.Kind())+c.Args().Subject] {
			return fmt.Errorf("the derivation does not state %s %s:\n%s", c.Kind(), c.Args().Subject, e.Explanation)
		}
	}
	return nil
}

// FindCauses returns the causes of a failure in the words of the oracle, and which requests
// are accepted; nothing of a problem that has an answer or another kind of failure.
func FindCauses(ctx context.Context, r *Resolver, problem Problem, scopes []cluster.Scope) (list []oracle.Cause, accepted []string, err error) {
	t, err := contradiction(ctx, r, problem, scopes)
	if t == nil {
		return nil, nil, err
	}
	p := t.Problem
	sorted, err := cause.Find(p, t.Core)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range sorted.Causes {
		list = append(list, causeTold(p, c))
	}
	for i, ok := range sorted.Accepted {
		if _, request := p.Root(i); ok {
			accepted = append(accepted, request.Key().Name)
		}
	}
	return list, accepted, nil
}

// CheckCausesAlone checks that the first cause of each request has the demands that contradict each
// other where there are no others. It returns the number of causes.
func CheckCausesAlone(ctx context.Context, r *Resolver, problem Problem, scopes []cluster.Scope) (n int, err error) {
	t, err := contradiction(ctx, r, problem, scopes)
	if t == nil {
		return 0, err
	}
	p := t.Problem
	sorted, err := cause.Find(p, t.Core)
	if err != nil || !sorted.Stands {
		return 0, err
	}
	seen := map[int]bool{}
	for _, c := range sorted.Causes {
		if first := c.Requests[0]; seen[first] || len(c.Apart) > 0 {
			continue
		}
		seen[c.Requests[0]] = true
		alone := model.Restricted{Model: p.Model}
		var roots []int
		for _, d := range c.Core {
			switch d.Kind {
			case solver.KindGiven:
				alone.Stay = append(alone.Stay, d.Var)
			case solver.KindRoot:
				roots = append(roots, d.Rule)
				alone.Demands = append(alone.Demands, p.Model.Demands[d.Rule])
			}
		}
		_, core, err := p.Solve(alone)
		if err != nil {
			return n, err
		}
		for i := range core {
			if core[i].Kind == solver.KindRoot {
				core[i].Rule = roots[core[i].Rule]
			}
		}
		if !slices.Equal(core, c.Core) {
			return n, fmt.Errorf("a cause is %v, and %v where there is nothing else", c.Core, core)
		}
		n++
	}
	return n, nil
}

// causeTold is a cause in the words of the oracle.
func causeTold(p *world.Problem, c cause.Cause) oracle.Cause {
	told := oracle.Cause{Group: c.Group}
	for _, i := range c.Requests {
		_, request := p.Root(i)
		told.Requests = append(told.Requests, request.Key().Name)
	}
	for _, d := range c.Core {
		key := demandKey(p, d)
		told.Core = append(told.Core, key)
		if d.Kind == solver.KindRule {
			for _, i := range c.Needs(p.Model, d) {
				told.Core = append(told.Core, fmt.Sprintf("part of %s.%d", key, i))
			}
		}
	}
	return told
}

// demandKey names a demand as the oracle does.
func demandKey(m *world.Problem, d solver.Reason) string {
	switch d.Kind {
	case solver.KindRoot:
		_, request := m.Root(d.Rule)
		return "request " + request.Key().Name
	case solver.KindGiven:
		return "installed " + m.Model.Of(d.Var).NameOf(d.Var)
	case solver.KindGroup:
		switch _, k := m.Model.Grouped(d.Group); k.Code {
		case words.OnePackage:
			return "package " + k.Name
		case words.OneName:
			return "name " + k.Name
		default:
			return "api " + k.API.Kind
		}
	}
	p, o := m.Model.OriginOf(d.Var, d.Rule)
	node := "/" + p.NameOf(d.Var)
	if ref := p.Ref(d.Var); p.AsInstalled(d.Var) == nil {
		node = ref.Bundle.Catalog.Namespace + "/" + ref.Bundle.Catalog.Name + "/" + ref.Bundle.Name
	}
	switch o.Code {
	case words.Requires:
		at := 0
		for _, other := range p.Rules(d.Var)[:d.Rule] {
			if p.Origins[other.Origin].Code == words.Requires {
				at++
			}
		}
		return "rule " + node + "#" + strconv.Itoa(at)
	case words.Replaces: // these rules come first, in the order of Excludes
		return "replaces " + node + " " + p.NameOf(p.Excludes[d.Var][d.Rule])
	}
	return "forbid " + node
}

// CheckRefusals checks, for every choice, that each candidate before the chosen
// one makes the problem unsatisfiable if it is forced beside what was chosen
// before, and that WhyNot has reasons.
func CheckRefusals(ctx context.Context, r *Resolver, problem Problem, scope cluster.Scope) (checked int, err error) {
	err = outcome.Ask(ctx, r.world(problem, scope), func(s *explain.Solved, failed error) error {
		for k, sel := range s.Solution.Selected {
			if sel.Leaf == nil {
				continue
			}
			candidates := slices.Concat(sel.Leaf.Candidates...)
			for _, v := range candidates[:min(sel.Place, len(candidates))] {
				if err := checkRefusal(s, k, v); err != nil {
					return err
				}
				checked++
			}
		}
		return failed
	})
	if result.Of(err) == result.ResultUnsatisfied {
		err = nil
	}
	if invalid := (*result.InvalidInput)(nil); errors.As(err, &invalid) {
		err = nil
	}
	return checked, err
}

func checkRefusal(s *explain.Solved, k int, v solver.Var) error {
	forced := &partly{model: s.Part.Model, groups: true, given: s.Part.Model.Given(), roots: slices.Clone(s.Part.Model.Demands)}
	for _, sel := range s.Solution.Selected[:k] {
		forced.roots = append(forced.roots, solver.Rule{Formula: solver.OneOf(sel.Var)})
	}
	for _, c := range s.Solution.Commitments {
		if c.After <= k {
			forced.roots = append(forced.roots, solver.Rule{Formula: c.Or.Parts[c.Part]})
		}
	}
	forced.roots = append(forced.roots, solver.Rule{Formula: solver.OneOf(v)})
	if ok, err := holds(s.Part.Pace.Ctx, forced); err != nil || ok {
		return fmt.Errorf("%s could be selected (%v)", s.Part.NameOf(v), err)
	}
	e, err := s.Refusal(k, v)
	if err != nil {
		return fmt.Errorf("no reason for %s: %w", s.Part.NameOf(v), err)
	}
	for range e.Leaves() {
		return nil
	}
	return fmt.Errorf("no fact in why not %s", s.Part.NameOf(v))
}

// Footprint is what a scenario asks when it is recorded.
func (r *Resolver) Footprint(ctx context.Context, p Problem, scopes []cluster.Scope) (*outcome.Footprint, error) {
	return outcome.FootprintOf(ctx, r.world(p), scopes)
}
