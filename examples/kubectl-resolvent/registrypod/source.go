// Package registrypod reads the catalog that the registry pod of a CatalogSource
// serves by the gRPC API of operator-registry.
//
// It asks for every package and bundle, rebuilds the file-based catalog that the pod
// was made of, and has package cache read that text, so that a fault means here what
// it means in a folder. How the pod is reached is the caller's business.
package registrypod

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/operator-framework/operator-registry/pkg/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// Source is a catalog that a registry pod serves: a [cache.Origin] and a
// [cache.Versioned]. It does not change, and is safe for any number of goroutines.
type Source struct {
	// Name stands in errors.
	Name string
	// Dial connects to the pod.
	Dial func(context.Context) (net.Conn, error)
	// Content identifies what the pod serves, such as the digests of its images;
	// empty if that is not known. It keys the index.
	Content string
	// Options say how to read the catalog, and where to keep an index of it. Their
	// Limits bound messages (DocumentBytes), the number of these (Documents) and what
	// is kept of them (FileBytes).
	Options cache.OriginOptions
	// Timeout is how long the pod may take for everything; default 5 minutes.
	Timeout time.Duration
}

// At returns the catalog that is served at an address, HOST:PORT.
func At(name, address string, options cache.OriginOptions) *Source {
	dial := func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", address)
	}
	return &Source{Name: name, Dial: dial, Options: options}
}

// Load implements [cache.Source].
func (s *Source) Load(ctx context.Context) (*catalog.Snapshot, error) {
	load := func(ctx context.Context) (*catalog.Snapshot, error) {
		stream, err := s.stream(ctx)
		if err != nil {
			return nil, err
		}
		return stream.Load(ctx)
	}
	if s.Options.Index.Dir == "" {
		return load(ctx)
	}
	return s.Options.Index.Load(ctx, s.Version, s.Options.Options, load)
}

// LoadChecked implements [cache.Origin].
func (s *Source) LoadChecked(ctx context.Context) (*cache.Checked, error) {
	stream, err := s.stream(ctx)
	if err != nil {
		return nil, err
	}
	return stream.LoadChecked(ctx)
}

// Blobs implements [cache.Origin].
func (s *Source) Blobs(context.Context, []catalog.BundleKey) (*cache.Blobs, error) {
	return nil, fmt.Errorf("%s: a registry pod does not state all images of its bundles", s.Name)
}

// Version implements [cache.Versioned].
func (s *Source) Version(context.Context) (string, error) { return s.Content, nil }

// stream returns the file-based catalog that the pod was made of.
func (s *Source) stream(ctx context.Context) (cache.Origin, error) {
	reading, cancel := context.WithTimeout(ctx, cmp.Or(s.Timeout, 5*time.Minute))
	defer cancel()
	limits := s.Options.Limits.WithDefaults()
	connection, err := grpc.NewClient("passthrough:///registry",
		grpc.WithTransportCredentials(insecure.NewCredentials()), // as OLM does: registry pods have no certificate
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return s.Dial(ctx) }),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(limits.DocumentBytes)))
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	r := reader{client: api.NewRegistryClient(connection), experimental: api.NewExperimentalRegistryClient(connection), limits: limits}
	text, err := r.read(reading)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return cache.Stream(s.Name, bytes.NewReader(text), s.Options), nil
}
