// Package image reads the catalog in an image on disk: an OCI layout, or the files of
// docker save and podman save. It verifies all digests, applies the layers, and keeps the
// folder that the label of the image names. It writes nothing.
//
// The formats are a few JSON members and the rules of whiteouts, for which the standard
// library is enough. github.com/google/go-containerregistry would bring four modules. Its
// layouts neither verify layers nor bound what they read, and it reads no oci-archive. The
// tests make their images with it, and compare layers with it.
package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/archive"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// The labels of an image that name the place of its catalog.
const (
	labelConfigs  = "operators.operatorframework.io.index.configs.v1"
	labelDatabase = "operators.operatorframework.io.index.database.v1"
)

const (
	// maxJSON is the largest manifest, index or configuration in bytes, as in registries.
	maxJSON = 4 << 20
	// maxLayers is more than any container engine makes.
	maxLayers = 500
)

// Image is an image whose layers have not been read.
type Image struct {
	// Digest is the digest of the manifest, or of the configuration if there is no
	// manifest.
	Digest string
	// Folder is the folder of the catalog.
	Folder string

	blobs  fs.FS
	layers []layer
}

// layer is a file with the digest of its content.
type layer struct {
	file     string
	digest   string
	size     int64 // -1 if not stated
	unpacked bool  // the digest is that of the unpacked content
}

// hasher returns the hash of a kind of digest, nil for a text that is no digest.
func hasher(digest string) hash.Hash {
	if !digestPattern.MatchString(digest) {
		return nil
	}
	if strings.HasPrefix(digest, "sha512:") {
		return sha512.New()
	}
	return sha256.New()
}

var digestPattern = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)

// sumOf returns the sum of a hash in the form of the digest to compare it with.
func sumOf(h hash.Hash, digest string) string {
	algorithm, _, _ := strings.Cut(digest, ":")
	return algorithm + ":" + hex.EncodeToString(h.Sum(nil))
}

func wrongDigest(place, digest, found string) error {
	return archive.Fault(code.Digest, place, "what is there is not what its digest %s describes, but %s: copy the image again", digest, found)
}

// readFile reads a file of at most maxJSON bytes.
func readFile(blobs fs.FS, name string) ([]byte, error) {
	file, err := blobs.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxJSON+1))
	if err == nil && len(text) > maxJSON {
		err = archive.Fault(code.Limit, name, "it is larger than the %d bytes allowed", maxJSON)
	}
	return text, err
}

// decode reads the members of a JSON file that a Go value has.
func decode(place string, text []byte, to any) error {
	err := json.Unmarshal(text, to)
	if of, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // whose text names types of Go
		err = fmt.Errorf("%s cannot be a JSON %s", cmp.Or(of.Field, "it"), of.Value)
	}
	if err != nil {
		return archive.Fault(code.Archive, place, "it is not valid JSON of an image: %v", err)
	}
	return nil
}

// config is the part of the configuration of an image that is read.
type config struct {
	Config struct{ Labels map[string]string }
	RootFS struct {
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// folder returns the folder that the label names.
func (c *config) folder(place string) (string, error) {
	folder, ok := c.Config.Labels[labelConfigs]
	if ok {
		return path.Join(".", path.Clean("/"+folder)), nil
	}
	if _, ok := c.Config.Labels[labelDatabase]; ok {
		return "", archive.Fault(code.Archive, place, "it is an image of an SQLite catalog: 'opm render IMAGE -o json > catalog.json' writes one that can be read")
	}
	return "", archive.Fault(code.Archive, place, "it has no label %s, so that it is not the image of a catalog, but perhaps that of a bundle", labelConfigs)
}

// Tree applies the layers, and returns the folder of the catalog.
func (i *Image) Tree(ctx context.Context, budget *archive.Budget) (fs.FS, error) {
	if len(i.layers) > maxLayers {
		return nil, archive.Fault(code.Limit, i.Digest, "it has %d layers, more than the %d allowed", len(i.layers), maxLayers)
	}
	builder := archive.NewBuilder(budget, i.Folder)
	builder.Rooted = true
	for _, l := range slices.Backward(i.layers) {
		if err := i.apply(ctx, builder, &l); err != nil {
			return nil, err
		}
		builder.NextLayer()
	}
	tree := builder.Tree()
	if tree == nil {
		return nil, archive.Fault(code.Archive, i.Digest, "it has no folder /%s, which its label %s names", i.Folder, labelConfigs)
	}
	return tree, nil
}

// apply adds a layer and verifies it.
func (i *Image) apply(ctx context.Context, builder *archive.Builder, l *layer) error {
	place := "layer " + l.digest
	sum := hasher(l.digest)
	if sum == nil {
		return archive.Fault(code.Digest, place, "it is not a digest of SHA-256 or SHA-512")
	}
	file, err := i.blobs.Open(l.file)
	if errors.Is(err, fs.ErrNotExist) {
		return archive.Fault(code.Archive, place, "it is missing: copy the whole image")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	defer file.Close()
	stored := io.Reader(file)
	if l.size >= 0 {
		stored = io.LimitReader(file, l.size+1)
	}
	if !l.unpacked {
		stored = io.TeeReader(stored, sum)
	}
	plain, err := builder.Budget.Plain(ctx, place, stored)
	if err == nil {
		err = addAll(ctx, builder, place, plain, l.unpacked, sum)
	}
	if archive.IsLimit(err) || ctx.Err() != nil {
		return err
	}
	// A wrong digest explains any other error of the layer.
	err = cmp.Or(err, plain.Rest())
	if found := sumOf(sum, l.digest); found != l.digest {
		return wrongDigest(place, l.digest, found)
	}
	return err
}

// addAll adds the entries of an unpacked layer, and reads it to its end.
func addAll(ctx context.Context, builder *archive.Builder, place string, plain *archive.Plain, hashed bool, sum hash.Hash) error {
	defer plain.Close()
	unpacked := io.Reader(plain)
	if hashed {
		unpacked = io.TeeReader(plain, sum)
	}
	err := builder.Budget.Walk(ctx, place, unpacked, func(e archive.Entry, content io.Reader) error {
		return addToLayer(builder, place, e, content)
	})
	if err != nil && (archive.IsLimit(err) || ctx.Err() != nil) {
		return err
	}
	_, restErr := io.Copy(io.Discard, unpacked)
	return cmp.Or(err, restErr)
}

const (
	whiteoutPrefix = ".wh."
	whiteoutOpaque = ".wh..wh..opq"
	// whiteoutMeta begins the names of private files of storage drivers.
	whiteoutMeta = ".wh..wh."
)

// addToLayer adds an entry of a layer, which may be a whiteout.
func addToLayer(builder *archive.Builder, place string, e archive.Entry, content io.Reader) error {
	folder, base := path.Split(e.Name)
	folder = path.Clean(folder)
	hidden, isWhiteout := strings.CutPrefix(base, whiteoutPrefix)
	switch {
	case !isWhiteout:
		return builder.Add(place, e, content)
	case base == whiteoutOpaque:
		return builder.Whiteout(place, folder, true)
	case strings.HasPrefix(base, whiteoutMeta):
		return nil
	case hidden == "" || hidden == "." || hidden == "..":
		return archive.Fault(code.Archive, archive.Place(place, e.Name), "it is a whiteout of nothing")
	}
	return builder.Whiteout(place, path.Join(folder, hidden), false)
}
