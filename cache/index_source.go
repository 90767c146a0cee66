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
	return &indexedSource{fsSource{fsys, opts}, store}
}

type indexedSource struct {
	fsSource
	store IndexStore
}

// Load implements Source.
func (s *indexedSource) Load(ctx context.Context) (*Snapshot, error) {
	content := func(ctx context.Context) (string, error) { return contentOf(ctx, s.fsys, s.opts) }
	return s.store.Load(ctx, content, s.opts, s.fsSource.Load)
}
