package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"sync"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/index"
	"github.com/resolvent/resolvent/cache/internal/task"
)

// IndexStore is a directory of indexes: snapshots on disk, for processes that start often.
// Any number of processes may share it.
//
// The name of an index identifies the content of the catalog, the Options and the build of
// the program. So a changed catalog or another program has another file. Writing an index
// removes those that were not used for 30 days and, beyond 1 GiB, those that were not used
// for longest. Any file in the directory may be removed at any time.
//
// An index is the catalog itself, rendered without what a snapshot does not keep, in one
// compressed file. A checksum guards against damage only, not against other users. So a
// file is not read if it is not regular, has more than 256 MiB, or 1 GiB before it was
// compressed, belongs to neither the user nor root, or can be written by others. Outside
// Unix, owners are not checked: who can write to the directory can change results, and
// make a Load take up to its context's time.
type IndexStore struct {
	// Dir is the path of the directory. Writing makes it if it is missing.
	Dir string
	// Report, if set, is called once by a Load whose index cannot be used or written. The
	// catalog is then read from its source. Report must be safe for concurrent use.
	Report func(error)
}

// Load returns the catalog from the store. If it is missing there, Load calls load and
// writes its snapshot. content identifies what load would read, for example by the digest
// of an image. It is called before and after load, and only an unchanged catalog is
// written. If content returns "" or an error, Load only calls load.
func (s IndexStore) Load(ctx context.Context, content func(context.Context) (string, error), opts Options, load func(context.Context) (*catalog.Snapshot, error)) (*catalog.Snapshot, error) {
	return task.Await(ctx, func() (*catalog.Snapshot, error) {
		before, err := content(ctx)
		if err != nil || before == "" || opts.Texts || opts.Objects {
			return load(ctx)
		}
		snapshot, refused := s.read(ctx, before, opts)
		if snapshot != nil {
			return snapshot, nil
		}
		if snapshot, err = load(ctx); err == nil {
			if after, failed := content(ctx); failed == nil && after == before {
				refused = cmp.Or(refused, s.write(ctx, before, opts, snapshot))
			}
		}
		if refused != nil && ctx.Err() == nil && s.Report != nil { // else no file is at fault
			s.Report(refused)
		}
		return snapshot, err
	})
}

// read returns the catalog from the store, nil if it is missing or cannot be used. The error
// says why it cannot be used.
func (s IndexStore) read(ctx context.Context, content string, opts Options) (*catalog.Snapshot, error) {
	if opts.Texts || opts.Objects {
		return nil, nil
	}
	store, key := index.Store{Dir: s.Dir}, indexKey(content, opts)
	text, err := store.Read(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var snapshot *catalog.Snapshot
	if err == nil {
		snapshot, err = readIndex(ctx, key, text, opts)
	}
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = of.Err // the path comes below
	}
	if err != nil {
		return nil, fmt.Errorf("reading the index of the catalog: %s: %w", store.Path(key), err)
	}
	return snapshot, nil
}

// write writes the catalog to the store.
func (s IndexStore) write(ctx context.Context, content string, opts Options, snapshot *catalog.Snapshot) error {
	key := indexKey(content, opts)
	text, err := renderIndex(ctx, key, snapshot)
	if err == nil {
		err = index.Store{Dir: s.Dir}.Write(key, text)
	}
	if err != nil {
		return fmt.Errorf("writing the index of the catalog: %w", err)
	}
	return nil
}

// indexKey identifies all that a snapshot depends on: the content, the options and the build
// of the program.
func indexKey(content string, opts Options) string {
	text := fmt.Sprintf("%q %d %t %+v %+v %q", buildText(), indexFormat, opts.Strict, opts.Limits.WithDefaults(), opts.Constraints, content)
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
