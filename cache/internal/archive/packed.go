package archive

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"path"

	"github.com/resolvent/resolvent/cache/internal/code"
)

// Packed opens the files of a tar without unpacking it. Opening a file of a compressed tar
// unpacks all that precedes the file.
type Packed struct {
	ctx    context.Context
	budget *Budget
	place  string
	open   func() (fs.File, error)
	files  map[string]packedFile
}

// packedFile is a file at an offset in the tar, or a link.
type packedFile struct {
	offset, size int64
	link         string
}

// OpenPacked lists the entries of a tar. The budget and ctx also bound what is read later.
func (b *Budget) OpenPacked(ctx context.Context, place string, open func() (fs.File, error)) (*Packed, error) {
	p := &Packed{ctx, b, place, open, map[string]packedFile{}}
	r, closeAll, err := p.from(0)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	err = b.Walk(ctx, place, r, func(e Entry, _ io.Reader) (err error) {
		f := packedFile{size: e.Size}
		switch e.Kind {
		case Directory:
			return nil
		case File:
			f.offset, err = r.offset()
		case Link:
			f.link = path.Join(path.Dir(e.Name), e.Target)
		case HardLink:
			f.link = path.Clean(e.Target)
		case Other:
			return Fault(code.Archive, Place(place, e.Name), "it is neither a file, a folder nor a link")
		}
		p.files[e.Name] = f
		return cmp.Or(err, b.keep(place, len(e.Name)+len(f.link)))
	})
	return p, err
}

// Open implements fs.FS for files.
func (p *Packed) Open(name string) (fs.File, error) {
	f, ok := p.files[name]
	for links := 0; ok && f.link != "" && links < maxLinks; links++ {
		f, ok = p.files[f.link]
	}
	if !ok || f.link != "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	r, closeAll, err := p.from(f.offset)
	if err != nil {
		return nil, err
	}
	return &unpackedFile{io.LimitReader(r, f.size), closeAll, sizedInfo{&node{name: path.Base(name)}, f.size}}, nil
}

// offsetReader is a tar that is read from some place on.
type offsetReader interface {
	io.Reader
	offset() (int64, error)
}

// from returns the tar from an offset on, and a function that closes it.
func (p *Packed) from(offset int64) (offsetReader, func(), error) {
	file, err := p.open()
	if err != nil {
		return nil, nil, err
	}
	closeFile := func() { file.Close() }
	if seeker, ok := file.(seekable); ok && !compressed(seeker) {
		if _, err := seeker.Seek(offset, io.SeekStart); err != nil {
			closeFile()
			return nil, nil, Fault(code.Archive, p.place, "it is a pipe, and an image is read in several passes: write it to a file")
		}
		return seekReader{seeker}, closeFile, nil
	}
	plain, err := p.budget.Plain(p.ctx, p.place, file)
	if err != nil {
		closeFile()
		return nil, nil, err
	}
	closeAll := func() { plain.Close(); closeFile() }
	counted := &countReader{plain, 0}
	if _, err := io.CopyN(io.Discard, counted, offset); err != nil {
		closeAll()
		return nil, nil, err
	}
	return counted, closeAll, nil
}

type seekable interface {
	io.ReadSeeker
	io.ReaderAt
}

// seekReader lets the reader of a tar skip files without reading them.
type seekReader struct{ io.ReadSeeker }

func (r seekReader) offset() (int64, error) { return r.Seek(0, io.SeekCurrent) }

type countReader struct {
	io.Reader
	n int64
}

func (r *countReader) Read(to []byte) (int, error) {
	n, err := r.Reader.Read(to)
	r.n += int64(n)
	return n, err
}

func (r *countReader) offset() (int64, error) { return r.n, nil }

// unpackedFile is an open file that is unpacked as it is read.
type unpackedFile struct {
	io.Reader
	close func()
	info  sizedInfo
}

func (f *unpackedFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *unpackedFile) Close() error {
	f.close()
	return nil
}

// sizedInfo describes a file that is not in memory.
type sizedInfo struct {
	*node
	size int64
}

func (i sizedInfo) Size() int64 { return i.size }
