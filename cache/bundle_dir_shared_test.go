package cache

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// Real bundle directories say the same as the catalogs that were rendered from
// them.
func TestBundleDirectoriesAgreeWithRenderedCatalogs(t *testing.T) {
	dirs, err := FS(os.DirFS(testkit.Shared(t, "bundles")), Options{}).LoadChecked(context.Background())
	require.NoError(t, err)
	for _, f := range dirs.Faults {
		// Three versions were published in another way, so that two chains start
		// from one bundle.
		assert.EqualValues(t, code.SeveralHeads, f.Code, f.Error())
	}
	for _, name := range []string{"community", "community-v4.14", "community-v4.19"} {
		rendered, err := LoadFS(context.Background(), os.DirFS(testkit.Shared(t, "catalogs", name)), Options{})
		require.NoError(t, err)
		compared := 0
		for pkg := range dirs.Snapshot.Packages() {
			other := rendered.Package(pkg.Name)
			if other == nil {
				continue
			}
			assert.Equal(t, other.DefaultChannel, pkg.DefaultChannel)
			for _, id := range other.Bundles {
				want := rendered.Bundle(id)
				ids := dirs.Snapshot.Named(want.Name)
				if len(ids) == 0 {
					continue
				}
				got := dirs.Snapshot.Bundle(ids[0])
				assert.Equal(t, want.Package, got.Package)
				assert.Equal(t, want.Version.String(), got.Version.String(), want.Name)
				assert.ElementsMatch(t, want.Properties.GVKs(), got.Properties.GVKs(), want.Name)
				assert.Equal(t, asked(want), asked(got), want.Name)
				for _, mode := range []properties.InstallMode{properties.OwnNamespace, properties.SingleNamespace, properties.MultiNamespace, properties.AllNamespaces} {
					assert.Equal(t, want.Properties.Metadata().Supports(mode), got.Properties.Metadata().Supports(mode), want.Name)
				}
				compared++
			}
			for _, channel := range other.Channels {
				for _, e := range channel.Entries {
					if own := pkg.Channel(channel.Name).Entry(e.Name); assert.NotNil(t, own, e.Name) {
						assert.ElementsMatch(t, e.Skips, own.Skips)
						assert.Equal(t, e.SkipRange.Text(), own.SkipRange.Text())
					}
				}
			}
		}
		assert.Greater(t, compared, 5, name)
	}
}

// asked lists the constraints of a bundle in order.
func asked(b *catalog.Bundle) []string {
	list := make([]string, len(b.Constraints))
	for i, c := range b.Constraints {
		list[i] = constraints.Key(c.Expr)
	}
	return list
}
