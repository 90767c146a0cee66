package constraints

import (
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
		if part.Kind() != ast.ComprehensionKind {
			continue
		}
		c := part.AsComprehension()
		step := c.LoopStep()
		if !isName(c.IterRange(), variableProperties) || c.AccuInit().Kind() != ast.LiteralKind || c.AccuInit().AsLiteral().Value() != false ||
			step.Kind() != ast.CallKind || step.AsCall().FunctionName() != operators.LogicalOr || !isName(step.AsCall().Args()[0], c.AccuVar()) {
			continue // not exists
		}
		var stated needs
		for _, of := range conjuncts(step.AsCall().Args()[1], nil) {
			if path, text := constantOf(of); path == c.IterVar()+".type" {
				stated.propertyType = text
			} else if path == c.IterVar()+".value.packageName" {
				stated.pkg = text
			}
		}
		if stated.propertyType != properties.TypePackage {
			stated.pkg = ""
		}
		if n.pkg == "" && stated.propertyType != "" {
			n = stated
		}
	}
	return n
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

// constantOf returns what is compared with a constant text: NAME.FIELD.FIELD, empty if it is
// something else.
func constantOf(e ast.Expr) (path, text string) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Equals {
		return "", ""
	}
	args := e.AsCall().Args()
	if args[0].Kind() == ast.LiteralKind {
		args = []ast.Expr{args[1], args[0]}
	}
	if args[1].Kind() != ast.LiteralKind {
		return "", ""
	}
	text, ok := args[1].AsLiteral().Value().(string)
	for e = args[0]; ok && e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly(); e = e.AsSelect().Operand() {
		path = "." + e.AsSelect().FieldName() + path
	}
	if !ok || e.Kind() != ast.IdentKind {
		return "", ""
	}
	return e.AsIdent() + path, text
}

func isName(e ast.Expr, name string) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name }
