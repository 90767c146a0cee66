package catalog

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"

	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
)

// ruleResult is the result of an expression on the bundles of a snapshot. It is shared:
// read it only.
type ruleResult struct {
	// Yes are the bundles that satisfy it, ascending.
	Yes []ID
	// Failed are the bundles on which it failed, ascending. They do not satisfy it.
	Failed []ruleFailure
	// Cost is the cost of the rules on all bundles, in units of constraints.Limits.RuleCost.
	Cost uint64
}

// ruleFailure is the failure of a rule on a bundle.
type ruleFailure struct {
	id  ID
	err error
}

// Matches returns the bundles that satisfy an expression as a predicate on one bundle. They are
// ascending and shared: read them only.
//
// The result is cached, per Facts if a rule reads these. Concurrent callers share one
// evaluation. The error is that of ctx, and then nothing is cached.
func (s *Snapshot) Matches(ctx context.Context, e constraints.Expr, facts rules.Facts) ([]ID, error) {
	if ids, ok := constraints.Find(s, e); ok {
		return ids, nil
	}
	result, err := s.cached(ctx, e, facts)
	if err != nil {
		return nil, err
	}
	return result.Yes, nil
}

// Failures walks the bundles on which a rule of an expression fails, ascending, each with the
// error. It evaluates and caches as [Snapshot.Matches] does, and walks none if
// ctx ends before that.
func (s *Snapshot) Failures(ctx context.Context, e constraints.Expr, facts rules.Facts) iter.Seq2[ID, error] {
	return func(yield func(ID, error) bool) {
		if rule, _ := constraints.Reads(e); !rule {
			return
		}
		result, err := s.cached(ctx, e, facts)
		for i := 0; err == nil && i < len(result.Failed) && yield(result.Failed[i].id, result.Failed[i].err); i++ {
		}
	}
}

func (s *Snapshot) cached(ctx context.Context, e constraints.Expr, facts rules.Facts) (*ruleResult, error) {
	key := resultKey{expr: constraints.Key(e)}
	rule, cluster := constraints.Reads(e)
	if cluster {
		key.facts = facts.Key()
	}
	return s.results.get(ctx, key, func(ctx context.Context) (*ruleResult, error) {
		if err := ctx.Err(); err != nil {
			return nil, err // who has reached a limit asks on for a while, and a rule on all bundles takes long
		}
		ids, narrow := constraints.Narrow(s, e)
		if narrow && !rule {
			return s.matchSome(ctx, e, ids)
		} else if !narrow {
			ids = s.all()
		}
		return s.matchRules(ctx, e, facts, ids)
	})
}

// all returns all bundles.
func (s *Snapshot) all() []ID {
	ids := make([]ID, s.Len())
	for i := range ids {
		ids[i] = ID(i)
	}
	return ids
}

// matchSome evaluates an expression without rules on the bundles of an index.
func (s *Snapshot) matchSome(ctx context.Context, e constraints.Expr, ids []ID) (*ruleResult, error) {
	result := &ruleResult{}
	for i, id := range ids {
		if i%matchedTogether == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if verdict, _, _ := constraints.Match(ctx, e, s.Bundle(id).Properties, rules.Facts{}); verdict == rules.Yes {
			result.Yes = append(result.Yes, id)
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

// matched is the result of an expression on one bundle.
type matched struct {
	verdict rules.Verdict
	cost    uint64
	err     error
}

// matchedTogether is how many bundles per goroutine are evaluated before the cost, or the
// context, is checked.
const matchedTogether = 64

var errEvaluationCost = errors.New("the rule costs more on this catalog than one rule may")

// matchRules evaluates the expression on bundles, on several goroutines because rules are slow.
// Bundles have a verdict up to the first one that exceeds the limit of the snapshot. So the
// result does not depend on the goroutines.
func (s *Snapshot) matchRules(ctx context.Context, e constraints.Expr, facts rules.Facts, ids []ID) (*ruleResult, error) {
	r, errs := &ruleResult{}, map[string]error{}
	part := make([]matched, min(len(ids), matchedTogether*runtime.GOMAXPROCS(0)))
	for len(ids) > 0 && !s.exceeds(r.Cost) {
		part = part[:min(len(part), len(ids))]
		err := task.ForEach(ctx, len(part), 0, func(ctx context.Context, i int) error {
			m := &part[i]
			m.verdict, m.cost, m.err = constraints.Match(ctx, e, s.Bundle(ids[i]).Properties, facts)
			if m.verdict == rules.Unknown {
				return m.err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, m := range part {
			if !s.exceeds(r.Cost) {
				r.add(ids[0], m, errs)
				ids = ids[1:]
			}
		}
	}
	for _, id := range ids {
		r.Failed = append(r.Failed, ruleFailure{id, errEvaluationCost})
	}
	r.Yes = slices.Clip(r.Yes)
	r.Failed = slices.Clip(r.Failed)
	return r, nil
}

func (s *Snapshot) exceeds(cost uint64) bool {
	return s.evaluationCost > 0 && cost > s.evaluationCost
}

// add adds the result of the next bundle. Rules mostly fail for one reason, so equal errors
// are shared.
func (r *ruleResult) add(id ID, m matched, errs map[string]error) {
	r.Cost += m.cost
	switch m.verdict {
	case rules.Yes:
		r.Yes = append(r.Yes, id)
	case rules.Failed:
		text := m.err.Error()
		if errs[text] == nil {
			errs[text] = m.err
		}
		r.Failed = append(r.Failed, ruleFailure{id, errs[text]})
	}
}

// Cost returns the cost of the rules of an expression on all bundles, in units of
// constraints.Limits.RuleCost. Without rules it is 0. It evaluates and caches as
// [Snapshot.Matches] does.
func (s *Snapshot) Cost(ctx context.Context, e constraints.Expr, facts rules.Facts) (uint64, error) {
	if rule, _ := constraints.Reads(e); !rule {
		return 0, nil
	}
	result, err := s.cached(ctx, e, facts)
	if err != nil {
		return 0, err
	}
	return result.Cost, nil
}
