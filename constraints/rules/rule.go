package rules

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/resolvent/resolvent/properties"
)

// Rule is a compiled CEL rule. It is immutable and safe for any number of
// goroutines. A nil Rule fails on every bundle.
type Rule struct {
	source       string
	program      cel.Program
	readsCluster bool
	reads        map[string]bool // see readBy
	nodes        int             // of its syntax tree, outside of loops
	needs        needs
	traps        []string
	truths       []string
	asks         map[int64]string // see asks
	limits       *Limits
}

// Source returns the rule as it was written.
func (r *Rule) Source() string {
	if r == nil {
		return ""
	}
	return r.source
}

// Traps says which parts of the rule hardly mean what they seem to. The slice is shared.
func (r *Rule) Traps() []string {
	if r == nil {
		return nil
	}
	return r.traps
}

// Truths are the types of properties, beside those of OLM, whose value the rule takes for true or
// false. The slice is shared.
func (r *Rule) Truths() []string {
	if r == nil {
		return nil
	}
	return r.truths
}

// ReadsCluster reports whether the rule names the variable cluster. If it does
// not, its verdict does not depend on [Facts].
func (r *Rule) ReadsCluster() bool { return r != nil && r.readsCluster }

// evaluationCost is the cost of an evaluation without its steps.
const evaluationCost = 25

// Properties returns the properties of a bundle as the rule reads them, and the cost of that. The
// list is shared: read it only.
func (r *Rule) Properties(set *properties.Set) (list []any, cost uint64, err error) {
	return readProperties(set, r.limits)
}

// readProperties returns the properties of a bundle as rules read them, and the cost.
func readProperties(set *properties.Set, limits *Limits) (list []any, cost uint64, err error) {
	size := set.CELSize()
	cost = uint64(size / bytesDecoded)
	if limit := limits.RuleInput; size > limit {
		return nil, cost, overLimit("RuleInput", "reading the properties for the rule takes about %d bytes, more than the limit RuleInput of %d", size, limit)
	}
	return set.CEL(), cost, nil
}

// OnBundle evaluates the rule on the properties of one bundle, as [properties.Set.CEL]
// returns them. They must not change meanwhile. The error is nil for Yes and No, and otherwise
// says why the rule failed, or wraps that of the context. The cost is in units of
// [Limits.RuleCost].
func (r *Rule) OnBundle(ctx context.Context, props []any, facts Facts) (verdict Verdict, cost uint64, err error) {
	variables := &activation{props: props}
	if r.ReadsCluster() {
		variables.cluster = facts.Variable()
	}
	return r.run(ctx, variables)
}

// run evaluates the rule on variables that have no meter yet.
func (r *Rule) run(ctx context.Context, variables *activation) (verdict Verdict, cost uint64, err error) {
	if err := ctx.Err(); err != nil {
		return Unknown, 0, interrupted(err)
	}
	if r == nil {
		return Failed, 0, errors.New("there is no rule")
	}
	// cel-go recovers from panics while it evaluates, but not while it prepares for it.
	defer func() {
		if p := recover(); p != nil {
			verdict, err = Failed, fmt.Errorf("the rule stopped on an internal error: %v", p)
		}
	}()
	meter := &meter{ctx: ctx, limit: r.limits.RuleCost, checkAt: checkedAfter, spent: uint64(evaluationCost + r.nodes)}
	defer func() { cost = meter.spent }()
	variables.meter = meter
	value, _, err := r.program.Eval(variables)
	switch ended := ctx.Err(); {
	case ended != nil:
		return Unknown, 0, interrupted(ended)
	case meter.stopped != nil:
		return Failed, 0, meter.stopped
	case err != nil && len(err.Error()) > maxFailureShown: // it quotes a value of the bundle
		return Failed, 0, errors.New(cut(err.Error(), maxFailureShown))
	case err != nil:
		if at, ok := errors.AsType[*types.Err](err); ok && r.asks[at.NodeID()] != "" {
			err = fmt.Errorf("%w; ask %s && ... before it", err, r.asks[at.NodeID()])
		}
		return Failed, 0, err
	case value.Type() != types.BoolType:
		return Failed, 0, fmt.Errorf("the rule returned a value of type %s, not a bool", value.Type().TypeName())
	}
	if value == types.True {
		return Yes, 0, nil
	}
	return No, 0, nil
}

func interrupted(cause error) error { return fmt.Errorf("evaluating a rule was canceled: %w", cause) }
