package constraints

import (
	"math"

	"github.com/google/cel-go/common/ast"
)

// unfoldedSize returns how many nodes the syntax tree of a rule would have if
// every variable of a macro were replaced by what it ranges over. It bounds the
// types and the values that the rule can build out of its own text: a few
// nested macros such as [x].exists(y, [[y, y]].exists(z, ...)) double a value
// at each level, and comparing the result, or only checking its type, would
// take for ever in a single step that nothing interrupts.
func unfoldedSize(e ast.Expr) uint64 { return (&unfolding{}).size(e) }

// unfolding is a macro's variable in scope, and those outside of it.
type unfolding struct {
	variable, second string
	rangeSize        uint64
	outer            *unfolding
}

func (u *unfolding) lookup(name string) uint64 {
	for ; u != nil; u = u.outer {
		if name == u.variable || name == u.second {
			return u.rangeSize
		}
	}
	return 1
}

func (u *unfolding) size(e ast.Expr) uint64 {
	switch e.Kind() {
	case ast.IdentKind:
		return u.lookup(e.AsIdent())
	case ast.SelectKind:
		return u.sum([]ast.Expr{e.AsSelect().Operand()})
	case ast.CallKind:
		n := u.sum(e.AsCall().Args())
		if e.AsCall().IsMemberFunction() {
			n = plus(n, u.size(e.AsCall().Target()))
		}
		return n
	case ast.ListKind:
		return u.sum(e.AsList().Elements())
	case ast.MapKind:
		var children []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			children = append(children, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return u.sum(children)
	case ast.StructKind:
		var children []ast.Expr
		for _, field := range e.AsStruct().Fields() {
			children = append(children, field.AsStructField().Value())
		}
		return u.sum(children)
	case ast.ComprehensionKind:
		return u.loop(e.AsComprehension())
	}
	return 1
}

func (u *unfolding) loop(c ast.ComprehensionExpr) uint64 {
	rangeSize := u.size(c.IterRange())
	inner := &unfolding{variable: c.IterVar(), second: c.IterVar2(), rangeSize: rangeSize, outer: u}
	body := inner.sum([]ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()})
	return plus(plus(rangeSize, u.size(c.AccuInit())), body)
}

// sum returns the size of a node with these children.
func (u *unfolding) sum(children []ast.Expr) uint64 {
	n := uint64(1)
	for _, child := range children {
		n = plus(n, u.size(child))
	}
	return n
}

// plus adds without running over.
func plus(a, b uint64) uint64 {
	return a + min(b, math.MaxUint64-a)
}
