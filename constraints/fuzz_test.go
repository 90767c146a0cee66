package constraints_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
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
		verdict, _, err := constraints.Match(context.Background(), c.Expr, set, rules.Facts{})
		require.NotEqual(t, rules.Unknown, verdict)
		require.Equal(t, verdict == rules.Failed, err != nil)
	})
}
