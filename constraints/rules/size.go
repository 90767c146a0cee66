package rules

import (
	"math"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// ruleSize is the size of a parsed rule.
type ruleSize struct {
	// unfolded is the number of nodes with every variable of a macro replaced by what it
	// ranges over. A few nested macros such as [x].exists(y, [[y, y]].exists(z, ...))
	// double a value at each level, and even checking its type would take forever.
	unfolded uint64
	calls    int           // calls whose types the checker must find
	nodes    int           // nodes outside of loops
	rounds   map[int64]int // by the condition of a loop: the nodes of one round
}

func sizeOf(rule *ast.AST) *ruleSize {
	s := &ruleSize{rounds: map[int64]int{}}
	s.unfolded, s.nodes = s.add(ast.NavigateAST(rule), nil)
	return s
}

// macro is the variable of a macro, and of the macros around it.
type macro struct {
	variable  string
	rangeSize uint64
	outer     *macro
}

func (s *ruleSize) add(e ast.NavigableExpr, scope *macro) (unfolded uint64, nodes int) {
	unfolded, nodes = 1, 1
	switch e.Kind() {
	case ast.IdentKind:
		return scope.size(e.AsIdent()), 1
	case ast.ListKind, ast.MapKind:
		nodes = nodesPerNew
	case ast.CallKind:
		switch e.AsCall().FunctionName() {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse:
		default:
			s.calls++
		}
	}
	for i, child := range e.Children() {
		size, n := s.add(child, scope)
		unfolded += min(size, math.MaxUint64-unfolded)
		loop := e.AsComprehension()
		switch isLoop := e.Kind() == ast.ComprehensionKind; {
		case isLoop && i == 0: // the range
			scope = &macro{loop.IterVar(), size, scope}
		case isLoop && (i == 2 || i == 3): // the condition and the step
			s.rounds[loop.LoopCondition().ID()] += n
			n = 0
		}
		nodes += n
	}
	return unfolded, nodes
}

// size returns the size of the range of a variable.
func (m *macro) size(name string) uint64 {
	for ; m != nil; m = m.outer {
		if name == m.variable {
			return m.rangeSize
		}
	}
	return 1
}
