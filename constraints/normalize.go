package constraints

// Formula is an expression whose negations stand at the leaves: one of [Leaf],
// [And] and [Or]. The set is closed.
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

// Normalize pushes negations down to the leaves. The parts keep the order and
// the nesting in which they are written. A [Not] of one child is the opposite
// of that child, and the opposite of such a Not is the child itself; a Not of
// several children is the And of their opposites, and its opposite the Or of
// the children.
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
