package cache

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// Blobs are the whole blobs of some bundles and their packages, including what a Snapshot
// does not keep. Nil has none.
type Blobs struct {
	images map[catalog.BundleKey][]string
	// whole are the blobs that Render also writes. rest are those of other schemas, by
	// package.
	whole map[build.BlobKey]map[string]jsontext.Value
	rest  map[string][]jsontext.Value
}

// Images returns the related images of a bundle, each once, in the stated order.
func (b *Blobs) Images(of catalog.BundleKey) []string { return b.images[of] }

// Objects returns the objects of a bundle with their texts, nil if none is known. Those of a bundle
// directory want Options.Objects.
func (b *Blobs) Objects(of catalog.BundleKey) *properties.Objects {
	var stated []properties.Property
	text := b.whole[build.BlobKey{Schema: document.SchemaBundle, Package: of.Package, Name: of.Name}]["properties"]
	if json.Unmarshal(text, &stated, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	set, _ := properties.Decode(stated, &properties.Interner{Objects: true})
	return set.Objects()
}

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

// blobsFrom reads the blobs of bundles and of their packages in a tree.
func blobsFrom(ctx context.Context, open treeOpener, opts Options, bundles []catalog.BundleKey) (*Blobs, error) {
	blobs := &Blobs{map[catalog.BundleKey][]string{}, map[build.BlobKey]map[string]jsontext.Value{}, map[string][]jsontext.Value{}}
	if len(bundles) == 0 {
		return blobs, nil
	}
	packages, wanted := map[string]bool{}, make(map[catalog.BundleKey]bool, len(bundles))
	for _, bundle := range bundles {
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
	slices.SortFunc(contents.Faults, catalog.Fault.Compare)
	for _, f := range contents.Faults {
		if f.Quarantines && wanted[catalog.BundleKey{Package: f.Package, Name: f.Bundle}] {
			return nil, f
		}
	}
	for i := range contents.Whole {
		if err := blobs.add(&contents.Whole[i]); err != nil {
			return nil, err
		}
	}
	for _, bundle := range bundles {
		if _, found := blobs.images[bundle]; !found {
			return nil, fmt.Errorf("bundle %s of package %s: it is not there when the catalog is read again for its images; read the catalog from a file or folder that does not change", bundle.Name, bundle.Package)
		}
	}
	return blobs, nil
}

// add adds a blob. Of several with one key the first counts.
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

// complete adds to a rendered blob the members that a Snapshot does not keep.
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
			blob.Properties = nil // a Snapshot has only what resolution needs
			blob.Rest[name] = value
		default:
			blob.Rest[name] = value
		}
	}
}

// others returns the blobs of other schemas of a package.
func (b *Blobs) others(pkg string) []jsontext.Value {
	if b == nil {
		return nil
	}
	return b.rest[pkg]
}
