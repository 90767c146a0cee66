package constraints_test

import (
	"context"
	"fmt"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

func ExampleParser_Parse() {
	parser := constraints.NewParser(constraints.Limits{})
	c, err := parser.Parse(0, properties.Property{Type: properties.TypeConstraint, Value: []byte(`{
		"failureMessage": "needs a database",
		"any": {"constraints": [
			{"package": {"packageName": "postgresql", "versionRange": ">=5.0.0"}},
			{"gvk": {"group": "mysql.example.com", "version": "v1", "kind": "Database"}}
		]}
	}`)})
	fmt.Println(c.Expr, err)
	fmt.Println(c.Expr.FailureMessage())
	// Output:
	// any of (package postgresql in range >=5.0.0 or an operator providing Database (mysql.example.com/v1)) <nil>
	// needs a database
}

func ExampleParser_Parse_error() {
	parser := constraints.NewParser(constraints.Limits{})
	for _, value := range []string{
		`{"any": {"constraints": [{"package": {"packageName": "postgresql", "versionRange": "^5"}}]}}`,
		`{"cel": {"rule": "properties.exists(p, p.type == certified)"}}`,
	} {
		_, err := parser.Parse(4, properties.Property{Type: properties.TypeConstraint, Value: []byte(value)})
		fmt.Println(err)
	}
	// Output:
	// property 4 (olm.constraint): any.constraints[0].package.versionRange: version range "^5": Could not parse Range "^5": Could not parse comparator "^" in "^5"
	// property 4 (olm.constraint): cel.rule: the rule does not compile: undeclared reference to 'certified' (line 1, column 32)
	//   | properties.exists(p, p.type == certified)
	//   |                                ^
}

func ExampleMatch() {
	set, _ := properties.Decode([]properties.Property{
		{Type: properties.TypePackage, Value: []byte(`{"packageName": "postgresql", "version": "5.1.0"}`)},
		{Type: "certified", Value: []byte(`true`)},
	}, nil)
	parser := constraints.NewParser(constraints.Limits{})
	for _, rule := range []string{
		`properties.exists(p, p.type == "certified" && p.value)`,
		`semver_compare(cluster.kubernetesVersion, "1.40.0") >= 0`,
		`properties[0].value.vendor == "example"`,
	} {
		compiled, err := parser.Rule(rule)
		if err != nil {
			panic(err)
		}
		verdict, _, err := constraints.Match(context.Background(), constraints.CEL{Rule: compiled}, set,
			rules.Facts{KubernetesVersion: "v1.31.0"})
		fmt.Println(verdict, err)
	}
	// Output:
	// yes <nil>
	// no <nil>
	// failed no such key: vendor
}
