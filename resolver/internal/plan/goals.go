package plan

import (
	"cmp"
	"context"
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/observed"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
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
	var requests []cluster.RequestKey
	for i := range s.Requests {
		if r := &s.Requests[i]; r.PackageName() == j.Bundle.Bundle.Package {
			requests = append(requests, r.Key())
		}
	}
	j.Help.Conditions = observed.Conditions(s.Part.In.Cluster, requests...)
	return j, nil
}

// FindPath finds a path of updates and, if there is none, fixes. It implements
// Resolver.Path.
func FindPath(ctx context.Context, w world.World, key cluster.RequestKey, to string) (*updates.Path, error) {
	path, err := route.New(ctx, w, key).Find(to)
	none, ok := errors.AsType[*updates.NoPath](err)
	if ok && len(none.Blocked) > 0 {
		patient := route.New(ctx, w, key)
		patient.Bare, patient.Awaiting = true, true
		waited, err := patient.Find(to)
		if incomplete, ended := errors.AsType[*result.Incomplete](err); ended && ctx.Err() != nil {
			return nil, incomplete
		}
		if err == nil {
			return waited, nil
		}
	}
	if ok && !w.In.Options.NoFixes {
		t := w.Read(ctx)
		if t.Err != nil {
			return nil, t.Err
		}
		var why []*result.Explanation
		for _, b := range none.Blocked {
			if failed, ok := errors.AsType[*result.NotSatisfiable](b.Err); ok {
				why = append(why, failed.Explanation)
			}
		}
		none.Help = fix.SearchGoal(t, fix.Path{Request: key, To: none.To}, why...)
	}
	return path, err
}
