// Package registryimage reads the catalog of an image in a registry, with the
// credentials of the user: those of docker, podman and their helpers.
//
// It presents the image as the OCI layout that a copy of it would be, and has package
// cache read that: each blob is fetched when it is opened, and nothing is written.
// So digests, layers and limits are judged as those of an image on disk are.
package registryimage

import (
	"context"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// Source is the catalog of an image: a [cache.Origin] and a [cache.Versioned].
// It is safe for any number of goroutines.
type Source struct {
	image   name.Reference
	puller  *remote.Puller
	options cache.OriginOptions
}

// New returns the catalog of an image, named as in HOST/REPOSITORY:TAG or
// HOST/REPOSITORY@DIGEST.
func New(image string, options cache.OriginOptions) (*Source, error) {
	reference, err := name.ParseReference(image)
	if err != nil {
		return nil, err
	}
	puller, err := remote.NewPuller(remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return nil, err
	}
	return &Source{reference, puller, options}, nil
}

// Load implements [cache.Source].
func (s *Source) Load(ctx context.Context) (*catalog.Snapshot, error) {
	return s.layout(ctx).Load(ctx)
}

// LoadChecked implements [cache.Origin].
func (s *Source) LoadChecked(ctx context.Context) (*cache.Checked, error) {
	return s.layout(ctx).LoadChecked(ctx)
}

// RelatedImages implements [cache.Origin].
func (s *Source) RelatedImages(ctx context.Context, of []catalog.BundleKey) (cache.RelatedImages, error) {
	return s.layout(ctx).RelatedImages(ctx, of)
}

// Version implements [cache.Versioned]: it is the digest of the manifest.
func (s *Source) Version(ctx context.Context) (string, error) {
	return s.layout(ctx).(cache.Versioned).Version(ctx)
}

// layout is the image as it is now. Requests end with ctx.
func (s *Source) layout(ctx context.Context) cache.Origin {
	return cache.OCILayout(&layout{ctx: ctx, puller: s.puller, image: s.image}, "", s.options)
}
