package cache

import (
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/constraints"
)

// Blobs are what a catalog states of some bundles and their packages, with what a
// Snapshot does not keep of it. Nil are none.
type Blobs struct {
	images map[catalog.BundleKey][]string
	// whole are those that a Render makes anew, others those of other schemas by package.
	whole map[build.BlobKey]map[string]jsontext.Value
	rest  map[string][]jsontext.Value
}

// Images are those that a bundle names beside its own, each once, in the order in which it
// does.
func (b *Blobs) Images(of catalog.BundleKey) []string { return b.images[of] }

// Blobs implements Origin.
func (s *treeSource) Blobs(ctx context.Context, of []catalog.BundleKey) (*Blobs, error) {
	return blobsFrom(ctx, s.tree, s.opts, of)
}

// Blobs implements Origin.
func (s *remoteSource) Blobs(ctx context.Context, of []catalog.BundleKey) (blobs *Blobs, err error) {
	err = s.file.Get(ctx, "", func(_ string, content io.Reader) error {
		blobs, err = blobsFrom(ctx, s.tree(content), s.opts.Options, of)
		return err
	})
	return blobs, err
}

// blobsFrom reads the blobs of bundles in a tree, and those of their packages.
func blobsFrom(ctx context.Context, open treeOpener, opts Options, of []catalog.BundleKey) (*Blobs, error) {
	blobs := &Blobs{map[catalog.BundleKey][]string{}, map[build.BlobKey]map[string]jsontext.Value{}, map[string][]jsontext.Value{}}
	if len(of) == 0 {
		return blobs, nil
	}
	packages, wanted := map[string]bool{}, make(map[catalog.BundleKey]bool, len(of))
	for _, bundle := range of {
		packages[bundle.Package], wanted[bundle] = true, true
	}
	contents, err := task.Await(ctx, func() (*build.Contents, error) {
		return open.read(ctx, constraints.NewParser(opts.Constraints), opts, func(k build.BlobKey) bool {
			return packages[k.Package] && (k.Schema != document.SchemaBundle || wanted[catalog.BundleKey{Package: k.Package, Name: k.Name}])
		})
	})
	if err != nil {
		return nil, err
	}
	for _, f := range catalog.SortFaults(contents.Faults) {
		if f.Quarantines && wanted[catalog.BundleKey{Package: f.Package, Name: f.Bundle}] {
			return nil, f
		}
	}
	for i := range contents.Whole {
		if err := blobs.add(&contents.Whole[i]); err != nil {
			return nil, err
		}
	}
	for _, bundle := range of {
		if _, found := blobs.images[bundle]; !found {
			return nil, fmt.Errorf("bundle %s of package %s: it is not there when the catalog is read again for its images; read the catalog from a file or folder that does not change", bundle.Name, bundle.Package)
		}
	}
	return blobs, nil
}

// add adds a blob. Of equal ones the first counts.
func (b *Blobs) add(blob *build.WholeBlob) error {
	switch blob.Schema {
	case document.SchemaPackage, document.SchemaChannel, document.SchemaBundle, document.SchemaDeprecations:
	default:
		b.rest[blob.Package] = append(b.rest[blob.Package], blob.Text)
		return nil
	}
	if b.whole[blob.BlobKey] != nil {
		return nil
	}
	var members map[string]jsontext.Value
	err := json.Unmarshal(blob.Text, &members, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	b.whole[blob.BlobKey] = members
	if blob.Schema != document.SchemaBundle {
		return err
	}
	var bundle struct {
		RelatedImages []struct {
			Image string `json:"image"`
		} `json:"relatedImages"`
	}
	if err := json.Unmarshal(blob.Text, &bundle, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("bundle %s of package %s: %w", blob.Name, blob.Package, err)
	}
	var list []string
	seen := map[string]bool{"": true}
	for _, related := range bundle.RelatedImages {
		if !seen[related.Image] {
			seen[related.Image] = true
			list = append(list, related.Image)
		}
	}
	b.images[catalog.BundleKey{Package: blob.Package, Name: blob.Name}] = list
	return err
}

// complete adds to a blob that was made of a Snapshot what else the catalog states in it.
func (b *Blobs) complete(pkg string, blob *renderedBlob) {
	if b == nil {
		return
	}
	members := b.whole[build.BlobKey{Schema: blob.Schema, Package: pkg, Name: blob.Name}]
	blob.Rest = map[string]jsontext.Value{}
	for name, value := range members {
		switch name {
		case "schema", "package", "name", "defaultChannel", "entries", "image":
		case "properties":
			blob.Properties = nil // of a Snapshot they are without what resolution does not need
			blob.Rest[name] = value
		default:
			blob.Rest[name] = value
		}
	}
}

// others are the blobs of other schemas of a package.
func (b *Blobs) others(pkg string) []jsontext.Value {
	if b == nil {
		return nil
	}
	return b.rest[pkg]
}
