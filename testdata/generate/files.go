package generate

import (
	"bytes"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// files is a directory of files, sorted by name. Opening a file writes it.
type files []file

type file struct {
	name  string
	write func() []byte
}

// A file is its own directory entry. Info writes the file to know its size.

func (f file) Name() string      { return f.name }
func (f file) IsDir() bool       { return false }
func (f file) Type() fs.FileMode { return 0 }

func (f file) Info() (fs.FileInfo, error) {
	return info{name: f.name, size: int64(len(f.write())), mode: 0o444}, nil
}

func (f files) Open(name string) (fs.File, error) {
	if name == "." {
		return &openDir{info: info{name: ".", mode: fs.ModeDir | 0o555}, rest: f}, nil
	}
	i, ok := slices.BinarySearchFunc(f, name, func(f file, name string) int { return strings.Compare(f.name, name) })
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	text := f[i].write()
	return &openFile{Reader: bytes.NewReader(text), info: info{name: name, size: int64(len(text)), mode: 0o444}}, nil
}

type openFile struct {
	*bytes.Reader
	info info
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info info
	rest files
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: fs.ErrInvalid}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	entries := make([]fs.DirEntry, n)
	for i := range entries {
		entries[i] = d.rest[i]
	}
	d.rest = d.rest[n:]
	return entries, nil
}

// info describes a file.
type info struct {
	name string
	size int64
	mode fs.FileMode
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
