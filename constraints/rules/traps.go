package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/resolvent/resolvent/properties"
)

// fieldsOf are the fields of values that OLM defines, by the type of the property. A type without
// fields has a text.
var fieldsOf = map[string][]string{
	properties.TypePackage:         {"packageName", "version", "release"},
	properties.TypePackageRequired: {"packageName", "versionRange"},
	properties.TypeGVK:             {"group", "version", "kind"},
	properties.TypeGVKRequired:     {"group", "version", "kind"},
	properties.TypeLabel:           {"label"},
	properties.TypeMaxOpenShift:    {},
}

// trapsOf says which parts of a rule hardly mean what they seem to, each once. truths are the types
// of properties whose value it takes for true or false.
func trapsOf(rule ast.Expr) (traps, truths []string) {
	add := func(format string, args ...any) {
		if trap := fmt.Sprintf(format, args...); !slices.Contains(traps, trap) {
			traps = append(traps, trap)
		}
	}
	ast.PostOrderVisit(rule, ast.NewExprVisitor(func(e ast.Expr) {
		if text, meant := comparedAsText(e); text != "" {
			add("%s compares versions as text, and as text 1.10.0 is below 1.9.0: write %s", text, meant)
		}
		name, predicate, all := quantified(e)
		if predicate == nil {
			return
		}
		parts := conjuncts(predicate, nil)
		constants := constantsIn(parts, name)
		propertyType, known := constants[".type"].(string)
		if !known {
			return
		}
		if all {
			add("properties.all(...) with %s.type == %q holds for bundles only that have properties of no other type: properties.exists is meant", name, propertyType)
		} else if trap := neverEqual(propertyType, constants); trap != "" {
			add("%s", trap)
		}
		fields, defined := fieldsOf[propertyType]
		if defined {
			for _, field := range fieldsRead(predicate, name) {
				if !slices.Contains(fields, field) {
					add("the value of %s %s", propertyType, hasNot(field, fields))
				}
			}
		}
		for _, part := range parts {
			if selected(part) == name+".value" && defined {
				add("the value of %s is not true or false: compare it", propertyType)
			} else if selected(part) == name+".value" && !slices.Contains(truths, propertyType) {
				truths = append(truths, propertyType)
			}
		}
	}))
	return traps, truths
}

func hasNot(field string, fields []string) string {
	if len(fields) == 0 {
		return fmt.Sprintf("is a text, and has no field %s", field)
	}
	for _, meant := range fields {
		if strings.Contains(strings.ToLower(meant), strings.ToLower(field)) || strings.Contains(strings.ToLower(field), strings.ToLower(meant)) {
			return fmt.Sprintf("has no field %s: %s is meant", field, meant)
		}
	}
	return fmt.Sprintf("has no field %s; it has %s", field, strings.Join(fields, ", "))
}

// neverEqual says which comparison with a field of olm.package is never true, empty if none is
// known.
func neverEqual(propertyType string, constants map[string]any) (trap string) {
	for _, field := range []string{"packageName", "version"} {
		value, stated := constants[".value."+field]
		text, isText := value.(string)
		_, err := semver.Parse(text)
		switch {
		case !stated || propertyType != properties.TypePackage:
		case !isText:
			trap = fmt.Sprintf("the %s of %s is a text, and never equal to %v", field, properties.TypePackage, value)
		case field == "version" && err != nil:
			trap = fmt.Sprintf("the version of %s has three numbers, and is never equal to %q: write all three, as in 1.15.0, or compare with semver_compare", properties.TypePackage, cut(text, maxRuleShown))
		}
	}
	return trap
}

// ordering are the operators of CEL that compare which is less, as they are written.
var ordering = map[string]string{operators.Less: "<", operators.LessEquals: "<=", operators.Greater: ">", operators.GreaterEquals: ">="}

// comparedAsText returns a comparison of a version with a text, and how to compare these as
// versions; empty if an expression is none.
func comparedAsText(e ast.Expr) (text, meant string) {
	if e.Kind() != ast.CallKind || ordering[e.AsCall().FunctionName()] == "" {
		return "", ""
	}
	sign, args := ordering[e.AsCall().FunctionName()], e.AsCall().Args()
	var shown [2]string
	versions, constants := 0, 0
	for i, arg := range args {
		if path := selected(arg); strings.HasSuffix(path, ".value.version") {
			shown[i] = path
			versions++
		} else if arg.Kind() == ast.LiteralKind {
			value, isText := arg.AsLiteral().Value().(string)
			if _, err := semver.ParseTolerant(value); isText && err == nil {
				shown[i] = strconv.Quote(cut(value, maxRuleShown))
				constants++
			}
		}
	}
	if versions != 1 || constants != 1 {
		return "", ""
	}
	return shown[0] + " " + sign + " " + shown[1], fmt.Sprintf("semver_compare(%s, %s) %s 0", shown[0], shown[1], sign)
}

// fieldsRead are the fields of the value of a property that an expression reads, each once.
func fieldsRead(e ast.Expr, name string) (fields []string) {
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		field, found := strings.CutPrefix(selected(e), name+".value.")
		if found && !strings.Contains(field, ".") && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}))
	return fields
}
