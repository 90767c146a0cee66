package outcome

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// WhyNot returns why a bundle is, or is not, in the answer for a world. If there is no answer, it returns the
// failure, with the causes first that keep out requests for the package of the bundle.
func WhyNot(ctx context.Context, w world.World, bundle string) (j *result.Justification, err error) {
	var requests []cluster.RequestKey
	err = Ask(ctx, w, func(s *explain.Solved, failed error) error {
		if found := explain.Named(s.Part, bundle); len(found) > 0 {
			requests = asking(s, s.Part.Ref(found[0]).Bundle.Package)
		}
		j, err = whyNot(s, bundle, failed)
		return err
	})
	if err != nil {
		return nil, ownFirst(err, w.In.Cluster, requests)
	}
	return j, nil
}

// asking returns the requests for a package.
func asking(s *explain.Solved, pkg string) (keys []cluster.RequestKey) {
	for i := range s.Requests {
		if s.Requests[i].PackageName() == pkg {
			keys = append(keys, s.Requests[i].Key())
		}
	}
	return keys
}

// whyNot returns why a bundle is, or is not, in an answer. If there is none, it returns the failure. It prefers
// the error of an unknown bundle to the failure, unless an unhealthy catalog may have the bundle, or a request
// asks for its package and no catalog has that.
func whyNot(s *explain.Solved, bundle string, failed error) (*result.Justification, error) {
	found := explain.Named(s.Part, bundle)
	if _, unhealthy := errors.AsType[*result.CatalogsUnhealthy](failed); unhealthy || len(found) > 0 && failed != nil {
		return nil, failed
	}
	why, err := s.Explain(bundle)
	if _, unknown := errors.AsType[*result.UnknownBundle](err); unknown && asksForAbsent(s, bundle) {
		err = cmp.Or(failed, err)
	}
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	j := &result.Justification{Why: why}
	if len(found) > 0 {
		j.Bundle = s.Part.Ref(found[0])
	}
	if !s.Part.In.Options.NoFixes {
		j.Help = fix.SearchGoal(s.Try, fix.Selected{Bundle: bundle}, why)
	}
	risky := len(j.Help.Fixes) == 0 || j.Help.Fixes[0].Class > result.ClassGivesUp
	var kept []cluster.RequestKey
	for i := range s.Requests {
		if r := &s.Requests[i]; r.PackageName() == j.Bundle.Bundle.Package {
			if len(found) > 0 && keepsFrom(s, r, found[0]) && !request.Comes(s.Part, r) {
				kept = append(kept, r.Key())
			}
			if update := fix.Update(s.Part, r, j.Help.Fixes); update != nil {
				j.Help.Others = append(j.Help.Others, update...)
			}
			if risky && r.Current >= 0 && slices.Contains([]string{"", world.PhaseSucceeded}, s.Part.Installed[r.Current].CSV.Phase) {
				if way := wayTo(s, r.Key(), j.Bundle.Bundle.Name); way != nil {
					j.Help.Awaited, j.Help.Follows = []result.Awaited{*way}, j.Bundle.Bundle.Name
				}
			}
		}
	}
	if len(kept) > 0 {
		j.Help.Runs, j.Help.Until = Runs(j.Help.Fixes, s.Part.In.Cluster, kept...)
	}
	j.Help.Conditions = Conditions(s.Part.In.Cluster, asking(s, j.Bundle.Bundle.Package)...)
	return j, nil
}

// keepsFrom reports whether the answer keeps what a request has installed, though a bundle is newer.
func keepsFrom(s *explain.Solved, r *request.Request, newer solver.Var) bool {
	if r.Current < 0 || s.Part.AsInstalled(newer) != nil {
		return false
	}
	current := &s.Part.Installed[r.Current]
	return s.Part.Bundle(newer).Version.GT(current.Version) && slices.ContainsFunc(s.Solution.Selected, func(sel solver.Selection) bool { return s.Part.AsInstalled(sel.Var) == current })
}

// ownFirst returns a failure with the causes first that keep requests out.
func ownFirst(failed error, known *cluster.Index, requests []cluster.RequestKey) error {
	e, ok := failed.(*result.NotSatisfiable)
	if !ok || len(e.Causes) == 0 {
		return failed
	}
	sorted := *e
	sorted.Causes = slices.Clone(e.Causes)
	rank := func(c result.Cause) int {
		if slices.ContainsFunc(c.Requests, func(k cluster.RequestKey) bool { return slices.Contains(requests, k) }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(sorted.Causes, func(a, b result.Cause) int { return rank(a) - rank(b) })
	if !slices.ContainsFunc(requests, func(k cluster.RequestKey) bool { return route.InstalledFor(known, k) != "" }) {
		sorted.Runs, sorted.Until = nil, "" // what is asked about does not come by itself
	}
	sorted.Constraints, sorted.Explanation = sorted.Causes[0].Constraints, sorted.Causes[0].Explanation
	return &sorted
}

// asksForAbsent reports whether a request asks for a package, given alone or with a version, that no
// catalog has.
func asksForAbsent(s *explain.Solved, bundle string) bool {
	pkg, _, _ := strings.Cut(bundle, "@")
	return slices.ContainsFunc(s.Requests, func(r request.Request) bool { return r.PackageName() == pkg }) &&
		!slices.ContainsFunc(s.Part.Catalogs, func(c model.Catalog) bool { return c.Snapshot.Package(pkg) != nil })
}

// wayTo returns the updates of a request before it comes to a bundle: those that OLM makes by
// itself, else those after a change of channel. It returns nil if there are none.
func wayTo(s *explain.Solved, key cluster.RequestKey, bundle string) *result.Awaited {
	ctx, in := s.Try.Ctx(), s.Try.World
	way := result.Awaited{Request: key, Approval: inventory.Manual(s.Part.State)}
	between, comes := course(ctx, in, key, bundle)
	if !comes && in.In.Cluster.Subscription(key) != nil {
		search := route.New(ctx, in, key)
		search.Bare, search.Budget = true, maxWay
		path, err := search.Find(bundle)
		if err != nil || len(path.Steps) < 2 || path.Steps[0].Channel == "" {
			return nil
		}
		there := in.On(world.InChannel(in.In.Cluster, key, path.Steps[0].Channel))
		if between, comes = course(ctx, there, key, bundle); comes { // OLM may pass it over
			way.Channel = path.Steps[0].Channel
			if plan := Waiting(in.In.Cluster, key); plan != nil && !slices.Contains(plan.CSVs, append(slices.Clone(between), bundle)[0]) {
				way.Beside = plan.Name
			}
		}
	}
	if way.Bundles = between; !comes || len(between) == 0 { // it is selected
		return nil
	}
	return &way
}

// course returns the bundles that a request gets before a bundle, as OLM goes on by itself, and
// whether that one comes.
func course(ctx context.Context, in world.World, key cluster.RequestKey, bundle string) (between []string, comes bool) {
	last := route.InstalledFor(in.In.Cluster, key)
	for _, c := range route.Automatic(ctx, in) {
		switch now := route.InstalledFor(c, key); {
		case now == bundle:
			return between, true
		case now != last:
			between, last = append(between, now), now
		}
	}
	return nil, false
}
