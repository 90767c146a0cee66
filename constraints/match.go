package constraints

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

// Match evaluates an expression as a predicate on one bundle. A bundle satisfies [All]
// if it satisfies every part, [Any] if it satisfies one, and [Not] if it satisfies none.
// Ranges apply to the bundle's own package and version, rules to all of its properties.
//
// A rule that fails counts as not satisfied. It makes the verdict Failed where that
// would be No; another part can still make it Yes. The error says why the rule failed on
// this bundle: a missing field, a value of the wrong type, an invalid version or the
// cost limit.
//
// If the context ends first, the verdict is Unknown and the error wraps that of the
// context. The cost is that of the rules, in units of [rules.Limits.RuleCost].
func Match(ctx context.Context, e Expr, set *properties.Set, facts rules.Facts) (verdict rules.Verdict, cost uint64, err error) {
	if set == nil {
		set = &properties.Set{}
	}
	// Rules cost a thousand times as much as the rest, which often decides alone.
	if verdict, err := (matcher{set: set}).match(e); verdict != rules.Unknown {
		return verdict, 0, err
	}
	run := &ruleRun{ctx: ctx, facts: facts}
	verdict, err = matcher{set, run}.match(e)
	return verdict, run.cost, err
}

// matcher matches expressions with one bundle. It is passed by value, so that matching
// without rules allocates nothing.
type matcher struct {
	set *properties.Set
	run *ruleRun // nil: rules are Unknown
}

// ruleRun evaluates rules on one bundle.
type ruleRun struct {
	ctx   context.Context
	facts rules.Facts
	props []any  // what rules read; decoded for the first of them
	cost  uint64 // of the rules so far
}

func (m matcher) match(e Expr) (rules.Verdict, error) {
	if e == nil {
		return rules.Failed, errors.New("there is no expression")
	}
	return e.match(m)
}

func (m matcher) rule(rule *rules.Rule) (rules.Verdict, error) {
	if !rule.MayHold(m.set) {
		return rules.No, nil
	}
	if m.run == nil {
		return rules.Unknown, nil
	}
	if err := m.run.read(m.set, rule); err != nil {
		return rules.Failed, err
	}
	verdict, cost, err := rule.OnBundle(m.run.ctx, m.run.props, m.run.facts)
	m.run.cost += cost
	return verdict, err
}

// read decodes the properties for the first rule, and adds its cost.
func (r *ruleRun) read(set *properties.Set, rule *rules.Rule) error {
	if rule == nil || r.props != nil {
		return nil
	}
	props, cost, err := rule.Properties(set)
	r.cost += cost
	r.props = props
	return err
}

// until returns the verdict decisive as soon as one part has it. Otherwise it returns
// the weakest that occurred: Unknown, then Failed, then none.
func (m matcher) until(exprs []Expr, decisive, none rules.Verdict) (rules.Verdict, error) {
	result, resultErr := none, error(nil)
	for _, e := range exprs {
		verdict, err := m.match(e)
		switch {
		case verdict == decisive:
			return decisive, nil
		case verdict == rules.Unknown && err != nil:
			return rules.Unknown, err // the context has ended
		case verdict == rules.Unknown:
			result = rules.Unknown
		case verdict == rules.Failed && result == none:
			result, resultErr = rules.Failed, err
		}
	}
	return result, resultErr
}

func verdictOf(satisfied bool) rules.Verdict {
	if satisfied {
		return rules.Yes
	}
	return rules.No
}
