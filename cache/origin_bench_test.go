package cache_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/testdata/packed"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// BenchmarkOrigins loads the community catalog, 7.7 MB of JSON, from everything that
// it can come from: cold, and warm, which is from an index. A folder reads all of its
// files to find its index; a server and a layout tell what they have.
func BenchmarkOrigins(b *testing.B) {
	tree := os.DirFS(testkit.Shared(b, "catalogs", "community"))
	text := packed.Text(b, tree)
	forms := packed.Origins(b, tree)
	for _, form := range []string{"folder", "YAML file", "tar", "tgz", "tar.zst", "standard input", "catalogd", "file of a server", "layout", "OCI archive", "docker archive", "compressed archive"} {
		for _, state := range []string{"cold", "warm"} {
			opts := cache.OriginOptions{IndexFiles: true}
			if state == "warm" {
				opts.Index.Dir = b.TempDir()
			}
			load := func() {
				opts.Stdin = bytes.NewReader(text)
				opts.Remote = remote.Options{}.Open
				origin, err := cache.Open(forms[form], opts)
				require.NoError(b, err)
				_, err = origin.Load(b.Context())
				require.NoError(b, err)
			}
			if form == "standard input" && state == "warm" {
				continue // it has no index
			}
			load()
			b.Run(form+"/"+state, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					load()
				}
			})
		}
	}
}
