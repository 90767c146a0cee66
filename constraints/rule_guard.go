package constraints

import (
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// maxCompared is how many values one comparison may walk. cel-go counts the
// cost of a step after it, and checks the context between the rounds of a
// loop, so each single step has to be short by itself.
const maxCompared = 10_000

var errTooLarge = errors.New("a value is too large to be compared")

// guard replaces the functions whose single step could be long, comparing and
// matching, by the same with a bound.
func guard(regexes *regexes) cel.ProgramOption {
	return cel.CustomDecoratorV2(func(node interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		call, ok := node.(interpreter.InterpretableCall)
		if !ok || len(call.Args()) != 2 {
			return node, nil
		}
		var apply functions.FunctionOp
		switch call.Function() {
		case operators.Equals:
			apply = compared(func(a, b ref.Val) ref.Val { return types.Equal(a, b) })
		case operators.NotEquals:
			apply = compared(func(a, b ref.Val) ref.Val { return types.Bool(types.Equal(a, b) != types.True) })
		case operators.In, operators.OldIn:
			apply = compared(contains)
		case overloads.Matches:
			if err := checkPattern(regexes, call.Args()[1]); err != nil {
				return nil, err
			}
			apply = matches(regexes)
		default:
			return node, nil
		}
		return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), apply), nil
	})
}

func compared(apply func(a, b ref.Val) ref.Val) functions.FunctionOp {
	return func(args ...ref.Val) ref.Val {
		if comparisonSize(args[0], args[1]) > maxCompared {
			return types.WrapErr(errTooLarge)
		}
		return apply(args[0], args[1])
	}
}

func contains(element, container ref.Val) ref.Val {
	c, ok := container.(traits.Container)
	if !ok {
		return types.MaybeNoSuchOverloadErr(container)
	}
	return c.Contains(element)
}

// checkPattern refuses a regular expression that is known while compiling.
func checkPattern(regexes *regexes, arg interpreter.InterpretableV2) error {
	if constant, ok := arg.(interpreter.InterpretableConst); ok {
		if pattern, ok := constant.Value().(types.String); ok {
			_, err := regexes.get(string(pattern))
			return err
		}
	}
	return nil
}

func matches(regexes *regexes) functions.FunctionOp {
	return func(args ...ref.Val) ref.Val {
		text, ok := args[0].(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[0])
		}
		pattern, ok := args[1].(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[1])
		}
		re, err := regexes.get(string(pattern))
		if err != nil {
			return types.WrapErr(err)
		}
		return types.Bool(re.MatchString(string(text)))
	}
}

// comparisonSize returns how many values comparing a and b, or finding one in
// the other, may walk; if they are more than maxCompared, some larger number.
func comparisonSize(a, b ref.Val) int {
	return max(valueSize(a, maxCompared+1), valueSize(b, maxCompared+1))
}

// valueSize counts the values in a value, up to limit.
func valueSize(value ref.Val, limit int) int {
	if limit <= 0 {
		return 0
	}
	size := 1
	switch value := value.(type) {
	case traits.Lister:
		for it := value.Iterator(); size < limit && it.HasNext() == types.True; {
			size += valueSize(it.Next(), limit-size)
		}
	case traits.Mapper:
		for it := value.Iterator(); size < limit && it.HasNext() == types.True; {
			element, ok := value.Find(it.Next())
			if !ok {
				break
			}
			size += 1 + valueSize(element, limit-size-1)
		}
	}
	return size
}
