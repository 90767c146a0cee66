package command

import (
	"bytes"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/packed"
)

// The same catalog gives the same bytes, whatever it comes from.
func TestAnswersFromEveryOrigin(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	tree := os.DirFS("../../../testdata/catalogs/coast")
	text := string(packed.Text(t, tree))
	answer := func(form, from string, args ...string) (o outcome) {
		t.Run(form, func(t *testing.T) {
			o = invoke(t, t.Context(), text, append(args, "--catalog", "olm/coast="+from)...)
		})
		return o
	}
	for _, args := range [][]string{
		{"resolve", "--package", "lighthouse", "-o", "json", "--why"}, {"list"}, {"graph", "--package", "lighthouse"},
	} {
		want := answer(args[0], "testdata/catalogs/coast", args...)
		require.Equal(t, exitResolved, want.status, want.stderr)
		for form, from := range packed.Origins(t, tree) {
			assert.Equal(t, want, answer(args[0]+" "+form, from, args...), form)
			assert.Equal(t, want, answer(args[0]+" "+form+" again", from, args...), form)
		}
	}
}

// check judges a catalog that is packed, and says where in it a fault is.
func TestCheckOfOrigins(t *testing.T) {
	tree := os.DirFS("../../../testdata/catalogs/reef")
	tar := filepath.Join(t.TempDir(), "reef.tar")
	require.NoError(t, os.WriteFile(tar, packed.Tar(t, tree), 0o600))
	want := invoke(t, t.Context(), "", "check", "testdata/catalogs/reef")
	got := invoke(t, t.Context(), "", "check", tar)
	assert.Equal(t, want.status, got.status)
	assert.Equal(t, strings.ReplaceAll(want.stdout, "testdata/catalogs/reef", tar), got.stdout)
}

// Only servers and images have indexes unless a folder is named for all; an empty one
// is none for any.
func TestDefaultIndexCache(t *testing.T) {
	tree := os.DirFS("../../../testdata/catalogs/coast")
	user, dir := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", user)
	ask := func(from string, args ...string) []string {
		t.Run(from, func(t *testing.T) {
			o := invoke(t, t.Context(), "", append([]string{"list", "--catalog", "olm/coast=" + from}, args...)...)
			require.Equal(t, exitResolved, o.status, o.stderr)
		})
		kept, err := filepath.Glob(filepath.Join(user, "resolvent", "*.index"))
		require.NoError(t, err)
		return kept
	}
	forms := packed.Origins(t, tree)
	assert.Empty(t, ask(forms["folder"]))
	assert.Empty(t, ask(forms["catalogd"], "--index-cache="))
	assert.Empty(t, ask(forms["layout"], "--index-cache", dir))
	assert.Len(t, ask(forms["layout"]), 1)
	assert.Len(t, ask(forms["OCI archive"]), 1, "it is the same image")
	assert.Len(t, ask(forms["catalogd"]), 2)
	info, err := os.Stat(filepath.Join(user, "resolvent"))
	require.NoError(t, err)
	assert.EqualValues(t, 0o700, info.Mode().Perm())
}

// The authority of a server's certificate is named with --ca-file.
func TestCAFile(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	text := packed.Text(t, os.DirFS("../../../testdata/catalogs/coast"))
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(text))
	}))
	defer server.Close()
	dir := t.TempDir()
	authority, other := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "other.pem")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	require.NoError(t, os.WriteFile(other, []byte("no certificate"), 0o600))
	for file, want := range map[string]string{authority: "", other: "it has no PEM certificate", dir + "/absent": "no such file"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got := invoke(t, t.Context(), "", "list", "--catalog", "olm/coast="+server.URL, "--ca-file", file)
			assert.Contains(t, got.stderr, want)
			assert.Equal(t, want == "", got.status == exitResolved, got.stderr)
		})
	}
}

// What cannot be read is refused with what can.
func TestUnusableOrigins(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("image/oci-layout", "{}")
	write("empty/README.md", "")
	write("irregular/index.json/a", "")
	for from, want := range map[string]string{
		"/dev/null":                              "null: there is nothing in it; 'opm render",
		"go.mod":                                 "go.mod: it does not begin as a catalog in JSON or YAML does; 'opm render",
		write("index.db", "SQLite format 3\x00"): "it is an SQLite catalog, which is not read; 'opm render",
		write("broken.tgz", "\x1f\x8b\x08"):      "broken.tgz: it cannot be unpacked: it ends in the middle",
		"docker://quay.io/catalog:v1":            "registries are not read; 'opm render IMAGE -o json > catalog.json' or 'skopeo copy docker://IMAGE oci:DIR'",
		"quay.io/catalog:v1":                     "if it is an image, 'opm render",
		"quay.io/catalog":                        "if it is an image, 'opm render",
		filepath.Join(dir, "image"):              "holds an image: name it oci:" + dir,
		filepath.Join(dir, "empty"):              "catalog olm/c: it has no bundle; to save a catalog: opm render",
		"oci:" + filepath.Join(dir, "image"):     "index.json: it is missing, so that there is no image in the OCI layout: try docker-archive:FILE",
		"oci:" + filepath.Join(dir, "absent"):    "no such file or directory; 'opm render",
		"oci:" + filepath.Join(dir, "irregular"): "index.json: it is not a regular file",
		"oci-archive:go.mod":                     "go.mod: the tar cannot be read",
		"docker-archive:go.mod":                  "go.mod: the tar cannot be read",
		"https://":                               "is no URL of a catalog",
		"absent":                                 "catalog olm/c: absent: no such file or directory; name a folder or file that is a catalog; 'opm render",
		"go.mod/absent":                          "catalog olm/c: go.mod/absent: not a directory; name a folder or file",
		"../a.b/absent":                          "../a.b/absent: no such file or directory; name a folder or file",
		"~/absent":                               "~/absent: no such file or directory; a shell replaces ~ only where a word begins",
		"file:///absent":                         "file:///absent: no such file or directory; name a file by its path alone",
		"ftp://quay.io/catalog":                  "ftp://quay.io/catalog: no such file or directory; URLs that are read begin with http:// or https://",
		"oci:absent:v1":                          "catalog olm/c: absent:v1: no such file or directory; 'opm render",
		"http://127.0.0.1:1/catalogs/c":          "catalog olm/c: http://127.0.0.1:1/catalogs/c/api/v1/all: dial tcp 127.0.0.1:1: connect: connection refused (5 attempts); 'kubectl",
	} {
		t.Run(from, func(t *testing.T) {
			got := invoke(t, t.Context(), "", "resolve", "--package", "a", "--catalog", "olm/c="+from, "--timeout", "1s")
			assert.Equal(t, exitNotStarted, got.status)
			assert.Contains(t, got.stderr, want)
			assert.NotContains(t, got.stderr, "stat ")
			assert.Empty(t, got.stdout)
		})
	}
}

// What --package requests is a Subscription like others.
func TestPackageFlag(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"alone":            {[]string{"--package", "lighthouse"}, "namespace operators: resolved"},
		"channel":          {[]string{"--package", "lighthouse@candidate"}, "lighthouse.v2.0.0"},
		"bundle":           {[]string{"--package", "lighthouse=lighthouse.v1.1.0"}, "lighthouse.v1.1.0"},
		"version":          {[]string{"--package", "n/lighthouse@stable=1.1.0"}, "lighthouse.v1.1.0"},
		"namespace":        {[]string{"--package", "n/lighthouse"}, "namespace n: resolved"},
		"--namespace":      {[]string{"--package", "lighthouse", "--namespace", "n"}, "namespace n: resolved"},
		"with manifests":   {append([]string{"--package", "kerosene"}, from("update.yaml")...), "Subscription kerosene"},
		"twice":            {[]string{"--package", "kerosene", "--package", "kerosene@barrel"}, "Subscription kerosene and 1 more"},
		"unknown":          {[]string{"--package", "lighthous"}, "--package lighthous: no catalog has this package; did you mean lighthouse?"},
		"not given up":     {[]string{"--package", "kraken"}, "none of the changes to the cluster that were tried helps"},
		"unknown version":  {[]string{"--package", "lighthouse=9.9.9"}, "--package lighthouse=9.9.9: the package has no such version, only 2.0.0, 1.2.0, 1.1.0, 1.0.0"},
		"version of none":  {[]string{"--package", "lighthous=9.9.9"}, "--package lighthous: no catalog has this package; did you mean lighthouse?"},
		"no channel":       {[]string{"--package", "lighthouse@1.1"}, "--package lighthouse@1.1: @ names a channel here, and the package has only candidate, stable; for a version write --package lighthouse=1.1.0"},
		"no version":       {[]string{"--package", "lighthouse@9.9.9"}, "; for a version write --package lighthouse=9.9.9"},
		"short version":    {[]string{"--package", "lighthouse=v1.1"}, "lighthouse.v1.1.0"},
		"bad channel":      {[]string{"--package", "lighthouse@@stable"}, "want PACKAGE, PACKAGE@CHANNEL or PACKAGE=VERSION"},
		"bad namespace":    {[]string{"--package", "Web/lighthouse"}, `"Web" is not a valid namespace`},
		"nothing":          {[]string{"--package", "a="}, "want PACKAGE, PACKAGE@CHANNEL or PACKAGE=VERSION"},
		"saved problem":    {[]string{"--load", "x", "--package", "a"}, "leave out --package"},
		"left out":         {[]string{"--package", "n/lighthouse", "--namespace", "m"}, "--package n/lighthouse: --namespace leaves out namespace n"},
		"which namespace":  {[]string{"--package", "lighthouse", "--namespace", "m", "--namespace", "n"}, "--package lighthouse: there are several namespaces; name one, as in m/lighthouse"},
		"twice from stdin": {[]string{"-f", "-", "--catalog", "olm/other=-"}, "standard input can be read only once"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"resolve"}, test.args...)
			if name != "saved problem" {
				args = append(args, coast...)
			}
			got := invoke(t, t.Context(), "", args...)
			assert.Contains(t, got.stdout+got.stderr, test.want)
		})
	}
	v1 := invoke(t, t.Context(), "", "resolve", "--package", "lighthouse", "--catalog", "coast=testdata/catalogs/coast")
	assert.Equal(t, exitNotStarted, v1.status)
	assert.Contains(t, v1.stderr, "Subscriptions see only catalogs with a namespace; pass one with --catalog NAMESPACE/NAME=FROM")
}

// A catalog that no Subscription sees is said, with the flag that has it seen.
func TestUnseenCatalog(t *testing.T) {
	const hint = "namespace operators sees none of the catalogs you passed, but only those in namespaces operators, olm and openshift-marketplace; to make those in away visible everywhere, add --global-namespace away\n"
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"unseen":  {nil, hint},
		"global":  {[]string{"--global-namespace", "away"}, ""},
		"own":     {[]string{"--catalog", "operators/coast=testdata/catalogs/coast"}, ""},
		"nowhere": {[]string{"--global-namespace", ""}, "sees none of the catalogs you passed, but only those in namespaces operators; "},
	} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), "", append([]string{"resolve", "--package", "lighthouse", "--catalog", "away/coast=testdata/catalogs/coast"}, test.args...)...)
			assert.Contains(t, got.stderr, test.want)
			assert.Equal(t, test.want == "", got.stderr == "", got.stderr)
		})
	}
}

// What holds no bundle is not listed as a catalog without packages, and no password of
// a URL is shown.
func TestListUnusable(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"error": "denied"}`))
	}))
	defer server.Close()
	withPassword := strings.Replace(server.URL, "://", "://secret:secret@", 1) + "?token=secret"
	for from, want := range map[string]string{
		t.TempDir():  "it has no bundle; to save a catalog: opm render",
		withPassword: "it has no bundle; to save a catalog: opm render IMAGE -o json > catalog.json; the catalog has a fault: all.json:1:1: the document has no schema",
	} {
		got := invoke(t, t.Context(), "", "list", "--catalog", "olm/c="+from)
		assert.Equal(t, exitNotStarted, got.status)
		assert.Contains(t, got.stderr, want)
		assert.NotContains(t, got.stderr, "secret")
		assert.Empty(t, got.stdout)
	}
}
