package cache

import (
	"context"
	"errors"
	"fmt"
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

// Sequenced is a Source that numbers its states. A [Cache] refuses a state that
// is older than the one it has, such as a mirror that lags behind may return.
type Sequenced interface {
	Source
	// Sequence returns the number of the state that Load would read now. It
	// grows with each state.
	Sequence(ctx context.Context) (uint64, error)
}

// OlderError is the error of a source that returns an older state than before.
type OlderError struct {
	// Known and Offered are the numbers of the states.
	Known, Offered uint64
}

func (e *OlderError) Error() string {
	return fmt.Sprintf("the source offers state %d, which is older than state %d that has been read", e.Offered, e.Known)
}

// errTimeout is the cause of a reading that was canceled.
var errTimeout = errors.New("the source did not answer in time")

// ErrUnsteady is the error of a source that changed while it was read, each time
// that it was tried: what was read may be a mixture.
var ErrUnsteady = errors.New("the catalog kept changing while it was read")

// maxUnsteady is how often a catalog that changes while it is read is read again
// at once.
const maxUnsteady = 3

// load reads a source until its version is the same before and after. A source
// without versions is read once.
func (read *sourceRead) load(ctx context.Context, source Source, version func() (string, error)) error {
	for range maxUnsteady {
		var err error
		if read.snapshot, err = source.Load(ctx); err != nil {
			return err
		}
		after, err := version()
		if err != nil {
			return err
		}
		if after == read.version {
			return nil
		}
		read.version = after
	}
	return ErrUnsteady
}
