package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"

	"github.com/resolvent/resolvent/constraints/versionrange"
)

// Names of the variables that rules may read.
const (
	variableProperties = "properties"
	variableCluster    = "cluster"
)

// compiler compiles rules. It is safe for concurrent use.
type compiler struct {
	env       *cel.Env
	limits    Limits
	regexes   *regexes
	functions map[string]*decls.FunctionDecl
	variables map[string]valueType // of an Environment
}

// bundleVariables are the variables of rules about one bundle.
func bundleVariables() []cel.EnvOption {
	return []cel.EnvOption{
		cel.Variable(variableProperties, cel.ListType(cel.MapType(cel.StringType, cel.DynType))),
		cel.Variable(variableCluster, cel.MapType(cel.StringType, cel.DynType)),
	}
}

// newCompiler returns a compiler whose rules read version ranges with readRange. The options
// declare variables and further functions.
func newCompiler(limits Limits, readRange func(string) (versionrange.Range, error), options ...cel.EnvOption) (*compiler, error) {
	env, err := cel.NewEnv(append(append(ruleFunctions(readRange), options...),
		cel.ParserRecursionLimit(limits.RuleRecursion),
		cel.ParserExpressionSizeLimit(limits.RuleLength),
		cel.ExpressionNodeLimit(limits.RuleNodes),
	)...)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	return &compiler{env: env, limits: limits, regexes: &regexes{limits.RegexSize, newMemo[regex](maxRegexesKept, maxRegexBytesKept)}, functions: env.Functions()}, nil
}

// compile returns the rule, or an error that shows the place in the source. text is the source, in
// which names may differ.
func (c *compiler) compile(source, text string) (rule *Rule, err error) {
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
	parsed, issues := c.env.Parse(text)
	if err := issuesError(source, issues.Errors(), c.syntaxHint); err != nil {
		return nil, err
	}
	size := sizeOf(parsed.NativeRep())
	if size.unfolded > uint64(c.limits.RuleNodes) {
		return nil, overLimit("RuleNodes", "the rule is too large: its macros unfold to more than the %d nodes allowed", c.limits.RuleNodes)
	}
	if size.calls > c.limits.RuleCalls {
		return nil, overLimit("RuleCalls", "the rule is too large: it holds %d calls and comparisons, more than the %d allowed", size.calls, c.limits.RuleCalls)
	}
	var known *declared
	if c.variables != nil {
		known = c.declared(parsed.NativeRep())
	}
	checked, issues := c.env.Check(parsed)
	faults := issues.Errors()
	if len(faults) == 0 {
		faults = known.misuses(parsed.NativeRep())
	}
	if err := issuesError(source, faults, known.hint); err != nil {
		return nil, err
	}
	if output := checked.OutputType(); !output.IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("the rule is of type %s; it must be of type bool%s", output, onLine(known.use(checked.NativeRep().Expr(), false)))
	}
	rule = &Rule{source: source, reads: readBy(checked.NativeRep()), needs: needsOf(checked.NativeRep().Expr()), limits: &c.limits, nodes: size.nodes}
	rule.traps, rule.truths = trapsOf(checked.NativeRep().Expr())
	rule.readsCluster = rule.Uses(variableCluster)
	showOperands(checked.NativeRep())
	if c.variables != nil {
		rule.asks = asks(checked.NativeRep())
	}
	rule.program, err = c.env.Program(checked, cel.EvalOptions(cel.OptOptimize), c.decorate(size.rounds))
	if err != nil {
		return nil, fmt.Errorf("the rule does not compile: %w", err)
	}
	return rule, nil
}
