package cache

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

func TestSnapshot(t *testing.T) {
	s := parse(t, etcd)

	// etcd.v3 is the head of the default channel; it skips etcd.v1.
	assert.Equal(t, []string{"etcd.v3", "etcd.v2", "etcd.v4", "etcd.v1"}, bundleNames(s))
	assert.Equal(t, 3, s.Candidates())
	assert.Nil(t, s.Bundle(-1))
	assert.Nil(t, s.Bundle(4))

	p := s.Package("etcd")
	require.NotNil(t, p)
	assert.Equal(t, "alpha", p.DefaultChannel)
	assert.Equal(t, []catalog.ID{0, 1, 2, 3}, p.Bundles)
	assert.Nil(t, s.Package("other"))
	assert.Nil(t, p.Channel("gamma"))
	assert.Equal(t, []*catalog.Package{p}, slices.Collect(s.Packages()))

	alpha, beta := p.Channel("alpha"), p.Channel("beta")
	assert.True(t, alpha.Default)
	assert.False(t, beta.Default)
	assert.Equal(t, []int32{2, 1, 0}, alpha.Order)
	assert.Equal(t, "etcd.v3", alpha.Head().Name)
	assert.Equal(t, "etcd.v4", beta.Head().Name)
	v1 := alpha.Entry("etcd.v1")
	assert.True(t, v1.Skipped)
	assert.EqualValues(t, 2, v1.Depth)
	assert.False(t, v1.Candidate())
	assert.Equal(t, catalog.ID(3), v1.Bundle)
	assert.Equal(t, "<3.0.0", alpha.Entry("etcd.v3").SkipRange.Text())
	assert.Nil(t, alpha.Entry("etcd.v9"))

	v3 := s.Bundle(0)
	assert.Equal(t, "registry.example/etcd:3", v3.Image)
	assert.Equal(t, "3.0.0", v3.Version.String())
	assert.Equal(t, []catalog.Place{{Channel: alpha, Entry: 2}, {Channel: beta, Entry: 0}}, v3.Places)
	assert.EqualValues(t, 1, v3.Places[1].At().Depth)
	assert.Empty(t, s.Bundle(3).Places)
	require.Len(t, s.Bundle(2).Constraints, 1)
	assert.Equal(t, 1, s.Bundle(2).Constraints[0].Index)

	cluster := properties.GVK{Group: "etcd.example", Version: "v1", Kind: "Cluster"}
	assert.Equal(t, []catalog.ID{0, 1}, s.Providers(cluster))
	other := cluster
	other.Version = "v2"
	assert.Equal(t, []properties.GVK{cluster}, s.OtherVersions(other))
	assert.Empty(t, s.OtherVersions(cluster))
	assert.Equal(t, []catalog.ID{0}, s.Labeled("storage"))
	assert.Equal(t, []catalog.ID{1}, s.Named("etcd.v2"))
	assert.Empty(t, s.Named("etcd"))
	assert.Empty(t, s.Faults())
}

func TestOneNameInTwoPackages(t *testing.T) {
	s := load(t, `
-- c.yaml --
{schema: olm.bundle, package: b, name: same, properties: [{type: olm.package, value: {packageName: b, version: 1.0.0}}]}
---
{schema: olm.bundle, package: a, name: same, properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]}
`)
	assert.Equal(t, []catalog.ID{0, 1}, s.Named("same"))
	assert.Equal(t, "a", s.Bundle(0).Package)
	assert.Zero(t, s.Candidates())
}

func TestMatches(t *testing.T) {
	s := parse(t, etcd)
	r, err := constraints.NewParser(constraints.Limits{}).Range(">=2.0.0 <4.0.0")
	require.NoError(t, err)
	inRange := constraints.Package{Name: "etcd", Range: r}
	gvk := constraints.GVK{GVK: properties.GVK{Group: "etcd.example", Version: "v1", Kind: "Cluster"}}
	for _, test := range []struct {
		expr constraints.Expr
		want []string
	}{
		{gvk, []string{"etcd.v3", "etcd.v2"}},
		{inRange, []string{"etcd.v3", "etcd.v2"}},
		{constraints.Package{Name: "other", Range: r}, []string{}},
		{constraints.Label{Label: "storage"}, []string{"etcd.v3"}},
		{constraints.Not{Exprs: []constraints.Expr{gvk}}, []string{"etcd.v4", "etcd.v1"}},
		{constraints.All{Exprs: []constraints.Expr{inRange, constraints.Label{Label: "storage"}}}, []string{"etcd.v3"}},
	} {
		for range 2 { // the second time from memory
			ids, err := s.Matches(t.Context(), test.expr, rules.Facts{})
			require.NoError(t, err)
			assert.Equal(t, test.want, names(s, ids), test.expr.String())
		}
	}
}

// TestContent digests catalogs that differ in spaces, order and files alone alike, and no
// others: 4.1 and 4.10 are two texts, though one number.
func TestContent(t *testing.T) {
	digest := func(text string) string {
		content, err := load(t, text).Content(t.Context())
		require.NoError(t, err)
		return content
	}
	bundle := func(properties string) string {
		return `{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}
{"schema":"olm.bundle","package":"p","name":"p.v1","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},` + properties + `]}
`
	}
	same := []string{
		"-- a.json --\n" + bundle(`{"type":"x","value":{"a":"é","b":[1.50]}}`),
		"-- b/c.json --\n" + bundle(`{"value":{ "b":[1.50], "a":"\u00e9" },"type":"x"}`),
	}
	assert.Equal(t, digest(same[0]), digest(same[1]))
	seen := map[string]bool{digest(same[0]): true}
	for _, value := range []string{
		`{"type":"x","value":{"a":"é","b":[1.5]}}`, `{"type":"y","value":{"a":"é","b":[1.50]}}`, `{"type":"x","value":{"a":1,"a":2}}`, `{"type":"x","value":{"a":2,"a":1}}`,
		`{"type":"olm.maxOpenShiftVersion","value":4.1}`, `{"type":"olm.maxOpenShiftVersion","value":4.10}`, `{"type":"olm.label","value":{"label":"l"}}`,
	} {
		content := digest("-- a.json --\n" + bundle(value))
		assert.False(t, seen[content], value)
		seen[content] = true
	}
}
