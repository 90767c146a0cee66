package constraints_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

func newParser() *constraints.Parser { return constraints.NewParser(constraints.Limits{}) }

// constraint returns an olm.constraint property.
func constraint(value string) properties.Property {
	return properties.Property{Type: properties.TypeConstraint, Value: []byte(value)}
}

// parse reads an olm.constraint that is known to be good.
func parse(t testing.TB, value string) constraints.Expr {
	t.Helper()
	c, err := newParser().Parse(0, constraint(value))
	require.NoError(t, err)
	return c.Expr
}

// bundle returns what a bundle of package foo, version 1.2.3, states. More
// properties are given as type and value in turn.
func bundle(t testing.TB, more ...string) *properties.Set {
	t.Helper()
	props := []properties.Property{
		{Type: properties.TypePackage, Value: []byte(`{"packageName":"foo","version":"1.2.3"}`)},
		{Type: properties.TypeGVK, Value: []byte(`{"group":"g.io","version":"v1","kind":"K"}`)},
		{Type: properties.TypeLabel, Value: []byte(`{"label":"gold"}`)},
	}
	for i := 0; i < len(more); i += 2 {
		props = append(props, properties.Property{Type: more[i], Value: []byte(more[i+1])})
	}
	set, faults := properties.Decode(props, nil)
	require.Empty(t, faults)
	return set
}
