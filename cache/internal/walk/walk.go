// Package walk finds and opens the files that make up a catalog: by their names,
// and without what .indexignore files keep out. It does not look into them.
package walk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
)

// listing is what a walk through a tree finds.
type listing struct {
	// Files are those of the catalog, sorted.
	Files []string
	// Faults are of what looks like such a file but cannot be read as one.
	Faults []catalog.Fault
}

// List walks through the tree of a catalog.
func List(ctx context.Context, fsys fs.FS) (listing, error) {
	var l listing
	ignored := &ignoreFiles{fsys: fsys}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		if name != "." {
			if out, err := ignored.match(ctx, name, entry.IsDir()); err != nil {
				return err
			} else if out && entry.IsDir() {
				return fs.SkipDir
			} else if out {
				return nil
			}
		}
		if entry.IsDir() {
			return ignored.enter(ctx, name)
		}
		message, isCatalog := unreadable(fsys, name, entry), document.IsCatalogFile(name)
		switch {
		case isCatalog && message == "":
			l.Files = append(l.Files, name)
		case isCatalog || message == linkedDirectory && !strings.HasPrefix(path.Base(name), ".."):
			// What is behind a linked directory will be missed. Links that start with two
			// dots are how Kubernetes mounts volumes: what they point to is in the tree, too.
			f := document.Origin{File: name}.Fault(code.UnreadableFile, message)
			if !isCatalog {
				f.Severity = catalog.Warning
			}
			l.Faults = append(l.Faults, f)
		}
		return nil
	})
	slices.Sort(l.Files)
	return l, err
}

const linkedDirectory = "it is a link to a directory, which is not followed: put the directory itself there"

// unreadable says why something in the tree cannot be read as a file, "" if it can.
// Opening a pipe, say, might wait forever.
func unreadable(fsys fs.FS, name string, entry fs.DirEntry) string {
	if entry.Type().IsRegular() {
		return ""
	}
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is a link to nothing: remove it, or put the file there"
	case err != nil:
		return "it cannot be read: " + err.Error()
	case info.IsDir():
		return linkedDirectory
	case !info.Mode().IsRegular():
		return "it is not a regular file"
	}
	return ""
}

// ReadFile appends a file to text, which is empty; of a file that is larger
// than it may be it reads one byte too much.
func ReadFile(ctx context.Context, fsys fs.FS, name string, limit int64, text []byte) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		text = slices.Grow(text, int(min(max(info.Size(), 0), limit))+1)
	}
	for int64(len(text)) <= limit {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text = slices.Grow(text, 512)
		n, err := file.Read(text[len(text):min(cap(text), len(text)+1<<20)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}
