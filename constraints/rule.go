package constraints

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
)

// Rule is a compiled CEL rule. It is immutable and safe for any number of
// goroutines. A nil Rule fails on every bundle.
type Rule struct {
	source       string
	program      cel.Program
	readsCluster bool
}

// Source returns the rule as it was written.
func (r *Rule) Source() string {
	if r == nil {
		return ""
	}
	return r.source
}

// ReadsCluster reports whether the rule names the variable cluster. If it does
// not, its verdict does not depend on [Facts].
func (r *Rule) ReadsCluster() bool { return r != nil && r.readsCluster }

// Eval evaluates the rule on one bundle, whose properties are those of
// [properties.Set.CEL]; they must not be changed meanwhile.
//
// The error is nil with Yes and No. With Failed it says what went wrong on this
// bundle: a missing field, a value of the wrong type, a version that is none,
// the cost limit. If the context ends first, the verdict is Unknown and the
// error wraps that of the context.
func (r *Rule) Eval(ctx context.Context, props []any, facts Facts) (Verdict, error) {
	verdict, _, err := r.eval(ctx, props, facts)
	return verdict, err
}

// evaluationCost is what an evaluation costs beside what its steps do, in the
// units of CEL.
const evaluationCost = 25

// eval is Eval and returns the cost as well.
func (r *Rule) eval(ctx context.Context, props []any, facts Facts) (verdict Verdict, cost uint64, err error) {
	if err := ctx.Err(); err != nil {
		return Unknown, 0, interrupted(err)
	}
	if r == nil {
		return Failed, 0, errors.New("there is no rule")
	}
	// cel-go recovers from panics while evaluating, but not while it prepares to.
	defer func() {
		if p := recover(); p != nil {
			verdict, err = Failed, fmt.Errorf("the rule stopped on an internal error: %v", p)
		}
	}()
	variables := map[string]any{variableProperties: props}
	if r.readsCluster {
		variables[variableCluster] = facts.variable()
	}
	cost = evaluationCost
	value, details, err := r.program.ContextEval(ctx, variables)
	if details != nil {
		if steps := details.ActualCost(); steps != nil {
			cost += *steps
		}
	}
	if ended := ctx.Err(); ended != nil {
		// An interrupted comprehension is an error that || and && may absorb, so
		// the value says nothing about whether the evaluation was interrupted.
		return Unknown, cost, interrupted(ended)
	}
	if stopped := (interpreter.EvalCancelledError{}); errors.As(err, &stopped) && stopped.Cause == interpreter.CostLimitExceeded {
		return Failed, cost, overLimit("RuleCost", "the rule costs more than one evaluation may")
	}
	if err != nil {
		return Failed, cost, err
	}
	switch value {
	case types.True:
		return Yes, cost, nil
	case types.False:
		return No, cost, nil
	}
	return Failed, cost, fmt.Errorf("the rule returned a value of type %s, not a bool", value.Type().TypeName())
}

func interrupted(cause error) error { return fmt.Errorf("evaluating a rule was cut off: %w", cause) }
