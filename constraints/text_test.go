package constraints_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

func TestString(t *testing.T) {
	const gvk = `{"gvk":{"group":"etcd.database.coreos.com","version":"v1beta2","kind":"EtcdCluster"}}`
	for _, test := range []struct{ value, want string }{
		{gvk, "an operator providing EtcdCluster (etcd.database.coreos.com/v1beta2)"},
		{yes, "package foo in range >=1.0.0"},
		{`{"cel":{"rule":"size(properties)\n  > 1"}}`, "an operator for which this holds: size(properties) > 1"},
		{allOf(yes), "package foo in range >=1.0.0"},
		{allOf(yes + "," + gvk), "all of (package foo in range >=1.0.0 and an operator providing EtcdCluster (etcd.database.coreos.com/v1beta2))"},
		{anyOf(yes + "," + no + "," + yes), "any of (package foo in range >=1.0.0, package foo in range >=2.0.0 or package foo in range >=1.0.0)"},
		{noneOf(yes), "no package foo in range >=1.0.0"},
		{noneOf(gvk), "no operator providing EtcdCluster (etcd.database.coreos.com/v1beta2)"},
		{noneOf(yes + "," + no), "none of (package foo in range >=1.0.0 or package foo in range >=2.0.0)"},
		{noneOf(allOf(yes + "," + no)), "not (all of (package foo in range >=1.0.0 and package foo in range >=2.0.0))"},
		{noneOf(noneOf(yes)), "not (no package foo in range >=1.0.0)"},
	} {
		assert.Equal(t, test.want, parse(t, test.value).String())
	}
	assert.Equal(t, "no operator labeled gold", constraints.Not{Exprs: []constraints.Expr{constraints.Label{Label: "gold"}}}.String())
	assert.Equal(t, "all of (nothing and nothing)", constraints.All{Exprs: make([]constraints.Expr, 2)}.String())

	long := parse(t, `{"cel":{"rule":"true`+strings.Repeat(" || 'ä' == 'ä'", 100)+`"}}`).String()
	assert.Less(t, len(long), 260)
	assert.True(t, strings.HasSuffix(long, "..."))
}

func TestKeyTellsApart(t *testing.T) {
	a, b := constraints.Label{Label: "a"}, constraints.Label{Label: "b"}
	exprs := []constraints.Expr{
		a,
		constraints.Label{Label: `a","b`},
		constraints.All{Exprs: []constraints.Expr{a, b}},
		constraints.All{Exprs: []constraints.Expr{b, a}},
		constraints.Any{Exprs: []constraints.Expr{a, b}},
		constraints.All{Exprs: []constraints.Expr{constraints.All{Exprs: []constraints.Expr{a}}, b}},
		constraints.All{Exprs: []constraints.Expr{constraints.All{Exprs: []constraints.Expr{a, b}}}},
		constraints.GVK{GVK: properties.GVK{Group: "a", Version: "b", Kind: "c"}},
		constraints.GVK{GVK: properties.GVK{Group: "a", Version: "", Kind: "bc"}},
		constraints.Package{Name: "a"},
		constraints.CEL{},
	}
	seen := map[string]constraints.Expr{}
	for _, e := range exprs {
		key := constraints.Key(e)
		assert.NotContains(t, seen, key)
		seen[key] = e
	}
	assert.Equal(t, constraints.Key(a), constraints.Key(constraints.Label{Label: "a", Message: "because"}))
}
