package constraints

import (
	"context"
	"errors"
	"fmt"

	"github.com/resolvent/resolvent/properties"
)

// Match evaluates an expression as a predicate on one bundle: all requires that
// the bundle satisfies every part, any that it satisfies one, and not that it
// satisfies none. Ranges see the bundle's own package and version, rules all of
// its properties.
//
// A rule that fails counts as not satisfied: it can make the verdict Failed
// where it would be No, and never keeps another part from making it Yes. The
// error says what went wrong on this bundle: a missing field, a value of the wrong
// type, a version that is none, the cost limit. If the context ends first, the
// verdict is Unknown and the error wraps that of the context. The cost is that of the
// rules, in units of [Limits.RuleCost].
func Match(ctx context.Context, e Expr, set *properties.Set, facts Facts) (verdict Verdict, cost uint64, err error) {
	if set == nil {
		set = &properties.Set{}
	}
	// Rules are a thousand times as expensive as the rest, which often decides.
	if verdict, err := (matcher{set: set}).match(e); verdict != Unknown {
		return verdict, 0, err
	}
	rules := &ruleRun{ctx: ctx, facts: facts}
	verdict, err = matcher{set, rules}.match(e)
	return verdict, rules.cost, err
}

// matcher matches expressions with one bundle. It is passed by value, so that
// matching what has no rules allocates nothing.
type matcher struct {
	set   *properties.Set
	rules *ruleRun // without it rules are Unknown
}

// ruleRun evaluates rules on one bundle.
type ruleRun struct {
	ctx   context.Context
	facts Facts
	props []any  // what rules read, decoded when the first of them does
	cost  uint64 // of the rules so far
}

func (m matcher) match(e Expr) (Verdict, error) {
	if e == nil {
		return Failed, errors.New("there is no expression")
	}
	return e.match(m)
}

func (m matcher) rule(rule *Rule) (Verdict, error) {
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

// read decodes what rules read, once, and pays for it.
func (r *ruleRun) read(set *properties.Set, rule *Rule) error {
	if rule == nil || r.props != nil {
		return nil
	}
	size := set.CELSize()
	r.cost += uint64(size / bytesDecoded)
	if limit := rule.limits.RuleInput; size > limit {
		return overLimit("RuleInput", "reading the properties for the rule takes about %d bytes, more than the limit RuleInput of %d", size, limit)
	}
	r.props = set.CEL()
	return nil
}

// until returns the verdict decisive as soon as one child has it, and
// otherwise the weakest that occurred: Unknown, Failed, or none of these.
func (m matcher) until(exprs []Expr, decisive, none Verdict) (Verdict, error) {
	result, resultErr := none, error(nil)
	for _, e := range exprs {
		verdict, err := m.match(e)
		switch {
		case verdict == decisive:
			return decisive, nil
		case verdict == Unknown && err != nil:
			return Unknown, err // the context ended
		case verdict == Unknown:
			result = Unknown
		case verdict == Failed && result == none:
			result, resultErr = Failed, err
		}
	}
	return result, resultErr
}

// Verdict is what evaluating an expression on one bundle came to.
type Verdict uint8

const (
	// Unknown: the context ended first. It says nothing about the bundle.
	Unknown Verdict = iota
	// Yes: the bundle satisfies the expression.
	Yes
	// No: the bundle does not satisfy the expression.
	No
	// Failed: a rule failed on this bundle, which therefore does not satisfy
	// the expression. An error comes with it and says why.
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
