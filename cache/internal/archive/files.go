package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
)

// Files returns the files in a stream, compressed or not. The stream is a tar, or one
// text in JSON or YAML, which can be opened once. The name of the stream tells which of
// these a text is, or else its start. The caller must keep the stream until it closes the
// files.
func (b *Budget) Files(ctx context.Context, name string, r io.Reader) (*Files, error) {
	plain, err := b.Plain(ctx, name, r)
	if err != nil {
		return nil, err
	}
	f := &Files{plain: plain}
	start, err := plain.Peek(startSize)
	if err != nil && !errors.Is(err, io.EOF) {
		f.Close()
		return nil, err
	}
	if isTar(start) {
		f.FS, err = b.tree(ctx, name, plain)
	} else {
		var text string
		if text, err = textName(name, start); err == nil {
			f.FS = OneFile{text, func() (fs.File, error) { return f.open(b, text) }}
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Files are the files in a stream.
type Files struct {
	fs.FS
	plain  *Plain
	opened bool
}

// Close frees the memory of unpacking.
func (f *Files) Close() error { return f.plain.Close() }

// tree reads a tar.
func (b *Budget) tree(ctx context.Context, place string, r io.Reader) (*Tree, error) {
	builder := NewBuilder(b, ".")
	whole := &ending{Reader: r}
	err := b.Walk(ctx, place, whole, func(e Entry, content io.Reader) error {
		if e.Name == "oci-layout" || e.Name == "repositories" {
			return Fault(code.Archive, place, "it holds an image, not the files of a catalog: name it oci-archive:FILE or docker-archive:FILE")
		}
		return builder.Add(place, e, content)
	})
	if err != nil {
		return nil, err
	}
	// Reading to the end checks the checksum of the compression, and that the tar is whole.
	if n, err := io.Copy(io.Discard, io.LimitReader(whole, b.limits.FileBytes+1)); err != nil {
		return nil, err
	} else if n > b.limits.FileBytes {
		return nil, Fault(code.Limit, place, "more than the %d bytes that a file may have follow the end of the tar", b.limits.FileBytes)
	}
	if whole.zeros < tarStart {
		return nil, Fault(code.Archive, place, "the tar has no end: it was cut")
	}
	return builder.Tree(), nil
}

// ending counts the zeros at the end of what was read. A tar ends with blocks of them.
type ending struct {
	io.Reader
	zeros int
}

func (r *ending) Read(to []byte) (int, error) {
	n, err := r.Reader.Read(to)
	zeros := n - len(bytes.TrimRight(to[:n], "\x00"))
	if zeros == n {
		zeros += r.zeros
	}
	r.zeros = zeros
	return n, err
}

// tarStart is the size of a block of a tar, whose first one identifies it.
const tarStart = 512

// catalogKey matches a member of a blob in YAML.
var catalogKey = regexp.MustCompile(`(?m)^["']?(schema|package|name|image|icon|description|properties|entries|defaultChannel)["']?:`)

// isTar recognizes a tar by its mark, and an empty one by its zeros.
func isTar(start []byte) bool {
	return len(start) >= tarStart && (string(start[257:262]) == "ustar" || len(bytes.Trim(start[:tarStart], "\x00")) == 0)
}

// howToConvert names a command that converts other catalogs.
const howToConvert = "'opm render IMAGE-OR-FILE -o json > catalog.json' writes one that can be read"

// textName returns the name of a text with the extension of its format.
func textName(name string, start []byte) (string, error) {
	fault := func(message string) (string, error) {
		return "", Fault(code.Archive, name, "%s; %s", message, howToConvert)
	}
	for _, ending := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ending)
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(start) == 0:
		return fault("there is nothing in it")
	case bytes.HasPrefix(start, []byte("SQLite format 3\x00")):
		return fault("it is an SQLite catalog, which is not read")
	case bytes.IndexByte(start, 0) >= 0:
		return fault("it is neither JSON, YAML nor a tar")
	case document.IsCatalogFile(name):
		return name, nil
	case len(text) > 0 && text[0] == '{':
		return name + ".json", nil
	case catalogKey.Match(text), bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(text, []byte("---")), " \t\r\n"), []byte("{")):
		return name + ".yaml", nil
	}
	return fault("it does not begin as a catalog in JSON or YAML does")
}

// open reads the only file of a stream.
func (f *Files) open(b *Budget, name string) (fs.File, error) {
	if f.opened {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("a stream can be read only once")}
	}
	f.opened = true
	text, err := io.ReadAll(io.LimitReader(f.plain, b.limits.FileBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > b.limits.FileBytes {
		return nil, Fault(code.Limit, name, "it is larger than the %d bytes that a file may have", b.limits.FileBytes)
	}
	return &openFile{bytes.NewReader(text), &node{name: name, data: text}}, nil
}

// OneFile is a folder with one file.
type OneFile struct {
	Name     string
	OpenFile func() (fs.File, error)
}

// Open implements fs.FS.
func (f OneFile) Open(name string) (fs.File, error) {
	switch name {
	case f.Name:
		return f.OpenFile()
	case ".":
		root := &node{name: ".", mode: fs.ModeDir}
		return &openDir{root, []fs.DirEntry{fs.FileInfoToDirEntry(&node{name: f.Name})}}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
