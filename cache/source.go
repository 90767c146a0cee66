package cache

import (
	"context"
	"errors"
	"io/fs"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/cache/internal/walk"
)

// Source is where a catalog comes from. It may be called from several
// goroutines.
type Source interface {
	// Load reads the catalog. It should return soon after ctx ends; a [Cache]
	// does not wait for it longer than that.
	Load(ctx context.Context) (*catalog.Snapshot, error)
}

// Versioned is a Source that knows cheaply whether it has changed.
type Versioned interface {
	Source
	// Version returns a text that is the same as long as the catalog is; "" if
	// that is not known.
	Version(ctx context.Context) (string, error)
}

// Origin is a Source that can also be read in other ways. A [Cache] reads it again only
// if it has changed, where that can be told.
type Origin interface {
	Source
	// LoadChecked reads the catalog as Load does, but never fails for its faults, and
	// checks it strictly in the same pass.
	LoadChecked(ctx context.Context) (*Checked, error)
	// Blobs reads of bundles and their packages what a Snapshot does not keep. Its error
	// says which bundle is not there, or cannot be read.
	Blobs(ctx context.Context, of []catalog.BundleKey) (*Blobs, error)
}

// FS returns the catalog in a tree of files, which [LoadFS] reads. It is a [Versioned]:
// its version is made of the names, sizes and modification times of the files.
func FS(fsys fs.FS, opts Options) Origin { return fsSource(fsys, IndexStore{}, opts) }

// fsSource is a tree of files, with an index if the store has a directory.
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

// treeSource is a catalog that is read from a tree of files, wherever that is.
type treeSource struct {
	store IndexStore // without a directory, none
	opts  Options
	// version identifies the tree cheaply, content exactly; content is used for
	// the store only.
	version, content func(ctx context.Context) (string, error)
	tree             treeOpener
}

// treeOpener opens a tree of files; the function closes it.
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

// errTimeout is the cause of a reading that was canceled.
var errTimeout = errors.New("the source did not answer in time")

// errUnsteady is the error of a source that changed while it was read, each time
// that it was tried: what was read may be a mixture.
var errUnsteady = errors.New("the catalog kept changing while it was read")

// maxUnsteady is how often a catalog that changes while it is read is read again
// at once.
const maxUnsteady = 3

// sourceRead is what a reading brought.
type sourceRead struct {
	snapshot *catalog.Snapshot // nil if the source has not changed
	version  string
}

// readSource reads a source whose version is not the known one, until its version
// is the same before and after. A source without versions is read once.
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
