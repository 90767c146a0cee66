package mirror_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/mirror"
)

// What a ClusterExtension has installed is of its package: a bundle of another package that
// has the same name is not mirrored.
func TestInstalledOfOnePackage(t *testing.T) {
	var blobs []string
	for _, pkg := range []string{"ant", "bee"} {
		blobs = append(blobs, fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":"c"}
{"schema":"olm.channel","package":%[1]q,"name":"c","entries":[{"name":"same.v1"}]}
{"schema":"olm.bundle","package":%[1]q,"name":"same.v1","image":"i/%[1]s","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"1.0.0"}}]}`, pkg))
	}
	snapshot, err := cache.Parse(t.Context(), []byte(strings.Join(blobs, "\n")), cache.Options{})
	require.NoError(t, err)
	known := cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{
		{Name: "e", Namespace: "n", Package: "bee", Installed: &cluster.InstalledExtension{Name: "same.v1", Version: "1.0.0"}},
	}})
	problem := resolver.Problem{Cluster: known, Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "k"}, Snapshot: snapshot}})}
	m, err := mirror.Find(t.Context(), problem, known.Scopes(), mirror.Options{})
	require.NoError(t, err)
	require.Len(t, m.Catalogs, 1)
	assert.Equal(t, []catalog.BundleKey{{Package: "bee", Name: "same.v1"}}, m.Catalogs[0].Names())
	assert.Equal(t, "i/bee", m.Catalogs[0].Image(catalog.BundleKey{Package: "bee", Name: "same.v1"}))
}

// versionsOf is a package of one channel, each version of which replaces the one before.
func versionsOf(pkg string, versions int) string {
	var entries, bundles []string
	for v := 1; v <= versions; v++ {
		entries = append(entries, fmt.Sprintf(`{"name":"%s.v%d","replaces":"%[1]s.v%[3]d"}`, pkg, v, v-1))
		bundles = append(bundles, fmt.Sprintf(`{"schema":"olm.bundle","package":%q,"name":"%[1]s.v%d","image":"i/%[1]s%[2]d","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"%[2]d.0.0"}}]}`, pkg, v))
	}
	return fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":"c"}
{"schema":"olm.channel","package":%[1]q,"name":"c","entries":[%s]}
%s
`, pkg, strings.Join(entries, ","), strings.Join(bundles, "\n"))
}

// What is held is mirrored with all that follows once that has ended, also if nothing else
// changes in the cluster.
func TestAfterHolds(t *testing.T) {
	snapshot, err := cache.Parse(t.Context(), []byte(versionsOf("a", 3)), cache.Options{})
	require.NoError(t, err)
	objects := held("a.v1", "1.0.0")
	objects.Subscriptions = objects.Subscriptions[:1]
	known := cluster.NewIndex(objects)
	problem := resolver.Problem{Cluster: known, Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}})}
	m, err := mirror.Find(t.Context(), problem, known.Scopes(), mirror.Options{})
	require.NoError(t, err)
	require.NoError(t, m.Outcomes[0].Err)
	require.Len(t, m.Catalogs, 1)
	assert.Equal(t, []mirror.Channel{{Name: "c", MinVersion: "1.0.0", MaxVersion: "3.0.0", Bundles: []string{"a.v1", "a.v2", "a.v3"}}}, m.Catalogs[0].Packages[0].Channels)
}

// What a ClusterExtension keeps comes from the catalog that offers it, not from another one
// that has it, too.
func TestKeptFromItsCatalog(t *testing.T) {
	snapshot, err := cache.Parse(t.Context(), []byte(versionsOf("a", 1)), cache.Options{})
	require.NoError(t, err)
	known := cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{
		{Name: "e", Namespace: "n", Package: "a", Installed: &cluster.InstalledExtension{Name: "a.v1", Version: "1.0.0"}},
	}})
	first, second := catalog.Key{Name: "first"}, catalog.Key{Name: "second"}
	problem := resolver.Problem{Cluster: known, Catalogs: cache.NewView([]cache.Catalog{{Key: first, Snapshot: snapshot}, {Key: second, Snapshot: snapshot, Priority: 1}})}
	m, err := mirror.Find(t.Context(), problem, known.Scopes(), mirror.Options{WithoutInstalled: true})
	require.NoError(t, err)
	require.Len(t, m.Catalogs, 1)
	assert.Equal(t, second, m.Catalogs[0].Key)
}

// Where the whole catalogs give no further answer, because two of them offer as much, the cut
// ones may: they hold the way up to there.
func TestWayThatEndsInFailure(t *testing.T) {
	parsed := func(blobs string) *catalog.Snapshot {
		snapshot, err := cache.Parse(t.Context(), []byte(blobs), cache.Options{})
		require.NoError(t, err)
		return snapshot
	}
	known := cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{
		{Name: "e", Namespace: "n", Package: "a", Installed: &cluster.InstalledExtension{Name: "a.v1", Version: "1.0.0"}},
	}})
	first, second := catalog.Key{Name: "first"}, catalog.Key{Name: "second"}
	later := strings.NewReplacer(`{"name":"a.v1","replaces":"a.v0"},`, "", `"replaces":"a.v1"`, `"replaces":""`, `"name":"a.v1"`, `"name":"a.v5"`, "1.0.0", "5.0.0").Replace(versionsOf("a", 3))
	problem := resolver.Problem{Cluster: known, Catalogs: cache.NewView([]cache.Catalog{{Key: first, Snapshot: parsed(versionsOf("a", 2))}, {Key: second, Snapshot: parsed(later)}})}
	m, err := mirror.Find(t.Context(), problem, known.Scopes(), mirror.Options{})
	require.NoError(t, err)
	require.NoError(t, m.Outcomes[0].Err)
	assert.Equal(t, "a.v2", m.Outcomes[0].Resolution.Installs[0].Bundle.Name)
	_, err = resolver.New().Resolve(t.Context(), problem.After(m.Outcomes[0].Resolution), known.Scopes()[0])
	require.Error(t, err)
	require.Len(t, m.Catalogs, 1)
	assert.Equal(t, first, m.Catalogs[0].Key)
}

// A bundle that no channel lists is in no range: one that is installed is passed over, and one
// that is chosen is an error.
func TestBundleWithoutChannel(t *testing.T) {
	requires := strings.Replace(versionsOf("b", 1), `"version":"1.0.0"}}`, `"version":"1.0.0"}},{"type":"olm.package.required","value":{"packageName":"a","versionRange":"2.0.0"}}`, 1)
	snapshot, err := cache.Parse(t.Context(), []byte(requires+strings.Replace(versionsOf("a", 2), `,{"name":"a.v2","replaces":"a.v1"}`, "", 1)), cache.Options{})
	require.NoError(t, err)
	find := func(pkg, version string, installed *cluster.InstalledExtension) (*mirror.Mirror, error) {
		known := cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{
			{Name: "e", Namespace: "n", Package: pkg, Version: version, SelfCertified: true, Installed: installed},
		}})
		problem := resolver.Problem{Cluster: known, Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "k"}, Snapshot: snapshot}})}
		return mirror.Find(t.Context(), problem, known.Scopes(), mirror.Options{})
	}
	m, err := find("a", "1.0.0", &cluster.InstalledExtension{Name: "a.v2", Version: "2.0.0"})
	require.NoError(t, err)
	assert.Equal(t, []catalog.BundleKey{{Package: "a", Name: "a.v1"}}, m.Catalogs[0].Names())
	for pkg, version := range map[string]string{"a": "2.0.0", "b": "1.0.0"} {
		_, err = find(pkg, version, nil)
		assert.ErrorContains(t, err, "a.v2 of package a in catalog k: no channel lists it", pkg)
	}
}
