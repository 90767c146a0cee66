package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/archive"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// made is a layout that a test makes.
type made struct {
	t     testing.TB
	files fstest.MapFS
}

func newLayout(t testing.TB) *made { return &made{t, fstest.MapFS{}} }

// blob adds a blob, and returns what describes it.
func (m *made) blob(text []byte) descriptor {
	sum := sha256.Sum256(text)
	d := descriptor{Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: int64(len(text))}
	m.files[blobFile(d.Digest)] = &fstest.MapFile{Data: text}
	return d
}

func (m *made) json(value any) descriptor {
	text, err := json.Marshal(value)
	require.NoError(m.t, err)
	return m.blob(text)
}

// image adds an image of a catalog.
func (m *made) image(layers ...[]byte) descriptor {
	described := manifest{SchemaVersion: 2, Config: m.json(map[string]any{"config": map[string]any{"Labels": map[string]string{labelConfigs: "/configs"}}})}
	for _, l := range layers {
		described.Layers = append(described.Layers, m.blob(l))
	}
	return m.json(described)
}

func (m *made) index(manifests ...descriptor) descriptor {
	return m.json(manifest{SchemaVersion: 2, Manifests: manifests})
}

// listing writes the index of the layout.
func (m *made) listing(manifests ...descriptor) fs.FS {
	text, err := json.Marshal(manifest{SchemaVersion: 2, Manifests: manifests})
	require.NoError(m.t, err)
	m.files["index.json"] = &fstest.MapFile{Data: text}
	return m.files
}

func (d descriptor) named(tag string) descriptor {
	d.Annotations = map[string]string{annotationRef: tag}
	return d
}

func (d descriptor) on(os, architecture string) descriptor {
	d.Platform = &platform{os, architecture}
	return d
}

// entry is an entry of a layer: a folder if its name ends with a slash, a link if it
// has a target, and otherwise a file.
type entry struct{ name, target string }

func layerOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644}
		content := ""
		switch {
		case e.target != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.target
		case strings.HasSuffix(e.name, "/"):
			h.Typeflag = tar.TypeDir
		default:
			content = e.name
			h.Size = int64(len(content))
		}
		require.NoError(t, w.WriteHeader(h))
		_, err := io.WriteString(w, content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return text.Bytes()
}

func files(t testing.TB, names ...string) []byte {
	t.Helper()
	var entries []entry
	for _, name := range names {
		entries = append(entries, entry{name: name})
	}
	return layerOf(t, entries...)
}

// read reads the catalog's folder of a layout, and returns the names of its files.
func read(t testing.TB, layout fs.FS, reference string) ([]string, error) {
	t.Helper()
	i, err := Layout(layout, reference)
	if err != nil {
		return nil, err
	}
	tree, err := i.Tree(t.Context(), archive.NewBudget(catalog.Limits{}.WithDefaults()))
	if err != nil {
		return nil, err
	}
	return namesOf(t, tree), nil
}

func namesOf(t testing.TB, tree fs.FS) []string {
	t.Helper()
	names := []string{}
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if entry.Type() != fs.ModeDir {
			names = append(names, name)
		}
		return err
	}))
	return names
}

// A reference chooses an image, and a platform one of an index.
func TestChoice(t *testing.T) {
	m := newLayout(t)
	image := func(name string) descriptor { return m.image(files(t, "configs/"+name+".json")) }
	a, b, here, amd, other := image("a"), image("b"), image("here"), image("amd"), image("other")
	attestation := image("attestation").on("unknown", "unknown")
	for name, test := range map[string]struct {
		list      []descriptor
		reference string
		want      string
		fault     string
	}{
		"only one":            {[]descriptor{a}, "", "a", ""},
		"tag":                 {[]descriptor{a.named("1"), b.named("2")}, "2", "b", ""},
		"full name":           {[]descriptor{a.named("1"), b.named("example.com/b:2")}, "2", "b", ""},
		"digest":              {[]descriptor{a.named("1"), b.named("2")}, a.Digest, "a", ""},
		"several":             {[]descriptor{a.named("1"), b.named("2")}, "", "", "index.json: it lists several images: add : and one of 1, 2"},
		"unknown":             {[]descriptor{a.named("1")}, "3", "", "it lists no image 3; it lists 1"},
		"none":                {nil, "", "", "it lists no image"},
		"this machine":        {[]descriptor{m.index(amd.on("linux", "amd64"), other.on("linux", "s390x"), here.on(runtime.GOOS, runtime.GOARCH))}, "", map[bool]string{true: "amd", false: "here"}[runtime.GOOS+runtime.GOARCH == "linuxamd64"], ""},
		"linux/amd64":         {[]descriptor{m.index(other.on("linux", "s390x"), amd.on("linux", "amd64"))}, "", "amd", ""},
		"the only platform":   {[]descriptor{m.index(other.on("plan9", "mips"), attestation)}, "", "other", ""},
		"other platforms":     {[]descriptor{m.index(other.on("plan9", "mips"), a.on("linux", "s390x"))}, "", "", "add : and the digest of one of its 2 others: " + other.Digest + " for plan9/mips, " + a.Digest + " for linux/s390x"},
		"digest in an index":  {[]descriptor{m.index(other.on("plan9", "mips"), a.on("linux", "s390x"))}, a.Digest, "a", ""},
		"absent digest":       {[]descriptor{a}, "sha256:" + strings.Repeat("0", 64), "", "it is missing: copy the whole image"},
		"index in an index":   {[]descriptor{m.index(m.index(a))}, "", "a", ""},
		"too deep":            {[]descriptor{m.index(m.index(m.index(m.index(a))))}, "", "", "indexes of images nest more than the 4 levels allowed"},
		"platforms in layout": {[]descriptor{other.on("plan9", "mips"), amd.on("linux", "amd64")}, "", "amd", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, m.listing(test.list...), test.reference)
			if test.fault != "" {
				assert.ErrorContains(t, err, test.fault)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{test.want + ".json"}, got)
		})
	}
}

// Whatever is wrong with an image is a fault with its place.
func TestHostileImages(t *testing.T) {
	layer := files(t, "configs/a.json")
	for name, test := range map[string]struct {
		make func(m *made) fs.FS
		want string
	}{
		"no index": {func(m *made) fs.FS { return m.files }, "index.json: it is missing"},
		"a list":   {func(m *made) fs.FS { m.files["index.json"] = &fstest.MapFile{Data: []byte("[]")}; return m.files }, "index.json: it is not valid JSON of an image: it cannot be a JSON array"},
		"no JSON":  {func(m *made) fs.FS { m.files["index.json"] = &fstest.MapFile{Data: []byte("[")}; return m.files }, "index.json: it is not valid JSON"},
		"large index": {func(m *made) fs.FS {
			m.files["index.json"] = &fstest.MapFile{Data: make([]byte, maxJSON+1)}
			return m.files
		}, "index.json: it is larger than"},
		"schema":      {func(m *made) fs.FS { return m.listing(m.json(manifest{SchemaVersion: 1})) }, "its schemaVersion is 1"},
		"path":        {func(m *made) fs.FS { return m.listing(descriptor{Digest: "sha256:../../../etc/passwd"}) }, "it is not a digest"},
		"MD5":         {func(m *made) fs.FS { return m.listing(descriptor{Digest: "md5:d41d8cd98f00b204e9800998ecf8427e"}) }, "it is not a digest of SHA-256 or SHA-512"},
		"no manifest": {func(m *made) fs.FS { d := m.image(layer); delete(m.files, blobFile(d.Digest)); return m.listing(d) }, "it is missing: copy the whole image"},
		"manifest": {func(m *made) fs.FS {
			d := m.image(layer)
			m.files[blobFile(d.Digest)].Data = []byte("{}")
			return m.listing(d)
		}, "is not what its digest"},
		"itself": {func(m *made) fs.FS {
			d := m.index()
			m.files[blobFile(d.Digest)].Data = m.index(d).data(m)
			return m.listing(d)
		}, "is not what its digest"},
		"no label": {func(m *made) fs.FS { return m.listing(m.json(manifest{SchemaVersion: 2, Config: m.json(config{})})) }, "it has no label"},
		"SQLite": {func(m *made) fs.FS {
			return m.listing(m.json(manifest{SchemaVersion: 2, Config: m.json(map[string]any{"config": map[string]any{"Labels": map[string]string{labelDatabase: "/db"}}})}))
		}, "opm render IMAGE -o json > catalog.json"},
		"no folder":    {func(m *made) fs.FS { return m.listing(m.image(files(t, "other/a.json"))) }, "it has no folder /configs"},
		"folder away":  {func(m *made) fs.FS { return m.listing(m.image(layer, files(t, ".wh.configs"))) }, "it has no folder /configs"},
		"linked":       {func(m *made) fs.FS { return m.listing(m.image(layerOf(t, entry{"configs", "other"}), layer)) }, "configs: it holds the catalog, and is not a folder"},
		"link out":     {func(m *made) fs.FS { return m.listing(m.image(layerOf(t, entry{"configs/a.json", "../etc/passwd"}))) }, "configs/a.json: it is a link to"},
		"absolute out": {func(m *made) fs.FS { return m.listing(m.image(layerOf(t, entry{"configs/a.json", "/etc/passwd"}))) }, "configs/a.json: it is a link to"},
		"parent":       {func(m *made) fs.FS { return m.listing(m.image(files(t, "configs/../../a.json"))) }, "its name leads out of the tree"},
		"nothing":      {func(m *made) fs.FS { return m.listing(m.image(files(t, "configs/.wh."))) }, "it is a whiteout of nothing"},
		"no layer": {func(m *made) fs.FS {
			return m.listing(m.image([]byte("neither gzip nor tar, but long enough for a header" + strings.Repeat("x", 512))))
		}, "the tar cannot be read"},
		"absent layer": {func(m *made) fs.FS {
			d := m.image(layer)
			delete(m.files, blobFile(descriptorOf(layer)))
			return m.listing(d)
		}, "it is missing: copy the whole image"},
		"layers": {func(m *made) fs.FS { return m.listing(m.image(slices.Repeat([][]byte{layer}, maxLayers+1)...)) }, "it has 501 layers, more than the 500 allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, test.make(newLayout(t)), "")
			var faults *catalog.FaultsError
			require.ErrorAs(t, err, &faults)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func (d descriptor) data(m *made) []byte { return m.files[blobFile(d.Digest)].Data }

// Each byte of a layer is verified, behind the end of its tar too.
func TestDigestOfLayers(t *testing.T) {
	plain := files(t, "configs/a.json")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(plain)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for name, text := range map[string][]byte{"plain": plain, "gzip": packed.Bytes()} {
		for _, at := range []int{0, 10, len(text) / 2, len(text) - 1, len(text)} {
			t.Run(fmt.Sprintf("%s %d", name, at), func(t *testing.T) {
				m := newLayout(t)
				layout := m.listing(m.image(text))
				damaged := m.files[blobFile(descriptorOf(text))]
				damaged.Data = append(bytes.Clone(damaged.Data), 0)
				damaged.Data[at] ^= 0xff
				if at < len(text) {
					damaged.Data = damaged.Data[:len(text)]
				}
				_, err := read(t, layout, "")
				var faults *catalog.FaultsError
				require.ErrorAs(t, err, &faults)
				assert.EqualValues(t, code.Digest, faults.Faults[0].Code, err)
				assert.ErrorContains(t, err, "layer sha256:")
			})
		}
	}
}

func descriptorOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// A whiteout hides what is below its layer, and nothing of its own.
func TestWhiteouts(t *testing.T) {
	for name, test := range map[string]struct {
		layers [][]string // lowest first
		want   []string
	}{
		"file":                {[][]string{{"configs/a.json", "configs/b.json"}, {"configs/.wh.a.json"}}, []string{"b.json"}},
		"folder":              {[][]string{{"configs/d/a.json", "configs/b.json"}, {"configs/.wh.d"}}, []string{"b.json"}},
		"and back":            {[][]string{{"configs/a.json"}, {"configs/.wh.a.json"}, {"configs/a.json"}}, []string{"a.json"}},
		"own layer":           {[][]string{{"configs/a.json", "configs/.wh.a.json"}}, []string{"a.json"}},
		"own layer, before":   {[][]string{{"configs/.wh.a.json", "configs/a.json"}}, []string{"a.json"}},
		"folder made anew":    {[][]string{{"configs/d/a.json"}, {"configs/d/b.json", "configs/.wh.d"}}, []string{"d/b.json"}},
		"made anew, before":   {[][]string{{"configs/d/a.json"}, {"configs/.wh.d", "configs/d/b.json"}}, []string{"d/b.json"}},
		"opaque":              {[][]string{{"configs/d/a.json", "configs/c.json"}, {"configs/d/.wh..wh..opq", "configs/d/b.json"}}, []string{"c.json", "d/b.json"}},
		"opaque at the end":   {[][]string{{"configs/d/e/a.json"}, {"configs/d/b.json", "configs/d/e/", "configs/d/.wh..wh..opq"}}, []string{"d/b.json"}},
		"opaque root":         {[][]string{{"configs/a.json"}, {".wh..wh..opq", "configs/b.json"}}, []string{"b.json"}},
		"folder above":        {[][]string{{"configs/a.json"}, {".wh.configs", "configs/b.json"}}, []string{"b.json"}},
		"file over a folder":  {[][]string{{"configs/d/a.json"}, {"configs/d"}}, []string{"d"}},
		"folder over a file":  {[][]string{{"configs/d"}, {"configs/d/"}, {"configs/d/a.json"}}, []string{"d/a.json"}},
		"what a driver keeps": {[][]string{{"configs/a.json", "configs/.wh..wh.plnk/x"}, {"configs/.wh..wh.aufs"}}, []string{"a.json"}},
		"nothing there":       {[][]string{{"configs/a.json"}, {"configs/.wh.b.json", "configs/x/.wh.y"}}, []string{"a.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newLayout(t)
			var layers [][]byte
			for _, names := range test.layers {
				layers = append(layers, files(t, names...))
			}
			got, err := read(t, m.listing(m.image(layers...)), "")
			require.NoError(t, err)
			assert.Equal(t, test.want, slices.DeleteFunc(got, func(name string) bool { return strings.Contains(name, "plnk") }))
		})
	}
}

// A link leads to what is in the catalog's folder; an absolute one begins at the root
// of the image.
func TestLinks(t *testing.T) {
	m := newLayout(t)
	layer := layerOf(t, entry{"configs/d/a.json", ""}, entry{"configs/b.json", "d/a.json"}, entry{"configs/d/c.json", "/configs/d/a.json"}, entry{"configs/e", "/configs/"}, entry{"bin/sh", "/usr/bin/sh"})
	i, err := Layout(m.listing(m.image(layer)), "")
	require.NoError(t, err)
	tree, err := i.Tree(t.Context(), archive.NewBudget(catalog.Limits{}.WithDefaults()))
	require.NoError(t, err)
	for _, name := range []string{"d/a.json", "b.json", "d/c.json", "e/e/b.json"} {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err, name)
		assert.Equal(t, "configs/d/a.json", string(text))
	}
}

// apply is the rule of layers as the specification of images words it: bottom up, on
// a plain list of files.
func apply(layers [][]string) []string {
	var have []string
	for _, layer := range layers {
		var own []string
		below := have
		hide := func(hidden func(name string) bool) { below = slices.DeleteFunc(below, hidden) }
		for _, name := range layer {
			dir, base := path.Split(name)
			hidden, isWhiteout := strings.CutPrefix(base, whiteoutPrefix)
			switch {
			case base == whiteoutOpaque:
				hide(func(name string) bool { return strings.HasPrefix(name, dir) })
			case isWhiteout:
				hide(func(name string) bool { return name == dir+hidden || strings.HasPrefix(name, dir+hidden+"/") })
			default:
				own = append(own, name)
			}
		}
		for _, name := range own {
			// A file takes the place of a folder, and a folder that of a file.
			hide(func(old string) bool {
				return old == name || strings.HasPrefix(old, name+"/") || strings.HasPrefix(name, old+"/")
			})
		}
		have = append(slices.Clone(below), own...)
	}
	slices.Sort(have)
	return slices.Compact(have)
}

// FuzzWhiteouts compares layers with the rule, and with what go-containerregistry
// makes of them where that keeps the rule. A byte is an entry: its upper half what it
// is, its lower half its name; a byte of 255 begins the next layer.
func FuzzWhiteouts(f *testing.F) {
	f.Add([]byte{0x01, 0x02, 0xff, 0x11, 0x03})
	f.Add([]byte{0x00, 0x05, 0xff, 0x21, 0x05, 0xff, 0x16})
	f.Add([]byte{0x07, 0x06, 0xff, 0x12, 0xff, 0x02, 0x24})
	dirs := []string{"", "d/", "d/e/", "f/"}
	bases := []string{"a.json", "b.json", "d.json", "e.json"}
	f.Fuzz(func(t *testing.T, program []byte) {
		layers := [][]string{{}}
		for _, b := range program[:min(len(program), 64)] {
			dir, base := "configs/"+dirs[b&3], bases[b>>2&3]
			last := &layers[len(layers)-1]
			switch {
			case b == 0xff:
				layers = append(layers, nil)
			case b>>4 == 1:
				*last = append(*last, dir+whiteoutPrefix+base)
			case b>>4 == 2:
				*last = append(*last, dir+whiteoutOpaque)
			case b>>4 == 3 && b&3 != 0:
				*last = append(*last, path.Dir(path.Clean(dir))+"/"+whiteoutPrefix+path.Base(dir))
			default:
				*last = append(*last, dir+base)
			}
		}
		// Something keeps the folder there.
		layers = append(layers, []string{"configs/z.json"})
		m := newLayout(t)
		var packed [][]byte
		for _, names := range layers {
			packed = append(packed, files(t, names...))
		}
		got, err := read(t, m.listing(m.image(packed...)), "")
		require.NoError(t, err)
		var want []string
		for _, name := range apply(layers) {
			want = append(want, strings.TrimPrefix(name, "configs/"))
		}
		slices.Sort(got)
		require.Equal(t, want, got, "%q", layers)
	})
}

// Another library makes the same of layers as this one.
func TestLayersOfAnotherLibrary(t *testing.T) {
	layers := [][]string{
		{"configs/a.json", "configs/d/b.json", "configs/d/e/c.json", "bin/x"},
		{"configs/.wh.a.json", "configs/d/n.json"},
		{"configs/d/.wh.e", "configs/f/g.json", "bin/.wh.x"},
	}
	image := v1.Image(empty.Image)
	m := newLayout(t)
	var packed [][]byte
	for _, names := range layers {
		text := files(t, names...)
		packed = append(packed, text)
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil })
		require.NoError(t, err)
		image, err = mutate.AppendLayers(image, layer)
		require.NoError(t, err)
	}
	flat := mutate.Extract(image)
	defer flat.Close()
	var want []string
	for r := tar.NewReader(flat); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if below, ok := strings.CutPrefix(h.Name, "configs/"); ok && h.Typeflag == tar.TypeReg {
			want = append(want, below)
		}
	}
	slices.Sort(want)
	got, err := read(t, m.listing(m.image(packed...)), "")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// What docker save writes is verified by the digests in its configuration.
func TestDockerArchives(t *testing.T) {
	layer := files(t, "configs/a.json")
	const manifestFile = "manifest.json"
	configOf := func(diffIDs ...string) []byte {
		text, err := json.Marshal(map[string]any{"config": map[string]any{"Labels": map[string]string{labelConfigs: "configs"}}, "rootfs": map[string]any{"diff_ids": diffIDs}})
		require.NoError(t, err)
		return text
	}
	good := configOf(descriptorOf(layer))
	named := strings.TrimPrefix(descriptorOf(good), "sha256:") + ".json"
	for name, test := range map[string]struct {
		manifest string
		config   []byte
		want     string
	}{
		"named":        {`[{"Config":"` + named + `","RepoTags":["docker.io/x:v1"],"Layers":["l/layer.tar"]},{"RepoTags":["docker.io/xx:v1"]}]`, good, ""},
		"ambiguous":    {`[{"RepoTags":["x:v1"]},{"RepoTags":["y:v1"]}]`, good, "it lists 2 images: add : and one of x:v1, y:v1"},
		"good":         {`[{"Config":"` + named + `","Layers":["l/layer.tar"]}]`, good, ""},
		"tagged":       {`[{"Config":"` + named + `","RepoTags":["x:v1"],"Layers":["l/layer.tar"]},{}]`, good, ""},
		"several":      {`[{"RepoTags":["x:1"]},{"RepoTags":["x:2"]}]`, good, "it lists 2 images: add : and one of x:1, x:2"},
		"outside":      {`[{"Config":"../x","Layers":[]}]`, good, "it names files outside of the archive"},
		"wrong name":   {`[{"Config":"` + named + `","Layers":["l/layer.tar"]}]`, configOf(), "is not what its digest"},
		"layers":       {`[{"Config":"c.json","Layers":[]}]`, good, "it lists 1 layers, and manifest.json lists 0"},
		"wrong layer":  {`[{"Config":"c.json","Layers":["l/layer.tar"]}]`, configOf(descriptorOf([]byte("x"))), "layer sha256:"},
		"no manifest":  {"", good, "manifest.json: it is missing"},
		"no such file": {`[{"Config":"c.json","Layers":["m/layer.tar"]}]`, good, "it is missing: copy the whole image"},
	} {
		t.Run(name, func(t *testing.T) {
			archived := fstest.MapFS{manifestFile: {Data: []byte(test.manifest)}, named: {Data: test.config}, "c.json": {Data: test.config}, "l/layer.tar": {Data: layer}}
			tag := map[string]string{"tagged": "v1", "ambiguous": "v1", "named": "x:v1"}[name]
			if test.manifest == "" {
				delete(archived, manifestFile)
			}
			i, err := Docker(archived, tag)
			if err == nil {
				var tree fs.FS
				if tree, err = i.Tree(t.Context(), archive.NewBudget(catalog.Limits{}.WithDefaults())); err == nil {
					assert.Equal(t, []string{"a.json"}, namesOf(t, tree))
				}
			}
			if test.want != "" {
				assert.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, descriptorOf(good), i.Digest)
		})
	}
}

// FuzzLayout: whatever the JSON of a layout is, it ends in an error or in an image.
func FuzzLayout(f *testing.F) {
	m := newLayout(f)
	image := m.image(files(f, "configs/a.json"))
	m.listing(m.index(image.on("linux", "amd64")).named("v1"))
	f.Add(m.files["index.json"].Data, "v1")
	f.Add([]byte(`{"manifests":[{"digest":"`+image.Digest+`"},{}]}`), image.Digest)
	f.Add([]byte(`[{"Config":"a.json","Layers":["b"],"RepoTags":["v1"]}]`), "v1")
	f.Fuzz(func(t *testing.T, text []byte, reference string) {
		all := fstest.MapFS{"index.json": {Data: text}, "manifest.json": {Data: text}, "a.json": {Data: text}}
		for name, blob := range m.files {
			if name != "index.json" {
				all[name] = blob
			}
		}
		budget := archive.NewBudget(catalog.Limits{}.WithDefaults())
		if i, err := Layout(all, reference); err == nil {
			_, err := i.Tree(t.Context(), budget)
			require.NoError(t, err)
		}
		if i, err := Docker(all, reference); err == nil {
			_, _ = i.Tree(t.Context(), budget)
		}
	})
}
