package rules

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/resolvent/resolvent/properties"
)

// needs is what a bundle must state for a rule to be true. Empty fields are not needed. Without
// it the rule is false: an error of another part does not matter, as CEL's && ignores the
// errors of parts beside a false one.
type needs struct {
	propertyType string
	pkg          string // the name in its olm.package property
}

// MayHold reports whether a bundle states what the rule needs to be true. A nil rule may hold.
func (r *Rule) MayHold(set *properties.Set) bool {
	if r == nil {
		return true
	}
	n := &r.needs
	if n.pkg != "" {
		pkg, ok := set.Package()
		return ok && pkg.Name == n.pkg
	}
	return n.propertyType == "" || set.States(n.propertyType)
}

// Package returns the package of all bundles on which the rule can be true, empty if it names none.
func (r *Rule) Package() string {
	if r == nil {
		return ""
	}
	return r.needs.pkg
}

// needsOf finds properties.exists(p, p.type == "TYPE" && p.value.packageName == "NAME" && ...)
// among the parts that must all be true.
func needsOf(rule ast.Expr) (n needs) {
	for _, part := range conjuncts(rule, nil) {
		constants := constantsOf(part)
		var stated needs
		stated.propertyType, _ = constants[".type"].(string)
		stated.pkg, _ = constants[".value.packageName"].(string)
		if stated.propertyType != properties.TypePackage {
			stated.pkg = ""
		}
		if n.pkg == "" && stated.propertyType != "" {
			n = stated
		}
	}
	return n
}

// constantsOf returns the constants with which properties.exists(p, ...) compares fields of p, among
// the parts that must all be true, nil if a part of a rule is something else.
func constantsOf(e ast.Expr) map[string]any {
	name, predicate, all := quantified(e)
	if predicate == nil || all {
		return nil
	}
	return constantsIn(conjuncts(predicate, nil), name)
}

// quantified returns the name of a property and the predicate of properties.exists(p, ...) or, if
// all is true, of properties.all(p, ...), nil for something else.
func quantified(e ast.Expr) (name string, predicate ast.Expr, all bool) {
	if e.Kind() != ast.ComprehensionKind {
		return "", nil, false
	}
	c := e.AsComprehension()
	step := c.LoopStep()
	if !isName(c.IterRange(), variableProperties) || c.AccuInit().Kind() != ast.LiteralKind || step.Kind() != ast.CallKind {
		return "", nil, false
	}
	start, _ := c.AccuInit().AsLiteral().Value().(bool)
	joined := map[bool]string{false: operators.LogicalOr, true: operators.LogicalAnd}
	if _, isBool := c.AccuInit().AsLiteral().Value().(bool); !isBool || step.AsCall().FunctionName() != joined[start] || !isName(step.AsCall().Args()[0], c.AccuVar()) {
		return "", nil, false
	}
	return c.IterVar(), step.AsCall().Args()[1], start
}

// constantsIn returns the constants with which parts compare fields of a name.
func constantsIn(parts []ast.Expr, name string) map[string]any {
	constants := map[string]any{}
	for _, of := range parts {
		if path, value := constantOf(of); strings.HasPrefix(path, name+".") {
			constants[strings.TrimPrefix(path, name)] = value
		}
	}
	return constants
}

// conjuncts appends the parts of nested && calls.
func conjuncts(e ast.Expr, list []ast.Expr) []ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.LogicalAnd {
		return append(list, e)
	}
	for _, part := range e.AsCall().Args() {
		list = conjuncts(part, list)
	}
	return list
}

// constantOf returns what is compared with a constant: NAME.FIELD.FIELD, empty if it is something
// else.
func constantOf(e ast.Expr) (path string, value any) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Equals {
		return "", nil
	}
	args := e.AsCall().Args()
	if args[0].Kind() == ast.LiteralKind {
		args = []ast.Expr{args[1], args[0]}
	}
	if path = selected(args[0]); path == "" || args[1].Kind() != ast.LiteralKind {
		return "", nil
	}
	return path, args[1].AsLiteral().Value()
}

// selected returns NAME.FIELD.FIELD, empty for another expression.
func selected(e ast.Expr) (path string) {
	for ; e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly(); e = e.AsSelect().Operand() {
		path = "." + e.AsSelect().FieldName() + path
	}
	if e.Kind() != ast.IdentKind {
		return ""
	}
	return e.AsIdent() + path
}

func isName(e ast.Expr, name string) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name }
