package explain

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Decided returns the warnings of the i-th scope with the deciding reason where one says that a
// choice is not the head, or not the best bundle, and lacks it. It leaves out reasons that
// need another solution if the answer is large; justifications have these. The demands of
// the solved problem have the order of the try's. The errors are those of package solver.
func Decided(t *world.Try, solved solver.Problem, solution *solver.Solution, i int, warnings []result.Reason) ([]result.Reason, error) {
	if len(warnings) == 0 || len(solution.Selected) > maxDecided {
		return warnings, nil
	}
	s, m := NewSolved(t), t.Problem
	s.Part, s.Requests, s.of, s.Solution = m.Scopes[i].Part, m.Scopes[i].Requests, solved, solution
	warnings = slices.Clone(warnings)
	for n, w := range warnings {
		if w.Code() != words.BelowHead && w.Code() != words.ForcedChoice && w.Code() != words.NotListed || len(w.Because()) > 0 {
			continue
		}
		k := s.selected(w.Args().Subject)
		why, err := s.deciding(k, w.Args().Other)
		if err != nil {
			return nil, err
		}
		warnings[n] = reason.WithBecause(w, why)
	}
	return warnings, nil
}

// selected returns the index of the first selected bundle of that name in the scope, or -1. What is
// installed elsewhere does not count.
func (s *Solved) selected(name string) int {
	return slices.IndexFunc(s.Solution.Selected, func(sel solver.Selection) bool {
		if s.Problem.Model.Of(sel.Var) != s.Part || s.Part.NameOf(sel.Var) != name {
			return false
		}
		b := s.Part.AsInstalled(sel.Var)
		return b == nil || !b.Foreign
	})
}

// deciding returns why the k-th selection is not a better bundle: what keeps that one
// out, or the order of preference, else the obligation of which it is no candidate.
func (s *Solved) deciding(k int, better string) (result.Reason, error) {
	sel := s.Solution.Selected[k]
	if sel.Leaf == nil {
		return ReasonOf(s.Problem, solver.Reason{Kind: solver.KindGiven, Var: sel.Var}), nil
	}
	candidates := slices.Concat(sel.Leaf.Candidates...)
	at := slices.IndexFunc(candidates, func(v solver.Var) bool {
		// Those of other namespaces are no alternatives.
		return s.Problem.Model.Of(v) == s.Part && s.Part.NameOf(v) == better
	})
	switch {
	case at < 0:
		return s.obligation(sel), nil
	case at < sel.Place:
		why, err := s.Refusal(k, candidates[at])
		if err != nil {
			return result.Reason{}, err
		}
		return why.Reason, nil
	}
	return s.preferred(sel, at, candidates[at]), nil
}

// preferred states that a selection comes before v, which has a place among its candidates.
func (s *Solved) preferred(sel solver.Selection, at int, v solver.Var) result.Reason {
	name := s.Part.NameOf(sel.Var)
	var decides []result.Reason
	if s.Problem.Model.Of(sel.Var) == s.Part {
		decides = s.decided(sel, v)
	}
	return reason.Preferred(name, sel.Place, s.Part.NameOf(v), at, s.obligation(sel), decides...)
}

// decided returns what decides that a selection comes before v, another candidate of the Part:
// the first criterion of the order of preference in which they differ.
func (s *Solved) decided(sel solver.Selection, v solver.Var) []result.Reason {
	p, asked := s.Part, sel.Owner == solver.None
	switch first, other := p.AsInstalled(sel.Var) != nil, p.AsInstalled(v) != nil; {
	case other && !first && asked && (p.Kind.OnlyUpdates || p.Bundle(sel.Var).Version.GT(p.AsInstalled(v).Version)):
		return []result.Reason{reason.UpdateFirst()}
	case first || other:
		return nil
	}
	ci, _ := p.Locate(sel.Var)
	di, _ := p.Locate(v)
	first, other, c, d := p.Bundle(sel.Var), p.Bundle(v), &p.Catalogs[ci], &p.Catalogs[di]
	switch of, own := s.sourceOf(sel); {
	case !p.Kind.Span.ByChannel && model.Deprecated(first) < model.Deprecated(other):
		return []result.Reason{reason.NotDeprecatedFirst(other.Name)}
	case ci == di:
	case of != nil && of.Takes(c.Key) && !of.Takes(d.Key):
		return []result.Reason{reason.NamedCatalogFirst(c.Key, d.Key)}
	case own == ci:
		return []result.Reason{reason.OwnCatalogFirst(c.Key, d.Key)}
	case c.Priority != d.Priority:
		return []result.Reason{reason.HigherPriority(c.Key, d.Key, c.Priority, d.Priority)}
	case c.Key.Namespace == p.Namespace && d.Key.Namespace != p.Namespace:
		return []result.Reason{reason.OwnNamespaceFirst(c.Key, d.Key, c.Priority, d.Priority)}
	default:
		return []result.Reason{reason.CatalogName(c.Key, d.Key, c.Priority, d.Priority)}
	}
	if !p.Kind.Span.ByChannel {
		if first.Package != other.Package {
			return []result.Reason{reason.PackageName(first.Package, other.Package)}
		}
		return []result.Reason{higher(request.Release(p.In, first), request.Release(p.In, other))}
	}
	at, below := s.placeOf(sel, sel.Var).Channel, s.placeOf(sel, v).Channel
	switch {
	case at == nil || below == nil:
		return nil
	case at.Default && !below.Default:
		return []result.Reason{reason.DefaultChannel(first.Package, at.Name)}
	case first.Package != other.Package:
		return []result.Reason{reason.PackageName(first.Package, other.Package)}
	case at != below:
		return []result.Reason{reason.ChannelName(at.Name, below.Name)}
	}
	return []result.Reason{reason.NearerHead(at.Name)}
}

// higher returns what decides between two versions of a package, of which OLM v1 takes the first.
func higher(a, b properties.Package) result.Reason {
	if a.Version.Compare(b.Version) == 0 {
		a.Version.Build = nil
		release := string(a.Release)
		if a.Release.Compare(b.Release) == 0 {
			release = ""
		}
		return reason.SameVersion(a.Version.String(), release)
	}
	prerelease := ""
	if v := b.Version; len(v.Pre) > 0 && len(a.Version.Pre) == 0 && v.FinalizeVersion() == a.Version.FinalizeVersion() {
		prerelease = v.String()
	}
	return reason.HigherVersion(prerelease)
}

// sourceOf returns the request that a selection satisfies, or the catalog of the bundle whose
// constraint it satisfies.
func (s *Solved) sourceOf(sel solver.Selection) (of *request.Request, catalog int) {
	if sel.Owner == solver.None {
		_, of = s.Problem.Root(sel.Rule)
		return of, model.NoCatalog
	}
	if s.Problem.Model.Of(sel.Owner) != s.Part {
		return nil, model.NoCatalog
	}
	if b := s.Part.AsInstalled(sel.Owner); b != nil {
		return nil, b.Own
	}
	catalog, _ = s.Part.Locate(sel.Owner)
	return nil, catalog
}

// placeOf returns the entry through which a selection's obligation reaches a candidate.
func (s *Solved) placeOf(sel solver.Selection, v solver.Var) catalog.Place {
	if of, _ := s.sourceOf(sel); of != nil {
		return of.List.Place(v)
	}
	if places := s.Part.Bundle(v).Places; len(places) > 0 {
		return places[0]
	}
	return catalog.Place{}
}
