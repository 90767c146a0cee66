package cache_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/packed"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// coastFS is a catalog of this repository.
var coastFS = os.DirFS("../testdata/catalogs/coast")

// encoded is a snapshot as text.
func encoded(t testing.TB, s *catalog.Snapshot) string {
	t.Helper()
	text, err := cache.RenderIndex(t.Context(), "", s)
	require.NoError(t, err)
	return string(text)
}

// The comment of Open, the help of the command and the page of commands name each kind of
// image, and tests of all origins read it.
func TestKindsOfImages(t *testing.T) {
	origins := fmt.Sprint(packed.Origins(t, coastFS))
	for prefix := range cache.Images {
		assert.True(t, strings.Contains(origins, ":"+prefix), "packed.Origins has no %s", prefix)
		for _, page := range []string{"open.go", "../examples/resolvent/internal/help/help.go", "../.github/docs/commands.md"} {
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			assert.True(t, regexp.MustCompile(`\b`+prefix+`[A-Z]`).Match(text), "%s does not name %s", page, prefix)
		}
	}
}

// The same catalog is the same snapshot, whatever it comes from, with an index and
// without.
func TestOrigins(t *testing.T) {
	want, err := cache.LoadFS(t.Context(), coastFS, cache.Options{})
	require.NoError(t, err)
	for form, from := range packed.Origins(t, coastFS) {
		t.Run(form, func(t *testing.T) {
			opts := cache.OriginOptions{Index: cache.IndexStore{Dir: filepath.Join(t.TempDir(), "new")}, IndexFiles: true}
			for _, state := range []string{"cold", "warm", "without index", "strict"} {
				opts.Stdin = bytes.NewReader(packed.Text(t, coastFS))
				if state == "without index" {
					opts.Index = cache.IndexStore{}
				}
				opts.Remote = remote.Options{}.Open
				origin, err := cache.Open(from, opts)
				require.NoError(t, err)
				if state == "strict" {
					checked, err := origin.LoadChecked(t.Context())
					require.NoError(t, err)
					assert.Equal(t, encoded(t, want), encoded(t, checked.Snapshot))
					continue
				}
				got, err := origin.Load(t.Context())
				require.NoError(t, err, state)
				assert.Equal(t, encoded(t, want), encoded(t, got), state)
			}
		})
	}
}

// What was read of servers and images is kept where others cannot read it; files are
// kept only if that is asked for.
func TestOriginsKept(t *testing.T) {
	for form, from := range packed.Origins(t, coastFS) {
		for _, files := range []bool{true, false} {
			dir := filepath.Join(t.TempDir(), "index")
			origin, err := httpOptions{OriginOptions: cache.OriginOptions{
				Stdin: bytes.NewReader(packed.Text(t, coastFS)), Index: cache.IndexStore{Dir: dir}, IndexFiles: files,
			}}.open(from)
			require.NoError(t, err)
			_, err = origin.Load(t.Context())
			require.NoError(t, err)
			info, err := os.Stat(dir)
			local := bytes.IndexByte([]byte(from), ':') < 0
			if from == "-" || local && !files {
				assert.ErrorIs(t, err, fs.ErrNotExist, form)
				continue
			}
			require.NoError(t, err, form)
			assert.EqualValues(t, 0o700, info.Mode().Perm(), form)
		}
	}
}

// A folder or file of JSON gets no index, a folder with one YAML file does.
func TestOriginsOfJSON(t *testing.T) {
	const blob = `{"schema":"olm.package","name":"%[1]s","defaultChannel":"c"}
{"schema":"olm.channel","package":"%[1]s","name":"c","entries":[{"name":"%[1]s.v1"}]}
{"schema":"olm.bundle","package":"%[1]s","name":"%[1]s.v1","properties":[{"type":"olm.package","value":{"packageName":"%[1]s","version":"1.0.0"}}]}`
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, blob, "a"), 0o600))
	keeps := func(from string, packages int) bool {
		index := filepath.Join(t.TempDir(), "index")
		origin, err := cache.Open(from, cache.OriginOptions{Index: cache.IndexStore{Dir: index}, IndexFiles: true})
		require.NoError(t, err)
		for range 2 { // the second time it may be there
			got, err := origin.Load(t.Context())
			require.NoError(t, err)
			assert.Len(t, slices.Collect(got.Packages()), packages)
		}
		_, err = os.Stat(index)
		return err == nil
	}
	assert.False(t, keeps(file, 1))
	assert.False(t, keeps(dir, 1))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.yaml"), fmt.Appendf(nil, blob, "b"), 0o600))
	assert.True(t, keeps(dir, 2))
}

// A call ends with its context, wherever it is, and leaves nothing behind.
func TestOriginsEnd(t *testing.T) {
	shape := generate.Real(1)
	shape.Packages = 60
	tree := shape.FS()
	text := packed.Text(t, tree)
	for form, from := range packed.Origins(t, tree) {
		t.Run(form, func(t *testing.T) {
			testkit.CancelAtRandom(t, func(ctx context.Context) error {
				opts := hurried()
				opts.Stdin = bytes.NewReader(text)
				opts.HTTP.Transport = &http.Transport{DisableKeepAlives: true}
				origin, err := opts.open(from)
				require.NoError(t, err)
				_, err = origin.Load(ctx)
				return err
			})
		})
	}
}

// Images that the tools of Debian write are read.
func TestToolsOfImages(t *testing.T) {
	want, err := cache.LoadFS(t.Context(), coastFS, cache.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	source := "oci:" + filepath.Join(dir, "made") + ":v1"
	packed.WriteLayout(t, filepath.Join(dir, "made"), packed.Image(t, coastFS), "v1")
	run := func(t *testing.T, tool string, args ...string) {
		output, err := exec.CommandContext(t.Context(), testkit.Installed(t, tool), args...).CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	same := func(t *testing.T, from string) {
		origin, err := cache.Open(from, cache.OriginOptions{})
		require.NoError(t, err)
		got, err := origin.Load(t.Context())
		require.NoError(t, err)
		assert.Equal(t, encoded(t, want), encoded(t, got))
	}
	for _, to := range []string{"oci:" + dir + "/a:v1", "oci-archive:" + dir + "/b.tar:v1", "docker-archive:" + dir + "/c.tar:example.com/catalog:v1"} {
		t.Run("skopeo "+to[:bytes.IndexByte([]byte(to), ':')], func(t *testing.T) {
			run(t, "skopeo", "--insecure-policy", "copy", source, to)
			same(t, to)
		})
	}
	t.Run("skopeo zstd", func(t *testing.T) {
		to := "oci:" + dir + "/z"
		run(t, "skopeo", "--insecure-policy", "copy", "--dest-compress", "--dest-compress-format", "zstd", source, to)
		same(t, to)
	})
	t.Run("umoci", func(t *testing.T) {
		image := dir + "/made:v1"
		added := filepath.Join(dir, "added.json")
		require.NoError(t, os.WriteFile(added, []byte(`{"schema":"x"}`), 0o600))
		run(t, "umoci", "insert", "--rootless", "--image", image, added, "/configs/added.json")
		run(t, "umoci", "insert", "--rootless", "--image", image, "--whiteout", "/configs/added.json")
		same(t, source)
	})
}
