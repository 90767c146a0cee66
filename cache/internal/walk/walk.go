// Package walk finds and reads the files of a catalog. It knows them by their names, and
// leaves out those that .indexignore files name. Package document reads what is in them.
package walk

import (
	"bytes"
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
	"github.com/resolvent/resolvent/cache/internal/task"
)

// listing is the result of a walk through a tree.
type listing struct {
	// Files are the files of the catalog, sorted.
	Files []string
	// Others are files that are no such by their names, and not empty. opm reads them, too.
	Others []string
	// Faults are about names of such files that cannot be read as files.
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
		if entry.IsDir() && !fs.ValidPath(name) {
			f := document.Origin{File: name}.Fault(code.UnreadableFile, unnamed)
			f.Severity = catalog.Warning // as of a linked directory
			l.Faults = append(l.Faults, f)
			return fs.SkipDir
		}
		if entry.IsDir() {
			return ignored.enter(ctx, name)
		}
		if out, err := ignored.match(ctx, name); out || err != nil {
			return err
		}
		message, isCatalog := unreadable(fsys, name, entry), document.IsCatalogFile(name)
		switch {
		case isCatalog && message == "":
			l.Files = append(l.Files, name)
		case message == "" && entry.Name() != ignoreFileName:
			if info, err := entry.Info(); err == nil && info.Size() > 0 {
				l.Others = append(l.Others, name)
			}
		case isCatalog || message == linkedDirectory && !strings.HasPrefix(path.Base(name), ".."):
			// The catalog may lack the files of a linked directory. Kubernetes mounts
			// volumes with links that begin with two dots, to directories in the tree.
			f := document.Origin{File: name}.Fault(code.UnreadableFile, message)
			if !isCatalog {
				f.Severity = catalog.Warning
			}
			l.Faults = append(l.Faults, f)
		}
		return nil
	})
	slices.Sort(l.Files)
	slices.Sort(l.Others)
	return l, err
}

const unnamed = "its name is not UTF-8, so that it cannot be read: rename it"

const linkedDirectory = "it is a link to a directory, which is not followed: put the directory itself there"

// unreadable returns why something in the tree cannot be read as a file, "" if it can.
// Opening a pipe, for example, might wait forever.
func unreadable(fsys fs.FS, name string, entry fs.DirEntry) string {
	switch {
	case !fs.ValidPath(name) && document.IsCatalogFile(name):
		return unnamed
	case entry.Type().IsRegular():
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

// ReadFile reads a file into an emptied buffer. Of a file that is larger than the limit
// it reads one byte more.
func ReadFile(ctx context.Context, fsys fs.FS, name string, limit int64, into *bytes.Buffer) error {
	into.Reset()
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		into.Grow(int(min(max(info.Size(), 0), limit)) + bytes.MinRead)
	}
	_, err = into.ReadFrom(io.LimitReader(task.Reader{Ctx: ctx, From: file}, limit+1))
	return err
}
