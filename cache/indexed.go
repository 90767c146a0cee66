package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"runtime/debug"
	"sync"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/index"
	"github.com/resolvent/resolvent/cache/internal/task"
)

// IndexStore is a directory of indexes: catalogs as they were read, for processes
// that start often. Any number of processes may share it.
//
// The name of an index is made of what identifies the content of the catalog, of
// the Options, and of what the program was built from: a catalog that changes gets
// another file, and so does a program that may read it in another way. Whenever one
// is written, those that were not used for 30 days are removed, and beyond 1 GiB
// those that were not used for longest; any file in the directory may be removed
// at any time. Whoever can write there can change what is resolved: a checksum guards
// against damage only.
type IndexStore struct {
	// Dir is made when it is missing.
	Dir string
	// Report, where set, is called for an index that cannot be used or written. The
	// catalog is then read from its files. It may be called from several
	// goroutines.
	Report func(error)
}

// Load returns the catalog with a content from the store; if it is not there, as
// load returns it, and then keeps it. The content is a text that differs where
// load would read something else, such as the digest of an image; it is
// called before and after load, which may take a while. Without a content, "" or an
// error, Load is load.
//
// The snapshot of an index is unpacked as far as it is needed, and keeps what it
// is unpacked from.
func (s IndexStore) Load(ctx context.Context, content func(context.Context) (string, error), opts Options, load func(context.Context) (*catalog.Snapshot, error)) (*catalog.Snapshot, error) {
	return task.Await(ctx, func() (*catalog.Snapshot, error) {
		before, err := content(ctx)
		if err != nil || before == "" {
			return load(ctx)
		}
		if snapshot := s.read(ctx, before, opts); snapshot != nil {
			return snapshot, nil
		}
		snapshot, err := load(ctx)
		if err != nil {
			return nil, err
		}
		if after, err := content(ctx); err == nil && after == before {
			index.Store(s).Write(indexKey(before, opts), snapshot)
		}
		return snapshot, nil
	})
}

// read returns the catalog with a content from the store, nil if it is not there.
func (s IndexStore) read(ctx context.Context, content string, opts Options) *catalog.Snapshot {
	return index.Store(s).Read(ctx, indexKey(content, opts), opts.Constraints, opts.Limits.WithDefaults().EvaluationCost)
}

// IndexedFS returns the catalog in a tree of files, as [FS] does. What was read
// once is read from the store the next time, as long as every file that counts
// has the same name and the same contents, for which all of them are read. An
// index that is damaged is made anew.
func IndexedFS(fsys fs.FS, store IndexStore, opts Options) Versioned {
	return fsSource(fsys, store, opts)
}

// indexKey identifies everything that a snapshot depends on: the content, the
// options, and what the program was built from.
func indexKey(content string, opts Options) string {
	text := fmt.Sprintf("%q %d %t %+v %+v %q", buildText(), index.Format, opts.Strict, opts.Limits.WithDefaults(), opts.Constraints, content)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

var buildText = sync.OnceValue(func() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return build.String()
})
