package cache

import (
	"context"
	"encoding/hex"
	"hash"
	"hash/fnv"
	"io/fs"
	"strconv"
)

// Source is where a catalog comes from. It may be called from several
// goroutines.
type Source interface {
	// Load reads the catalog. It should return soon after ctx ends; a [Cache]
	// does not wait for it longer than that.
	Load(ctx context.Context) (*Snapshot, error)
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

func (s *fsSource) Load(ctx context.Context) (*Snapshot, error) { return LoadFS(ctx, s.fsys, s.opts) }

func (s *fsSource) Version(ctx context.Context) (string, error) {
	return await(ctx, func() (string, error) {
		tree, err := listTree(ctx, s.fsys)
		if err != nil {
			return "", err
		}
		sum := fnv.New128a()
		for _, name := range tree.files {
			info, err := fs.Stat(s.fsys, name)
			if err != nil {
				return "", err
			}
			if info.ModTime().IsZero() {
				return "", nil // embedded files have no times
			}
			if err := ctx.Err(); err != nil {
				return "", err
			}
			writeFields(sum, name, strconv.FormatInt(info.Size(), 10), strconv.FormatInt(info.ModTime().UnixNano(), 10))
		}
		return hex.EncodeToString(sum.Sum(nil)), nil
	})
}

// writeFields writes texts so that no two lists of them look the same.
func writeFields(sum hash.Hash, fields ...string) {
	for _, field := range fields {
		sum.Write([]byte(strconv.Quote(field))) // a hash never returns an error
	}
}

// Static returns a catalog that has been read already.
func Static(snapshot *Snapshot) Source { return staticSource{snapshot} }

type staticSource struct{ snapshot *Snapshot }

func (s staticSource) Load(context.Context) (*Snapshot, error) { return s.snapshot, nil }

// Failed returns a catalog that cannot be read, for err.
func Failed(err error) Source { return failedSource{err} }

type failedSource struct{ err error }

func (s failedSource) Load(context.Context) (*Snapshot, error) { return nil, s.err }
