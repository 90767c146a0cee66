package image

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/archive"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// saved is an image in manifest.json of docker save.
type saved struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// Docker finds an image in the files of docker save or podman save: the one with the tag
// or, without a tag, the only one. Its configuration lists digests of the unpacked layers,
// and the digest of the configuration identifies the image.
func Docker(files fs.FS, tag string) (*Image, error) {
	const manifestFile = "manifest.json"
	text, err := readFile(files, manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, archive.Fault(code.Archive, manifestFile, "it is missing, so that there is no image of docker save: try oci-archive:FILE")
	}
	if err != nil {
		return nil, err
	}
	var list []saved
	if err := decode(manifestFile, text, &list); err != nil {
		return nil, err
	}
	chosen, err := tagged(manifestFile, list, tag)
	if err != nil {
		return nil, err
	}
	if !fs.ValidPath(chosen.Config) || slices.ContainsFunc(chosen.Layers, func(name string) bool { return !fs.ValidPath(name) }) {
		return nil, archive.Fault(code.Archive, manifestFile, "it names files outside of the archive")
	}
	if text, err = readFile(files, chosen.Config); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	i := &Image{Digest: "sha256:" + hex.EncodeToString(sum[:]), blobs: files}
	// The file is named after its digest, with an extension or in a folder of blobs.
	stated := "sha256:" + strings.TrimSuffix(path.Base(chosen.Config), ".json")
	if digestPattern.MatchString(stated) && stated != i.Digest {
		return nil, wrongDigest(chosen.Config, stated, i.Digest)
	}
	var c config
	if err := decode(chosen.Config, text, &c); err != nil {
		return nil, err
	}
	if i.Folder, err = c.folder("image " + i.Digest); err != nil {
		return nil, err
	}
	if len(c.RootFS.DiffIDs) != len(chosen.Layers) {
		return nil, archive.Fault(code.Archive, chosen.Config, "it lists %d layers, and %s lists %d", len(c.RootFS.DiffIDs), manifestFile, len(chosen.Layers))
	}
	for n, name := range chosen.Layers {
		i.layers = append(i.layers, layer{name, c.RootFS.DiffIDs[n], -1, true})
	}
	return i, nil
}

// tagged returns the image with the tag or, without a tag, the only one.
func tagged(place string, list []saved, tag string) (*saved, error) {
	var names []string
	var found []*saved
	for i, s := range list {
		names = append(names, s.RepoTags...)
		if tag == "" || slices.ContainsFunc(s.RepoTags, func(name string) bool { return hasTag(name, tag) }) {
			found = append(found, &list[i])
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && tag != "":
		return nil, archive.Fault(code.Archive, place, "it lists no image %s; it lists %s", tag, listed(names))
	}
	return nil, archive.Fault(code.Archive, place, "it lists %d images: add : and one of %s", len(found), listed(names))
}

// hasTag reports whether the name of an image ends with TAG or NAME:TAG.
func hasTag(name, tag string) bool {
	return name == tag || strings.HasSuffix(name, ":"+tag) || strings.HasSuffix(name, "/"+tag)
}
