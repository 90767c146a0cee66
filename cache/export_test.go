package cache

import "io/fs"

// IndexedFS returns the catalog in a tree of files, with an index.
func IndexedFS(fsys fs.FS, store IndexStore, opts Options) Versioned {
	return fsSource(fsys, store, opts)
}

// RenderIndex returns the text of an index.
var RenderIndex = renderIndex

// Images are the kinds of images on disk that Open reads.
var Images = images
