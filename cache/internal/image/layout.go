package image

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/archive"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// descriptor refers to a blob.
type descriptor struct {
	Digest      string
	Size        int64
	Platform    *platform
	Annotations map[string]string
}

type platform struct{ OS, Architecture string }

func (p platform) String() string { return p.OS + "/" + p.Architecture }

// manifest is the manifest of an image, or an index of manifests.
type manifest struct {
	SchemaVersion int
	Manifests     []descriptor
	Config        descriptor
	Layers        []descriptor
}

// annotationRef is the annotation with the name of an image in the index of a layout.
const annotationRef = "org.opencontainers.image.ref.name"

// maxIndexes is how deep indexes may nest.
const maxIndexes = 4

// Layout finds an image in an OCI layout: the one with the reference, which is a tag or a
// digest, or without a reference the only one. Of an index it takes the image for the
// platform of this machine, else for linux/amd64, else the only one.
func Layout(blobs fs.FS, reference string) (*Image, error) {
	const indexFile = "index.json"
	text, err := readFile(blobs, indexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, archive.Fault(code.Archive, indexFile, "it is missing, so that there is no image in the OCI layout: try docker-archive:FILE, or 'skopeo copy docker://IMAGE oci:DIR'")
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := decode(indexFile, text, &m); err != nil {
		return nil, err
	}
	chosen, err := named(m.Manifests, reference)
	if err != nil {
		return nil, err
	}
	for range maxIndexes {
		place := "manifest " + chosen.Digest
		text, err := readBlob(blobs, place, chosen)
		if err != nil {
			return nil, err
		}
		m = manifest{}
		if err := decode(place, text, &m); err != nil {
			return nil, err
		}
		if m.SchemaVersion != 2 {
			return nil, archive.Fault(code.Archive, place, "its schemaVersion is %d; only 2 is read: copy the image with a tool of today", m.SchemaVersion)
		}
		if len(m.Manifests) == 0 {
			return m.image(blobs, chosen.Digest)
		}
		if chosen, err = forPlatform(place, m.Manifests); err != nil {
			return nil, err
		}
	}
	return nil, archive.Fault(code.Limit, indexFile, "indexes of images nest more than the %d levels allowed", maxIndexes)
}

// image returns the image of a manifest.
func (m *manifest) image(blobs fs.FS, digest string) (*Image, error) {
	text, err := readBlob(blobs, "configuration "+m.Config.Digest, m.Config)
	if err != nil {
		return nil, err
	}
	var c config
	if err := decode("configuration "+m.Config.Digest, text, &c); err != nil {
		return nil, err
	}
	i := &Image{Digest: digest, blobs: blobs}
	if i.Folder, err = c.folder("manifest " + digest); err != nil {
		return nil, err
	}
	for _, l := range m.Layers {
		i.layers = append(i.layers, layer{blobFile(l.Digest), l.Digest, l.Size, false})
	}
	return i, nil
}

// blobFile returns the file of a blob in a layout.
func blobFile(digest string) string {
	return "blobs/" + strings.Replace(digest, ":", "/", 1)
}

// readBlob reads and verifies a blob of at most maxJSON bytes.
func readBlob(blobs fs.FS, place string, d descriptor) ([]byte, error) {
	sum := hasher(d.Digest)
	if sum == nil {
		return nil, archive.Fault(code.Digest, place, "it is not a digest of SHA-256 or SHA-512")
	}
	text, err := readFile(blobs, blobFile(d.Digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, archive.Fault(code.Archive, place, "it is missing: copy the whole image")
	}
	if err != nil {
		return nil, err
	}
	sum.Write(text)
	if found := sumOf(sum, d.Digest); found != d.Digest {
		return nil, wrongDigest(place, d.Digest, found)
	}
	return text, nil
}

// named returns the image of a layout with the reference or, without one, the only one.
func named(list []descriptor, reference string) (descriptor, error) {
	var found []descriptor
	var names []string
	for _, d := range list {
		name := d.Annotations[annotationRef]
		if reference == "" || reference == name || reference == d.Digest || strings.HasSuffix(name, ":"+reference) {
			found = append(found, d)
		}
		if name == "" {
			name = d.Digest
		}
		names = append(names, name)
	}
	const place = "index.json"
	switch {
	case len(found) == 1:
		return found[0], nil
	case hasher(reference) != nil:
		return descriptor{Digest: reference}, nil // one of the listed indexes may have it
	case len(list) == 0:
		return descriptor{}, archive.Fault(code.Archive, place, "it lists no image")
	case len(found) == 0:
		return descriptor{}, archive.Fault(code.Archive, place, "it lists no image %s; it lists %s", reference, listed(names))
	case slices.ContainsFunc(found, func(d descriptor) bool { return d.Annotations[annotationRef] != found[0].Annotations[annotationRef] }):
		return descriptor{}, archive.Fault(code.Archive, place, "it lists several images: add : and one of %s", listed(names))
	}
	return forPlatform(place, found)
}

// maxListed is how many names an error lists.
const maxListed = 10

func listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		names = append(slices.Clone(names[:maxListed]), "others")
	}
	return strings.Join(names, ", ")
}

// forPlatform returns the image of an index for this machine.
func forPlatform(place string, list []descriptor) (descriptor, error) {
	// Entries for an unknown platform are attestations, not images.
	list = slices.DeleteFunc(slices.Clone(list), func(d descriptor) bool { return d.Platform != nil && d.Platform.OS == "unknown" })
	for _, wanted := range []platform{{runtime.GOOS, runtime.GOARCH}, {"linux", "amd64"}} {
		at := slices.IndexFunc(list, func(d descriptor) bool { return d.Platform != nil && *d.Platform == wanted })
		if at >= 0 {
			return list[at], nil
		}
	}
	if len(list) == 1 {
		return list[0], nil
	}
	var names []string
	for _, d := range list {
		name := d.Digest
		if d.Platform != nil {
			name += " for " + d.Platform.String()
		}
		names = append(names, name)
	}
	return descriptor{}, archive.Fault(code.Archive, place, "it has no image for this machine or linux/amd64: add : and the digest of one of its %d others: %s", len(list), listed(names))
}
