package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// functionArguments are the functions that only texts of a form serve.
var functionArguments = map[string]valueType{
	functionDays: typeDay, functionMajorOf: typeVersion, functionMinorOf: typeVersion, functionPatchOf: typeVersion, functionCompare: typeVersion,
}

func isVersion(text string) bool {
	_, err := semver.ParseTolerant(text)
	return err == nil
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// known reports whether anything is known of a type.
func (t valueType) known() bool { return t.noun != "" }

// has says which fields an object has.
func (t valueType) has() string {
	return t.noun + " has " + strings.Join(slices.Sorted(maps.Keys(t.fields)), ", ")
}

// declared has the parts of a parsed rule and their types, as far as they follow from those of
// the variables. The checker of CEL knows neither days nor versions, and nothing of a rule with
// a fault.
type declared struct {
	compiler *compiler
	parts    map[int64]ast.Expr
	types    map[int64]valueType
}

func (c *compiler) declared(rule *ast.AST) *declared {
	d := &declared{c, map[int64]ast.Expr{}, map[int64]valueType{}}
	scope := maps.Clone(c.variables)
	if t, ok := scope[variableNamespace]; ok {
		scope[renamedNamespace] = t
	}
	d.read(rule.Expr(), scope)
	return d
}

func (d *declared) read(e ast.Expr, scope map[string]valueType) valueType {
	t := d.typeOf(e, scope)
	d.parts[e.ID()], d.types[e.ID()] = e, t
	return t
}

func (d *declared) typeOf(e ast.Expr, scope map[string]valueType) (t valueType) {
	both := func(a, b valueType) valueType { // of a mixture nothing is known but that it may be a text
		switch {
		case !a.known():
			return b
		case !b.known() || a.noun == b.noun && (a.item == nil || a.item.noun == b.item.noun):
			return a
		case a.item != nil && b.item != nil:
			return listType(typeText)
		}
		return typeText
	}
	switch e.Kind() {
	case ast.IdentKind:
		return scope[e.AsIdent()]
	case ast.LiteralKind:
		if _, text := e.AsLiteral().Value().(string); text {
			return typeText
		}
	case ast.SelectKind:
		elementType := d.read(e.AsSelect().Operand(), scope)
		switch {
		case e.AsSelect().IsTestOnly():
			return typeTruth
		case elementType.item != nil:
			return *elementType.item
		}
		return elementType.fields[e.AsSelect().FieldName()]
	case ast.ListKind:
		var itemType valueType
		for i, item := range e.AsList().Elements() {
			if is := d.read(item, scope); i == 0 {
				itemType = is
			} else {
				itemType = both(itemType, is)
			}
		}
		if itemType.known() {
			t = listType(itemType)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			d.read(entry.AsMapEntry().Key(), scope)
			d.read(entry.AsMapEntry().Value(), scope)
		}
	case ast.CallKind:
		var args []valueType
		for _, arg := range arguments(e) {
			args = append(args, d.read(arg, scope))
		}
		switch name := e.AsCall().FunctionName(); {
		case name == operators.Index && args[0].item != nil:
			return *args[0].item
		case name == operators.Conditional:
			return both(args[1], args[2])
		case name == operators.Add && len(args) == 2 && both(args[0], args[1]).item != nil:
			return both(args[0], args[1])
		}
	case ast.ComprehensionKind:
		c, inner := e.AsComprehension(), maps.Clone(scope)
		foldedType := d.read(c.IterRange(), scope)
		inner[c.IterVar()], inner[c.AccuVar()] = valueType{}, d.read(c.AccuInit(), scope)
		switch {
		case foldedType.item == nil || c.HasIterVar2():
		case foldedType.cel.Kind() == types.MapKind:
			inner[c.IterVar()] = typeText
		default:
			inner[c.IterVar()] = *foldedType.item
		}
		d.read(c.LoopCondition(), inner)
		inner[c.AccuVar()] = d.read(c.LoopStep(), inner)
		return d.read(c.Result(), inner)
	}
	return t
}

// arguments returns the arguments of a call, that before the dot first.
func arguments(call ast.Expr) []ast.Expr {
	c := call.AsCall()
	if c.IsMemberFunction() {
		return append([]ast.Expr{c.Target()}, c.Args()...)
	}
	return c.Args()
}

// pathOf returns the path to a field of a variable, as a rule writes it, empty if the part is
// none.
func pathOf(e ast.Expr) string {
	switch {
	case e.Kind() == ast.IdentKind && e.AsIdent() == renamedNamespace:
		return variableNamespace
	case e.Kind() == ast.IdentKind:
		return e.AsIdent()
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == functionOperand:
		return pathOf(e.AsCall().Args()[0])
	case e.Kind() == ast.SelectKind:
		if of := pathOf(e.AsSelect().Operand()); of != "" {
			return of + "." + e.AsSelect().FieldName()
		}
	}
	return ""
}

// syntaxHint says what helps against a fault of a rule that cannot be parsed. cel-go gives
// these faults no type.
func (c *compiler) syntaxHint(fault *cel.Error) (text string, undeclared bool) {
	switch {
	case c.variables == nil:
	case strings.Contains(fault.Message, "Syntax error"):
		return "CEL writes == for equal, && for and, || for or, ! for not, as in !(a in [b])", false
	case strings.Contains(fault.Message, "argument to has()"):
		return `has() asks for a field, as in has(a.b); "x" in a.labels asks for a name`, false
	}
	return "", false
}

// hint says how a rule reads what a fault is about, empty if that is not known. It reports
// whether the fault is that nothing like it is declared.
func (d *declared) hint(fault *cel.Error) (text string, undeclared bool) {
	if d == nil || d.parts[fault.ExprID] == nil {
		return "", false
	}
	e := d.parts[fault.ExprID]
	switch {
	case e.Kind() == ast.SelectKind:
		return d.use(e.AsSelect().Operand(), true), false
	case strings.HasPrefix(fault.Message, "undeclared reference"):
		name := pathOf(e)
		if e.Kind() == ast.CallKind {
			name = e.AsCall().FunctionName()
		}
		for _, known := range slices.Sorted(maps.Keys(d.compiler.functions)) {
			if known != name && strings.EqualFold(known, name) {
				return "CEL writes " + known, false
			}
		}
		return fmt.Sprintf("it knows %s; functions are %s",
			strings.Join(slices.Sorted(maps.Keys(d.compiler.variables)), ", "), strings.Join(slices.Sorted(maps.Keys(functionArguments)), ", ")), true
	case e.Kind() == ast.CallKind:
		for _, arg := range arguments(e) {
			if use := d.use(arg, false); use != "" {
				return use, false
			}
		}
	}
	return "", false
}

// use says how a rule reads a part, or only which fields it has.
func (d *declared) use(e ast.Expr, fields bool) string {
	if d == nil {
		return ""
	}
	t, path := d.types[e.ID()], pathOf(e)
	switch {
	case t.fields != nil && (fields || path == ""):
		return t.has()
	case t.fields != nil:
		return fmt.Sprintf("%s is %s: ask has(%s.FIELD); %s", path, t.noun, path, t.has())
	case !t.known() || path == "":
		return ""
	}
	use := t.use
	if !strings.Contains(path, ".") { // has() asks for a field
		use = strings.TrimSuffix(use, " or !has(IT)")
	}
	return fmt.Sprintf("%s is %s: write %s", path, t.noun, strings.ReplaceAll(use, "IT", path))
}

// misuses returns what is wrong for people, and not for the checker of CEL: texts that are
// compared with what they never are, and versions that are compared as texts.
func (d *declared) misuses(rule *ast.AST) []*cel.Error {
	if d == nil {
		return nil
	}
	var faults []*cel.Error
	fail := func(about, shown ast.Expr, format string, args ...any) {
		faults = append(faults, &cel.Error{ExprID: about.ID(), Location: rule.SourceInfo().GetStartLocation(shown.ID()), Message: fmt.Sprintf(format, args...)})
	}
	texts := func(call, e ast.Expr, wanted valueType) {
		if wanted.holds == nil {
			return
		}
		for _, e := range append([]ast.Expr{e}, elements(e)...) {
			if text, ok := literal(e); ok && !wanted.holds(text) {
				fail(call, e, "%q is not %s", cut(text, maxRuleShown), wanted.noun)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.parts)) {
		call := d.parts[id]
		if call.Kind() != ast.CallKind {
			continue
		}
		name, args := call.AsCall().FunctionName(), arguments(call)
		unfit := ""
		for i, arg := range args {
			argType := d.types[arg.ID()]
			unfit = cmp.Or(unfit, argType.unfit[name])
			if wants := functionArguments[name]; wants.known() && argType.fields != nil {
				unfit = argType.noun + " is not " + wants.noun
			}
			texts(call, arg, functionArguments[name])
			if !comparisons[name] || len(args) != 2 {
				continue
			}
			if argType.unfit[name] == "" {
				texts(call, args[1-i], argType)
			}
			if other := args[1-i]; argType.fields != nil && other.Kind() == ast.LiteralKind && other.AsLiteral() == ref.Val(types.NullValue) {
				unfit = "nothing is null"
			}
		}
		if unfit != "" {
			fail(call, call, "%s", unfit)
		}
	}
	return faults
}

// comparisons are the operators that compare two values.
var comparisons = map[string]bool{
	operators.Equals: true, operators.NotEquals: true, operators.In: true,
	operators.Less: true, operators.LessEquals: true, operators.Greater: true, operators.GreaterEquals: true,
}

func elements(e ast.Expr) []ast.Expr {
	if e.Kind() != ast.ListKind {
		return nil
	}
	return e.AsList().Elements()
}

// asks returns what a checked rule asks before it reads a field that may be missing, by the id
// of the part.
func asks(rule *ast.AST) map[int64]string {
	list := map[int64]string{}
	ast.PostOrderVisit(rule.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		var operand ast.Expr
		var field string
		switch {
		case e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly():
			operand, field = e.AsSelect().Operand(), e.AsSelect().FieldName()
		case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Index:
			operand = e.AsCall().Args()[0]
			field, _ = literal(e.AsCall().Args()[1])
		}
		switch {
		case field == "" || pathOf(operand) == "":
		case rule.GetType(operand.ID()).Kind() == types.MapKind:
			list[e.ID()] = fmt.Sprintf("%q in %s", field, pathOf(operand))
		default:
			list[e.ID()] = fmt.Sprintf("has(%s.%s)", pathOf(operand), field)
		}
	}))
	return list
}

// literal returns the text that a part of a rule writes.
func literal(e ast.Expr) (text string, ok bool) {
	if e.Kind() == ast.LiteralKind {
		text, ok = e.AsLiteral().Value().(string)
	}
	return text, ok
}
