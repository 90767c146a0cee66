package rules

import (
	"context"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

const (
	// variableMeter is the variable in which an evaluation carries its meter.
	variableMeter = "@meter"
	// functionOperand returns its argument. It wraps the operands of steps that are not
	// calls in cel-go, so that these pay: indices, keys of maps, and ranges of loops.
	functionOperand = "@operand"
)

// meter counts the cost of one evaluation, and ends it at a limit. Every call and every
// round of a loop pays before it runs.
//
// The cost limit of cel-go does not serve. It charges a step after it has run, and
// charges nothing for rounds, &&, || and ?:. It also searches a stack that grows with
// the rounds, so that a loop takes time in proportion to the square of its rounds.
// Processor time and peak memory until the limit of 1,000,000 ends a rule:
//
//	                                             cel-go            meter
//	a loop of 200,000 rounds of true || x == y   > 5 s              33 ms
//	[[19,000 numbers]] == itself, in loops       > 5 s,   820 MB    26 ms,  91 MB
//	bytes(a text of 148 KB), in loops            > 5 s, 1,000 MB     9 ms,  98 MB
//	matches('(a|aa){1,40}b') on 15 MB, once      > 5 s               0 ms
//
// The end of a context does not help: cel-go checks it only between rounds. A deadline
// of 100 ms does not end the last rule, and ends the second after 380 ms.
type meter struct {
	ctx                   context.Context
	limit, spent, checkAt uint64
	stopped               error // why the meter ended the evaluation
}

// charge adds to the cost. If the limit is exceeded or the context has ended, it ends
// the evaluation, by the panic that cel-go expects of its tracker.
func (m *meter) charge(units int, operation string) {
	m.spent += uint64(units)
	switch {
	case m.spent > m.limit:
		m.stopped = overLimit("RuleCost", "the rule costs more than one evaluation may: %s passes the limit RuleCost of %d", operation, m.limit)
		panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded})
	case m.spent >= m.checkAt:
		m.checkAt = m.spent + checkedAfter
		if m.ctx.Err() != nil {
			panic(interpreter.EvalCancelledError{Cause: interpreter.ContextCancelled})
		}
	}
}

// activation holds the variables of one evaluation. A map of them would take 300 bytes and
// a tenth of the time of a short rule more.
type activation struct {
	props, cluster any
	others         map[string]any // those of an Environment
	meter          *meter
}

func (*activation) Parent() interpreter.Activation { return nil }

func (a *activation) ResolveName(name string) (any, bool) {
	if name == variableMeter {
		return a.meter, true
	}
	if a.others != nil {
		if name == renamedNamespace {
			name = variableNamespace
		}
		value, ok := a.others[name]
		return value, ok
	}
	switch name {
	case variableProperties:
		return a.props, true
	case variableCluster:
		return a.cluster, true
	}
	return nil, false
}

// showOperands wraps operands of a checked rule in functionOperand.
func showOperands(rule *ast.AST) {
	id, factory := ast.MaxID(rule), ast.NewExprFactory()
	show := func(e ast.Expr) {
		if e.Kind() == ast.LiteralKind {
			return
		}
		operand := factory.NewUnspecifiedExpr(id)
		operand.SetKindCase(e)
		if reference, ok := rule.ReferenceMap()[e.ID()]; ok {
			rule.SetReference(id, reference)
		}
		rule.SetType(id, rule.GetType(e.ID()))
		rule.SetReference(e.ID(), ast.NewFunctionReference(functionOperand))
		e.SetKindCase(factory.NewCall(e.ID(), functionOperand, operand))
		id++
	}
	ast.PostOrderVisit(rule.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.ComprehensionKind:
			show(e.AsComprehension().IterRange())
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				show(entry.AsMapEntry().Key())
			}
		case ast.CallKind:
			switch call := e.AsCall(); call.FunctionName() {
			case operators.Index:
				show(call.Args()[1])
			case operators.In, operators.OldIn: // a list of constants is searched without a call
				show(call.Args()[0])
			}
		}
	}))
}

// decorate makes the calls of a rule and the rounds of its loops pay.
func (c *compiler) decorate(rounds map[int64]int) cel.ProgramOption {
	return cel.CustomDecoratorV2(func(node interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		if nodes, ok := rounds[node.ID()]; ok {
			return &round{node, nodes}, nil
		}
		planned, ok := node.(interpreter.InterpretableCall)
		if !ok || planned.Function() == operators.NotStrictlyFalse {
			return node, nil
		}
		metered := &call{InterpretableCall: planned, args: planned.Args(), name: callName(planned.Function())}
		var err error
		if planned.Function() == overloads.Matches {
			metered.price, metered.apply, err = c.regexes.matching(metered.args[1])
			// cel-go would replace a call by that of its own compiled expression.
			return struct{ interpreter.InterpretableV2 }{metered}, err
		}
		metered.price = priceOf(planned.Function())
		metered.apply, err = c.implementation(planned)
		return metered, err
	})
}

// round is the condition of a loop, with which each of its rounds begins.
type round struct {
	interpreter.InterpretableV2
	nodes int
}

func (r *round) Eval(vars interpreter.Activation) ref.Val { return r.Exec(interpreter.AsFrame(vars)) }

func (r *round) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	if m, ok := frame.ResolveName(variableMeter); ok {
		m.(*meter).charge(r.nodes, "a round of a loop")
	}
	return r.InterpretableV2.Exec(frame)
}

// call is the call of a function or an operator.
type call struct {
	interpreter.InterpretableCall
	args  []interpreter.InterpretableV2
	name  string
	price price
	apply functions.FunctionOp
}

func (c *call) Eval(vars interpreter.Activation) ref.Val { return c.Exec(interpreter.AsFrame(vars)) }

func (c *call) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	args := make([]ref.Val, len(c.args))
	for i, arg := range c.args {
		if args[i] = arg.Exec(frame); types.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}
	units, err := c.price(args)
	if m, ok := frame.ResolveName(variableMeter); ok { // not when cel-go folds constants
		m.(*meter).charge(units, c.name)
	}
	if err != nil {
		return types.LabelErrNode(c.ID(), types.WrapErr(fmt.Errorf("%s: %w", c.name, err)))
	}
	return types.LabelErrNode(c.ID(), c.apply(args...))
}

// callName names the call of a function in a message.
func callName(function string) string {
	if function == functionOperand {
		return "an index, a key or the range of a loop"
	}
	if symbol, ok := operators.FindReverse(function); ok {
		return "the operator " + symbol
	}
	return "the function " + function
}

// implementation returns the function of a planned call. As in cel-go, that is the one
// of its overload, or of its name if the overload depends on the arguments.
func (c *compiler) implementation(planned interpreter.InterpretableCall) (functions.FunctionOp, error) {
	name := planned.Function()
	switch name {
	case operators.Equals:
		return func(args ...ref.Val) ref.Val { return types.Equal(args[0], args[1]) }, nil
	case operators.NotEquals:
		return func(args ...ref.Val) ref.Val { return types.Bool(types.Equal(args[0], args[1]) != types.True) }, nil
	}
	list, err := c.functions[name].Bindings()
	bound := &functions.Overload{}
	for _, overload := range list {
		if overload.Operator == planned.OverloadID() || bound.Operator == "" && overload.Operator == name {
			bound = overload
		}
	}
	return func(args ...ref.Val) ref.Val {
		switch {
		case bound.OperandTrait != 0 && !args[0].Type().HasTrait(bound.OperandTrait):
		case len(args) == 1 && bound.Unary != nil:
			return bound.Unary(args[0])
		case len(args) == 2 && bound.Binary != nil:
			return bound.Binary(args[0], args[1])
		case bound.Function != nil:
			return bound.Function(args...)
		}
		if receiver, ok := args[0].(traits.Receiver); ok && args[0].Type().HasTrait(traits.ReceiverType) {
			return receiver.Receive(name, planned.OverloadID(), args[1:])
		}
		return types.NewErr("no such overload: %s", name)
	}, err
}
