package mirror_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/mirror"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// What is installed is mirrored, unless the options say not to.
func TestInstalled(t *testing.T) {
	in, err := exampleInputs(t.Context())
	require.NoError(t, err)
	m, err := mirror.Find(t.Context(), in.Problem, in.Scopes, mirror.Options{})
	require.NoError(t, err)
	require.Len(t, m.Catalogs, 1)
	c := &m.Catalogs[0]
	assert.Equal(t, []string{"a.v1", "a.v3", "a.v4"}, c.Packages[0].Channels[0].Bundles)
	assert.Equal(t, "i/a1", c.Image(catalog.BundleKey{Package: "a", Name: "a.v1"}))

	m, err = mirror.Find(t.Context(), in.Problem, in.Scopes, mirror.Options{WithoutInstalled: true})
	require.NoError(t, err)
	assert.NotContains(t, m.Catalogs[0].Packages[0].Channels[0].Bundles, "a.v1")
	assert.Empty(t, m.Catalogs[0].Image(catalog.BundleKey{Package: "a", Name: "a.v1"}))
}

// held are two Subscriptions to package a: one keeps what it has installed, the other is
// new.
func held(name, version string) cluster.Objects {
	return cluster.Objects{
		Subscriptions:      []cluster.Subscription{{Namespace: "m", Name: "a", Package: "a", InstalledCSV: name}, {Namespace: "n", Name: "a", Package: "a"}},
		CSVs:               []cluster.ClusterServiceVersion{{Namespace: "m", Name: name, Version: version}},
		OperatorConditions: []cluster.OperatorCondition{{Namespace: "m", Name: name, Upgradeable: &cluster.Condition{Status: "False"}}},
	}
}

// Where the catalog strands a bundle that is installed, so does the whole channel.
func TestStrandedBundle(t *testing.T) {
	bundles := versionsOf("a", 4)
	snapshot, err := cache.Parse(t.Context(), []byte(`{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"},{"name":"a.v3"},{"name":"a.v4","replaces":"a.v3","skips":["a.v2"]}]}
`+bundles[strings.Index(bundles, `{"schema":"olm.bundle"`):]), cache.Options{})
	require.NoError(t, err)
	catalogs := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "small"}, Snapshot: snapshot}})
	m, err := mirror.Find(t.Context(), resolver.Problem{Cluster: cluster.NewIndex(held("a.v1", "1.0.0")), Catalogs: catalogs}, []cluster.Scope{cluster.InNamespace("m"), cluster.InNamespace("n")}, mirror.Options{})
	require.NoError(t, err)
	assert.Equal(t, []mirror.Channel{{Name: "c", MinVersion: "1.0.0", MaxVersion: "4.0.0", Bundles: []string{"a.v1", "a.v4"}}}, m.Catalogs[0].Packages[0].Channels)
}

// The order of a channel need not be that of its versions: the range holds what keeps the
// channel whole. What was held passes a.v9 once that has ended.
func TestWideRange(t *testing.T) {
	snapshot, err := cache.Parse(t.Context(), []byte(`{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"},{"name":"a.v9","replaces":"a.v1"},{"name":"a.v3","replaces":"a.v9"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i/a1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v9","image":"i/a9","properties":[{"type":"olm.package","value":{"packageName":"a","version":"9.0.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v3","image":"i/a3","properties":[{"type":"olm.package","value":{"packageName":"a","version":"3.0.0"}}]}
`), cache.Options{})
	require.NoError(t, err)
	in := &scenario.Question{
		Problem: resolver.Problem{Cluster: cluster.NewIndex(held("a.v1", "1.0.0")), Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "small"}, Snapshot: snapshot}})},
		Scopes:  []cluster.Scope{cluster.InNamespace("m"), cluster.InNamespace("n")},
	}
	m, err := mirror.Find(t.Context(), in.Problem, in.Scopes, mirror.Options{})
	require.NoError(t, err)
	assert.Equal(t, []mirror.Channel{{Name: "c", MinVersion: "1.0.0", MaxVersion: "9.0.0", Bundles: []string{"a.v1", "a.v3", "a.v9"}}}, m.Catalogs[0].Packages[0].Channels)
	assert.Equal(t, 3, m.Catalogs[0].Snapshot.Len())
}

// An answer that only removes what is installed is followed, too: what it makes way for
// in another namespace comes next.
func TestRemoval(t *testing.T) {
	snapshot, err := cache.Parse(t.Context(), []byte(`{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i/a1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"g","kind":"K","version":"v1"}}]}
{"schema":"olm.package","name":"b","defaultChannel":"c"}
{"schema":"olm.channel","package":"b","name":"c","entries":[{"name":"b.v1","skips":["a.v1"]}]}
{"schema":"olm.bundle","package":"b","name":"b.v1","image":"i/b1","properties":[{"type":"olm.package","value":{"packageName":"b","version":"1.0.0"}}]}
`), cache.Options{})
	require.NoError(t, err)
	known := cluster.NewIndex(cluster.Objects{
		Subscriptions: []cluster.Subscription{
			{Namespace: "m", Name: "waits", Package: "a"},
			{Namespace: "n", Name: "renamed", Package: "b", InstalledCSV: "a.v1"},
			{Namespace: "n", Name: "there", Package: "b", InstalledCSV: "b.v1"},
		},
		CSVs: []cluster.ClusterServiceVersion{
			{Namespace: "n", Name: "a.v1", Version: "1.0.0", Provides: []properties.GVK{{Group: "g", Version: "v1", Kind: "K"}}},
			{Namespace: "n", Name: "b.v1", Version: "1.0.0"},
		},
		OperatorGroups: []cluster.OperatorGroup{{Namespace: "m", Name: "g"}, {Namespace: "n", Name: "g"}},
	})
	catalogs := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "small"}, Snapshot: snapshot}})
	in := &scenario.Question{Problem: resolver.Problem{Cluster: known, Catalogs: catalogs}, Scopes: known.Scopes()}
	in.Problem.Options.Partial = true
	m, err := mirror.Find(t.Context(), in.Problem, in.Scopes, mirror.Options{})
	require.NoError(t, err)
	require.NoError(t, m.Outcomes[0].Err)
	require.NotEmpty(t, m.Outcomes[0].Resolution.LeftOut)
	require.Len(t, m.Catalogs[0].Packages, 2)
	assert.Equal(t, []string{"a.v1"}, m.Catalogs[0].Packages[0].Channels[0].Bundles)
}

// A way that takes more steps than the budget allows is no mirror.
func TestBudget(t *testing.T) {
	in, err := exampleInputs(t.Context())
	require.NoError(t, err)
	in.Problem.Options.PathBudget = 2
	_, err = mirror.Find(t.Context(), in.Problem, in.Scopes, mirror.Options{})
	assert.ErrorContains(t, err, "more steps on the way than the budget")
	assert.Equal(t, result.ResultIncomplete, result.Of(err))
}

// TestCancelCalls cancels the search at random moments: on a catalog like a real one, and
// on a channel of many entries, which break its order of versions.
func TestCancelCalls(t *testing.T) {
	shape := generate.Real(1)
	shape.Packages = 80
	real, err := cache.LoadFS(t.Context(), shape.FS(), cache.Options{})
	require.NoError(t, err)
	const entries = 5_000
	var text strings.Builder
	text.WriteString(`{"schema":"olm.package","name":"a","defaultChannel":"c"}{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v0"}`)
	for i := 1; i < entries; i++ {
		fmt.Fprintf(&text, `,{"name":"a.v%d","replaces":"a.v%d"}`, i, i-1)
	}
	text.WriteString("]}")
	for i := range entries {
		version := i
		if i == entries-1 {
			version = 1 // the range of the first and the last holds nothing else
		}
		fmt.Fprintf(&text, `{"schema":"olm.bundle","package":"a","name":"a.v%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"%d.0.0"}}]}`, i, version)
	}
	long, err := cache.Parse(t.Context(), []byte(text.String()), cache.Options{})
	require.NoError(t, err)
	known := cluster.NewIndex(held("a.v0", "0.0.0"))
	catalogs := cache.NewView([]cache.Catalog{{Key: random.Catalog, Snapshot: long}})
	ofLong := &scenario.Question{Problem: resolver.Problem{Cluster: known, Catalogs: catalogs}, Scopes: known.Scopes()}
	for name, in := range map[string]*scenario.Question{"like a real one": fifty(real, 1), "a long channel": ofLong} {
		t.Run(name, func(t *testing.T) {
			testkit.CancelAtRandom(t, func(ctx context.Context) error {
				_, err := mirror.Find(ctx, in.Problem, in.Scopes, mirror.Options{})
				if ctx.Err() != nil && err != nil {
					assert.Equal(t, result.ResultIncomplete, result.Of(err), "%v", err)
				}
				return err
			})
		})
	}
}

// The errors say what is the matter, and what to do instead.
func TestErrors(t *testing.T) {
	key := catalog.Key{Namespace: "olm", Name: "small"}
	assert.EqualError(t, &mirror.NoRangeError{Key: key, Package: "a"},
		"package a in catalog olm/small: a request names it, and no channel with an order has a bundle for it, so that no range of versions keeps it; mirror the whole catalog")
	assert.EqualError(t, &mirror.NoRangeError{Key: key, Package: "a", Bundle: "a.v1"},
		"bundle a.v1 of package a in catalog olm/small: no channel lists it, so that no range of versions keeps it; mirror the whole catalog")
	assert.EqualError(t, &mirror.DifferentError{Scope: cluster.OfExtension("e"), Step: 2, Want: "keep a.v1", Got: "nothing"},
		"ClusterExtension e: the cut-down catalogs give another answer in step 2 (nothing) than the whole ones (keep a.v1); mirror the whole catalogs")
	assert.EqualError(t, &mirror.InvalidError{Key: key, Fault: catalog.Fault{Package: "a", Property: -1, Message: "it is wrong"}},
		"catalog olm/small: once cut down, it breaks a rule (package a: it is wrong); mirror the whole catalog")
}
