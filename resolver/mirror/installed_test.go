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
