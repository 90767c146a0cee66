package outcome

import (
	"cmp"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/observed"
	"github.com/resolvent/resolvent/resolver/internal/others"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/result"
)

// WhyNot returns why a bundle is, or is not, in an answer. If there is no answer, it returns
// the failure. It prefers the error of an unknown bundle to the failure, unless an unhealthy
// catalog may have the bundle.
func WhyNot(s *explain.Solved, bundle string, failed error) (*result.Justification, error) {
	found := explain.Named(s.Part, bundle)
	if _, unhealthy := errors.AsType[*result.CatalogsUnhealthy](failed); unhealthy || len(found) > 0 && failed != nil {
		return nil, failed
	}
	why, err := s.Explain(bundle)
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
	risky := len(j.Help.Fixes) == 0 || j.Help.Fixes[0].Class > fixes.ClassGivesUp
	var requests []cluster.RequestKey
	for i := range s.Requests {
		if r := &s.Requests[i]; r.PackageName() == j.Bundle.Bundle.Package {
			requests = append(requests, r.Key())
			if others.AskUpdate(&j.Help, s.Part, r) {
				observed.Runs(&j.Help, s.Part.In.Cluster, r.Key())
			}
			if risky && r.Current >= 0 && slices.Contains([]string{"", route.PhaseSucceeded}, s.Part.Installed[r.Current].CSV.Phase) {
				wait(&j.Help, s, r.Key(), j.Bundle.Bundle.Name)
			}
		}
	}
	observed.State(&j.Help, s.Part.In.Cluster, requests...)
	return j, nil
}

// maxWay is the number of resolutions that look for a way in another channel.
const maxWay = 60

// wait notes in a help the updates of a request before it comes to a bundle: those that OLM makes by
// itself, else those after a change of channel.
func wait(help *fixes.Help, s *explain.Solved, key cluster.RequestKey, bundle string) {
	approval := slices.ContainsFunc(s.Part.State.Subscriptions, func(s cluster.Subscription) bool { return s.Manual })
	between := []string{route.InstalledFor(s.Try.In.Cluster, key)}
	for _, c := range route.Automatic(s.Try.Ctx(), s.Try.World) {
		switch now := route.InstalledFor(c, key); {
		case now == between[len(between)-1]:
		case now != bundle:
			between = append(between, now)
		default:
			if len(between) > 1 { // else it is selected
				help.Awaited, help.Follows = []fixes.Awaited{{Request: key, Bundles: between[1:], Approval: approval}}, bundle
			}
			return
		}
	}
	search := route.New(s.Try.Ctx(), s.Try.World, key)
	search.Bare, search.Budget = true, maxWay
	path, err := search.Find(bundle)
	if err != nil || len(path.Steps) < 2 || path.Steps[0].Channel == "" {
		return
	}
	way := fixes.Awaited{Request: key, Approval: approval, Channel: path.Steps[0].Channel, Beside: observed.Beside(s.Try.In.Cluster, key, path.Steps[1].Bundle)}
	for _, step := range path.Steps[1 : len(path.Steps)-1] {
		if step.Channel != "" || len(step.Awaits) > 0 {
			return
		}
		way.Bundles = append(way.Bundles, step.Bundle)
	}
	help.Awaited, help.Follows = []fixes.Awaited{way}, bundle
}
