package registrypod

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/operator-framework/operator-registry/pkg/api"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/resolvent/resolvent/cache/catalog"
)

// concurrency is how many requests wait for the pod at the same time.
const concurrency = 16

// reader reads one catalog. Replies come in any order; what is made of them does not
// depend on it.
type reader struct {
	client       api.RegistryClient
	experimental api.ExperimentalRegistryClient
	limits       catalog.Limits

	packages []*api.Package
	bundles  map[bundleKey]*bundle
	channels map[channelKey][]entry

	mu         sync.Mutex
	lifecycles [][]byte
	messages   int
	bytes      int64
}

type bundleKey struct{ pkg, name string }

type channelKey struct{ pkg, name string }

// bundle is a bundle with what its ClusterServiceVersion adds.
type bundle struct {
	*api.Bundle
	metadata *property
}

// read returns the file-based catalog, one document a line.
func (r *reader) read(ctx context.Context) ([]byte, error) {
	if err := r.readPackages(ctx); err != nil {
		return nil, err
	}
	if err := r.readBundles(ctx); err != nil {
		return nil, err
	}
	if err := r.readMetadata(ctx); err != nil {
		return nil, err
	}
	if err := r.readLifecycles(ctx); err != nil {
		return nil, err
	}
	documents, err := r.documents()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(documents, bytes.Compare)
	return bytes.Join(documents, nil), nil
}

// count bounds what the pod sends, and what is kept of it.
func (r *reader) count(kept int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages++
	r.bytes += int64(kept)
	switch {
	case r.messages > r.limits.Documents:
		return fmt.Errorf("it sends more than the %d messages allowed", r.limits.Documents)
	case r.bytes > r.limits.FileBytes:
		return fmt.Errorf("its catalog is larger than the %d bytes allowed", r.limits.FileBytes)
	}
	return nil
}

func (r *reader) readPackages(ctx context.Context) error {
	stream, err := r.client.ListPackages(ctx, &api.ListPackageRequest{})
	if err != nil {
		return err
	}
	var names []string
	err = each(stream.Recv, func(p *api.PackageName) error {
		names = append(names, p.Name)
		return r.count(len(p.Name))
	})
	if err != nil {
		return fmt.Errorf("listing its packages: %w", err)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	r.packages = make([]*api.Package, len(names))
	return r.forEach(ctx, len(names), func(ctx context.Context, i int) (err error) {
		if r.packages[i], err = r.client.GetPackage(ctx, &api.GetPackageRequest{Name: names[i]}); err != nil {
			return fmt.Errorf("package %s: %w", names[i], err)
		}
		return r.count(proto.Size(r.packages[i]))
	})
}

// readBundles reads the bundles, each of which comes once for each of its channels
// with the edges that it has there.
func (r *reader) readBundles(ctx context.Context) error {
	stream, err := r.client.ListBundles(ctx, &api.ListBundlesRequest{})
	if err != nil {
		return err
	}
	r.bundles, r.channels = map[bundleKey]*bundle{}, map[channelKey][]entry{}
	err = each(stream.Recv, func(b *api.Bundle) error {
		in := channelKey{b.PackageName, b.ChannelName}
		r.channels[in] = append(r.channels[in], entry{Name: b.CsvName, Replaces: b.Replaces, Skips: b.Skips, SkipRange: b.SkipRange})
		key := bundleKey{b.PackageName, b.CsvName}
		csv := b.CsvJson
		b.CsvJson, b.Object = "", nil // the largest parts by far
		kept := proto.Size(b)
		// Should a server contradict itself, the order of its replies must not decide.
		if known := r.bundles[key]; known == nil || b.ChannelName < known.ChannelName {
			found := &bundle{Bundle: b, metadata: metadataOf(csv)}
			kept += found.metadata.size()
			r.bundles[key] = found
		}
		return r.count(kept)
	})
	if err != nil {
		return fmt.Errorf("listing its bundles: %w", err)
	}
	return nil
}

// readMetadata reads the ClusterServiceVersions that lists of bundles leave out:
// where a bundle is an image, each is the answer to a request of its own.
func (r *reader) readMetadata(ctx context.Context) error {
	var list []*bundle
	for _, b := range r.bundles {
		if b.metadata == nil && b.BundlePath != "" {
			list = append(list, b)
		}
	}
	return r.forEach(ctx, len(list), func(ctx context.Context, i int) error {
		b := list[i]
		full, err := r.client.GetBundle(ctx, &api.GetBundleRequest{PkgName: b.PackageName, ChannelName: b.ChannelName, CsvName: b.CsvName})
		if err != nil {
			return fmt.Errorf("bundle %s: %w", b.CsvName, err)
		}
		b.metadata = metadataOf(full.CsvJson)
		return r.count(b.metadata.size())
	})
}

// readLifecycles reads what publishers state of support. Pods without the experimental
// service do not implement it, or take no such name of a package.
func (r *reader) readLifecycles(ctx context.Context) error {
	ctx = metadata.AppendToOutgoingContext(ctx, "x-acknowledge-experimental", "true") // else the answer is empty
	return r.forEach(ctx, len(r.packages), func(ctx context.Context, i int) error {
		of := &api.ExperimentalListPackageCustomSchemasRequest{Schema: "io.openshift.operators.lifecycles.v1alpha1", PackageName: r.packages[i].Name}
		stream, err := r.experimental.ExperimentalListPackageCustomSchemas(ctx, of)
		if err == nil {
			err = each(stream.Recv, r.keepLifecycle)
		}
		if code := status.Code(err); err == nil || code == codes.Unimplemented || code == codes.InvalidArgument {
			return nil
		}
		return fmt.Errorf("lifecycles of package %s: %w", of.PackageName, err)
	})
}

func (r *reader) keepLifecycle(blob *structpb.Struct) error {
	text, err := json.Marshal(blob.AsMap())
	if err != nil {
		return err // a number that JSON does not have
	}
	r.mu.Lock()
	r.lifecycles = append(r.lifecycles, append(text, '\n'))
	r.mu.Unlock()
	return r.count(len(text))
}

// forEach makes requests at the same time, until one fails.
func (r *reader) forEach(ctx context.Context, n int, do func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for i := range n {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}

// each calls use for every message of a stream.
func each[M any](receive func() (M, error), use func(M) error) error {
	for {
		message, err := receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = use(message)
		}
		if err != nil {
			return err
		}
	}
}

// documents are the documents of the catalog, in any order.
func (r *reader) documents() ([][]byte, error) {
	list := r.lifecycles
	add := func(d document) error {
		text, err := d.text()
		list = append(list, text)
		return err
	}
	deprecated := map[string][]entry{}
	deprecate := func(pkg, schema, name string, d *api.Deprecation) {
		if d != nil {
			deprecated[pkg] = append(deprecated[pkg], entry{Reference: &reference{schema, name}, Message: d.Message})
		}
	}
	var errs []error
	for _, p := range r.packages {
		errs = append(errs, add(document{Schema: "olm.package", Name: p.Name, DefaultChannel: p.DefaultChannelName}))
		deprecate(p.Name, "olm.package", "", p.Deprecation)
		for _, c := range p.Channels {
			deprecate(p.Name, "olm.channel", c.Name, c.Deprecation)
		}
	}
	for key, entries := range r.channels {
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
		errs = append(errs, add(document{Schema: "olm.channel", Package: key.pkg, Name: key.name, Entries: entries}))
	}
	for key, b := range r.bundles {
		errs = append(errs, add(document{Schema: "olm.bundle", Package: key.pkg, Name: key.name, Image: b.BundlePath, Properties: b.properties()}))
		deprecate(key.pkg, "olm.bundle", key.name, b.Deprecation)
	}
	for pkg, entries := range deprecated {
		slices.SortFunc(entries, func(a, b entry) int {
			return strings.Compare(a.Reference.Schema+a.Reference.Name, b.Reference.Schema+b.Reference.Name)
		})
		errs = append(errs, add(document{Schema: "olm.deprecations", Package: pkg, Entries: entries}))
	}
	return list, errors.Join(errs...)
}
