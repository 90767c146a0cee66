package constraints

// Formula is an expression whose negations are at the leaves. It is one of [Leaf],
// [And] and [Or].
type Formula interface{ sealedFormula() }

// Leaf is a simple expression, or its opposite.
type Leaf struct {
	// Expr is a [GVK], a [Package], a [Label] or a [CEL].
	Expr    Expr
	Negated bool
}

// And holds when each of its parts holds.
type And struct{ Parts []Formula }

// Or holds when at least one of its parts holds.
type Or struct{ Parts []Formula }

func (Leaf) sealedFormula() {}
func (And) sealedFormula()  {}
func (Or) sealedFormula()   {}

// Normalize pushes negations down to the leaves. The parts keep their order and
// nesting. A [Not] of one part is the opposite of that part, and its own opposite is the
// part itself. A Not of several parts is the And of their opposites, and its opposite is
// the Or of the parts.
func Normalize(e Expr) Formula { return normalize(e, false) }

func normalize(e Expr, negated bool) Formula {
	if e != nil {
		if f := e.normalize(negated); f != nil {
			return f
		}
	}
	return Leaf{Expr: e, Negated: negated}
}

// join joins the expressions, or their opposites, by Or or by And.
func join(exprs []Expr, negated, or bool) Formula {
	parts := make([]Formula, len(exprs))
	for i, e := range exprs {
		parts[i] = normalize(e, negated)
	}
	if or {
		return Or{parts}
	}
	return And{parts}
}
