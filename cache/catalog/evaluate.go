package catalog

import (
	"context"
	"errors"
	"slices"
	"sync"

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
	if constraints.ReadsCluster(e) {
		key.facts = facts.Key()
	}
	return s.results.get(ctx, key, func(ctx context.Context) (*ruleResult, error) {
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
func (s *Snapshot) matchSome(ctx context.Context, e constraints.Expr, ids []ID) (*ruleResult, error) {
	result := &ruleResult{}
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
func (s *Snapshot) matchAll(ctx context.Context, e constraints.Expr, facts constraints.Facts) (*ruleResult, error) {
	m := matching{snapshot: s, expr: e, facts: facts, parts: make([]matchedPart, (s.Len()+matchedTogether-1)/matchedTogether)}
	err := task.ForEach(ctx, len(m.parts), 0, func(ctx context.Context, part int) error {
		if m.exceeds(0) {
			return nil // what is left is beyond the limit, whatever the running parts cost
		}
		return m.match(ctx, part)
	})
	if err != nil {
		return nil, err
	}
	return m.result(), nil
}

// matching is one evaluation of an expression on all bundles, in parts.
//
// The bundles up to the one that passes the limit of the snapshot, counted from
// the first one, have a verdict; so the result is the same however the parts are
// spread over goroutines.
type matching struct {
	snapshot *Snapshot
	expr     constraints.Expr
	facts    constraints.Facts
	parts    []matchedPart

	mu   sync.Mutex
	next int    // the first part that is not done
	cost uint64 // of the parts before it
}

// matchedPart is what a part of the bundles came to.
type matchedPart struct {
	verdicts []matchedBundle // only of the first ones, if those pass the limit
	cost     uint64
	done     bool
}

type matchedBundle struct {
	verdict constraints.Verdict
	cost    uint64
	err     error
}

// matchedTogether is how many bundles make a part.
const matchedTogether = 64

var errEvaluationCost = errors.New("the rule costs more on this catalog than one rule may")

// match evaluates the bundles of one part.
func (m *matching) match(ctx context.Context, part int) error {
	from := part * matchedTogether
	to := min(from+matchedTogether, m.snapshot.Len())
	p := matchedPart{verdicts: make([]matchedBundle, 0, to-from), done: true}
	texts := map[string]error{}
	for i := from; i < to && !m.exceeds(p.cost); i++ {
		verdict, cost, err := constraints.MatchCost(ctx, m.expr, m.snapshot.Bundle(ID(i)).Properties, m.facts)
		if verdict == constraints.Unknown {
			return err
		}
		if err != nil {
			// A rule fails on most bundles for the same reason.
			if same, ok := texts[err.Error()]; ok {
				err = same
			} else {
				texts[err.Error()] = err
			}
		}
		p.verdicts = append(p.verdicts, matchedBundle{verdict, cost, err})
		p.cost += cost
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts[part] = p
	for m.next < len(m.parts) && m.parts[m.next].done {
		m.cost += m.parts[m.next].cost
		m.next++
	}
	return nil
}

// exceeds reports whether the parts that are done, and so much more behind them,
// cost more than is allowed: what follows then is beyond the limit.
func (m *matching) exceeds(more uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snapshot.passes(m.cost + more)
}

func (s *Snapshot) passes(cost uint64) bool { return s.evaluationCost > 0 && cost > s.evaluationCost }

func (m *matching) result() *ruleResult {
	r := &ruleResult{}
	for id := range m.snapshot.Len() {
		if m.snapshot.passes(r.Cost) {
			r.Failed = append(r.Failed, RuleFailure{ID(id), errEvaluationCost})
			continue
		}
		b := m.parts[id/matchedTogether].verdicts[id%matchedTogether]
		r.Cost += b.cost
		switch b.verdict {
		case constraints.Yes:
			r.Yes = append(r.Yes, ID(id))
		case constraints.Failed:
			r.Failed = append(r.Failed, RuleFailure{ID(id), b.err})
		}
	}
	r.Yes = slices.Clip(r.Yes)
	r.Failed = slices.Clip(r.Failed)
	return r
}

// Cost returns what the rules of an expression cost on all bundles, in the units
// of CEL; 0 for one without rules. It evaluates, and caches, as
// [Snapshot.Matches] does.
func (s *Snapshot) Cost(ctx context.Context, e constraints.Expr, facts constraints.Facts) (uint64, error) {
	if !constraints.HasRule(e) {
		return 0, nil
	}
	result, err := s.cached(ctx, e, facts)
	if err != nil {
		return 0, err
	}
	return result.Cost, nil
}
