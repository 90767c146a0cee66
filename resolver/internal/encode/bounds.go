package encode

import (
	"cmp"

	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// subject names what the problem is that of.
func (p *Part) subject() string {
	if p.ClusterWide() {
		return p.Model.Subject()
	}
	return "namespace " + p.Namespace
}

// solver passes the limits on.
func SolverOptions(o *policy.Options) solver.Options {
	return solver.Options{MaxLiterals: cmp.Or(o.MaxLiterals, policy.DefaultMaxLiterals)}
}

// count notes that one more bundle was reached.
func (p *Part) count() {
	if limit := cmp.Or(p.Options.MaxCandidates, policy.DefaultMaxCandidates); len(p.rules) > limit {
		p.Fail(TooLarge(p.subject(), "candidates", limit))
	}
}

func TooLarge(subject, what string, limit int) error {
	return &result.InvalidInput{Subject: subject, Err: &result.TooLarge{What: what, Limit: limit}}
}
