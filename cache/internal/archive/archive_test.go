package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// packed makes a tar of headers. Files hold their own names.
func packed(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for _, h := range headers {
		h.Mode = 0o644
		content := ""
		if h.Typeflag == tar.TypeReg || h.Typeflag == 0 {
			content = h.Name
			h.Size = int64(len(content))
		}
		require.NoError(t, w.WriteHeader(&h))
		_, err := io.WriteString(w, content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return text.Bytes()
}

func gzipped(t testing.TB, r io.Reader) []byte {
	t.Helper()
	var text bytes.Buffer
	w := gzip.NewWriter(&text)
	_, err := io.Copy(w, r)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return text.Bytes()
}

// unpack reads a stream with limits.
func unpack(t testing.TB, name string, text []byte, limits catalog.Limits) (fs.FS, error) {
	t.Helper()
	files, err := NewBudget(limits.WithDefaults()).Files(t.Context(), name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { files.Close() })
	return files, nil
}

func file(name string) tar.Header { return tar.Header{Name: name} }
func link(name, target string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
}
func hardLink(name, target string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeLink, Linkname: target}
}

// The tree of a tar is a file system, with the links that lead to files in it.
func TestTree(t *testing.T) {
	tree, err := unpack(t, "c.tar", packed(t,
		tar.Header{Name: "./", Typeflag: tar.TypeDir},
		tar.Header{Name: "/", Typeflag: tar.TypeDir},
		tar.Header{Name: "./empty/", Typeflag: tar.TypeDir},
		file("./a/c.json"), file("a//b/../b/"[:3]+"d.yaml"), file(".indexignore"), file("README.md"), file("twice.json"), file("twice.json"),
		link("a/link.json", "./c.json"), link("up.json", "a/../a/c.json"), link("dir", "a"), link("through.json", "dir/c.json"),
		link("nowhere.json", "x.json"), link("loop.json", "loop.json"), link("readme.json", "README.md"),
	), catalog.Limits{})
	require.NoError(t, err)
	for name, want := range map[string]string{
		"a/c.json": "./a/c.json", "a/link.json": "./a/c.json", "up.json": "./a/c.json", "through.json": "./a/c.json", "twice.json": "twice.json", ".indexignore": ".indexignore",
	} {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err, name)
		assert.Equal(t, want, string(text), name)
	}
	for _, name := range []string{"nowhere.json", "readme.json", "README.md", "absent", "../x", "/a"} {
		_, err := fs.ReadFile(tree, name)
		assert.Error(t, err, name)
	}
	_, err = fs.ReadFile(tree, "loop.json")
	assert.ErrorIs(t, err, errLinks)

	plain, err := unpack(t, "c.tar", packed(t, file("a/c.json"), file("a/b/c.json"), file("d.yaml")), catalog.Limits{})
	require.NoError(t, err)
	assert.NoError(t, fstest.TestFS(plain.(*Files).FS, "a/c.json", "a/b/c.json", "d.yaml"))
}

// Each entry that leads out of the tree, or is no file, is a fault with its place.
func TestHostileEntries(t *testing.T) {
	for name, test := range map[string]struct {
		entries []tar.Header
		want    string
	}{
		"parent":             {[]tar.Header{file("../x.json")}, "c.tar: ../x.json: its name leads out of the tree"},
		"parent inside":      {[]tar.Header{file("a/../../x.json")}, "c.tar: a/../../x.json: its name leads out of the tree"},
		"parent of another":  {[]tar.Header{file("a/../x.png")}, "leads out of the tree"},
		"absolute":           {[]tar.Header{file("/etc/x.json")}, "c.tar: /etc/x.json: its name is absolute"},
		"long name":          {[]tar.Header{file(strings.Repeat("a/", 2100) + "x.json")}, "longer than the 4096 bytes allowed"},
		"deep":               {[]tar.Header{file(strings.Repeat("a/", 129) + "x.json")}, "it lies deeper than the 128 folders allowed"},
		"no UTF-8":           {[]tar.Header{file("a\xff.json")}, "not UTF-8"},
		"absolute link":      {[]tar.Header{link("a.json", "/etc/passwd")}, `c.tar: a.json: it is a link to "/etc/passwd", which leads out of the tree`},
		"link to the parent": {[]tar.Header{link("a/b.json", "../../x.json")}, `it is a link to "../../x.json", which leads out of the tree`},
		"link to dots":       {[]tar.Header{link("a", "..")}, "leads out of the tree"},
		"hard link out":      {[]tar.Header{hardLink("a.json", "../x.json")}, "c.tar: a.json: it is neither a file, a folder nor a symbolic link"},
		"hard link":          {[]tar.Header{file("b.json"), hardLink("a.json", "b.json")}, "it is neither a file, a folder nor a symbolic link"},
		"device":             {[]tar.Header{{Name: "a.json", Typeflag: tar.TypeChar}}, "c.tar: a.json: it is neither a file, a folder nor a symbolic link"},
		"pipe":               {[]tar.Header{{Name: "a.json", Typeflag: tar.TypeFifo}}, "neither a file, a folder nor a symbolic link"},
		"below a file":       {[]tar.Header{file("a.json"), file("a.json/b.json")}, "c.tar: a.json/b.json: it lies in something that is not a folder"},
		"below a link":       {[]tar.Header{{Name: "d", Typeflag: tar.TypeDir}, link("l", "d"), file("l/b.json")}, "it lies in something that is not a folder"},
		"folder and file":    {[]tar.Header{{Name: "a.json", Typeflag: tar.TypeDir}, file("a.json")}, "it is a folder, and something else as well"},
		"image":              {[]tar.Header{file("oci-layout"), file("index.json")}, "c.tar: it holds an image"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := unpack(t, "c.tar", packed(t, test.entries...), catalog.Limits{})
			var faults *catalog.FaultsError
			require.ErrorAs(t, err, &faults)
			assert.EqualValues(t, code.Archive, faults.Faults[0].Code)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// A sparse file of 64 GiB takes a few hundred bytes.
func TestSparseFiles(t *testing.T) {
	_, err := unpack(t, "c.tar", sparse("GNU.sparse.major", "GNU.sparse.realsize"), catalog.Limits{})
	assert.ErrorContains(t, err, "pack the file itself, and as a whole")
}

// sparse is a tar with a sparse file, which package tar does not write.
func sparse(major, size string) []byte {
	record := func(key, value string) string {
		line := " " + key + "=" + value + "\n"
		for n := len(line); ; n++ {
			if text := strconv.Itoa(n) + line; len(text) == n {
				return text
			}
		}
	}
	records := record(major, "1") + record("GNU.sparse.minor", "0") + record("GNU.sparse.name", "a.json") + record(size, "68719476736")
	var text bytes.Buffer
	text.Write(rawHeader("PaxHeaders/a.json", 'x', len(records)))
	text.WriteString(records + strings.Repeat("\x00", 512-len(records)))
	sparseMap := "1\n68719476736\n0\n"
	text.Write(rawHeader("GNUSparseFile/a.json", '0', 512))
	text.WriteString(sparseMap + strings.Repeat("\x00", 512-len(sparseMap)))
	text.Write(make([]byte, 1024))
	return text.Bytes()
}

func rawHeader(name string, kind byte, size int) []byte {
	h := make([]byte, 512)
	copy(h, name)
	copy(h[100:], "0000644\x000000000\x000000000\x00")
	octal := strings.Repeat("0", 11)
	for n, i := size, 10; n > 0; n, i = n/8, i-1 {
		octal = octal[:i] + string(rune('0'+n%8)) + octal[i+1:]
	}
	copy(h[124:], octal+"\x0000000000000\x00        ")
	h[156] = kind
	copy(h[257:], "ustar\x0000")
	sum := 0
	for _, b := range h {
		sum += int(b)
	}
	copy(h[148:], []byte{'0' + byte(sum>>15&7), '0' + byte(sum>>12&7), '0' + byte(sum>>9&7), '0' + byte(sum>>6&7), '0' + byte(sum>>3&7), '0' + byte(sum&7), 0, ' '})
	return h
}

// endless is a stream of spaces.
type endless struct{}

func (endless) Read(to []byte) (int, error) { return copy(to, spaces), nil }

var spaces = bytes.Repeat([]byte(" "), 1<<16)

// What unpacks to more than is allowed is a fault before it has been unpacked.
// zeros has zeros without end.
type zeros struct{}

func (zeros) Read(to []byte) (int, error) { clear(to); return len(to), nil }

// What follows the end of a tar is bounded as a file is.
func TestEndlessZeros(t *testing.T) {
	_, err := NewBudget(catalog.Limits{FileBytes: 1 << 20}.WithDefaults()).Files(t.Context(), "zero", zeros{})
	require.True(t, IsLimit(err), "%v", err)
	assert.ErrorContains(t, err, "more than the 1048576 bytes that a file may have")
}

func TestBombs(t *testing.T) {
	const mega = 1 << 20
	object := func(n int64) io.Reader {
		return io.MultiReader(strings.NewReader("{"), io.LimitReader(endless{}, n))
	}
	inZstd := func(r io.Reader) []byte {
		var text bytes.Buffer
		w, err := zstd.NewWriter(&text, zstd.WithEncoderConcurrency(1))
		require.NoError(t, err)
		_, err = io.Copy(w, r)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return text.Bytes()
	}
	many := make([]tar.Header, 101)
	for i := range many {
		many[i] = file("a.png")
	}
	deep := make([]tar.Header, 100)
	for i := range deep {
		deep[i] = file(strings.Repeat("a/", 100) + string(rune('0'+i)) + strings.Repeat("/b", 20) + "/c.json")
	}
	endOf := func(text []byte) []byte { return text[:len(text)-20] }
	for name, test := range map[string]struct {
		text   []byte
		limits catalog.Limits
		code   catalog.Code
		want   string
	}{
		"gzip ratio":       {gzipped(t, object(20*mega)), catalog.Limits{}, code.Limit, "c: it unpacks to more than 200 times its size"},
		"zstd ratio":       {inZstd(object(20 * mega)), catalog.Limits{}, code.Limit, "more than 200 times its size"},
		"bytes":            {gzipped(t, object(2*mega)), catalog.Limits{ArchiveBytes: mega}, code.Limit, "c: it unpacks to more than the 1048576 bytes allowed"},
		"entries":          {packed(t, many...), catalog.Limits{ArchiveEntries: 100}, code.Limit, "more than the 100 entries allowed"},
		"folders":          {packed(t, deep...), catalog.Limits{ArchiveEntries: 1000}, code.Limit, "more than the 1000 entries allowed"},
		"tree":             {packed(t, file("aaaa.json"), file("bbbb.json")), catalog.Limits{TreeBytes: 30}, code.Limit, "c: bbbb.json: the files of the catalog and their names take more than the 30 bytes allowed"},
		"text":             {[]byte("{" + strings.Repeat(" ", 100)), catalog.Limits{FileBytes: 100}, code.Limit, "larger than the 100 bytes that a file may have"},
		"compressions":     {gzipped(t, bytes.NewReader(gzipped(t, bytes.NewReader(gzipped(t, object(1)))))), catalog.Limits{}, code.Limit, "compressed more than the 2 times allowed"},
		"zstd window":      {[]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 0x01, 0, 0}, catalog.Limits{}, code.Archive, "cannot be unpacked"},
		"cut gzip":         {endOf(gzipped(t, bytes.NewReader(packed(t, file("a.json"))))), catalog.Limits{}, code.Archive, "it ends in the middle"},
		"cut tar":          {packed(t, file("a.json"))[:700], catalog.Limits{}, code.Archive, "c: the tar has no end: it was cut"},
		"cut file":         {packed(t, file("a.json"))[:515], catalog.Limits{}, code.Archive, "c: a.json: the tar cannot be read: it ends in the middle"},
		"gzip of nothing":  {[]byte{0x1f, 0x8b}, catalog.Limits{}, code.Archive, "cannot be unpacked"},
		"damaged header":   {append(packed(t, file("a.json"))[:1024], bytes.Repeat([]byte("x"), 1024)...), catalog.Limits{}, code.Archive, "the tar cannot be read"},
		"checksum of gzip": {func() []byte { z := gzipped(t, bytes.NewReader(packed(t, file("a.json")))); z[len(z)-5] ^= 1; return z }(), catalog.Limits{}, code.Archive, "checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := unpack(t, "c", test.text, test.limits)
			if err == nil {
				var text fs.File
				if text, err = files.Open("c.json"); err == nil {
					_, err = io.Copy(io.Discard, text)
				}
			}
			var faults *catalog.FaultsError
			require.ErrorAs(t, err, &faults)
			assert.Equal(t, test.code, faults.Faults[0].Code)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// What a text is, its name says, or else its start; what cannot be read is refused
// with what can.
func TestTexts(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"c.json", "{}", "c.json"}, {"c.YML", "x", "c.YML"}, {"c.jsonl.gz", "{}", "c.jsonl"}, {"all", " \n{", "all.json"},
		{"all", "\xef\xbb\xbf{", "all.json"}, {"all", "# a\n---\nschema: olm.package\n", "all.yaml"},
		{"all", "image: x\nname: y\n", "all.yaml"}, {"c.tar", "{}", "c.tar.json"},
		{"all", "---\n{}", "all.yaml"}, {"all", "description: x\nicon: y\n", "all.yaml"},
	} {
		files, err := unpack(t, test.name, []byte(test.text), catalog.Limits{})
		require.NoError(t, err, test.text)
		text, err := fs.ReadFile(files, test.want)
		require.NoError(t, err)
		assert.Equal(t, test.text, string(text))
		_, err = files.Open(test.want)
		assert.ErrorContains(t, err, "can be read only once")
	}
	for text, want := range map[string]string{
		"": "there is nothing in it", "SQLite format 3\x00": "SQLite catalog", "<html>": "does not begin as a catalog",
		"PK\x03\x04\x00": "neither JSON, YAML nor a tar", "module x\n": "opm render",
	} {
		_, err := unpack(t, "all", []byte(text), catalog.Limits{})
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "opm render IMAGE-OR-FILE -o json > catalog.json")
	}
	// The window is the 128 MiB of zstd --ultra -22.
	wide, err := unpack(t, "all", []byte("\x28\xb5\x2f\xfd\x00\x88\x09\x00\x00{"), catalog.Limits{})
	require.NoError(t, err)
	unpacked, err := fs.ReadFile(wide, "all.json")
	require.NoError(t, err)
	assert.Equal(t, "{", string(unpacked))
	empty, err := unpack(t, "c.tar", make([]byte, 10240), catalog.Limits{})
	require.NoError(t, err)
	list, err := fs.ReadDir(empty, ".")
	require.NoError(t, err)
	assert.Empty(t, list)
}

// An error of the stream itself stays what it is, and so does the end of the context.
func TestBrokenStream(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range [][]byte{packed(t, file("a.json")), gzipped(t, bytes.NewReader(packed(t, file("a.json")))), {}} {
		r := io.MultiReader(bytes.NewReader(text[:len(text)*2/3]), errReader{broken})
		_, err := NewBudget(catalog.Limits{}.WithDefaults()).Files(t.Context(), "c", r)
		assert.ErrorIs(t, err, broken)
	}
	files, err := NewBudget(catalog.Limits{}.WithDefaults()).Files(t.Context(), "c.json", io.MultiReader(strings.NewReader(strings.Repeat("{", startSize)), errReader{io.ErrUnexpectedEOF}))
	require.NoError(t, err)
	_, err = files.Open("c.json")
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = NewBudget(catalog.Limits{}.WithDefaults()).Files(ctx, "c", endless{})
	assert.ErrorIs(t, err, context.Canceled)
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// A pipe has no image: it cannot be read again. It is closed.
func TestPackedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	_, err = NewBudget(catalog.Limits{}.WithDefaults()).OpenPacked(t.Context(), "i.tar", func() (fs.File, error) { return r, nil })
	assert.ErrorContains(t, err, "i.tar: it is a pipe")
	assert.ErrorIs(t, r.Close(), os.ErrClosed)
}

// FuzzFiles: whatever a stream holds, it ends in an error or in a tree that can be
// walked, within its limits.
func FuzzFiles(f *testing.F) {
	f.Add([]byte("{}"))
	f.Add(packed(f, file("a/c.json"), link("b.json", "a/c.json"), hardLink("d.json", "a/c.json")))
	f.Add(gzipped(f, bytes.NewReader(packed(f, file("c.yaml"), link("x", "..")))))
	f.Add(sparse("GNU.sparse.major", "GNU.sparse.realsize"))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0, 0})
	limits := catalog.Limits{ArchiveBytes: 1 << 20, ArchiveEntries: 100, TreeBytes: 1 << 16}.WithDefaults()
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := NewBudget(limits).Files(t.Context(), "c", bytes.NewReader(text))
		if err != nil {
			return
		}
		defer files.Close()
		total, entries := 0, 0
		require.NoError(t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			require.True(t, fs.ValidPath(name))
			if entries++; !entry.IsDir() {
				text, _ := fs.ReadFile(files, name)
				total += len(text)
			}
			return nil
		}))
		require.LessOrEqual(t, total, 1<<20)
		require.LessOrEqual(t, entries, 100+1+maxDepth+1) // folders without an entry count, too, but for those of the last one
	})
}

// A million entries are left at the limit, in bounded memory.
func TestMillionEntries(t *testing.T) {
	limits := catalog.Limits{ArchiveEntries: testkit.Scale(20_000, 0)}.WithDefaults()
	r := &manyFiles{left: 1_000_000}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := NewBudget(limits).Files(t.Context(), "c", r)
	runtime.ReadMemStats(&after)
	assert.True(t, IsLimit(err), err)
	assert.LessOrEqual(t, 1_000_000-r.left, limits.ArchiveEntries+startSize/512)
	if !testkit.RaceEnabled {
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(limits.ArchiveEntries)*2000+(1<<20))
	}
}

// manyFiles is a tar of empty files.
type manyFiles struct {
	left int
	text []byte
}

func (m *manyFiles) Read(to []byte) (int, error) {
	if len(m.text) == 0 {
		m.left--
		m.text = rawHeader("a/b/"+strconv.Itoa(m.left)+".json", '0', 0)
	}
	n := copy(to, m.text)
	m.text = m.text[n:]
	return n, nil
}
