package constraints

// Formula is an expression whose negations stand at the leaves: one of [Leaf],
// [And] and [Or]. The set is closed.
//
// Message is the failure message that was stated for exactly this part. It says
// what it means that the part as written does not hold, so it is dropped from
// parts that were turned into their opposite.
type Formula interface{ sealedFormula() }

// Leaf is a simple expression, or its opposite.
type Leaf struct {
	// Expr is a [GVK], a [Package], a [Label] or a [CEL].
	Expr    Expr
	Negated bool
	Message string
}

// And holds when each of its parts holds.
type And struct {
	Parts   []Formula
	Message string
}

// Or holds when at least one of its parts holds.
type Or struct {
	Parts   []Formula
	Message string
}

func (Leaf) sealedFormula() {}
func (And) sealedFormula()  {}
func (Or) sealedFormula()   {}

// Normalize pushes negations down to the leaves. The parts keep the order and
// the nesting in which they are written. A [Not] of one child is the opposite
// of that child, and the opposite of such a Not is the child itself; a Not of
// several children is the And of their opposites, and its opposite the Or of
// the children.
func Normalize(e Expr) Formula { return normalize(e, false, messageOf(e)) }

func normalize(e Expr, negated bool, message string) Formula {
	if e != nil {
		if f := e.normalize(negated, message); f != nil {
			return f
		}
	}
	return Leaf{Expr: e, Negated: negated, Message: message}
}

// join joins the expressions, or their opposites, by Or or by And.
func join(exprs []Expr, negated, or bool, message string) Formula {
	parts := make([]Formula, len(exprs))
	for i, e := range exprs {
		own := messageOf(e)
		if negated {
			own = ""
		}
		parts[i] = normalize(e, negated, own)
	}
	if or {
		return Or{Parts: parts, Message: message}
	}
	return And{Parts: parts, Message: message}
}

func messageOf(e Expr) string {
	if e == nil {
		return ""
	}
	return e.FailureMessage()
}
