package explain

import (
	"iter"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Explain explains every bundle that the name may mean, or only the selected one if there is
// one.
func (s *Solved) Explain(name string) (*result.Explanation, error) {
	w := newWanted(name)
	found := Named(s.Part, name)
	for k, sel := range s.Solution.Selected {
		if slices.Contains(found, sel.Var) {
			return s.chain(k), nil
		}
	}
	var answers []*result.Explanation
	for _, v := range found {
		e, err := s.whyNot(v)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(answers, func(known *result.Explanation) bool { return known.String() == e.String() }) {
			answers = append(answers, e)
		}
	}
	switch len(answers) {
	case 0:
		return s.unknown(w)
	case 1:
		return answers[0], nil
	}
	return s.notSelected(name, answers), nil
}

// bundleName is a bundle by its name or, if byVersion is set, as PACKAGE@VERSION.
type bundleName struct {
	name, pkg, version string
	byVersion          bool
}

func newWanted(name string) bundleName {
	w := bundleName{name: name}
	w.pkg, w.version, w.byVersion = strings.Cut(name, "@")
	return w
}

// in returns the bundles of a catalog that are wanted.
func (w bundleName) in(snapshot *catalog.Snapshot) []catalog.ID {
	ids := slices.Clip(snapshot.Named(w.name))
	if pkg := snapshot.Package(w.pkg); w.byVersion && pkg != nil {
		for _, id := range pkg.Bundles {
			if snapshot.Bundle(id).Version.String() == w.version {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Named returns the bundles that a name may mean, a bundle's name or PACKAGE@VERSION, among
// those that are installed or in a visible catalog. What is installed outside the scope does not
// count if its package is another one than that of the name in the catalogs. With a version, what
// is installed counts by its name if its package is not known.
func Named(p *model.Part, name string) []solver.Var {
	w := newWanted(name)
	var listed, found []solver.Var
	names, packages := map[string]bool{w.name: true}, map[string]bool{}
	for c := range p.Catalogs {
		for _, id := range w.in(p.Catalogs[c].Snapshot) {
			v := p.Number(c, id)
			names[p.NameOf(v)], packages[p.Ref(v).Bundle.Package] = true, true
			if real, ok := p.Aliases[v]; ok {
				v = real
			}
			listed = append(listed, v)
		}
	}
	for i := range p.Installed {
		b, pkg := &p.Installed[i], p.Installed[i].PackageName()
		another := b.Foreign && len(listed) > 0 && pkg != "" && !packages[pkg]
		if !another && b.Name() == w.name || pkg == "" && names[b.Name()] ||
			w.byVersion && slices.Contains(b.Packages, w.pkg) && b.Version.String() == w.version {
			found = append(found, p.InstalledVar(i))
		}
	}
	return words.Distinct(append(found, listed...))
}

// notSelected is the answer for bundles that are not selected.
func (s *Solved) notSelected(name string, because []*result.Explanation, bundles ...result.BundleRef) *result.Explanation {
	return &result.Explanation{Reason: reason.NotSelected(name, s.Part.Kind.All(s.Part.Scope)), Bundles: bundles, Because: because}
}

// unknown is the answer for a name that no visible catalog has.
func (s *Solved) unknown(w bundleName) (*result.Explanation, error) {
	var because []*result.Explanation
	about := reason.Bundle(w.name, "")
	for _, c := range UncountedCatalogs(s.Part) {
		if len(w.in(c.Snapshot)) > 0 {
			because = append(because, model.Fact(Uncounted(s.Part, about.In(c.Key))))
		}
	}
	for _, c := range s.Part.Catalogs {
		for _, f := range c.Snapshot.Faults() {
			if f.Quarantines && f.Bundle == w.name {
				because = append(because, model.Fact(reason.Quarantined(about.In(c.Key), f.WithoutFile())))
			}
		}
	}
	if len(because) == 0 {
		because = s.withoutBundle(w.name)
	}
	if len(because) > 0 {
		return s.notSelected(w.name, because), nil
	}
	return nil, &result.UnknownBundle{Bundle: w.name, Nearest: Nearest(w.name, s.Part.Pace.Stepping(s.names(w)))}
}

// withoutBundle states which packages list the name and have no bundle of it.
func (s *Solved) withoutBundle(name string) []*result.Explanation {
	var facts []*result.Explanation
	for c := range s.Part.Catalogs {
		for pkg := range s.Part.Catalogs[c].Snapshot.Packages() {
			s.Part.Pace.Step(1)
			if at := model.FirstPlace(pkg, name); at.Channel != nil {
				facts = append(facts, model.Fact(Unusable(s.Part, request.UnusableUpdate{Catalog: c, Place: at})))
			}
		}
	}
	return Shorten(facts)
}

// names yields the names that the user may have meant.
func (s *Solved) names(w bundleName) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range s.Part.Catalogs {
			for pkg := range c.Snapshot.Packages() {
				if w.byVersion && pkg.Name != w.pkg {
					continue
				}
				for b := range c.Bundles(pkg.Name) {
					name := b.Name
					if w.byVersion {
						name = w.pkg + "@" + b.Version.String()
					}
					if !yield(name) {
						return
					}
				}
			}
		}
	}
}

// whyNot explains why a known bundle is not selected. The first obligation of which it is a
// candidate decides: there it was impossible, or another one was preferred.
func (s *Solved) whyNot(v solver.Var) (*result.Explanation, error) {
	notSelected := func(because ...*result.Explanation) *result.Explanation {
		return s.notSelected(s.Part.NameOf(v), because, s.Part.Ref(v))
	}
	for k, sel := range s.Solution.Selected {
		if sel.Leaf == nil {
			continue
		}
		at := slices.Index(slices.Concat(sel.Leaf.Candidates...), v)
		switch {
		case at < 0:
		case at < sel.Place:
			all, err := s.conflicts(v, func(p solver.Problem) ([]solver.Reason, error) {
				refusals, err := s.Solution.Refusals(s.Part.Pace.Ctx, p, s.Problem.Options())
				if err != nil {
					return nil, err
				}
				return refusals.Core(s.Part.Pace.Ctx, k, v)
			})
			switch {
			case err != nil:
				return nil, err
			case len(all) == 1:
				return all[0], nil
			}
			return notSelected(all...), nil
		default:
			return notSelected(model.Fact(s.preferred(sel, at, v))), nil
		}
	}
	because := s.instead(v)
	if len(because) == 0 && s.Part.AsInstalled(v) == nil {
		because = s.unasked(v)
	}
	// It may be impossible even in place of what the requests for its package get.
	assume := solver.Assume{Select: []solver.Var{v}}
	for i := range s.Requests {
		if s.Requests[i].PackageName() == s.Part.Ref(v).Bundle.Package {
			assume.WithoutRoots = append(assume.WithoutRoots, i)
		}
	}
	all, err := s.conflicts(v, func(p solver.Problem) ([]solver.Reason, error) { return s.core(p, v, assume) })
	if err != nil {
		return nil, err
	}
	return notSelected(append(because, all...)...), nil
}

// core returns a core of what a problem demands beside a bundle, nil if the bundle is possible.
func (s *Solved) core(p solver.Problem, v solver.Var, assume solver.Assume) ([]solver.Reason, error) {
	session, err := solver.NewSession(s.Part.Pace.Ctx, p, s.Problem.Options(), v)
	if err != nil {
		return nil, err
	}
	return session.Core(s.Part.Pace.Ctx, assume)
}

// conflicts derives why a bundle cannot be selected, from several cores. Each core is sought
// without the rules of those before it. Derivations with the same end count once.
func (s *Solved) conflicts(v solver.Var, find func(p solver.Problem) ([]solver.Reason, error)) ([]*result.Explanation, error) {
	m := s.Part.Model
	p := model.Restricted{Model: m, Stay: m.Given(), Demands: m.Demands, Without: map[solver.Reason]bool{}}
	var list []*result.Explanation
	for range maxConflicts {
		core, err := find(p)
		if err != nil || core == nil {
			return list, err
		}
		if e := derive(s.Problem, core, v, nil, s.Solution.Commitments); !slices.ContainsFunc(list, func(known *result.Explanation) bool { return known.Cause() == e.Cause() }) {
			list = append(list, e)
		}
		before := len(p.Without)
		if p.Without = cause.Aside(s.Problem, p.Without, core); len(p.Without) == before {
			break
		}
	}
	return list, nil
}

// instead states what takes the place of an installed bundle, else the obligations that a bundle
// could have satisfied, and that others satisfy.
func (s *Solved) instead(v solver.Var) (because []*result.Explanation) {
	if s.Part.AsInstalled(v) != nil {
		for _, sel := range s.Solution.Selected {
			if slices.Contains(s.Part.Excludes[sel.Var], v) {
				because = append(because, model.Fact(reason.Replaces(model.About(s.Part.Model, sel.Var), []string{s.Part.NameOf(v)})))
			}
		}
		return because
	}
	add := func(satisfies func(solver.Var) bool, obligation func() result.Reason) {
		if !satisfies(v) {
			return
		}
		if i := slices.IndexFunc(s.Solution.Selected, func(sel solver.Selection) bool { return satisfies(sel.Var) }); i >= 0 {
			name := s.Part.NameOf(s.Solution.Selected[i].Var)
			because = append(because, model.Fact(reason.Satisfied(reason.Bundle(name, ""), obligation())))
		}
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		add(func(v solver.Var) bool { return slices.Contains(r.List.Candidates, v) }, func() result.Reason { return request.Reason(s.Part, r, nil) })
	}
	for _, owner := range s.Solution.Selected {
		for i, rule := range s.Part.Rules(owner.Var) {
			add(func(v solver.Var) bool { return model.Satisfies(rule.Formula, v) }, func() result.Reason {
				return ReasonOf(s.Problem, solver.Reason{Kind: solver.KindRule, Var: owner.Var, Rule: i})
			})
		}
	}
	return Shorten(because)
}

// unasked states why no obligation leads to a bundle.
func (s *Solved) unasked(v solver.Var) (because []*result.Explanation) {
	c, id := s.Part.Locate(v)
	b := s.Part.Catalogs[c].Snapshot.Bundle(id)
	for i := range s.Requests {
		if r := &s.Requests[i]; r.PackageName() == b.Package {
			why := r.NotReached(s.Part, r, r.Stated(s.Part, r), c, b)
			switch why.Code() {
			case words.Unasked:
				continue
			case words.NoUpdate:
				next, end := Update(s.Part, r), DeadEnd(s.Part, r)
				if next != nil || end == nil {
					end = append([]result.Reason{reason.OneStep()}, next...)
				}
				why = reason.WithBecause(why, end...)
			}
			because = append(because, model.Fact(why))
		}
	}
	if len(because) == 0 {
		because = append(because, model.Fact(reason.Unasked(reason.Bundle(b.Name, b.Package))))
	}
	return because
}
