package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/resolvent/resolvent/cache"
)

// indexFlags choose where indexes of catalogs are kept.
type indexFlags struct{ dir string }

const indexUsage = `  --index-cache DIR          keep indexes of catalogs in this folder, and read them
                             instead while the files are the same; files in it may
                             be removed at any time
`

func (f *indexFlags) register(set *flag.FlagSet) {
	set.StringVar(&f.dir, "index-cache", "", "")
}

// catalogSource is how the catalog with these files is read.
type catalogSource func(tree fs.FS, opts cache.Options) cache.Source

// source returns how catalogs are read: from their files, or, if a folder of
// indexes is given, from there where that is possible.
func (f *indexFlags) source(stderr io.Writer) catalogSource {
	if f.dir == "" {
		return func(tree fs.FS, opts cache.Options) cache.Source { return cache.FS(tree, opts) }
	}
	var mu sync.Mutex // catalogs are read at the same time
	store := cache.IndexStore{Dir: f.dir, Report: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(stderr, "--index-cache: %v\n", err)
	}}
	return func(tree fs.FS, opts cache.Options) cache.Source { return cache.IndexedFS(tree, store, opts) }
}
