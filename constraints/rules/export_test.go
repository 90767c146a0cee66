package rules

import "context"

// Eval evaluates the rule on one bundle.
func (r *Rule) Eval(ctx context.Context, props []any, facts Facts) (Verdict, error) {
	verdict, _, err := r.OnBundle(ctx, props, facts)
	return verdict, err
}

// Needs returns the property type and the package without which the rule is not evaluated.
func (r *Rule) Needs() (propertyType, pkg string) { return r.needs.propertyType, r.needs.pkg }
