package rules

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/resolvent/resolvent/properties"
)

// Environment compiles rules about variables of its maker, with the functions and within the
// limits of the rules of bundles. It also has
//
//	major(version), minor(version), patch(version)  numbers of a version
//	days(from, to)                                  days from one date to another
//
// An unknown variable and an unknown field of an object are errors of the rule that names
// them. An Environment is immutable and safe for any number of goroutines.
type Environment struct{ compiler *compiler }

// valueType is the type of a value of an [Environment].
type valueType struct {
	cel    *cel.Type
	fields map[string]valueType // of an object
	item   *valueType           // of a list or map
	// noun is what a value is, use how a rule reads it, where IT is its path.
	noun, use string
	// holds reports whether a text may be a value. All may if it is nil.
	holds func(text string) bool
	// unfit says why an operator or function serves no value.
	unfit map[string]string
}

// The types that are not made of others. Days and versions are texts.
var (
	typeText   = valueType{cel: cel.StringType, noun: "a text", use: `IT == "a", IT in ["a", "b"] or IT.startsWith("a")`}
	typeNumber = valueType{cel: cel.IntType, noun: "a number", use: "IT > 1"}
	typeTruth  = valueType{cel: cel.BoolType, noun: "true or false", use: "IT or !IT"}
	typeDay    = valueType{
		cel: cel.StringType, noun: "a day such as 2026-01-31", holds: isDay,
		use:   `IT < "2026-01-31", days(IT, "2026-01-31") > 14 or !has(IT)`,
		unfit: map[string]string{"timestamp": "a day is no timestamp"},
	}
	typeVersion = valueType{
		cel: cel.StringType, noun: "a version such as 1.15.0", holds: isVersion,
		use:   `semver_compare(IT, "1.15.0") < 0, major(IT) == 1 or !has(IT)`,
		unfit: map[string]string{operators.Less: asTexts, operators.LessEquals: asTexts, operators.Greater: asTexts, operators.GreaterEquals: asTexts},
	}
	typeExact = valueType{
		cel: cel.StringType, noun: "a version of three numbers such as 1.15.0", use: typeVersion.use, unfit: typeVersion.unfit,
		holds: func(text string) bool { _, err := semver.Parse(text); return err == nil },
	}
	simpleTypes = map[string]valueType{
		"text": typeText, "number": typeNumber, "truth": typeTruth, "day": typeDay, "version": typeVersion, "exact version": typeExact, "any": {cel: cel.DynType},
	}
)

const asTexts = "this compares texts, and 1.9 is above 1.15 then"

func listType(t valueType) valueType {
	return valueType{cel: cel.ListType(t.cel), item: &t, noun: "a list", use: "x in IT, IT.exists(x, ...) or IT.size() > 0"}
}

// objects are the object types of an Environment, by name.
type objects struct {
	*types.Registry
	stated map[string]map[string]string    // fields and their types as written
	fields map[string]map[string]valueType // those read
}

// read reads a type as [NewEnvironment] takes it.
func (o objects) read(text string) (valueType, error) {
	if t, ok := simpleTypes[text]; ok {
		return t, nil
	}
	if item, ok := strings.CutPrefix(text, "[]"); ok {
		t, err := o.read(item)
		return listType(t), err
	}
	if item, ok := strings.CutPrefix(text, "map[]"); ok {
		t, err := o.read(item)
		return valueType{cel: cel.MapType(cel.StringType, t.cel), item: &t, noun: "names and values", use: `"a" in IT && IT["a"] == "b"`}, err
	}
	if texts := strings.Split(text, "|"); len(texts) > 1 {
		t := typeText
		t.noun, t.holds = "one of "+strings.Join(texts, ", "), func(text string) bool { return slices.Contains(texts, text) }
		t.use = fmt.Sprintf("IT == %q", texts[0])
		return t, nil
	}
	stated, ok := o.stated[text]
	if !ok {
		return valueType{cel: cel.DynType}, fmt.Errorf("there is no type %q", text)
	}
	if o.fields[text] == nil {
		o.fields[text] = map[string]valueType{}
		for _, name := range slices.Sorted(maps.Keys(stated)) {
			field, err := o.read(stated[name])
			if err != nil {
				return field, err
			}
			o.fields[text][name] = field
		}
	}
	return valueType{cel: cel.ObjectType(text), fields: o.fields[text], noun: "a " + strings.ToLower(text)}, nil
}

func (o objects) FindStructType(name string) (*types.Type, bool) {
	if _, ok := o.fields[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return o.Registry.FindStructType(name)
}

func (o objects) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if of, ok := o.fields[name]; ok {
		t, ok := of[field]
		return &types.FieldType{Type: t.cel}, ok
	}
	return o.Registry.FindStructFieldType(name, field)
}

// NewEnvironment returns an Environment with these variables and their types. A type is
//
//	text, number, truth, any
//	day, version     texts of that form
//	exact version    a version that has all three numbers
//	install|remove   texts that are one of these
//	[]TYPE           a list
//	map[]TYPE        a map from texts
//	Bundle           an object with the fields that objectTypes has under that name
//
// A value of an object type is a map[string]any. It may lack fields.
func NewEnvironment(limits Limits, variables map[string]string, objectTypes map[string]map[string]string) (*Environment, error) {
	limits = limits.withDefaults()
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	known, read := objects{registry, objectTypes, map[string]map[string]valueType{}}, map[string]valueType{}
	options := append(environmentFunctions(), cel.CustomTypeProvider(known))
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		t, err := known.read(variables[name])
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", name, err)
		}
		read[name] = t
		if name == variableNamespace {
			name = renamedNamespace
		}
		options = append(options, cel.Variable(name, t.cel))
	}
	c, err := newCompiler(limits, NewReader(limits).Range, options...)
	if err != nil {
		return nil, err
	}
	c.variables = read
	return &Environment{c}, nil
}

// Rule compiles a CEL rule. Its error shows the place in the source, and says what a rule may
// read there; it has a method Undeclared() if the rule reads what is not declared. A rule that
// reads no variable and fails is an error, too.
func (e *Environment) Rule(source string) (*Rule, error) {
	rule, err := e.compiler.compile(source, renameReserved(source))
	if err != nil || len(rule.reads) > 0 {
		return rule, err
	}
	if verdict, _, err := rule.Evaluate(context.Background(), map[string]any{}); verdict == Failed {
		return nil, fmt.Errorf("the rule always fails: %w", err)
	}
	return rule, nil
}

// Properties returns the properties of a bundle as rules read them, and the cost of that. The
// list is shared: read it only.
func (e *Environment) Properties(set *properties.Set) (list []any, cost uint64, err error) {
	return readProperties(set, &e.compiler.limits)
}

// Evaluate evaluates a rule of an [Environment]. The values of the variables must not change
// meanwhile. The error is nil for Yes and No, and otherwise that of
// [Rule.OnBundle].
func (r *Rule) Evaluate(ctx context.Context, variables map[string]any) (verdict Verdict, cost uint64, err error) {
	return r.run(ctx, &activation{others: variables})
}

// Reads reports whether the rule may read a field of a variable.
func (r *Rule) Reads(variable, field string) bool {
	return r.reads[variable] || r.reads[variable+"."+field]
}

// Uses reports whether the rule may read a variable, or any field of it.
func (r *Rule) Uses(variable string) bool {
	for name := range r.reads {
		if of, _, _ := strings.Cut(name, "."); of == variable {
			return true
		}
	}
	return false
}

// readBy returns the variables that a checked rule reads as a whole, and the fields
// VARIABLE.FIELD of the others. A variable of a macro counts like one with its name.
func readBy(rule *ast.AST) map[string]bool {
	reads := map[string]bool{}
	ast.PostOrderVisit(ast.NavigateAST(rule), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.IdentKind {
			return
		}
		name := strings.TrimPrefix(e.AsIdent(), ".")
		if name == renamedNamespace {
			name = variableNamespace
		}
		if parent, ok := e.(ast.NavigableExpr).Parent(); ok && parent.Kind() == ast.SelectKind {
			name += "." + parent.AsSelect().FieldName()
		}
		reads[name] = true
	}))
	return reads
}

// Names of the functions that only rules of an Environment have.
const (
	functionMajorOf = "major"
	functionMinorOf = "minor"
	functionPatchOf = "patch"
	functionDays    = "days"
)

func environmentFunctions() []cel.EnvOption {
	part := func(name string, of func(semver.Version) uint64) cel.EnvOption {
		return declareFunction(name, name+"_dyn", cel.IntType, semverPart(of), cel.DynType)
	}
	return []cel.EnvOption{
		part(functionMajorOf, func(v semver.Version) uint64 { return v.Major }),
		part(functionMinorOf, func(v semver.Version) uint64 { return v.Minor }),
		part(functionPatchOf, func(v semver.Version) uint64 { return v.Patch }),
		declareFunction(functionDays, "days_string_string", cel.IntType, daysBetween, cel.StringType, cel.StringType),
	}
}

// daysBetween counts the days from one date to another, which both are YYYY-MM-DD.
func daysBetween(args ...ref.Val) ref.Val {
	var dates [2]time.Time
	for i, arg := range args {
		text, ok := arg.(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(arg)
		}
		date, err := time.Parse(time.DateOnly, string(text))
		if err != nil {
			return types.NewErr("%q is not a date such as 2026-01-31", cut(string(text), maxRuleShown))
		}
		dates[i] = date
	}
	return types.Int(math.Round(dates[1].Sub(dates[0]).Hours() / 24))
}
