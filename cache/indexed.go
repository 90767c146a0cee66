package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
// at any time. A checksum guards against damage only: what is no regular file, has
// more than 256 MiB, belongs to neither the user nor root, or can be written by
// others is not read. Outside Unix, whoever can write there can change what is
// resolved.
type IndexStore struct {
	// Dir is made when it is missing.
	Dir string
	// Report, where set, is called once by a Load whose index cannot be used or
	// written. The catalog is then read from its files. It may be called from several
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
		if err != nil || before == "" || opts.Texts {
			return load(ctx)
		}
		snapshot, refused := s.read(ctx, before, opts)
		if snapshot != nil {
			return snapshot, nil
		}
		if snapshot, err = load(ctx); err == nil {
			if after, failed := content(ctx); failed == nil && after == before {
				failed = index.Store{Dir: s.Dir}.Write(indexKey(before, opts), snapshot)
				refused = cmp.Or(refused, failed)
			}
		}
		if refused != nil && s.Report != nil {
			s.Report(refused)
		}
		return snapshot, err
	})
}

// read returns the catalog with a content from the store, nil if it is not there,
// and why it cannot be used if it is.
func (s IndexStore) read(ctx context.Context, content string, opts Options) (*catalog.Snapshot, error) {
	if opts.Texts {
		return nil, nil
	}
	return index.Store{Dir: s.Dir}.Read(ctx, indexKey(content, opts), opts.Constraints, opts.Limits.WithDefaults().EvaluationCost)
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
