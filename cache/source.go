package cache

import (
	"context"
	"errors"
	"io/fs"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/cache/internal/walk"
)

// Source reads a catalog. It must be safe for any number of goroutines.
type Source interface {
	// Load reads the catalog. It should return soon after ctx ends. A [Cache] does not
	// wait longer for it.
	Load(ctx context.Context) (*catalog.Snapshot, error)
}

// Versioned is a Source that detects changes cheaply.
type Versioned interface {
	Source
	// Version returns a text that changes with the catalog, "" if it is unknown.
	Version(ctx context.Context) (string, error)
}

// Origin is a Source that can also be read in other ways. A [Cache] reads it again only if
// it has changed or its version is unknown.
type Origin interface {
	Source
	// LoadChecked reads the catalog strictly. Faults of the catalog are no errors.
	LoadChecked(ctx context.Context) (*Checked, error)
	// Blobs reads what a Snapshot does not keep of bundles and their packages. Its error
	// names a bundle that is missing or cannot be read.
	Blobs(ctx context.Context, of []catalog.BundleKey) (*Blobs, error)
}

// FS returns the catalog in a tree of files, as [LoadFS] reads it. It is a [Versioned]
// source. Its version consists of the names, sizes and modification times of the files.
func FS(fsys fs.FS, opts Options) Origin { return fsSource(fsys, IndexStore{}, opts) }

// fsSource returns a tree of files, with an index if the store has a directory.
func fsSource(fsys fs.FS, store IndexStore, opts Options) *treeSource {
	return &treeSource{
		store: store, opts: opts,
		version: func(ctx context.Context) (string, error) { return walk.Status(ctx, fsys) },
		content: func(ctx context.Context) (string, error) {
			return walk.Digest(ctx, fsys, opts.Limits.WithDefaults().FileBytes, opts.Workers)
		},
		tree: openTree(fsys),
	}
}

// treeSource is a catalog in a tree of files, which may be packed.
type treeSource struct {
	store IndexStore // no store without a directory
	opts  Options
	// version identifies the tree cheaply. content identifies it exactly, for the store.
	version, content func(ctx context.Context) (string, error)
	tree             treeOpener
}

// treeOpener opens a tree of files. The returned function closes it.
type treeOpener func(ctx context.Context) (fs.FS, func(), error)

func openTree(fsys fs.FS) treeOpener {
	return func(context.Context) (fs.FS, func(), error) { return fsys, func() {}, nil }
}

// Load implements Source.
func (s *treeSource) Load(ctx context.Context) (*catalog.Snapshot, error) {
	load := func(ctx context.Context) (*catalog.Snapshot, error) { return loadFrom(ctx, s.tree, s.opts) }
	if s.store.Dir == "" {
		return load(ctx)
	}
	return s.store.Load(ctx, s.content, s.opts, load)
}

// LoadChecked implements Origin.
func (s *treeSource) LoadChecked(ctx context.Context) (*Checked, error) {
	return readFrom(ctx, s.tree, s.opts, true)
}

// Version implements Versioned.
func (s *treeSource) Version(ctx context.Context) (string, error) {
	return task.Await(ctx, func() (string, error) { return s.version(ctx) })
}

// errTimeout is the error of a reading that took too long.
var errTimeout = errors.New("the source did not answer in time")

// errUnsteady is the error of a source that changed during each reading, so that the
// snapshot may be a mixture.
var errUnsteady = errors.New("the catalog kept changing while it was read")

// maxUnsteady is how often a source that changes while it is read is read at once.
const maxUnsteady = 3

// sourceRead is the result of a reading.
type sourceRead struct {
	snapshot *catalog.Snapshot // nil if the source has not changed
	version  string
}

// readSource reads a source unless it has the known version. It repeats a reading during
// which the version changes. A source without versions is read once.
func readSource(ctx context.Context, source Source, known string) (read sourceRead, err error) {
	if source == nil {
		return read, errors.New("the catalog has no source")
	}
	if s, ok := source.(*remoteSource); ok {
		return s.load(ctx, known)
	}
	version := func() (string, error) { return "", nil }
	if versioned, ok := source.(Versioned); ok {
		version = func() (string, error) { return versioned.Version(ctx) }
	}
	if read.version, err = version(); err != nil || read.version != "" && read.version == known {
		return read, err
	}
	for range maxUnsteady {
		if read.snapshot, err = source.Load(ctx); err == nil && read.snapshot == nil {
			err = errors.New("the source returned nothing")
		}
		if err != nil {
			return read, err
		}
		before := read.version
		if read.version, err = version(); err != nil || read.version == before {
			return read, err
		}
	}
	return read, errUnsteady
}
