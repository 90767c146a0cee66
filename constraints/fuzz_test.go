package constraints_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// What is read can be written, read again and evaluated.
func FuzzParse(f *testing.F) {
	for _, value := range []string{
		yes, ruled, fails, allOf(yes + "," + no), noneOf(anyOf(ruled + "," + fails)), nested(32), nested(33),
		`{"gvk":{"group":"g","version":"v1","kind":"K"},"failureMessage":"\u0000"}`,
		`{"package":{"name":"a","versionRange":"1.0.0 || || 2.0.0"}}`,
		`{"label":"gold"}`, `{"all":{}}`, `{"cel":{"rule":"("}}`, `[[[`, `{"a":`,
	} {
		for kind := range byte(4) {
			f.Add(kind, []byte(value))
		}
	}
	types := []string{
		properties.TypeConstraint, properties.TypeGVKRequired, properties.TypePackageRequired, properties.TypeLabelRequired,
	}
	p := newParser()
	set := bundle(f)
	f.Fuzz(func(t *testing.T, kind byte, value []byte) {
		prop := properties.Property{Type: types[int(kind)%len(types)], Value: value}
		c, err := p.Parse(0, prop)
		if err != nil {
			var fault *constraints.ParseError
			require.ErrorAs(t, err, &fault)
			return
		}
		require.NotEmpty(t, c.Expr.String())
		require.NotNil(t, constraints.Normalize(c.Expr))
		verdict, _, err := constraints.Match(context.Background(), c.Expr, set, constraints.Facts{})
		require.NotEqual(t, constraints.Unknown, verdict)
		require.Equal(t, verdict == constraints.Failed, err != nil)
	})
}

// No rule panics, and none ends without a verdict.
func FuzzRule(f *testing.F) {
	for _, source := range []string{
		`properties.exists(p, p.type == "tier" && p.value == "gold")`,
		`semver_compare(properties[0].value.version, cluster.kubernetesVersion) > 0`,
		`semver_in_range("1.0", ">=1.0.0 || || 2.0.0")`,
		`properties.map(p, p.value).filter(v, v != null)[0] in properties`,
		`"a".matches("(a{1000}){1000}")`, `{1: 2}[dyn([])] == 1`, `[[1]].exists(x, [x + x] == [x])`, "((((", "\x00",
		`timestamp("2020-01-01T00:00:00Z") < timestamp("2021-01-01T00:00:00Z") + duration("1h")`,
	} {
		f.Add(source)
	}
	p := newParser()
	facts := constraints.Facts{KubernetesVersion: "1.30.0"}
	f.Fuzz(func(t *testing.T, source string) {
		r, err := p.Rule(source)
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		verdict, err := r.Eval(context.Background(), ruleProperties, facts)
		require.NotEqual(t, constraints.Unknown, verdict)
		require.Equal(t, verdict == constraints.Failed, err != nil)
	})
}
