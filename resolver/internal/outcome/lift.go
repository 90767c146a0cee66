package outcome

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Lifts returns what lifts each choice of an answer that is below its head. A choice that took
// a step is left out: the next ones follow.
func Lifts(ctx context.Context, w world.World) (list []result.Lift, err error) {
	err = Ask(ctx, w, func(s *explain.Solved, err error) error {
		if err != nil {
			return err
		}
		resolutions, err := resolutionsOf(s.Try, s.Problem.Model, s.Solution, nil)
		if err != nil {
			return err
		}
		for _, warning := range resolutions[0].Warnings {
			if below(warning) && !selects(s, warning.Args().Other) && len(list) < maxLifts {
				list = append(list, lift(s, warning.Args().Subject, warning.Args().Other, warning))
			}
		}
		if l := withheld(s); l != nil && len(list) == 0 {
			list = append(list, *l)
		}
		return nil
	})
	return list, err
}

// below reports whether a warning is about a choice below its head that takes no step.
func below(w result.Reason) bool {
	stays := !slices.ContainsFunc(w.Because(), func(r result.Reason) bool { return r.Code() == words.OneStep })
	return stays && slices.Contains([]words.Code{words.BelowHead, words.ForcedChoice, words.NotListed}, w.Code())
}

// selects reports whether the bundle that a name means is in the answer: then it is installed,
// belongs to no request, and stays.
func selects(s *explain.Solved, name string) bool {
	found := explain.Named(s.Part, name)
	return slices.ContainsFunc(s.Solution.Selected, func(sel solver.Selection) bool { return slices.Contains(found, sel.Var) })
}

// withheld finds what lifts a request to the newest bundle of the catalogs that it searches, if
// it keeps that out itself: by its range or its channels. It is nil if it does not, took a step,
// or if channels order the bundles.
func withheld(s *explain.Solved) *result.Lift {
	if s.Part.Kind.Span.ByChannel {
		return nil
	}
	r := &s.Requests[0]
	at := slices.IndexFunc(r.List.Candidates, func(v solver.Var) bool {
		return slices.ContainsFunc(s.Solution.Selected, func(sel solver.Selection) bool { return sel.Var == v })
	})
	if at < 0 {
		return nil
	}
	chosen := s.Part.Ref(r.List.Candidates[at])
	if r.Current >= 0 && installed(s, r) != chosen.Bundle.Name {
		return nil
	}
	var newest *catalog.Bundle
	for _, c := range r.Looked {
		for b := range s.Part.Catalogs[c].Bundles(r.PackageName()) {
			if !b.Properties.Deprecated() && b.Version.GT(chosen.Version) && (newest == nil || b.Version.GT(newest.Version)) {
				newest = b
			}
		}
	}
	if newest == nil || selects(s, newest.Name) {
		return nil
	}
	why, err := s.Explain(newest.Name)
	if err != nil || len(why.Because) == 0 {
		return nil
	}
	l := lift(s, chosen.Bundle.Name, newest.Name, why.Because[0].Reason)
	return &l
}

// lift finds what lifts a choice that is below its head for a reason.
func lift(s *explain.Solved, bundle, head string, why result.Reason) result.Lift {
	l := result.Lift{Bundle: bundle, Head: head, Why: why, Blocked: []result.Attempt{}}
	var goal fix.Goal = fix.Selected{Bundle: l.Head}
	r := requestOf(s, l.Bundle)
	if r != nil && installed(s, r) == l.Bundle {
		goal = fix.Advances{Request: r.Key()}
	}
	l.Help = fix.SearchGoal(s.Try, goal)
	pinned := pinnedBy(&l.Why, nil)
	if r != nil {
		l.Request = r.Key()
		pinned = append(pinned, r.PackageName())
	}
	for _, pkg := range pins(s) {
		e := request.WithoutPins(s.Part, pkg)
		concerned := r != nil && slices.Contains(pinned, pkg)
		alone := fix.TryAlone(s.Try, goal, e, concerned)
		switch known := slices.ContainsFunc(l.Help.Options, func(f result.Fix) bool { return f.Changes[0].Object == e.Object }); {
		case alone.Fix != nil && !known:
			l.Help.Options = append(l.Help.Options, *alone.Fix)
		case alone.Fix == nil && concerned && s.Try.Ctx().Err() == nil:
			l.Blocked = append(l.Blocked, blocked(s, r, e, alone))
		}
	}
	if r == nil {
		return l
	}
	for _, e := range obvious(s, r, l.Head) {
		if alone := fix.TryAlone(s.Try, goal, e, true); alone.Fix == nil && s.Try.Ctx().Err() == nil {
			l.Blocked = append(l.Blocked, blocked(s, r, e, alone))
		}
	}
	return l
}

// pins returns the packages that the caller pins in the scope, not all if they are many.
func pins(s *explain.Solved) (packages []string) {
	for _, p := range s.Part.In.Options.Pins {
		if model.Counts(&p, p.Package, s.Part.Namespace) {
			packages = append(packages, p.Package)
		}
	}
	packages = words.Distinct(packages)
	return packages[:min(len(packages), maxObvious)]
}

// pinnedBy adds the packages whose pins a reason states to others.
func pinnedBy(r *result.Reason, packages []string) []string {
	if r.Code() == words.Pinned {
		packages = append(packages, r.Args().Package)
	}
	for _, b := range r.Because() {
		packages = pinnedBy(&b, packages)
	}
	return packages
}

// installed returns the name of what a request has installed, empty if that is nothing.
func installed(s *explain.Solved, r *request.Request) string {
	if r.Current < 0 {
		return ""
	}
	return s.Part.Installed[r.Current].Name()
}

// requestOf returns the request that has a bundle installed, or of which it is a candidate;
// nil if it is a dependency.
func requestOf(s *explain.Solved, bundle string) *request.Request {
	var found *request.Request
	for i := range s.Requests {
		r := &s.Requests[i]
		if installed(s, r) == bundle {
			return r
		}
		for _, v := range r.List.Candidates {
			if found == nil && s.Part.NameOf(v) == bundle {
				found = r
			}
		}
	}
	return found
}

// obvious returns the edits of a request that one would try first: another channel, a newer
// version, and no startingCSV.
func obvious(s *explain.Solved, r *request.Request, head string) []request.Edit {
	all := r.Edits(s.Part, r, true)
	var newest *request.Edit
	channel := r.Head(s.Part, r).Place.Channel // named or not
	list := slices.DeleteFunc(slices.Clone(all), func(e request.Edit) bool {
		value := e.Steps[0].To
		switch e.Kind {
		case request.EditStart:
			return value != nil && value != head
		case request.EditChannels:
			names, _ := value.([]string)
			return len(names) > 1
		case request.EditVersion:
			if newest == nil || e.Version.GT(*newest.Version) {
				newest = &e
			}
			return true
		}
		return e.Kind != request.EditChannel || channel != nil && channel.Name == value
	})
	if newest != nil {
		list = slices.Insert(list, 0, *newest)
	}
	return list[:min(len(list), maxObvious)]
}

// blocked states what comes of an edit that does not lift a choice by itself.
func blocked(s *explain.Solved, r *request.Request, e request.Edit, alone fix.Alone) result.Attempt {
	b := result.Attempt{Change: alone.Change, With: alone.With}
	after, err := s.Try.World.Apply(e.Steps)
	if err != nil {
		b.Why = words.OneLine(err.Error())
		return b
	}
	t := after.Try(s.Try.Ctx())
	if t.Problem == nil || t.Solution == nil {
		b.Why = failed(t)
		return b
	}
	root := t.Problem.RootOf(r.Key())
	if root < 0 {
		return b
	}
	part, of := t.Problem.Root(root)
	for _, sel := range t.Solution.Selected {
		if slices.Contains(of.List.Candidates, sel.Var) || of.Current >= 0 && sel.Var == part.InstalledVar(of.Current) {
			b.Gets = part.NameOf(sel.Var)
		}
	}
	for _, w := range answer.ResolutionsOf(t.Problem, t.Solution)[part.Index].Warnings {
		if below(w) && w.Args().Subject == b.Gets && b.Why == "" {
			b.Why = words.OneLine(w.Message())
		}
	}
	return b
}

// failed returns in a line why a try has no solution.
func failed(t *world.Try) string {
	err := t.Failed()
	if t.Problem != nil {
		_, err = explain.Causes(t.Problem, err)
	}
	if err == nil {
		return ""
	}
	return words.OneLine(err.Error())
}
