package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// invokeCheck runs check, in a test of its own that comes back to this folder.
func invokeCheck(t *testing.T, args ...string) (got outcome) {
	t.Helper()
	t.Run("check", func(t *testing.T) { got = invoke(t, t.Context(), "", append([]string{"check"}, args...)...) })
	return got
}

// What is written as the baseline is found no more, and the files of a catalog can be
// switched on the same day.
func TestWriteBaseline(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.jsonl")
	got := invokeCheck(t, tide+"channels.yaml", "--write-baseline", file)
	assert.Equal(t, exitResolved, got.status)
	assert.Contains(t, got.stdout, "knot.v2.0.0: the bundle has no image")
	assert.Contains(t, got.stderr, file+": 9 lines written\n")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, 9, strings.Count(string(text), "\n"))

	got = invokeCheck(t, tide+"channels.yaml", "--baseline", file, "--fail-on", "note")
	assert.Equal(t, exitResolved, got.status, got.stdout)
	assert.Contains(t, got.stdout, "known from the baseline: 9\n0 errors, 0 warnings, 0 notes")

	got = invokeCheck(t, tide, "--write-baseline", tide+"new/known.jsonl")
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stderr, "known.jsonl: the file would become a part of catalog ")

	got = invokeCheck(t, tide+"channels.yaml", "--write-baseline", filepath.Join(file, "none"))
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stderr, "--write-baseline: "+file+": not a directory\n")
}

// A file beside the catalog leaves findings out, whether that is a folder or a file.
func TestIgnoreFile(t *testing.T) {
	dir := t.TempDir()
	catalog := filepath.Join(dir, "catalog")
	require.NoError(t, os.Mkdir(catalog, 0o700))
	text, err := os.ReadFile(filepath.Join("..", "testdata", "tide", "channels.yaml"))
	require.NoError(t, err)
	beside := filepath.Join(dir, ".resolventignore")
	for _, path := range []string{filepath.Join(catalog, "c.yaml"), filepath.Join(dir, "c.yaml")} {
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	for _, path := range []string{catalog, filepath.Join(dir, "c.yaml")} {
		require.NoError(t, os.WriteFile(beside, []byte("# accepted\n\nimage: knot # built later\r\nentry\n"), 0o600))
		got := invokeCheck(t, path, "--ignore", "severalHeads")
		assert.Equal(t, exitResolved, got.status, got.stdout)
		assert.Contains(t, got.stdout, "ignored: 3\n")
		assert.Contains(t, got.stderr, beside+": 2 lines used like --ignore\n")

		require.NoError(t, os.WriteFile(beside, []byte("image\nentri # wrong\n"), 0o600))
		got = invokeCheck(t, path)
		assert.Equal(t, exitNotStarted, got.status)
		assert.Contains(t, got.stderr, beside+`:2: unknown code "entri"; did you mean entry?`)
	}
}

// Parts of a bundle directory and empty folders are refused with what is expected.
func TestCheckNoCatalog(t *testing.T) {
	dir := t.TempDir()
	bundle := filepath.Join(dir, "1.0.0")
	for name, text := range map[string]string{
		"manifests/csv.yaml":        "kind: ClusterServiceVersion\nmetadata: {name: p.v1}\nspec: ]",
		"metadata/annotations.yaml": "annotations: {operators.operatorframework.io.bundle.package.v1: p}",
	} {
		path := filepath.Join(bundle, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, part := range []string{"manifests", "metadata"} {
		path := filepath.Join(bundle, part)
		got := invokeCheck(t, path)
		assert.Equal(t, outcome{exitNotStarted, "", "resolvent check: " + path + ": this is a part of a bundle directory; pass " + bundle + "\n"}, got)
	}
	empty := t.TempDir()
	got := invokeCheck(t, empty)
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stderr, "want files named .json, .yaml or .yml, as 'opm render' writes them, or folders with manifests/ and metadata/")

	// A ClusterServiceVersion that cannot be read is that one finding.
	got = invokeCheck(t, bundle)
	assert.Equal(t, exitUnresolved, got.status)
	assert.Contains(t, got.stdout, "manifests/csv.yaml: while parsing a block node")
	assert.Contains(t, got.stdout, "1 error, 0 warnings, 0 notes")
	require.NoError(t, os.Remove(filepath.Join(bundle, "manifests/csv.yaml")))
	require.NoError(t, os.WriteFile(filepath.Join(bundle, "manifests/crd.yaml"), []byte("kind: CustomResourceDefinition"), 0o600))
	got = invokeCheck(t, bundle)
	assert.Contains(t, got.stdout, "[clusterServiceVersion] "+bundle+"\n")
}
