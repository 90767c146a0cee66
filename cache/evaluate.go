package cache

import (
	"context"

	"github.com/resolvent/resolvent/constraints"
)

// RuleResult is what a rule or an expression came to on the bundles of a
// snapshot. It is shared: read it only.
type RuleResult struct {
	// Yes are the bundles that satisfy it, ascending.
	Yes []ID
	// Failed are the bundles on which it failed, which therefore do not satisfy
	// it, ascending.
	Failed []RuleFailure
	// Cost is what the rules cost on all bundles, in the units of CEL.
	Cost uint64
}

// RuleFailure says why a rule failed on a bundle.
type RuleFailure struct {
	ID  ID
	Err error
}

// Evaluate evaluates a rule on every bundle. The result is cached, for each
// Facts apart if the rule reads them; callers at the same time share one
// evaluation. A call that ctx ends returns the error of ctx, and nothing of it is
// cached.
func (s *Snapshot) Evaluate(ctx context.Context, rule *constraints.Rule, facts constraints.Facts) (*RuleResult, error) {
	return s.remembered(ctx, constraints.CEL{Rule: rule}, facts)
}

// Matches returns the bundles that satisfy an expression as a predicate on one
// bundle, and those on which a rule in it failed, both ascending. It caches
// as Evaluate does. The slices are shared: read them only.
func (s *Snapshot) Matches(ctx context.Context, e constraints.Expr, facts constraints.Facts) ([]ID, []RuleFailure, error) {
	if ids, ok := constraints.Find(s, e); ok {
		return ids, nil, nil
	}
	result, err := s.remembered(ctx, e, facts)
	if err != nil {
		return nil, nil, err
	}
	return result.Yes, result.Failed, nil
}

func (s *Snapshot) remembered(ctx context.Context, e constraints.Expr, facts constraints.Facts) (*RuleResult, error) {
	key := resultKey{expr: constraints.Key(e)}
	if constraints.ReadsCluster(e) {
		key.facts = facts.Key()
	}
	return s.results.get(ctx, key, func(ctx context.Context) (*RuleResult, error) {
		if !constraints.HasRule(e) {
			if ids, ok := constraints.Narrow(s, e); ok {
				return s.matchSome(ctx, e, ids)
			}
		}
		return s.matchAll(ctx, e, facts)
	})
}

// matchSome evaluates an expression without rules on the bundles that an index
// leaves.
func (s *Snapshot) matchSome(ctx context.Context, e constraints.Expr, ids []ID) (*RuleResult, error) {
	result := &RuleResult{}
	for _, id := range ids {
		verdict, err := constraints.Match(ctx, e, s.Bundle(id).Properties, constraints.Facts{})
		switch verdict {
		case constraints.Yes:
			result.Yes = append(result.Yes, id)
		case constraints.Failed:
			result.Failed = append(result.Failed, RuleFailure{id, err})
		}
	}
	return result, nil
}

// Packaged returns the bundles of a package, ascending.
func (s *Snapshot) Packaged(name string) []ID {
	if p := s.Package(name); p != nil {
		return p.Bundles
	}
	return nil
}

// matchAll evaluates the expression bundle by bundle, on several goroutines:
// rules are what takes time.
func (s *Snapshot) matchAll(ctx context.Context, e constraints.Expr, facts constraints.Facts) (*RuleResult, error) {
	m := matching{snapshot: s, expr: e, facts: facts, parts: make([]matchedPart, (s.Len()+matchedTogether-1)/matchedTogether)}
	err := forEach(ctx, len(m.parts), 0, func(ctx context.Context, part int) error {
		if m.spent(0) {
			return nil // what is left is beyond the limit, whatever the running parts cost
		}
		return m.match(ctx, part)
	})
	if err != nil {
		return nil, err
	}
	return m.result(), nil
}
