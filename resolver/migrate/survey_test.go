package migrate_test

import (
	"os"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func TestSurvey(t *testing.T) {
	s, err := cache.LoadFS(t.Context(), fstest.MapFS{"c.yaml": {Data: []byte(`
{schema: olm.package, name: a, defaultChannel: stable}
---
{schema: olm.channel, package: a, name: stable, entries: [{name: a.v2, replaces: a.v1}, {name: a.v1}]}
---
{schema: olm.channel, package: a, name: old, entries: [{name: a.v1}]}
---
{schema: olm.bundle, package: a, name: a.v1, image: i, properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]}
---
{schema: olm.bundle, package: a, name: a.v2, image: i, properties: [{type: olm.package, value: {packageName: a, version: 2.0.0}},
  {type: olm.gvk.required, value: {group: g.io, version: v1, kind: K}}, {type: olm.label.required, value: {label: l}}]}
---
{schema: olm.package, name: b, defaultChannel: stable}
---
{schema: olm.channel, package: b, name: stable, entries: [{name: b.v1}]}
---
{schema: olm.bundle, package: b, name: b.v1, image: i, properties: [{type: olm.package, value: {packageName: b, version: 1.0.0}},
  {type: olm.csv.metadata, value: {installModes: [{type: OwnNamespace, supported: true}]}}]}
`)}}, cache.Options{})
	require.NoError(t, err)
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "main"}, Snapshot: s}, {Key: catalog.Key{Name: "dead"}}})
	experimental := migrate.Survey(view, cluster.ProfileExperimental)
	assert.Equal(t, []migrate.Surveyed{
		{
			Catalog: "main", Package: "a", Head: "a.v2", Channels: []string{"old"}, Serving: "a.v1",
			Refusals: []migrate.Refusal{{
				Kind: "dependency", Types: []string{"olm.gvk.required"},
				Message: "a.v2 requires an operator providing K (g.io/v1), and OLM v1 resolves no dependencies",
			}},
		},
		{
			Catalog: "main", Package: "b", Head: "b.v1", Channels: []string{}, Watching: true,
			Refusals: []migrate.Refusal{{
				Kind:    "watchNamespace",
				Message: "b.v1 supports OwnNamespace only, and spec.config.inline.watchNamespace is not set: set it to its namespace",
			}},
		},
	}, experimental)

	// The standard profile has no watchNamespace to set.
	want := slices.Clone(experimental)
	want[1].Watching, want[1].Refusals = false, []migrate.Refusal{{
		Kind: "watchNamespace", Message: "b.v1 supports OwnNamespace, not AllNamespaces, and OLM v1 installs for all namespaces only",
	}}
	for _, profile := range []cluster.Profile{"", cluster.ProfileStandard} {
		assert.Equal(t, want, migrate.Survey(view, profile))
	}
}

// The counts are those of the blobs, which were read by another program.
func TestSurveyOfRealCatalogs(t *testing.T) {
	s, err := cache.LoadFS(t.Context(), os.DirFS(testkit.Shared(t, "catalogs", "raw-v4.19")), cache.Options{})
	require.NoError(t, err)
	began := time.Now()
	rows := migrate.Survey(cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "raw"}, Snapshot: s}}), cluster.ProfileStandard)
	t.Log(time.Since(began))
	served, kinds := 0, map[string]int{}
	for _, r := range rows {
		if r.Served {
			served++
		}
		for _, refusal := range r.Refusals {
			kinds[string(refusal.Kind)]++
		}
	}
	assert.Equal(t, []any{34, 28, map[string]int{"dependency": 2, "watchNamespace": 4}}, []any{len(rows), served, kinds})
}
