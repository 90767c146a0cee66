package rules

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// regexes compiles regular expressions of bounded size and caches them.
type regexes struct {
	maxSize int
	memo    *memo[regex]
}

// regex is a compiled regular expression, with its size in instructions.
type regex struct {
	*regexp.Regexp
	size int
}

// get compiles the regular expression in an argument.
func (r *regexes) get(value ref.Val) (regex, error) {
	pattern, ok := value.(types.String)
	if !ok {
		return regex{}, types.MaybeNoSuchOverloadErr(value).(*types.Err)
	}
	if len(pattern) > maxRegexTextLength {
		return regex{}, fmt.Errorf("the regular expression is %d bytes long, more than the %d allowed", len(pattern), maxRegexTextLength)
	}
	return r.memo.get(string(pattern), r.compile)
}

func (r *regexes) compile(pattern string) (regex, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return regex{}, err
	}
	// Repetitions such as a{1000} are short as text and large when compiled, so the size
	// is checked before.
	size := regexSize(parsed)
	if size > r.maxSize {
		return regex{}, overLimit("RegexSize", "the regular expression %q is too large: about %d instructions, more than the %d allowed",
			cut(pattern, maxRuleShown), size, r.maxSize)
	}
	compiled, err := regexp.Compile(pattern)
	return regex{compiled, size}, err
}

// regexSize estimates the number of instructions of a compiled expression.
func regexSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size += regexSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		// The parser keeps products of repetitions below 1,000.
		size *= max(re.Min, re.Max, 1)
	}
	return size
}

// matching returns the price and the function of a call with this pattern. It compiles a
// constant pattern once.
func (r *regexes) matching(pattern interpreter.InterpretableV2) (price, functions.FunctionOp, error) {
	find, compiling := r.get, true
	if constant, ok := pattern.(interpreter.InterpretableConst); ok && constant.Value().Type() == types.StringType {
		re, err := r.get(constant.Value())
		if err != nil {
			return nil, nil, err
		}
		find, compiling = func(ref.Val) (regex, error) { return re, nil }, false
	}
	price := func(args []ref.Val) (int, error) {
		re, _ := find(args[1])
		text, _ := args[0].(types.String)
		n := 1 + re.size*(1+len(text)/bytesPerUnit)
		if compiling {
			n += unitsPerRegex * sizes(args[1:])
		}
		return n, nil
	}
	return price, func(args ...ref.Val) ref.Val {
		text, ok := args[0].(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[0])
		}
		re, err := find(args[1])
		if err != nil {
			return types.WrapErr(err)
		}
		return types.Bool(re.MatchString(string(text)))
	}, nil
}
