package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// Tree is a file system in memory, with the links of its archive. A complete Tree is
// immutable, and so safe for any number of goroutines.
type Tree struct{ root *node }

// node is a file, a directory or a link.
type node struct {
	name   string
	parent *node // nil for the root
	mode   fs.FileMode
	// target is the target of a link. A slash at its start means the root.
	target string
	data   []byte
	// passed: the file was skipped and has no data.
	passed   bool
	children map[string]*node
}

func newDirectory() *node { return &node{name: ".", mode: fs.ModeDir, children: map[string]*node{}} }

// parts walks the elements of a path.
func parts(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(name, "/") {
			if part != "." && !yield(part) {
				return
			}
		}
	}
}

// maxLinks is how many links may lead to a file, as on Linux.
const maxLinks = 40

var (
	errLinks  = errors.New("too many links lead to it")
	errLeaves = errors.New("a link leads out of the tree")
	errPassed = fmt.Errorf("only files named like those of a catalog are unpacked: %w", fs.ErrNotExist)
)

// find follows a path and its links.
func (t *Tree) find(name string) (*node, error) {
	at, links := t.root, 0
	for rest := name; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		switch part {
		case "", ".":
			continue
		case "..":
			if at = at.parent; at == nil {
				return nil, errLeaves
			}
			continue
		}
		next := at.children[part]
		switch {
		case next == nil:
			return nil, fs.ErrNotExist
		case next.mode == fs.ModeSymlink:
			if links++; links > maxLinks {
				return nil, errLinks
			}
			if strings.HasPrefix(next.target, "/") {
				at = t.root
			}
			rest = next.target + "/" + rest
		default:
			at = next
		}
	}
	return at, nil
}

// Open implements fs.FS.
func (t *Tree) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	n, err := t.find(name)
	switch {
	case err != nil:
		return fail(err)
	case n.mode.IsDir():
		return &openDir{n, n.list()}, nil
	case n.passed:
		return fail(errPassed)
	}
	return &openFile{bytes.NewReader(n.data), n}, nil
}

// list returns the entries of a directory by name.
func (n *node) list() []fs.DirEntry {
	var list []fs.DirEntry
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		list = append(list, fs.FileInfoToDirEntry(n.children[name]))
	}
	return list
}

// The methods of fs.FileInfo. No file has a time: the version of an archive is not that
// of its tree.

func (n *node) Name() string       { return n.name }
func (n *node) Size() int64        { return int64(len(n.data)) }
func (n *node) Mode() fs.FileMode  { return n.mode | 0o444 }
func (n *node) ModTime() time.Time { return time.Time{} }
func (n *node) IsDir() bool        { return n.mode.IsDir() }
func (n *node) Sys() any           { return nil }

type openFile struct {
	*bytes.Reader
	node *node
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	node *node
	left []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.node.name, Err: errors.New("it is a directory")}
}

// ReadDir implements fs.ReadDirFile.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.left)
	} else if len(d.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.left))
	list := d.left[:n]
	d.left = d.left[n:]
	return list, nil
}
