package cache

import (
	"context"
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

// Versioned is a Source that can tell cheaply whether it has changed.
type Versioned interface {
	Source
	// Version returns a text that is the same as long as the catalog is; "" if
	// that cannot be told.
	Version(ctx context.Context) (string, error)
}

// FS returns the catalog in a tree of files. Its version is made of the names,
// sizes and modification times of the files.
func FS(fsys fs.FS, opts Options) Versioned { return &fsSource{fsys, opts} }

type fsSource struct {
	fsys fs.FS
	opts Options
}

func (s *fsSource) Load(ctx context.Context) (*catalog.Snapshot, error) {
	return LoadFS(ctx, s.fsys, s.opts)
}

func (s *fsSource) Version(ctx context.Context) (string, error) {
	return task.Await(ctx, func() (string, error) { return walk.Status(ctx, s.fsys) })
}

// Static returns a catalog that has been read already.
func Static(snapshot *catalog.Snapshot) Source { return staticSource{snapshot} }

type staticSource struct{ snapshot *catalog.Snapshot }

func (s staticSource) Load(context.Context) (*catalog.Snapshot, error) { return s.snapshot, nil }

// Failed returns a catalog that cannot be read, for err.
func Failed(err error) Source { return failedSource{err} }

type failedSource struct{ err error }

func (s failedSource) Load(context.Context) (*catalog.Snapshot, error) { return nil, s.err }
