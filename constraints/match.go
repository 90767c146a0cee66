package constraints

import (
	"context"
	"errors"
	"fmt"

	"github.com/resolvent/resolvent/properties"
)

// Match evaluates an expression as a predicate on one bundle: all asks that the
// bundle satisfies every child, any that it satisfies one, and not that it
// satisfies none. Ranges see the bundle's own package and version, rules all of
// its properties.
//
// A rule that fails counts as not satisfied: it can make the verdict Failed
// where it would be No, and never keeps another part from making it Yes. The
// error is as that of [Rule.Eval].
func Match(ctx context.Context, e Expr, set *properties.Set, facts Facts) (Verdict, error) {
	verdict, _, err := MatchCost(ctx, e, set, facts)
	return verdict, err
}

// MatchCost is Match, and returns what the rules cost, in the units of CEL.
func MatchCost(ctx context.Context, e Expr, set *properties.Set, facts Facts) (Verdict, uint64, error) {
	if set == nil {
		set = &properties.Set{}
	}
	m := matcher{ctx: ctx, set: set, facts: facts}
	// Rules are a thousand times as expensive as the rest, which often decides.
	if verdict, err := m.match(e); verdict != Unknown {
		return verdict, 0, err
	}
	m.rules = true
	verdict, err := m.match(e)
	return verdict, m.cost, err
}

type matcher struct {
	ctx   context.Context
	set   *properties.Set
	facts Facts
	// rules is whether rules are evaluated; otherwise they are Unknown.
	rules bool
	// props is what rules read, decoded when the first of them does.
	props []any
	// cost is that of the rules so far.
	cost uint64
}

func (m *matcher) match(e Expr) (Verdict, error) {
	switch e := e.(type) {
	case GVK:
		return verdictOf(m.set.Provides(e.GVK)), nil
	case Package:
		pkg, ok := m.set.Package()
		return verdictOf(ok && pkg.Name == e.Name && e.Range.Contains(pkg.Version)), nil
	case Label:
		return verdictOf(m.set.HasLabel(e.Label)), nil
	case CEL:
		return m.matchRule(e.Rule)
	case All:
		return m.matchUntil(e.Exprs, No, Yes)
	case Any:
		return m.matchUntil(e.Exprs, Yes, No)
	case Not:
		verdict, err := m.matchUntil(e.Exprs, Yes, No)
		switch verdict {
		case Yes:
			return No, nil
		case No, Failed:
			return Yes, nil
		}
		return verdict, err
	case nil:
		return Failed, errors.New("there is no expression")
	}
	return Failed, fmt.Errorf("unexpected expression %T", e)
}

func (m *matcher) matchRule(rule *Rule) (Verdict, error) {
	if !m.rules {
		return Unknown, nil
	}
	if m.props == nil {
		m.props = m.set.CEL()
	}
	verdict, cost, err := rule.eval(m.ctx, m.props, m.facts)
	m.cost += cost
	return verdict, err
}

// matchUntil returns the verdict decisive as soon as one child has it, and
// otherwise the weakest that occurred: Unknown, Failed, or none of these.
func (m *matcher) matchUntil(exprs []Expr, decisive, none Verdict) (Verdict, error) {
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
