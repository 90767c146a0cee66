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
			return ignored.enter(name)
		}
		if !document.IsCatalogFile(name) {
			if entry.Type()&fs.ModeSymlink != 0 {
				l.Faults = append(l.Faults, linkedDirectory(fsys, name)...)
			}
			return nil
		}
		if message := unreadable(fsys, name, entry); message != "" {
			l.Faults = append(l.Faults, document.Origin{File: name}.Fault(catalog.CodeUnreadableFile, message))
			return nil
		}
		l.Files = append(l.Files, name)
		return nil
	})
	slices.Sort(l.Files)
	return l, err
}

// unreadable says why something that is named like a file of the catalog cannot
// be read as one, "" if it can. Opening a pipe, say, might wait forever.
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
		return "it is a link to a directory, which is not followed: put the directory itself there"
	case !info.Mode().IsRegular():
		return "it is not a regular file"
	}
	return ""
}

// linkedDirectory reports a link to a directory, since what is behind it will be
// missed. Links that start with two dots are how Kubernetes mounts volumes: what
// they point to is in the tree as well.
func linkedDirectory(fsys fs.FS, name string) []catalog.Fault {
	if strings.HasPrefix(path.Base(name), "..") {
		return nil
	}
	if info, err := fs.Stat(fsys, name); err != nil || !info.IsDir() {
		return nil
	}
	f := document.Origin{File: name}.Fault(catalog.CodeUnreadableFile, "it is a link to a directory, which is not followed: put the directory itself there")
	f.Severity = catalog.Warning
	return []catalog.Fault{f}
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
