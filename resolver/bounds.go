package resolver

import (
	"cmp"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// subject names what the problem is that of.
func (p *problem) subject() string {
	if p.extension != nil {
		return "ClusterExtension " + p.extension.Name
	}
	return "namespace " + p.namespace
}

// solver passes the limits on.
func solverOptions(o *Options) solver.Options {
	return solver.Options{MaxLiterals: cmp.Or(o.MaxLiterals, DefaultMaxLiterals)}
}

// count notes that one more bundle was reached.
func (p *problem) count() {
	if limit := cmp.Or(p.options.MaxCandidates, DefaultMaxCandidates); len(p.rules) > limit {
		p.fail(tooLarge(p.subject(), "candidates", limit))
	}
}

// charge notes what the rules of an expression cost, once a problem and whether
// or not the verdicts were remembered: a limit must not depend on that.
func (p *problem) charge(e constraints.Expr) {
	if p.err != nil || !constraints.HasRule(e) {
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
	for i := range p.universe.catalogs {
		cost, err := p.universe.catalogs[i].snapshot.Cost(p.ctx, e, p.facts)
		if err != nil {
			p.fail(err)
			return
		}
		p.ruleCost += cost
	}
	if limit := cmp.Or(p.options.MaxRuleCost, DefaultMaxRuleCost); p.ruleCost > uint64(limit) {
		p.fail(tooLarge(p.subject(), "units of rule cost", limit))
	}
}

func tooLarge(subject, what string, limit int) error {
	return &result.InvalidInput{Subject: subject, Err: &result.TooLarge{What: what, Limit: limit}}
}
