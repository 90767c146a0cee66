package cache

import (
	"context"
	"io/fs"
)

// IndexedFS returns the catalog in a tree of files, as [FS] does. What was read
// once is read from the store the next time, as long as every file that counts
// has the same name and the same contents, for which all of them are read. An
// index that is damaged is made anew.
func IndexedFS(fsys fs.FS, store IndexStore, opts Options) Versioned {
	return &indexedSource{fsSource: fsSource{fsys, opts}, store: store}
}

// IndexedTree is IndexedFS, but does not read files whose status says that they
// are the same: a record beside the index holds, of each file and directory,
// device, inode, mode, size, and the times at which it was last modified and
// changed. The index is still found by the contents that the files had.
//
// The record is trusted only if all of these are the same and no file was
// changed within two seconds before its contents were read. So one that is
// replaced, or is written to and gets its old size and modification time back,
// is read again. What is not noticed is a change without a trace in the time of
// change: made beneath the file system, or through a mapping of the file into
// memory that is still open, or while the file system's clock was set back or
// behind that of this machine by more than those two seconds, or an image with
// other contents that is mounted in the same place and was made with the same
// times. A network file system may tell of a change late. Where any of this is to
// be expected, use IndexedFS.
//
// Files are read each time if the system tells no time of change (Linux and macOS
// do, of trees such as [os.DirFS]), if one of those times has no fraction of a
// second, as in images with times that were made up, and if something in the tree
// is a fault.
//
// The record is found by the name, which may be any text. Trees that can show
// different files, such as a directory and one file in it, need different names.
func IndexedTree(fsys fs.FS, name string, store IndexStore, opts Options) Versioned {
	return &indexedSource{fsSource: fsSource{fsys, opts}, store: store, record: recordKey(name, opts)}
}

type indexedSource struct {
	fsSource
	store  IndexStore
	record string // key of the record, "" if files are always read
}

// Version returns the version of [FS].
func (s *indexedSource) Version(ctx context.Context) (string, error) {
	if s.record == "" {
		return s.fsSource.Version(ctx)
	}
	version, err := await(ctx, func() (string, error) {
		if r := s.known(ctx); r != nil {
			return r.version, nil
		}
		return "", nil
	})
	if err != nil || version != "" {
		return version, err
	}
	return s.fsSource.Version(ctx)
}

// Load implements Source.
func (s *indexedSource) Load(ctx context.Context) (*Snapshot, error) {
	read, err := await(ctx, func() (sourceRead, error) {
		if read := s.fromRecord(ctx); read.snapshot != nil {
			return read, nil
		}
		snapshot, err := s.fromContents(ctx)
		return sourceRead{snapshot: snapshot}, err
	})
	return read.snapshot, err
}

// atOnce implements onceSource.
func (s *indexedSource) atOnce(ctx context.Context) (sourceRead, error) {
	return await(ctx, func() (sourceRead, error) { return s.fromRecord(ctx), ctx.Err() })
}

// known returns the record of the tree if that is still as it was.
func (s *indexedSource) known(ctx context.Context) *indexRecord {
	if s.record == "" {
		return nil
	}
	if r := s.store.readRecord(s.record); r != nil && r.holds(ctx, s.fsys, s.opts) {
		return r
	}
	return nil
}

// fromRecord returns the snapshot that the record leads to, and its version; no
// snapshot if there is none.
func (s *indexedSource) fromRecord(ctx context.Context) (read sourceRead) {
	if r := s.known(ctx); r != nil {
		read.snapshot, read.version = s.store.read(ctx, r.key, s.opts), r.version
	}
	return read
}

// fromContents reads all files.
func (s *indexedSource) fromContents(ctx context.Context) (*Snapshot, error) {
	tree, err := listTree(ctx, s.fsys)
	if err != nil {
		return s.fsSource.Load(ctx) // which knows best how to say it
	}
	var r *indexRecord
	if s.record != "" {
		r = newIndexRecord(ctx, s.fsys, tree, s.opts)
	}
	key, err := contentKey(ctx, s.fsys, tree, s.opts)
	if err != nil {
		return s.fsSource.Load(ctx)
	}
	snapshot := s.store.read(ctx, key, s.opts)
	if snapshot == nil {
		if snapshot, err = s.fsSource.Load(ctx); err != nil {
			return nil, err
		}
		if !s.same(ctx, key) {
			return snapshot, nil // files changed meanwhile: they are not those of the key
		}
		s.store.write(key, snapshot)
	}
	if r != nil {
		s.writeRecord(ctx, r, key)
	}
	return snapshot, nil
}

// same reports whether the contents of the tree still have the key.
func (s *indexedSource) same(ctx context.Context, key string) bool {
	tree, err := listTree(ctx, s.fsys)
	if err != nil {
		return false
	}
	again, err := contentKey(ctx, s.fsys, tree, s.opts)
	return err == nil && again == key
}

// writeRecord completes a record that was begun before the contents were read.
func (s *indexedSource) writeRecord(ctx context.Context, r *indexRecord, key string) {
	version, err := s.fsSource.Version(ctx)
	if err == nil && version != "" && r.holds(ctx, s.fsys, s.opts) {
		r.key, r.version = key, version
		s.store.writeRecord(s.record, r)
	}
}
