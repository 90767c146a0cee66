package cache

import (
	"context"
	"fmt"
	"io"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/constraints"
)

// RelatedImages are the images that bundles name beside their own, in the order in
// which they do.
type RelatedImages map[catalog.BundleKey][]string

// RelatedImages implements Origin.
func (s *treeSource) RelatedImages(ctx context.Context, of []catalog.BundleKey) (RelatedImages, error) {
	return relatedFrom(ctx, s.tree, s.opts, of)
}

// RelatedImages implements Origin.
func (s *remoteSource) RelatedImages(ctx context.Context, of []catalog.BundleKey) (images RelatedImages, err error) {
	err = s.file.Get(ctx, "", func(_ string, content io.Reader) error {
		images, err = relatedFrom(ctx, s.tree(content), s.opts.Options, of)
		return err
	})
	return images, err
}

// relatedFrom reads the related images of bundles in a tree.
func relatedFrom(ctx context.Context, open treeOpener, opts Options, of []catalog.BundleKey) (RelatedImages, error) {
	if len(of) == 0 {
		return RelatedImages{}, nil
	}
	wanted := make(map[catalog.BundleKey]bool, len(of))
	for _, bundle := range of {
		wanted[bundle] = true
	}
	contents, err := task.Await(ctx, func() (*build.Contents, error) {
		return open.read(ctx, constraints.NewParser(opts.Constraints), opts, wanted)
	})
	if err != nil {
		return nil, err
	}
	for _, f := range catalog.SortFaults(contents.Faults) {
		if f.Quarantines && wanted[catalog.BundleKey{Package: f.Package, Name: f.Bundle}] {
			return nil, f
		}
	}
	images := RelatedImages{}
	for _, bundle := range of {
		list, found := contents.Related[bundle]
		if !found {
			return nil, fmt.Errorf("bundle %s of package %s: it is not there when the catalog is read again for its images; read the catalog from a file or folder that does not change", bundle.Name, bundle.Package)
		}
		seen := map[string]bool{"": true}
		for _, image := range list {
			if !seen[image] {
				seen[image] = true
				images[bundle] = append(images[bundle], image)
			}
		}
	}
	return images, nil
}
