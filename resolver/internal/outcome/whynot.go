package outcome

import (
	"cmp"
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/observed"
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
	var requests []cluster.RequestKey
	for i := range s.Requests {
		if r := &s.Requests[i]; r.PackageName() == j.Bundle.Bundle.Package {
			requests = append(requests, r.Key())
		}
	}
	observed.State(&j.Help, s.Part.In.Cluster, requests...)
	return j, nil
}
