package constraints_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, propertyType, value, key string
	}{
		{"gvk", properties.TypeConstraint,
			`{"gvk":{"group":"g.io","version":"v1","kind":"K"}}`, `gvk("g.io","v1","K")`},
		{"gvk of the core group", properties.TypeConstraint,
			`{"gvk":{"version":"v1","kind":"K"}}`, `gvk("","v1","K")`},
		{"package", properties.TypeConstraint,
			`{"package":{"packageName":"foo","versionRange":">=1.0.0"}}`, `package("foo",">=1.0.0")`},
		{"package by name", properties.TypeConstraint,
			`{"package":{"name":"foo","versionRange":"1.0.0"}}`, `package("foo","1.0.0")`},
		{"packageName before name", properties.TypeConstraint,
			`{"package":{"name":"bar","packageName":"foo","versionRange":"1.0.0"}}`, `package("foo","1.0.0")`},
		{"cel", properties.TypeConstraint,
			`{"cel":{"rule":"size(properties) > 1"}}`, `cel("size(properties) > 1")`},
		{"compound", properties.TypeConstraint,
			`{"all":{"constraints":[{"any":{"constraints":[{"gvk":{"version":"v1","kind":"K"}}]}},{"not":{"constraints":[{"cel":{"rule":"true"}}]}}]}}`,
			`all(any(gvk("","v1","K")),not(cel("true")))`},
		{"older gvk", properties.TypeGVKRequired,
			`{"group":"g.io","version":"v1","kind":"K","extra":[1]}`, `gvk("g.io","v1","K")`},
		{"older gvk with null", properties.TypeGVKRequired,
			`{"group":null,"version":"v1","kind":"K"}`, `gvk("","v1","K")`},
		{"older package", properties.TypePackageRequired,
			`{"packageName":"foo","versionRange":"<2.0.0","version":7}`, `package("foo","<2.0.0")`},
		{"older label", properties.TypeLabelRequired,
			`{"label":"gold"}`, `label("gold")`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := newParser().Parse(7, properties.Property{Type: test.propertyType, Value: []byte(test.value)})
			require.NoError(t, err)
			assert.Equal(t, 7, c.Index)
			assert.Equal(t, test.propertyType, c.Type)
			assert.Equal(t, test.key, constraints.Key(c.Expr))
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct {
		name, value, path, message string
	}{
		{"no JSON", `{`, "", "invalid JSON"},
		{"empty value", ``, "", "invalid JSON"},
		{"two values", `{"gvk":{"version":"v1","kind":"K"}} {}`, "", "something follows"},
		{"null", `null`, "", "must be an object, not null"},
		{"list", `[]`, "", "must be an object, not a list"},
		{"nothing asked", `{}`, "", "exactly one of"},
		{"only a message", `{"failureMessage":"x"}`, "", "exactly one of"},
		{"unknown key", `{"gkv":{}}`, "gkv", "is unknown"},
		{"odd key", `{"a b.c":{}}`, `["a b.c"]`, "is unknown"},
		{"two keys", `{"cel":{"rule":"true"},"gvk":{}}`, "gvk", "stands beside cel"},
		{"compound beside value", `{"gvk":{"version":"v1","kind":"K"},"all":{"constraints":[]}}`, "all", "stands beside gvk"},
		{"key twice", `{"cel":{"rule":"true"},"cel":{"rule":"true"}}`, "cel", "stated twice"},
		{"message of wrong type", `{"failureMessage":1,"cel":{"rule":"true"}}`, "failureMessage", "must be a string, not a number"},
		{"null body", `{"all":null}`, "all", "must be an object, not null"},
		{"no constraints", `{"all":{}}`, "all.constraints", "is empty"},
		{"empty list", `{"not":{"constraints":[]}}`, "not.constraints", "is empty"},
		{"null list", `{"any":{"constraints":null}}`, "any.constraints", "must be a list, not null"},
		{"null child", `{"any":{"constraints":[null]}}`, "any.constraints[0]", "must be an object, not null"},
		{"unknown key beside constraints", `{"any":{"constraints":[{"cel":{"rule":"true"}}],"x":1}}`, "any.x", "is unknown"},
		{"gvk without kind", `{"gvk":{"group":"g","version":"v1"}}`, "gvk.kind", "is missing"},
		{"gvk without version", `{"gvk":{"group":"g","version":"","kind":"K"}}`, "gvk.version", "is missing"},
		{"gvk with number", `{"gvk":{"group":"g","version":1,"kind":"K"}}`, "gvk.version", "must be a string, not a number"},
		{"gvk with null", `{"gvk":{"group":null,"version":"v1","kind":"K"}}`, "gvk.group", "must be a string, not null"},
		{"gvk key twice", `{"gvk":{"kind":"K","kind":"K","version":"v1"}}`, "gvk.kind", "stated twice"},
		{"package without name", `{"package":{"versionRange":"1.0.0"}}`, "package.packageName", "is missing"},
		{"empty packageName beside name", `{"package":{"packageName":"","name":"a","versionRange":"1.0.0"}}`, "package.packageName", "is missing"},
		{"package without range", `{"package":{"packageName":"foo"}}`, "package.versionRange", "is empty"},
		{"bad range", `{"any":{"constraints":[{"cel":{"rule":"true"}},{"cel":{"rule":"true"}},{"package":{"packageName":"foo","versionRange":"^1"}}]}}`,
			"any.constraints[2].package.versionRange", `version range "^1"`},
		{"range that would panic", `{"package":{"packageName":"foo","versionRange":"1.0.0 || || 2.0.0"}}`, "package.versionRange", "one side of ||"},
		{"rule missing", `{"cel":{}}`, "cel.rule", "is empty"},
		{"rule does not parse", `{"not":{"constraints":[{"cel":{"rule":"properties.exists("}}]}}`, "not.constraints[0].cel.rule", "does not compile"},
		{"rule is no bool", `{"cel":{"rule":"size(properties)"}}`, "cel.rule", "of type int; it must be of type bool"},
		{"rule may be no bool", `{"cel":{"rule":"properties[0].value"}}`, "cel.rule", "of type dyn; it must be of type bool"},
		{"rule too long", `{"cel":{"rule":"` + strings.Repeat("true||", 2000) + `true"}}`, "cel.rule", "more than the 10240 allowed"},
		{"invalid UTF-8", "{\"cel\":{\"rule\":\"\xff\"}}", "cel.rule", "invalid JSON"},
		{"too large", `{"failureMessage":"` + strings.Repeat("x", 64<<10) + `"}`, "", "more than the 65536 allowed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := newParser().Parse(3, constraint(test.value))
			var fault *constraints.ParseError
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, 3, fault.Index)
			assert.Equal(t, properties.TypeConstraint, fault.Type)
			assert.Equal(t, test.path, fault.Path)
			assert.Contains(t, fault.Err.Error(), test.message)
			assert.Contains(t, err.Error(), "property 3 (olm.constraint): "+test.path)
			assert.Equal(t, fault.Err, errors.Unwrap(err))
		})
	}
}

func TestParseErrorsOfOlderTypes(t *testing.T) {
	for _, test := range []struct{ propertyType, value, path string }{
		{properties.TypePackageRequired, `{"name":"foo","versionRange":"1.0.0"}`, "packageName"},
		{properties.TypePackageRequired, `{"packageName":"foo"}`, "versionRange"},
		{properties.TypePackageRequired, `{"packageName":"foo","versionRange":""}`, "versionRange"},
		{properties.TypeGVKRequired, `{"group":"g","version":"v1"}`, "kind"},
		{properties.TypeLabelRequired, `{"label":""}`, "label"},
		{properties.TypeLabelRequired, `"gold"`, ""},
		{"olm.other", `{}`, ""},
	} {
		_, err := newParser().Parse(0, properties.Property{Type: test.propertyType, Value: []byte(test.value)})
		var fault *constraints.ParseError
		require.ErrorAs(t, err, &fault, test.value)
		assert.Equal(t, test.path, fault.Path, test.value)
	}
}

// nested returns a constraint of the given depth, each level around the next.
func nested(depth int) string {
	return strings.Repeat(`{"all":{"constraints":[`, depth-1) +
		`{"gvk":{"group":"g","version":"v1","kind":"K[{\"["}}` +
		strings.Repeat(`]}}`, depth-1)
}

func TestDepth(t *testing.T) {
	p := newParser()
	_, err := p.Parse(0, constraint(nested(32)))
	require.NoError(t, err)
	_, err = p.Parse(0, constraint(nested(33)))
	require.ErrorContains(t, err, "deeper than the 32 levels")

	// Never decoded, so what follows the brackets does not matter.
	_, err = p.Parse(0, constraint(strings.Repeat("[", 60_000)))
	require.ErrorContains(t, err, "deeper than the 32 levels")

	shallow := constraints.NewParser(constraints.Limits{Depth: 1})
	_, err = shallow.Parse(0, constraint(nested(1)))
	require.NoError(t, err)
	_, err = shallow.Parse(0, constraint(nested(2)))
	require.ErrorContains(t, err, "deeper than the 1 levels")
}

func TestParseSet(t *testing.T) {
	set := bundle(t,
		properties.TypeConstraint, `{"cel":{"rule":"true"}}`,
		properties.TypeConstraint, `{"cel":{"rule":""}}`,
		"other", `1`,
		properties.TypeLabelRequired, `{"label":"gold"}`)
	list, faults := newParser().ParseSet(set)
	require.Len(t, list, 2)
	assert.Equal(t, 3, list[0].Index)
	assert.Equal(t, 6, list[1].Index)
	assert.Equal(t, properties.TypeLabelRequired, list[1].Type)
	require.Len(t, faults, 1)
	assert.Equal(t, 4, faults[0].Index)
}

func TestFailureMessages(t *testing.T) {
	e := parse(t, `{"failureMessage":"outer","any":{"constraints":[{"cel":{"rule":"true"},"failureMessage":"inner"},{"gvk":{"version":"v1","kind":"K"}}]}}`)
	assert.Equal(t, "outer", e.FailureMessage())
	children := e.(constraints.Any).Exprs
	assert.Equal(t, "inner", children[0].FailureMessage())
	assert.Empty(t, children[1].FailureMessage())
}

func TestRulesAndRangesAreShared(t *testing.T) {
	p := newParser()
	first, err := p.Parse(0, constraint(`{"cel":{"rule":"true"}}`))
	require.NoError(t, err)
	second, err := p.Parse(1, constraint(`{"cel":{"rule":"true"}}`))
	require.NoError(t, err)
	assert.Same(t, first.Expr.(constraints.CEL).Rule, second.Expr.(constraints.CEL).Rule)
}
