package constraints

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// Names of the variables that rules may read.
const (
	variableProperties = "properties"
	variableCluster    = "cluster"
)

// interruptFrequency is after how many rounds of a loop cel-go checks the
// context. A round takes at most some milliseconds, see maxCompared, so that an
// evaluation ends soon after its context; checking more seldom saves nothing
// that can be measured.
const interruptFrequency = 10

// compiler makes Rules. It is safe for concurrent use.
type compiler struct {
	env     *cel.Env
	limits  Limits
	options []cel.ProgramOption
}

// newCompiler returns a compiler whose rules read version ranges by readRange.
func newCompiler(limits Limits, readRange func(string) (Range, error)) (*compiler, error) {
	env, err := cel.NewEnv(append(semverFunctions(readRange),
		cel.Variable(variableProperties, cel.ListType(cel.MapType(cel.StringType, cel.DynType))),
		cel.Variable(variableCluster, cel.MapType(cel.StringType, cel.DynType)),
		cel.ParserRecursionLimit(limits.RuleRecursion),
		cel.ParserExpressionSizeLimit(limits.RuleLength),
		cel.ExpressionNodeLimit(limits.RuleNodes),
	)...)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	regexes := newRegexes(limits.RegexSize)
	return &compiler{env: env, limits: limits, options: []cel.ProgramOption{
		// OptTrackState and OptExhaustiveEval would switch the cost limit off.
		cel.EvalOptions(cel.OptOptimize),
		cel.CostTracking(costs{regexes}),
		cel.CostLimit(limits.RuleCost),
		cel.InterruptCheckFrequency(interruptFrequency),
		guard(regexes),
	}}, nil
}

// compile returns the rule, or an error that shows the place in the source.
func (c *compiler) compile(source string) (rule *Rule, err error) {
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("the rule is empty")
	}
	if len(source) > c.limits.RuleLength {
		return nil, overLimit("RuleLength", "the rule is %d bytes long, more than the %d allowed", len(source), c.limits.RuleLength)
	}
	defer func() {
		if p := recover(); p != nil {
			rule, err = nil, fmt.Errorf("the rule cannot be compiled: %v", p)
		}
	}()
	parsed, issues := c.env.Parse(source)
	if err := issuesError(source, issues); err != nil {
		return nil, err
	}
	if size := unfoldedSize(parsed.NativeRep()); size > uint64(c.limits.RuleNodes) {
		return nil, overLimit("RuleNodes", "the rule is too large: its macros unfold to more than the %d nodes allowed", c.limits.RuleNodes)
	}
	if calls := countCalls(parsed.NativeRep()); calls > c.limits.RuleCalls {
		return nil, overLimit("RuleCalls", "the rule is too large: it holds %d calls and comparisons, more than the %d allowed", calls, c.limits.RuleCalls)
	}
	checked, issues := c.env.Check(parsed)
	if err := issuesError(source, issues); err != nil {
		return nil, err
	}
	if output := checked.OutputType(); !output.IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("the rule is of type %s; it must be of type bool", output)
	}
	program, err := c.env.Program(checked, c.options...)
	if err != nil {
		return nil, fmt.Errorf("the rule does not compile: %w", err)
	}
	return &Rule{source: source, program: program, readsCluster: names(checked.NativeRep(), variableCluster)}, nil
}

// countCalls counts the calls of a parsed rule, operators included, whose types
// the checker has to work out.
func countCalls(parsed *ast.AST) int {
	n := 0
	ast.PostOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		switch e.AsCall().FunctionName() {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse:
		default:
			n++
		}
	}))
	return n
}

// names reports whether a checked rule refers to a variable. A variable of a
// macro that has the same name counts too: that costs a little sharing of
// results, whereas missing a use would make them wrong.
func names(checked *ast.AST, variable string) bool {
	for _, ref := range checked.ReferenceMap() {
		if strings.TrimPrefix(ref.Name, ".") == variable {
			return true
		}
	}
	return false
}
