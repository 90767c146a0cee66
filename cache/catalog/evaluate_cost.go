package catalog

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/resolvent/resolvent/constraints"
)

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
	for i := from; i < to && !m.spent(p.cost); i++ {
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

// spent reports whether the parts that are done, and so much more behind them,
// cost more than is allowed: what follows then is beyond the limit.
func (m *matching) spent(more uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snapshot.passes(m.cost + more)
}

func (s *Snapshot) passes(cost uint64) bool { return s.evaluationCost > 0 && cost > s.evaluationCost }

func (m *matching) result() *RuleResult {
	r := &RuleResult{}
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
// of CEL; 0 for one without rules. It evaluates, and remembers, as
// [Snapshot.Evaluate] does.
func (s *Snapshot) Cost(ctx context.Context, e constraints.Expr, facts constraints.Facts) (uint64, error) {
	if !constraints.HasRule(e) {
		return 0, nil
	}
	result, err := s.remembered(ctx, e, facts)
	if err != nil {
		return 0, err
	}
	return result.Cost, nil
}
