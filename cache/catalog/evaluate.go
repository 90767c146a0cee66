package catalog

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/constraints"
)

// ruleResult is what an expression came to on the bundles of a snapshot. It is
// shared: read it only.
type ruleResult struct {
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

// Matches returns the bundles that satisfy an expression as a predicate on one
// bundle, and those on which a rule in it failed, both ascending. The
// result is cached, for each Facts apart if a rule in the expression reads them;
// callers at the same time share one evaluation. A call that ctx ends returns the
// error of ctx, and nothing of it is cached. The slices are shared: read them only.
func (s *Snapshot) Matches(ctx context.Context, e constraints.Expr, facts constraints.Facts) ([]ID, []RuleFailure, error) {
	if ids, ok := constraints.Find(s, e); ok {
		return ids, nil, nil
	}
	result, err := s.cached(ctx, e, facts)
	if err != nil {
		return nil, nil, err
	}
	return result.Yes, result.Failed, nil
}

func (s *Snapshot) cached(ctx context.Context, e constraints.Expr, facts constraints.Facts) (*ruleResult, error) {
	key := resultKey{expr: constraints.Key(e)}
	rule, cluster := constraints.Reads(e)
	if cluster {
		key.facts = facts.Key()
	}
	return s.results.get(ctx, key, func(ctx context.Context) (*ruleResult, error) {
		if !rule {
			if ids, ok := constraints.Narrow(s, e); ok {
				return s.matchSome(ctx, e, ids)
			}
		}
		return s.matchAll(ctx, e, facts)
	})
}

// matchSome evaluates an expression without rules on the bundles that an index
// leaves.
func (s *Snapshot) matchSome(ctx context.Context, e constraints.Expr, ids []ID) (*ruleResult, error) {
	result := &ruleResult{}
	for _, id := range ids {
		verdict, _, err := constraints.Match(ctx, e, s.Bundle(id).Properties, constraints.Facts{})
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

// matched is what an expression came to on one bundle.
type matched struct {
	verdict constraints.Verdict
	cost    uint64
	err     error
}

// matchedTogether is how many bundles a goroutine evaluates before the cost is
// added up.
const matchedTogether = 64

var errEvaluationCost = errors.New("the rule costs more on this catalog than one rule may")

// matchAll evaluates the expression bundle by bundle, on several goroutines:
// rules are what takes time. The bundles up to the one that passes the limit of
// the snapshot, counted from the first one, have a verdict; so the result is the
// same however they are spread over goroutines.
func (s *Snapshot) matchAll(ctx context.Context, e constraints.Expr, facts constraints.Facts) (*ruleResult, error) {
	r, errs := &ruleResult{}, map[string]error{}
	part := make([]matched, matchedTogether*runtime.GOMAXPROCS(0))
	next, end := ID(0), ID(s.Len())
	for next < end && !s.exceeds(r.Cost) {
		part, from := part[:min(len(part), int(end-next))], next
		err := task.ForEach(ctx, len(part), 0, func(ctx context.Context, i int) error {
			m := &part[i]
			m.verdict, m.cost, m.err = constraints.Match(ctx, e, s.Bundle(from+ID(i)).Properties, facts)
			if m.verdict == constraints.Unknown {
				return m.err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, m := range part {
			if !s.exceeds(r.Cost) {
				r.add(next, m, errs)
				next++
			}
		}
	}
	for ; next < end; next++ {
		r.Failed = append(r.Failed, RuleFailure{next, errEvaluationCost})
	}
	r.Yes = slices.Clip(r.Yes)
	r.Failed = slices.Clip(r.Failed)
	return r, nil
}

func (s *Snapshot) exceeds(cost uint64) bool {
	return s.evaluationCost > 0 && cost > s.evaluationCost
}

// add adds the next bundle. A rule fails on most bundles for the same reason, of
// which one copy is kept.
func (r *ruleResult) add(id ID, m matched, errs map[string]error) {
	r.Cost += m.cost
	switch m.verdict {
	case constraints.Yes:
		r.Yes = append(r.Yes, id)
	case constraints.Failed:
		text := m.err.Error()
		if errs[text] == nil {
			errs[text] = m.err
		}
		r.Failed = append(r.Failed, RuleFailure{id, errs[text]})
	}
}

// Cost returns what the rules of an expression cost on all bundles, in the units
// of CEL; 0 for one without rules. It evaluates, and caches, as
// [Snapshot.Matches] does.
func (s *Snapshot) Cost(ctx context.Context, e constraints.Expr, facts constraints.Facts) (uint64, error) {
	if rule, _ := constraints.Reads(e); !rule {
		return 0, nil
	}
	result, err := s.cached(ctx, e, facts)
	if err != nil {
		return 0, err
	}
	return result.Cost, nil
}
