package constraints

import (
	"context"
	"errors"
	"fmt"

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
// context. The cost is that of the rules, in units of [Limits.RuleCost].
func Match(ctx context.Context, e Expr, set *properties.Set, facts Facts) (verdict Verdict, cost uint64, err error) {
	if set == nil {
		set = &properties.Set{}
	}
	// Rules cost a thousand times as much as the rest, which often decides alone.
	if verdict, err := (matcher{set: set}).match(e); verdict != Unknown {
		return verdict, 0, err
	}
	rules := &ruleRun{ctx: ctx, facts: facts}
	verdict, err = matcher{set, rules}.match(e)
	return verdict, rules.cost, err
}

// matcher matches expressions with one bundle. It is passed by value, so that matching
// without rules allocates nothing.
type matcher struct {
	set   *properties.Set
	rules *ruleRun // nil: rules are Unknown
}

// ruleRun evaluates rules on one bundle.
type ruleRun struct {
	ctx   context.Context
	facts Facts
	props []any  // what rules read; decoded for the first of them
	cost  uint64 // of the rules so far
}

func (m matcher) match(e Expr) (Verdict, error) {
	if e == nil {
		return Failed, errors.New("there is no expression")
	}
	return e.match(m)
}

func (m matcher) rule(rule *Rule) (Verdict, error) {
	if rule != nil && !rule.needs.of(m.set) {
		return No, nil
	}
	if m.rules == nil {
		return Unknown, nil
	}
	if err := m.rules.read(m.set, rule); err != nil {
		return Failed, err
	}
	verdict, cost, err := rule.eval(m.rules.ctx, m.rules.props, m.rules.facts)
	m.rules.cost += cost
	return verdict, err
}

// read decodes the properties for the first rule, and adds its cost.
func (r *ruleRun) read(set *properties.Set, rule *Rule) error {
	if rule == nil || r.props != nil {
		return nil
	}
	props, cost, err := readProperties(set, rule.limits)
	r.cost += cost
	r.props = props
	return err
}

// readProperties returns the properties of a bundle as rules read them, and its cost.
func readProperties(set *properties.Set, limits *Limits) (list []any, cost uint64, err error) {
	size := set.CELSize()
	cost = uint64(size / bytesDecoded)
	if limit := limits.RuleInput; size > limit {
		return nil, cost, overLimit("RuleInput", "reading the properties for the rule takes about %d bytes, more than the limit RuleInput of %d", size, limit)
	}
	return set.CEL(), cost, nil
}

// until returns the verdict decisive as soon as one part has it. Otherwise it returns
// the weakest that occurred: Unknown, then Failed, then none.
func (m matcher) until(exprs []Expr, decisive, none Verdict) (Verdict, error) {
	result, resultErr := none, error(nil)
	for _, e := range exprs {
		verdict, err := m.match(e)
		switch {
		case verdict == decisive:
			return decisive, nil
		case verdict == Unknown && err != nil:
			return Unknown, err // the context has ended
		case verdict == Unknown:
			result = Unknown
		case verdict == Failed && result == none:
			result, resultErr = Failed, err
		}
	}
	return result, resultErr
}

// Verdict is the result of evaluating an expression on one bundle.
type Verdict uint8

const (
	// Unknown: the context ended first.
	Unknown Verdict = iota
	// Yes: the bundle satisfies the expression.
	Yes
	// No: the bundle does not satisfy the expression.
	No
	// Failed: a rule failed on this bundle, which therefore does not satisfy the
	// expression. The error says why.
	Failed
)

// String returns the verdict in lower case.
func (v Verdict) String() string {
	if names := [...]string{"unknown", "yes", "no", "failed"}; int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

func verdictOf(satisfied bool) Verdict {
	if satisfied {
		return Yes
	}
	return No
}
