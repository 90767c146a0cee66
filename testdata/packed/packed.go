// Package packed writes a catalog in every readable form, for tests: archives, streams, servers and
// images. Another library makes the images.
package packed

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
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
	"github.com/stretchr/testify/require"
)

// Tar packs a tree.
func Tar(t testing.TB, tree fs.FS) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	require.NoError(t, w.AddFS(tree))
	require.NoError(t, w.Close())
	return packed.Bytes()
}

// Gzip compresses a text.
func Gzip(t testing.TB, text []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

// Zstd compresses a text.
func Zstd(t testing.TB, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return w.EncodeAll(text, nil)
}

// Text joins all files of a tree in one text, as opm render does.
func Text(t testing.TB, tree fs.FS) []byte {
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

// imageOf makes an image of a catalog as the Dockerfile of opm does. Lower layers come first.
func imageOf(t testing.TB, layers ...v1.Layer) v1.Image {
	t.Helper()
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.AppendLayers(base, layers...)
	require.NoError(t, err)
	image, err = mutate.Config(image, v1.Config{Labels: map[string]string{"operators.operatorframework.io.index.configs.v1": "/configs"}})
	require.NoError(t, err)
	return image
}

// Image returns an image with a catalog and with other files.
func Image(t testing.TB, tree fs.FS) v1.Image {
	t.Helper()
	base := fstest.MapFS{"bin/opm": {Data: []byte("\x7fELF"), Mode: 0o755}, "configs/old.json": {Data: []byte("not JSON")}}
	whiteout := fstest.MapFS{"configs/.wh.old.json": {}}
	return imageOf(t, layerOf(t, Tar(t, base)), layerOf(t, Gzip(t, Tar(t, below(t, "configs", tree)))), layerOf(t, Tar(t, whiteout)))
}

// WriteLayout writes an image as an OCI layout.
func WriteLayout(t testing.TB, dir string, image v1.Image, tag string) {
	t.Helper()
	path, err := layout.Write(dir, empty.Index)
	require.NoError(t, err)
	require.NoError(t, path.AppendImage(image, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag})))
}

// writeFile writes a file into a folder, and returns its path.
func writeFile(t testing.TB, dir, file string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, file)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// serve serves files as catalogd does, and returns the URL of the server.
func serve(t testing.TB, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(files[r.URL.Path]))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Origins writes a catalog in every readable form. It returns the names for cache.Open by form.
func Origins(t testing.TB, tree fs.FS) map[string]string {
	t.Helper()
	dir := t.TempDir()
	packed, text, image := Tar(t, tree), Text(t, tree), Image(t, tree)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "folder"), tree))
	WriteLayout(t, filepath.Join(dir, "layout"), image, "v1")
	writeFile(t, dir, "layout.tar", Tar(t, os.DirFS(filepath.Join(dir, "layout"))))
	tag, err := name.NewTag("example.com/catalog:v1")
	require.NoError(t, err)
	require.NoError(t, tarball.WriteToFile(filepath.Join(dir, "docker.tar"), tag, image))
	docker, err := os.ReadFile(filepath.Join(dir, "docker.tar"))
	require.NoError(t, err)
	url := serve(t, map[string][]byte{"/catalogs/c/api/v1/all": text, "/c.tgz": Gzip(t, packed)})
	return map[string]string{
		"folder":             filepath.Join(dir, "folder"),
		"YAML file":          writeFile(t, dir, "c.yaml", text),
		"compressed file":    writeFile(t, dir, "c.yaml.gz", Gzip(t, text)),
		"file without name":  writeFile(t, dir, "catalog", text),
		"tar":                writeFile(t, dir, "c.tar", packed),
		"tgz":                writeFile(t, dir, "c.tgz", Gzip(t, packed)),
		"tar.zst":            writeFile(t, dir, "c.tar.zst", Zstd(t, packed)),
		"standard input":     "-",
		"catalogd":           url + "/catalogs/c",
		"file of a server":   url + "/c.tgz",
		"layout":             "oci:" + filepath.Join(dir, "layout"),
		"tag of a layout":    "oci:" + filepath.Join(dir, "layout") + ":v1",
		"OCI archive":        "oci-archive:" + filepath.Join(dir, "layout.tar"),
		"docker archive":     "docker-archive:" + filepath.Join(dir, "docker.tar"),
		"compressed archive": "docker-archive:" + writeFile(t, dir, "docker.tar.gz", Gzip(t, docker)),
	}
}
