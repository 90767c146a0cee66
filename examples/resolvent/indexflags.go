package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/resolvent/resolvent/cache"
)

// indexFlags say where indexes of catalogs are kept.
type indexFlags struct {
	dir      string
	contents bool
}

const indexUsage = `  --index-cache DIR          keep what was read of catalogs in this folder, and start
                             from there while their files are the same; files in it
                             may be removed at any time
  --index-check status|contents
                             files are the same if size, inode and times are
                             (default), or only if their contents are
`

func (f *indexFlags) register(set *flag.FlagSet) {
	set.StringVar(&f.dir, "index-cache", "", "")
	choice(set, "index-check", &f.contents, map[string]bool{"status": false, "contents": true})
}

// catalogSource is how the catalog at a path, with these files, is read.
type catalogSource func(path string, tree fs.FS, opts cache.Options) cache.Source

// source returns how catalogs are read: from their files, or, if a folder of
// indexes is given, from there where that is possible.
func (f *indexFlags) source(stderr io.Writer) catalogSource {
	if f.dir == "" {
		return func(_ string, tree fs.FS, opts cache.Options) cache.Source { return cache.FS(tree, opts) }
	}
	var mu sync.Mutex // catalogs are read at the same time
	store := cache.IndexStore{Dir: f.dir, Report: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(stderr, "--index-cache: %v\n", err)
	}}
	return func(path string, tree fs.FS, opts cache.Options) cache.Source {
		name, err := filepath.Abs(path)
		if f.contents || err != nil {
			return cache.IndexedFS(tree, store, opts)
		}
		return cache.IndexedTree(tree, name, store, opts)
	}
}
