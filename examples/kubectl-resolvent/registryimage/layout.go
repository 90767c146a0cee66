package registryimage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// layout is an image in a registry as the files of an OCI layout. It is for one
// goroutine.
type layout struct {
	ctx    context.Context
	puller *remote.Puller
	images []name.Reference // where it may be
	image  name.Reference   // where it is
	// manifests are the digests of which the registry has manifests; all others are
	// of blobs.
	manifests map[string]bool
}

// Open implements [fs.FS].
func (l *layout) Open(file string) (fs.File, error) {
	content, err := l.open(file)
	if failure, ok := errors.AsType[*transport.Error](err); ok && (failure.StatusCode == http.StatusUnauthorized || failure.StatusCode == http.StatusForbidden) {
		return nil, fmt.Errorf("%w; 'docker login %s' or 'podman login' stores the credentials that are used", err, l.image.Context().RegistryStr())
	}
	if err != nil {
		return nil, err
	}
	return blob{content}, nil
}

func (l *layout) open(file string) (io.ReadCloser, error) {
	if file == "index.json" {
		return l.index()
	}
	digest, ok := strings.CutPrefix(file, "blobs/")
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
	}
	digest = strings.Replace(digest, "/", ":", 1)
	at := l.image.Context().Digest(digest)
	if l.manifests[digest] {
		found, err := l.manifest(at)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(bytes.NewReader(found.Manifest)), nil
	}
	layer, err := l.puller.Layer(l.ctx, at)
	if err != nil {
		return nil, err
	}
	return layer.Compressed()
}

// index is the index of a layout that has this image only.
func (l *layout) index() (io.ReadCloser, error) {
	l.manifests = map[string]bool{}
	var found *remote.Descriptor
	var errs []error
	for _, l.image = range l.images {
		var err error
		if found, err = l.manifest(l.image); err == nil {
			break
		}
		errs = append(errs, err)
	}
	if found == nil {
		return nil, errors.Join(errs...)
	}
	l.manifests[found.Digest.String()] = true
	text, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, Manifests: []v1.Descriptor{found.Descriptor}})
	return io.NopCloser(bytes.NewReader(text)), err
}

// manifest fetches a manifest, and notes those that it lists.
func (l *layout) manifest(at name.Reference) (*remote.Descriptor, error) {
	found, err := l.puller.Get(l.ctx, at)
	if err != nil {
		return nil, err
	}
	// What is no index lists none, and the reader of the layout finds its faults.
	if index, err := v1.ParseIndexManifest(bytes.NewReader(found.Manifest)); err == nil {
		for _, d := range index.Manifests {
			l.manifests[d.Digest.String()] = true
		}
	}
	return found, nil
}

// blob is a file of which only the content is known.
type blob struct{ io.ReadCloser }

// Stat implements [fs.File].
func (blob) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }
