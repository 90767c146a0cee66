package explain

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Explain answers for every bundle that the name may mean; one that is selected
// answers for all.
func (s *Solved) Explain(name string) (*result.Explanation, error) {
	found := s.find(name)
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
		return s.unknown(name)
	case 1:
		return answers[0], nil
	}
	root := s.notSelected(name)
	root.Because = answers
	return root, nil
}

// find returns the bundles that a name or PACKAGE@VERSION means.
func (s *Solved) find(name string) []solver.Var {
	pkg, version, byVersion := strings.Cut(name, "@")
	var found []solver.Var
	for i := range s.Part.Installed {
		b := &s.Part.Installed[i]
		if b.Name() == name || byVersion && slices.Contains(b.Packages, pkg) && b.Version.String() == version {
			found = append(found, s.Part.InstalledVar(i))
		}
	}
	for c := range s.Part.Universe.Catalogs {
		snapshot := s.Part.Universe.Catalogs[c].Snapshot
		ids := snapshot.Named(name)
		if offered := snapshot.Package(pkg); byVersion && offered != nil {
			for _, id := range offered.Bundles {
				if snapshot.Bundle(id).Version.String() == version {
					ids = append(slices.Clip(ids), id)
				}
			}
		}
		for _, id := range ids {
			v := s.Part.Number(c, id)
			if real, ok := s.Part.Aliases[v]; ok {
				v = real
			}
			found = append(found, v)
		}
	}
	return candidate.Distinct(found)
}

// notSelected heads the answer why bundles are not selected.
func (s *Solved) notSelected(name string, bundles ...result.BundleRef) *result.Explanation {
	head := result.Selected{Namespace: s.Part.Namespace, Extension: s.Model.Extension}
	return &result.Explanation{Reason: result.Reason{Kind: result.ReasonNotSelected, Subject: name, Detail: head}, Bundles: bundles}
}

// unknown answers for a name that no visible catalog has.
func (s *Solved) unknown(name string) (*result.Explanation, error) {
	pkg, version, byVersion := strings.Cut(name, "@")
	root := s.notSelected(name)
	add := func(kind result.ReasonKind, k catalog.Key, d result.Detail) {
		root.Because = append(root.Because, encode.Fact(result.Reason{Kind: kind, Subject: name, Bundle: name, Catalog: k, Detail: d}))
	}
	for _, c := range missing.UncountedCatalogs(s.Part) {
		has := len(c.Snapshot.Named(name)) > 0
		if offered := c.Snapshot.Package(pkg); byVersion && offered != nil {
			has = slices.ContainsFunc(offered.Bundles, func(id catalog.ID) bool { return c.Snapshot.Bundle(id).Version.String() == version })
		}
		if has {
			add(result.ReasonInvisible, c.Key, result.Elsewhere{Why: missing.Uncounted(s.Part, c.Key)})
		}
	}
	for _, c := range s.Part.Universe.Catalogs {
		for _, f := range c.Snapshot.Faults() {
			if f.Quarantines && f.Bundle == name {
				add(result.ReasonQuarantined, c.Key, result.Quarantined{Fault: f.WithoutFile()})
			}
		}
	}
	if len(root.Because) > 0 {
		return root, nil
	}
	return nil, &result.UnknownBundle{Bundle: name, Nearest: missing.Nearest(name, s.Part.Stepping(s.bundleNames(pkg, byVersion)))}
}

// bundleNames yields the names that a user may have meant.
func (s *Solved) bundleNames(pkg string, byVersion bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range s.Part.Universe.Catalogs {
			for offered := range c.Snapshot.Packages() {
				if byVersion && offered.Name != pkg {
					continue
				}
				for _, id := range offered.Bundles {
					b := c.Snapshot.Bundle(id)
					name := b.Name
					if byVersion {
						name = pkg + "@" + b.Version.String()
					}
					if !yield(name) {
						return
					}
				}
			}
		}
	}
}

// whyNot says why a known bundle is not selected. The first obligation that it
// is a candidate of decides: there it was not possible, or stood behind.
func (s *Solved) whyNot(v solver.Var) (*result.Explanation, error) {
	for k, sel := range s.Solution.Selected {
		if sel.Leaf == nil {
			continue
		}
		at := slices.Index(slices.Concat(sel.Leaf.Candidates...), v)
		switch {
		case at < 0:
		case at < sel.Place:
			core, err := s.Refusal(k, v)
			if err != nil {
				return nil, err
			}
			return DeriveAsked(s.Model, core, v), nil
		default:
			return s.behind(v, sel, at), nil
		}
	}
	root := s.notSelected(s.Part.NameOf(v), s.Part.Ref(v))
	if b := s.Part.AsInstalled(v); b != nil {
		s.addReplacer(root, v)
	} else {
		s.addServed(root, v)
		s.addUnasked(root, v)
	}
	// It may be impossible anyhow, which is worth knowing.
	session, err := solver.NewSession(s.Ctx, s.Model, encode.SolverOptions(s.Model.Options), v)
	if err != nil {
		return nil, err
	}
	core, err := session.Core(s.Ctx, solver.Assume{Select: []solver.Var{v}})
	if err != nil {
		return nil, err
	}
	if core != nil {
		root.Because = append(root.Because, DeriveAsked(s.Model, core, v))
	}
	return root, nil
}

// behind says that another candidate was preferred.
func (s *Solved) behind(v solver.Var, sel solver.Selection, at int) *result.Explanation {
	root := s.notSelected(s.Part.NameOf(v), s.Part.Ref(v))
	root.Because = []*result.Explanation{s.preferred(sel.Var, result.Preferred{
		Obligation: s.obligation(sel), Place: sel.Place, Other: s.Part.NameOf(v), OtherPlace: at,
	})}
	return root
}

// preferred states why a bundle is selected, and no other.
func (s *Solved) preferred(v solver.Var, d result.Detail) *result.Explanation {
	name := s.Part.NameOf(v)
	return encode.Fact(result.Reason{Kind: result.ReasonPreferred, Subject: name, Bundle: name, Detail: d})
}

// addReplacer says what takes the place of an installed bundle.
func (s *Solved) addReplacer(root *result.Explanation, v solver.Var) {
	for _, sel := range s.Solution.Selected {
		if slices.Contains(s.Part.Excludes[sel.Var], v) {
			d := result.TakesPlace{Replaced: []string{s.Part.NameOf(v)}}
			root.Because = append(root.Because, encode.Fact(encode.BundleReason(s.Model, result.ReasonReplaces, sel.Var, d)))
		}
	}
}

// addServed names obligations that the bundle could have met, and that were met
// without it.
func (s *Solved) addServed(root *result.Explanation, v solver.Var) {
	for i := range s.Part.Requests {
		r := &s.Part.Requests[i]
		if !slices.Contains(r.Candidates, v) {
			continue
		}
		for _, sel := range s.Solution.Selected {
			if slices.Contains(r.Candidates, sel.Var) {
				root.Because = append(root.Because, s.preferred(sel.Var, result.Preferred{Obligation: encode.BareRequest(s.Part, r)}))
				break
			}
		}
	}
	for _, owner := range s.Solution.Selected {
		for i, rule := range s.Part.Rules(owner.Var) {
			if !candidate.Satisfies(rule.Formula, v) {
				continue
			}
			for _, sel := range s.Solution.Selected {
				if candidate.Satisfies(rule.Formula, sel.Var) {
					obligation := ReasonOf(s.Model, solver.Reason{Kind: solver.KindRule, Var: owner.Var, Rule: i})
					root.Because = append(root.Because, s.preferred(sel.Var, result.Preferred{Obligation: obligation}))
					break
				}
			}
		}
	}
	root.Because = missing.Shorten(root.Because)
}

// addUnasked says why no obligation leads to a bundle.
func (s *Solved) addUnasked(root *result.Explanation, v solver.Var) {
	if len(root.Because) > 0 {
		return
	}
	b := s.Part.Ref(v)
	add := func(d result.Detail) {
		root.Because = append(root.Because, encode.Fact(result.Reason{Kind: result.ReasonUnasked, Subject: b.Name, Bundle: b.Name, Package: b.Package, Detail: d}))
	}
	c, id := s.Part.Locate(v)
	bundle := s.Part.Universe.Catalogs[c].Snapshot.Bundle(id)
	for i := range s.Part.Requests {
		if r := &s.Part.Requests[i]; r.PackageName() == b.Package {
			add(result.Unreached{Request: s.Part.Asked(r), Why: r.NotReached(s.Part, r, c, bundle)})
		}
	}
	if len(root.Because) == 0 {
		add(nil)
	}
}
