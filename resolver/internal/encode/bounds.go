package encode

import (
	"cmp"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// subject names what the problem is that of.
func (p *Part) subject() string {
	if p.Extension != nil {
		return "ClusterExtension " + p.Extension.Name
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

// charge notes what the rules of an expression cost, once a problem and whether
// or not the verdicts were remembered: a limit must not depend on that.
func (p *Part) charge(e constraints.Expr) {
	if p.Err != nil || !constraints.HasRule(e) {
		return
	}
	key := constraints.Key(e)
	if p.charged[key] {
		return
	}
	if p.charged == nil {
		p.charged = make(map[string]bool)
	}
	p.charged[key] = true
	for i := range p.Universe.Catalogs {
		cost, err := p.Universe.Catalogs[i].Snapshot.Cost(p.Ctx, e, p.Facts)
		if err != nil {
			p.Fail(err)
			return
		}
		p.ruleCost += cost
	}
	if limit := cmp.Or(p.Options.MaxRuleCost, policy.DefaultMaxRuleCost); p.ruleCost > uint64(limit) {
		p.Fail(TooLarge(p.subject(), "units of rule cost", limit))
	}
}

func TooLarge(subject, what string, limit int) error {
	return &result.InvalidInput{Subject: subject, Err: &result.TooLarge{What: what, Limit: limit}}
}
