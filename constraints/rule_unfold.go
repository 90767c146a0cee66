package constraints

import (
	"math"

	"github.com/google/cel-go/common/ast"
)

// unfoldedSize returns how many nodes the syntax tree of a rule would have if
// every variable of a macro were replaced by what it ranges over. It bounds the
// types and the values that the rule can build out of its own text: a few
// nested macros such as [x].exists(y, [[y, y]].exists(z, ...)) double a value at
// each level, and only checking its type would take for ever.
func unfoldedSize(rule *ast.AST) uint64 { return (&unfolding{}).size(ast.NavigateAST(rule)) }

// unfolding is a macro's variable in scope, and those outside of it.
type unfolding struct {
	variable, second string
	rangeSize        uint64
	outer            *unfolding
}

func (u *unfolding) size(e ast.NavigableExpr) uint64 {
	if e.Kind() == ast.IdentKind {
		return u.lookup(e.AsIdent())
	}
	n, inner := uint64(1), u
	for i, child := range e.Children() {
		size := inner.size(child)
		if i == 0 && e.Kind() == ast.ComprehensionKind { // what the macro ranges over
			inner = &unfolding{e.AsComprehension().IterVar(), e.AsComprehension().IterVar2(), size, u}
		}
		n += min(size, math.MaxUint64-n)
	}
	return n
}

func (u *unfolding) lookup(name string) uint64 {
	for ; u != nil; u = u.outer {
		if name == u.variable || name == u.second {
			return u.rangeSize
		}
	}
	return 1
}
