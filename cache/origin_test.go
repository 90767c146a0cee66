package cache_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/index"
)

// tarOf packs a tree.
func tarOf(t testing.TB, tree fs.FS) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	require.NoError(t, w.AddFS(tree))
	require.NoError(t, w.Close())
	return packed.Bytes()
}

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

func zstandard(t testing.TB, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return w.EncodeAll(text, nil)
}

// oneText joins all files of a tree, as opm render does.
func oneText(t testing.TB, tree fs.FS) []byte {
	t.Helper()
	var all bytes.Buffer
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		all.WriteString("\n---\n")
		all.Write(text)
		return err
	}))
	return bytes.TrimPrefix(all.Bytes(), []byte("\n"))
}

// below moves a tree into a folder.
func below(t testing.TB, folder string, tree fs.FS) fs.FS {
	t.Helper()
	moved := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		moved[folder+"/"+name] = &fstest.MapFile{Data: text, Mode: 0o644}
		return err
	}))
	return moved
}

func layerOf(t testing.TB, packed []byte) v1.Layer {
	t.Helper()
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }, tarball.WithMediaType(types.OCILayer))
	require.NoError(t, err)
	return layer
}

// imageOf makes an image of a catalog as opm's Dockerfile does, the layers lowest
// first.
func imageOf(t testing.TB, layers ...v1.Layer) v1.Image {
	t.Helper()
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.AppendLayers(base, layers...)
	require.NoError(t, err)
	image, err = mutate.Config(image, v1.Config{Labels: map[string]string{"operators.operatorframework.io.index.configs.v1": "/configs"}})
	require.NoError(t, err)
	return image
}

// catalogImage is an image with a catalog, and with files that no catalog has.
func catalogImage(t testing.TB, tree fs.FS) v1.Image {
	t.Helper()
	base := fstest.MapFS{"bin/opm": {Data: []byte("\x7fELF"), Mode: 0o755}, "configs/old.json": {Data: []byte("not JSON")}}
	whiteout := fstest.MapFS{"configs/.wh.old.json": {}}
	return imageOf(t, layerOf(t, tarOf(t, base)), layerOf(t, gzipped(t, tarOf(t, below(t, "configs", tree)))), layerOf(t, tarOf(t, whiteout)))
}

func writeLayout(t testing.TB, dir string, image v1.Image, tag string) {
	t.Helper()
	path, err := layout.Write(dir, empty.Index)
	require.NoError(t, err)
	require.NoError(t, path.AppendImage(image, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag})))
}

// writeFile writes a file into the folder, and returns its name.
func writeFile(t testing.TB, dir, file string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, file)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// serve serves files as a catalogd does.
func serve(t testing.TB, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(files[r.URL.Path]))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// origins writes a catalog in every form that can be read, and returns their names.
func origins(t testing.TB, tree fs.FS) map[string]string {
	t.Helper()
	dir := t.TempDir()
	packed, text, image := tarOf(t, tree), oneText(t, tree), catalogImage(t, tree)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "folder"), tree))
	writeLayout(t, filepath.Join(dir, "layout"), image, "v1")
	writeFile(t, dir, "layout.tar", tarOf(t, os.DirFS(filepath.Join(dir, "layout"))))
	tag, err := name.NewTag("example.com/catalog:v1")
	require.NoError(t, err)
	require.NoError(t, tarball.WriteToFile(filepath.Join(dir, "docker.tar"), tag, image))
	docker, err := os.ReadFile(filepath.Join(dir, "docker.tar"))
	require.NoError(t, err)
	url := serve(t, map[string][]byte{"/catalogs/c/api/v1/all": text, "/c.tgz": gzipped(t, packed)})
	return map[string]string{
		"folder":             filepath.Join(dir, "folder"),
		"YAML file":          writeFile(t, dir, "c.yaml", text),
		"compressed file":    writeFile(t, dir, "c.yaml.gz", gzipped(t, text)),
		"file without name":  writeFile(t, dir, "catalog", text),
		"tar":                writeFile(t, dir, "c.tar", packed),
		"tgz":                writeFile(t, dir, "c.tgz", gzipped(t, packed)),
		"tar.zst":            writeFile(t, dir, "c.tar.zst", zstandard(t, packed)),
		"standard input":     "-",
		"catalogd":           url + "/catalogs/c",
		"file of a server":   url + "/c.tgz",
		"layout":             "oci:" + filepath.Join(dir, "layout"),
		"tag of a layout":    "oci:" + filepath.Join(dir, "layout") + ":v1",
		"OCI archive":        "oci-archive:" + filepath.Join(dir, "layout.tar"),
		"docker archive":     "docker-archive:" + filepath.Join(dir, "docker.tar"),
		"compressed archive": "docker-archive:" + writeFile(t, dir, "docker.tar.gz", gzipped(t, docker)),
	}
}

// coastFS is a catalog of this repository.
var coastFS = os.DirFS("../testdata/catalogs/coast")

// encoded is a snapshot as text.
func encoded(t testing.TB, s *catalog.Snapshot) string {
	t.Helper()
	text, err := index.Encode(s)
	require.NoError(t, err)
	return string(text)
}

// The same catalog is the same snapshot, whatever it comes from, with an index and
// without.
func TestOrigins(t *testing.T) {
	want, err := cache.LoadFS(t.Context(), coastFS, cache.Options{})
	require.NoError(t, err)
	for form, from := range origins(t, coastFS) {
		t.Run(form, func(t *testing.T) {
			opts := cache.OriginOptions{Index: cache.IndexStore{Dir: filepath.Join(t.TempDir(), "new")}, IndexFiles: true}
			for _, state := range []string{"cold", "warm", "without index", "strict"} {
				opts.Stdin = bytes.NewReader(oneText(t, coastFS))
				if state == "without index" {
					opts.Index = cache.IndexStore{}
				}
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
	for form, from := range origins(t, coastFS) {
		for _, files := range []bool{true, false} {
			dir := filepath.Join(t.TempDir(), "index")
			origin, err := cache.Open(from, cache.OriginOptions{
				Stdin: bytes.NewReader(oneText(t, coastFS)), Index: cache.IndexStore{Dir: dir}, IndexFiles: files,
			})
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

// Images that the tools of Debian write are read.
func TestToolsOfImages(t *testing.T) {
	want, err := cache.LoadFS(t.Context(), coastFS, cache.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	source := "oci:" + filepath.Join(dir, "made") + ":v1"
	writeLayout(t, filepath.Join(dir, "made"), catalogImage(t, coastFS), "v1")
	run := func(t *testing.T, tool string, args ...string) {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
		output, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput()
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
		added := writeFile(t, dir, "added.json", []byte(`{"schema":"x"}`))
		run(t, "umoci", "insert", "--rootless", "--image", image, added, "/configs/added.json")
		run(t, "umoci", "insert", "--rootless", "--image", image, "--whiteout", "/configs/added.json")
		same(t, source)
	})
}
