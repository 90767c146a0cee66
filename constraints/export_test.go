package constraints

import "context"

// Eval evaluates the rule on one bundle.
func (r *Rule) Eval(ctx context.Context, props []any, facts Facts) (Verdict, error) {
	verdict, _, err := r.eval(ctx, props, facts)
	return verdict, err
}

// LimitError is the error of what passes a limit.
type LimitError = limitError
