package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The answer is the same with and without indexes, and with damaged ones.
func TestIndexCache(t *testing.T) {
	dir := t.TempDir()
	answer := func(name string, flags ...string) (o outcome) {
		t.Run(name, func(t *testing.T) {
			o = invoke(t, t.Context(), "", resolveArgs(from("failing.yaml", flags...), coast, island)...)
		})
		return o
	}
	cache := []string{"--index-cache", dir}

	want := answer("without")
	assert.Equal(t, want, answer("absent", cache...))
	assert.Equal(t, want, answer("present", cache...))
	indexes, err := filepath.Glob(filepath.Join(dir, "*.index"))
	require.NoError(t, err)
	require.Len(t, indexes, 2)
	for _, index := range indexes {
		require.NoError(t, os.Truncate(index, 100))
	}
	damaged := answer("damaged", cache...)
	assert.Equal(t, want.stdout, damaged.stdout)
	assert.Contains(t, damaged.stderr, "--index-cache: reading ")
	assert.Equal(t, want, answer("made anew", cache...))
}

// The other commands read catalogs from the same indexes.
func TestIndexCacheOfOtherCommands(t *testing.T) {
	const catalogs = "testdata/catalogs/"
	empty := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(empty, "catalog.yaml"), nil, 0o600))
	for name, args := range map[string][]string{
		"diff":  {"diff", catalogs + "coast", catalogs + "island", "--catalog", "olm/further=" + catalogs + "reef"},
		"graph": {"graph", catalogs + "coast", "--package", "ferry", "--catalog", "olm/further=" + catalogs + "island"},
		"file":  {"list", "--catalog", "olm/island=" + catalogs + "island/catalog.yaml"},
		"check": {"check", catalogs + "coast", "--catalog", "olm/further=" + catalogs + "island"},
		"empty": {"list", "--catalog", "olm/empty=" + empty},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			answer := func(name string, flags ...string) (o outcome) {
				t.Run(name, func(t *testing.T) { o = invoke(t, t.Context(), "", append(args, flags...)...) })
				return o
			}
			want := answer("without")
			assert.Equal(t, want, answer("absent", "--index-cache", dir))
			assert.Equal(t, want, answer("present", "--index-cache", dir))
			indexes, err := filepath.Glob(filepath.Join(dir, "*.index"))
			require.NoError(t, err)
			assert.NotEmpty(t, indexes)
		})
	}
}
