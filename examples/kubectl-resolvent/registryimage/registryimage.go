// Package registryimage reads the catalog of an image in a registry, with the
// credentials of the user: those of docker, podman and their helpers.
//
// It presents the image as the OCI layout that a copy of it would be, and has package
// cache read that: each blob is fetched when it is opened, and nothing is written.
// So digests, layers and limits are judged as those of an image on disk are.
package registryimage

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// Source is the catalog of an image: a [cache.Origin] and a [cache.Versioned].
// It is safe for any number of goroutines.
type Source struct {
	// images are where it may be: on mirrors, then where it is said to be.
	images  []name.Reference
	puller  *remote.Puller
	options cache.OriginOptions
}

// Mirror is a place, as in HOST or HOST/PATH, whose images are at another one, too.
type Mirror struct{ Of, At string }

// New returns the catalog of an image, named as in HOST/REPOSITORY:TAG or
// HOST/REPOSITORY@DIGEST. It is read from the first mirror that has it, else from HOST. A
// nil transport is [remote.DefaultTransport].
func New(image string, mirrors []Mirror, transport http.RoundTripper, options cache.OriginOptions) (*Source, error) {
	reference, err := name.ParseReference(image)
	if err != nil {
		return nil, err
	}
	var images []name.Reference
	for _, m := range mirrors {
		rest, ok := strings.CutPrefix(reference.Name(), m.Of)
		if !ok || !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "@") {
			continue
		}
		mirrored, err := name.ParseReference(m.At + rest)
		if err != nil {
			return nil, fmt.Errorf("the mirror %s: %w", m.At, err)
		}
		images = append(images, mirrored)
	}
	if transport == nil {
		transport = remote.DefaultTransport
	}
	puller, err := remote.NewPuller(remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithTransport(patient{transport}))
	if err != nil {
		return nil, err
	}
	return &Source{append(images, reference), puller, options}, nil
}

// maxPause is the longest pause that a registry may demand.
const maxPause = time.Minute

// patient makes a request again, once, after the pause that the registry demands.
type patient struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := p.RoundTripper.RoundTrip(r)
	if err != nil || r.Body != nil || answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
		return answer, err
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || time.Duration(seconds)*time.Second > maxPause {
		return answer, nil
	}
	answer.Body.Close()
	pause := time.NewTimer(time.Duration(seconds) * time.Second)
	defer pause.Stop()
	select {
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	case <-pause.C:
		return p.RoundTripper.RoundTrip(r)
	}
}

// Load implements [cache.Source].
func (s *Source) Load(ctx context.Context) (*catalog.Snapshot, error) {
	return s.layout(ctx).Load(ctx)
}

// LoadChecked implements [cache.Origin].
func (s *Source) LoadChecked(ctx context.Context) (*cache.Checked, error) {
	return s.layout(ctx).LoadChecked(ctx)
}

// Blobs implements [cache.Origin].
func (s *Source) Blobs(ctx context.Context, of []catalog.BundleKey) (*cache.Blobs, error) {
	return s.layout(ctx).Blobs(ctx, of)
}

// Version implements [cache.Versioned]: it is the digest of the manifest.
func (s *Source) Version(ctx context.Context) (string, error) {
	return s.layout(ctx).(cache.Versioned).Version(ctx)
}

// layout is the image as it is now. Requests end with ctx.
func (s *Source) layout(ctx context.Context) cache.Origin {
	return cache.OCILayout(&layout{ctx: ctx, puller: s.puller, images: s.images}, "", s.options)
}
