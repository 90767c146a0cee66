package constraints

// Normalize pushes negations down: in the result each [Not] is of one simple expression.
// The parts keep their order and nesting. A Not of one part is the opposite of that part,
// and its own opposite is the part itself. A Not of several parts is the [All] of their
// opposites, and its opposite is the [Any] of the parts.
func Normalize(e Expr) Expr { return normalize(e, false) }

func normalize(e Expr, negated bool) Expr {
	if e != nil {
		if normal := e.normalize(negated); normal != nil {
			return normal
		}
	}
	if negated {
		return Not{Exprs: []Expr{e}}
	}
	return e
}

// join joins the expressions, or their opposites, by Any or by All.
func join(exprs []Expr, negated, anyOf bool) Expr {
	parts := make([]Expr, len(exprs))
	for i, e := range exprs {
		parts[i] = normalize(e, negated)
	}
	if anyOf {
		return Any{Exprs: parts}
	}
	return All{Exprs: parts}
}
