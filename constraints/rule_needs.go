package constraints

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
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

// of reports whether a bundle states what is needed.
func (n *needs) of(set *properties.Set) bool {
	if n.pkg != "" {
		pkg, ok := set.Package()
		return ok && pkg.Name == n.pkg
	}
	return n.propertyType == "" || set.States(n.propertyType)
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

// neverTrue says which comparison with a field of olm.package is never true, empty if none is known.
func neverTrue(rule ast.Expr) (trap string) {
	ast.PostOrderVisit(rule, ast.NewExprVisitor(func(e ast.Expr) {
		constants := constantsOf(e)
		for _, field := range []string{"packageName", "version"} {
			value, stated := constants[".value."+field]
			text, isText := value.(string)
			_, err := semver.Parse(text)
			switch {
			case !stated || constants[".type"] != properties.TypePackage:
			case !isText:
				trap = fmt.Sprintf("the %s of %s is a text, and never equal to %v", field, properties.TypePackage, value)
			case field == "version" && err != nil:
				trap = fmt.Sprintf("the version of %s has three numbers, and is never equal to %q: write all three, as in 1.15.0, or compare with semver_compare", properties.TypePackage, cut(text, maxRuleShown))
			}
		}
	}))
	return trap
}

// constantsOf returns the constants with which properties.exists(p, ...) compares fields of p, among
// the parts that must all be true, nil if a part of a rule is something else.
func constantsOf(e ast.Expr) map[string]any {
	if e.Kind() != ast.ComprehensionKind {
		return nil
	}
	c := e.AsComprehension()
	step := c.LoopStep()
	if !isName(c.IterRange(), variableProperties) || c.AccuInit().Kind() != ast.LiteralKind || c.AccuInit().AsLiteral().Value() != false ||
		step.Kind() != ast.CallKind || step.AsCall().FunctionName() != operators.LogicalOr || !isName(step.AsCall().Args()[0], c.AccuVar()) {
		return nil // not exists
	}
	constants := map[string]any{}
	for _, of := range conjuncts(step.AsCall().Args()[1], nil) {
		if path, value := constantOf(of); strings.HasPrefix(path, c.IterVar()+".") {
			constants[strings.TrimPrefix(path, c.IterVar())] = value
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
	for e = args[0]; e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly(); e = e.AsSelect().Operand() {
		path = "." + e.AsSelect().FieldName() + path
	}
	if args[1].Kind() != ast.LiteralKind || e.Kind() != ast.IdentKind {
		return "", nil
	}
	return e.AsIdent() + path, args[1].AsLiteral().Value()
}

func isName(e ast.Expr, name string) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name }
