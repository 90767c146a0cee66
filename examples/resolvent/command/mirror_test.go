package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/mirrors"
)

// relatedCatalog has two versions of a package, with related images and more than a
// resolution needs.
const relatedCatalog = `{"schema":"olm.package","name":"a","defaultChannel":"1.10"}
{"schema":"olm.channel","package":"a","name":"1.10","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i/a1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}],"relatedImages":[{"name":"","image":"i/old"}]}
{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i/a2","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}],"relatedImages":[{"name":"x","image":"i/x"},{"name":"","image":"i/a2"}]}
`

// Images are listed once, those of the bundles and the related ones; a channel that looks
// like a number is still a text.
func TestMirrorImages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.json")
	require.NoError(t, os.WriteFile(file, []byte(relatedCatalog), 0o644))
	args := []string{"mirror", "--package", "a", "--catalog", "olm/c=" + file + ",image=i/catalog:1"}
	assert.Equal(t, outcome{0, "i/a2\ni/x\n", "no digest: 2 images, such as i/a2; the registry may serve another image later\n"}, invoke(t, t.Context(), "", append(args, "-o", "images")...))
	set := invoke(t, t.Context(), "", append(args, "-o", "imageset")...)
	assert.Contains(t, set.stdout, `- name: '1.10'`)
}

// A bundle without an image is named, as is an image without a digest; one with a digest is not.
func TestMirrorDoubts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.json")
	digest := "i/x@sha256:" + strings.Repeat("0", 64)
	text := strings.NewReplacer(`"image":"i/a2"`, `"image":""`, `"i/x"`, `"`+digest+`"`, `,{"name":"","image":""}`, "").Replace(relatedCatalog)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	for _, form := range []string{"images", "json"} {
		got := call(t, []string{"mirror", "--package", "a", "--catalog", "olm/c=" + file, "-o", form})
		assert.Equal(t, "no image: a.v2; the catalog names none for 1 bundle\n", got.stderr, form)
		assert.Contains(t, got.stdout, digest, form)
	}
}

// A catalog that is written gives the same answer, and names its images; nothing that is
// there is written over.
func TestMirrorCatalogOut(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "catalog.json"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(file, []byte(relatedCatalog), 0o644))
	args := []string{"mirror", "--package", "a", "--catalog", "olm/c=" + file, "--catalog-out", out}
	first := invoke(t, t.Context(), "", args...)
	assert.Equal(t, 0, first.status, first)
	text, err := os.ReadFile(filepath.Join(out, "olm", "c", "catalog.json"))
	require.NoError(t, err)
	assert.Equal(t, `{"schema":"olm.package","name":"a","defaultChannel":"1.10"}
{"schema":"olm.channel","package":"a","name":"1.10","entries":[{"name":"a.v2","replaces":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i/a2","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}],"relatedImages":[{"name":"x","image":"i/x"},{"name":"","image":"i/a2"}]}
`, string(text))
	whole := invoke(t, t.Context(), "", "resolve", "--package", "a", "--catalog", "olm/c="+file)
	assert.Equal(t, whole, invoke(t, t.Context(), "", "resolve", "--package", "a", "--catalog", "olm/c="+filepath.Join(out, "olm", "c")))

	again := invoke(t, t.Context(), "", args...)
	assert.Equal(t, 2, again.status)
	assert.Contains(t, again.stderr, "the folder is not empty")
}

// What has no answer is left out, which standard error says. Nothing is printed of nothing.
func TestMirrorLeftOut(t *testing.T) {
	for _, form := range []string{"text", "images", "imageset"} {
		got := call(t, []string{"mirror", "-f", "testdata/cluster/update.yaml", "--catalog", "olm/cost=testdata/catalogs/coast"}, "-o", form)
		assert.Equal(t, exitUnresolved, got.status, form)
		assert.Empty(t, got.stdout, form)
		assert.Contains(t, got.stderr, "name for it: --catalog olm/coast=testdata/catalogs/coast\n", form)
		assert.Contains(t, got.stderr, "\nleft out because they do not resolve: namespace harbor\n", form)
	}
}

// What cannot be read a second time has no images, and says so; what cannot be mirrored is
// refused.
func TestMirrorRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"it cannot be read again":               {"--package", "a", "--catalog", "olm/c=-", "-o", "images"},
		"append ,image=REF to --catalog olm/c":  {"--package", "a", "--catalog", "olm/c=-", "-o", "imageset"},
		"--load: a saved problem has no images": {"--load", "problem.txtar"},
		"want text, images, imageset or json":   {"-o", "yaml"},
		`image "": invalid; want REF`:           {"--catalog", "olm/c=-,image="},
	} {
		got := invoke(t, t.Context(), relatedCatalog, append([]string{"mirror"}, args...)...)
		assert.NotEqual(t, 0, got.status, want)
		assert.Contains(t, strings.Join(strings.Fields(got.stderr), " "), want)
		assert.Empty(t, got.stdout, want)
	}
}

func TestWriteImages(t *testing.T) {
	right := []string{"etcd", "quay.io/a/b:1.0", "localhost:5000/A_b@sha256:0123abcd", "10.0.0.1/x:v1+2"}
	wrong := []string{"", "--all", "-f", "a b", "a;b", "$(x)", "`x`", "a\nb", "a'b", "~x", "@x", "\u00e9"}
	var out, notes strings.Builder
	mirrors.WriteImages(&out, &notes, append(wrong, right...))
	assert.Equal(t, strings.Join(right, "\n")+"\n", out.String())
	assert.Equal(t, len(wrong), strings.Count(notes.String(), "\n"))
	assert.Contains(t, notes.String(), "it is not a valid image: a;b\n")
}
