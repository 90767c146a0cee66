package inputs

import (
	"context"
	"fmt"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// Image is what --catalog says of a catalog's own image, empty if nothing.
func (f *Flags) Image(key catalog.Key) string {
	if c := flagOf(f.Catalogs, key); c != nil {
		return c.Image
	}
	return ""
}

// Objects reads the whole objects of bundles of a catalog. Nil is of a catalog that cannot be read
// again.
func (f *Flags) Objects(ctx context.Context, key catalog.Key, bundles []catalog.BundleKey, std Streams) (*cache.Blobs, error) {
	if c := flagOf(f.Catalogs, key); c == nil || c.from == stdinName {
		return nil, nil
	}
	whole := *f
	whole.sources.Objects = true
	return whole.Blobs(ctx, key, bundles, std)
}

// Blobs reads a catalog again, for what of bundles no resolution needs.
func (f *Flags) Blobs(ctx context.Context, key catalog.Key, bundles []catalog.BundleKey, std Streams) (*cache.Blobs, error) {
	open, err := f.sources.Opener(ctx, std)
	if err != nil {
		return nil, err
	}
	from := flagOf(f.Catalogs, key).from
	origin, err := open(from, cache.Options{})
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", key, err)
	}
	if from == stdinName {
		return nil, fmt.Errorf("catalog %s: it cannot be read again for the images of its bundles; pass it as a file or folder", key)
	}
	return Loaded(ctx, from, std, func(ctx context.Context) (*cache.Blobs, error) { return origin.Blobs(ctx, bundles) })
}
