package constraints

import "github.com/resolvent/resolvent/constraints/rules"

// All holds when each of Exprs holds.
type All struct {
	Exprs   []Expr
	Message string
}

// Any holds when at least one of Exprs holds.
type Any struct {
	Exprs   []Expr
	Message string
}

// Not holds when none of Exprs holds.
type Not struct {
	Exprs   []Expr
	Message string
}

func (All) name() string { return "all" }
func (Any) name() string { return "any" }
func (Not) name() string { return "not" }

func (All) read(r *reader, _ form) (Expr, error) { return r.compound(All{}.of) }
func (Any) read(r *reader, _ form) (Expr, error) { return r.compound(Any{}.of) }
func (Not) read(r *reader, _ form) (Expr, error) { return r.compound(Not{}.of) }

func (All) of(parts []Expr) Expr { return All{Exprs: parts} }
func (Any) of(parts []Expr) Expr { return Any{Exprs: parts} }
func (Not) of(parts []Expr) Expr { return Not{Exprs: parts} }

func (e All) content() ([]field, []Expr) { return nil, e.Exprs }
func (e Any) content() ([]field, []Expr) { return nil, e.Exprs }
func (e Not) content() ([]field, []Expr) { return nil, e.Exprs }

func (e All) FailureMessage() string { return e.Message }
func (e Any) FailureMessage() string { return e.Message }
func (e Not) FailureMessage() string { return e.Message }

func (e All) withMessage(message string) Expr { e.Message = message; return e }
func (e Any) withMessage(message string) Expr { e.Message = message; return e }
func (e Not) withMessage(message string) Expr { e.Message = message; return e }

func (e All) String() string { return joined("all of", "and", e.Exprs) }
func (e Any) String() string { return joined("any of", "or", e.Exprs) }
func (e Not) String() string {
	if len(e.Exprs) == 1 {
		return negationOf(e.Exprs[0])
	}
	return listed("none of", "or", e.Exprs)
}

func (e All) negation() string { return negationOfJoined(e, e.Exprs) }
func (e Any) negation() string { return negationOfJoined(e, e.Exprs) }
func (e Not) negation() string { return "not (" + e.String() + ")" }

func (e All) match(m matcher) (rules.Verdict, error) { return m.until(e.Exprs, rules.No, rules.Yes) }
func (e Any) match(m matcher) (rules.Verdict, error) { return m.until(e.Exprs, rules.Yes, rules.No) }
func (e Not) match(m matcher) (rules.Verdict, error) {
	switch verdict, err := m.until(e.Exprs, rules.Yes, rules.No); verdict {
	case rules.Yes:
		return rules.No, nil
	case rules.No, rules.Failed:
		return rules.Yes, nil
	default:
		return verdict, err
	}
}

func (e All) normalize(negated bool) Expr { return join(e.Exprs, negated, negated) }
func (e Any) normalize(negated bool) Expr { return join(e.Exprs, negated, !negated) }

// normalize cancels two negations only if each is of a single part.
func (e Not) normalize(negated bool) Expr {
	if len(e.Exprs) != 1 {
		return join(e.Exprs, !negated, negated)
	}
	return normalize(e.Exprs[0], !negated)
}

func (e All) lookup() lookup { return lookup{by: byEach, parts: e.Exprs} }
func (e Any) lookup() lookup { return lookup{by: byOneOf, parts: e.Exprs} }
func (Not) lookup() lookup   { return lookup{} }

func (e All) reads() (rule, cluster bool) { return Reads(e.Exprs...) }
func (e Any) reads() (rule, cluster bool) { return Reads(e.Exprs...) }
func (e Not) reads() (rule, cluster bool) { return Reads(e.Exprs...) }
