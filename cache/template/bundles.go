package template

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/document"
)

// Bundles are blobs of bundles, each one line of JSON, by the images that templates name.
type Bundles map[string][]byte

// Add adds the usable bundles of a catalog that have wanted images. Those that are there stay.
// Like Blobs of a [cache.Origin], read reads what a snapshot does not keep.
func (b Bundles) Add(ctx context.Context, s *catalog.Snapshot, wanted []string, read func(context.Context, []catalog.BundleKey) (*cache.Blobs, error)) error {
	packages, keys := map[string]*catalog.Package{}, []catalog.BundleKey{}
	missing := map[string]bool{}
	for _, image := range wanted {
		missing[image] = b[image] == nil
	}
	for id := range catalog.ID(s.Len()) {
		bundle := s.Bundle(id)
		if !missing[bundle.Image] {
			continue
		}
		if packages[bundle.Package] == nil {
			packages[bundle.Package] = &catalog.Package{Name: bundle.Package}
		}
		packages[bundle.Package].Bundles = append(packages[bundle.Package].Bundles, id)
		keys = append(keys, catalog.BundleKey{Package: bundle.Package, Name: bundle.Name})
	}
	if len(keys) == 0 {
		return nil
	}
	blobs, err := read(ctx, keys)
	if err != nil {
		return err
	}
	text, err := cache.Render(ctx, s, slices.Collect(maps.Values(packages)), blobs)
	if err != nil {
		return err
	}
	found := map[string][]byte{} // of several bundles with one image the first by name counts
	for line := range bytes.Lines(text) {
		var blob struct {
			Schema string `json:"schema"`
			Image  string `json:"image"`
		}
		if json.Unmarshal(line, &blob, lenient...) == nil && blob.Schema == document.SchemaBundle && (found[blob.Image] == nil || bytes.Compare(line, found[blob.Image]) < 0) {
			found[blob.Image] = bytes.TrimSpace(line)
		}
	}
	maps.Copy(b, found)
	return nil
}

// AddDirectory adds the bundle of a bundle directory as that of an image.
func (b Bundles) AddDirectory(ctx context.Context, image string, s *catalog.Snapshot, read func(context.Context, []catalog.BundleKey) (*cache.Blobs, error)) error {
	if s.Len() != 1 {
		for _, f := range s.Faults() {
			if f.Quarantines {
				return f
			}
		}
		return fmt.Errorf("it holds %d usable bundles; want one bundle directory, with manifests/ beside metadata/", s.Len())
	}
	one := Bundles{}
	if err := one.Add(ctx, s, []string{s.Bundle(0).Image}, read); err != nil {
		return err
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(one[s.Bundle(0).Image], &members, lenient...); err != nil {
		return err
	}
	members["image"], _ = jsontext.AppendQuote(nil, image)
	type relatedImage struct {
		Name  string `json:"name"`
		Image string `json:"image"`
	}
	var images []relatedImage
	_ = json.Unmarshal(members["relatedImages"], &images, lenient...) // written by Blobs, or missing
	if !slices.ContainsFunc(images, func(one relatedImage) bool { return one.Image == image }) {
		images = append(images, relatedImage{Image: image}) // the cluster pulls it, too
	}
	members["relatedImages"], _ = json.Marshal(images)
	text, err := json.Marshal(members, append(lenient, json.Deterministic(true))...)
	b[image] = text
	return err
}

var lenient = []json.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// NotGiven is the error about a template some of whose bundles nobody gave.
type NotGiven struct {
	File string
	// places are those at which the images of these bundles stand.
	places []place
	// Of is the number of images that the template names.
	Of int
}

// place is an image with its line in a template.
type place struct {
	image string
	line  int
}

// maxPlaces is how many images an error names.
const maxPlaces = 5

func (e *NotGiven) Error() string {
	var list []string
	for _, p := range e.places[:min(len(e.places), maxPlaces)] {
		list = append(list, fmt.Sprintf("%s (line %d)", p.image, p.line))
	}
	if more := len(e.places) - maxPlaces; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("the template is not judged, because no given catalog has a usable bundle of %d of its %d images: %s", len(e.places), e.Of, strings.Join(list, ", "))
}
