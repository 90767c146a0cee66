package registrypod_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/operator-framework/operator-registry/pkg/api"
	registrycache "github.com/operator-framework/operator-registry/pkg/cache"
	"github.com/operator-framework/operator-registry/pkg/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registrypod"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// dialer connects to a registry pod, until the test ends.
type dialer func(context.Context) (net.Conn, error)

func serve(t testing.TB, registry api.RegistryServer) dialer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := grpc.NewServer()
	api.RegisterRegistryServer(s, registry)
	if experimental, ok := registry.(api.ExperimentalRegistryServer); ok {
		api.RegisterExperimentalRegistryServer(s, experimental)
	}
	go s.Serve(listener)
	t.Cleanup(s.Stop)
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
	}
}

// registry is operator-registry's own server of a file-based catalog.
func registry(t testing.TB, catalog fs.FS) api.RegistryServer {
	t.Helper()
	store, err := registrycache.New(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	if err := registrycache.LoadOrRebuild(t.Context(), store, catalog); err != nil {
		t.Skipf("operator-registry does not serve this catalog: %v", err)
	}
	return struct {
		api.RegistryServer
		api.ExperimentalRegistryServer
	}{server.NewRegistryServer(store), server.NewExperimentalRegistryServer(store)}
}

func shared(t testing.TB, name string) string {
	return testkit.Shared(t, "catalogs", name)
}

func local(_ testing.TB, name string) string {
	return filepath.Join("..", "..", "..", "testdata", "catalogs", name)
}

// TestSameAsFolder: what a pod serves is what the folder holds that it was made of.
func TestSameAsFolder(t *testing.T) {
	for _, c := range []struct {
		name string
		find func(testing.TB, string) string
		long bool // operator-registry takes a while to begin to serve it
	}{
		{"coast", local, false}, {"island", local, false}, {"reef", local, false},
		{"community", shared, false}, {"community-v4.14", shared, true}, {"community-v4.19", shared, true}, {"raw-v4.19", shared, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long && testkit.Scale(0, 1) == 0 {
				t.Skipf("it takes long: set %s to nightly", testkit.LongVariable)
			}
			folder := os.DirFS(c.find(t, c.name))
			source := &registrypod.Source{Name: "pod", Dial: serve(t, registry(t, folder))}
			want, err := cache.LoadFS(t.Context(), folder, cache.Options{})
			require.NoError(t, err)
			got, err := source.Load(t.Context())
			require.NoError(t, err)
			assert.Equal(t, content(t, want), content(t, got))

			checked, err := source.LoadChecked(t.Context())
			require.NoError(t, err)
			assert.Equal(t, content(t, want), content(t, checked.Snapshot))
		})
	}
}

// content is what a snapshot holds, apart from the order of properties and places in
// files.
func content(t testing.TB, s *catalog.Snapshot) []string {
	var list []string
	add := func(format string, values ...any) { list = append(list, fmt.Sprintf(format, values...)) }
	for p := range s.Packages() {
		add("package %s: default %s, deprecated %q, lifecycles %v", p.Name, p.DefaultChannel, p.Deprecation, p.Lifecycles)
		for _, c := range p.Channels {
			add("channel %s/%s: default %t, deprecated %q, fault %q, order %v", c.Package, c.Name, c.Default, c.Deprecation, c.Fault, c.Order)
			for _, e := range c.Entries {
				add("entry %s: replaces %s, skips %v, skipRange %s, bundle %d, depth %d, skipped %t", e.Name, e.Replaces, e.Skips, e.SkipRange.Text(), e.Bundle, e.Depth, e.Skipped)
			}
		}
		for _, id := range p.Bundles {
			b := s.Bundle(id)
			var properties []string
			for _, p := range b.Properties.CEL() {
				text, err := json.Marshal(p)
				require.NoError(t, err)
				properties = append(properties, string(text))
			}
			slices.Sort(properties)
			add("bundle %d %s: image %s, version %s, deprecated %q, constraints %d, %s", id, b.Name, b.Image, b.Version, b.Deprecation, len(b.Constraints), properties)
		}
	}
	for _, f := range s.Faults() {
		add("%v", f.WithoutFile())
	}
	return list
}

// pod serves what a test says.
type pod struct {
	api.UnimplementedRegistryServer
	packages []*api.Package
	bundles  []*api.Bundle
	csvs     map[string]string
	stall    bool // in the middle of the list
	gone     bool // what was listed
	listErr  error
	requests atomic.Int32
}

func (p *pod) ListPackages(_ *api.ListPackageRequest, to api.Registry_ListPackagesServer) error {
	p.requests.Add(1)
	for _, each := range p.packages {
		if err := to.Send(&api.PackageName{Name: each.Name}); err != nil {
			return err
		}
	}
	return nil
}

func (p *pod) GetPackage(_ context.Context, in *api.GetPackageRequest) (*api.Package, error) {
	for _, each := range p.packages {
		if each.Name == in.Name && !p.gone {
			return each, nil
		}
	}
	return nil, errors.New("there is no such package")
}

func (p *pod) ListBundles(_ *api.ListBundlesRequest, to api.Registry_ListBundlesServer) error {
	for _, b := range p.bundles {
		if err := to.Send(b); err != nil {
			return err
		}
	}
	if p.stall {
		<-to.Context().Done()
		return to.Context().Err() // without it the list would be complete where the pod's clock is ahead
	}
	return p.listErr
}

func (p *pod) GetBundle(_ context.Context, in *api.GetBundleRequest) (*api.Bundle, error) {
	return &api.Bundle{CsvName: in.CsvName, CsvJson: p.csvs[in.CsvName]}, nil
}

// newPod serves one package with one bundle.
func newPod() *pod {
	return &pod{
		packages: []*api.Package{{Name: "etcd", DefaultChannelName: "alpha", Channels: []*api.Channel{{Name: "alpha", CsvName: "etcd.v1.0.0"}}}},
		bundles: []*api.Bundle{{
			CsvName: "etcd.v1.0.0", PackageName: "etcd", ChannelName: "alpha", BundlePath: "registry.example/etcd:1", Version: "1.0.0",
			Properties: []*api.Property{{Type: "olm.package", Value: `{"packageName":"etcd","version":"1.0.0"}`}},
		}},
	}
}

func load(t testing.TB, p *pod) (*catalog.Snapshot, error) {
	source := &registrypod.Source{Name: "pod", Dial: serve(t, p), Timeout: time.Minute}
	return source.Load(t.Context())
}

// TestDatabase: servers on a database state in older fields what those on files state
// in properties.
func TestDatabase(t *testing.T) {
	p := newPod()
	b := p.bundles[0]
	b.Properties, b.BundlePath = nil, ""
	b.CsvJson = `{"metadata":{"annotations":{"a":"b"}},"spec":{"minKubeVersion":"1.31.0","installModes":[{"type":"AllNamespaces","supported":true}]}}`
	b.ProvidedApis = []*api.GroupVersionKind{{Group: "etcd.example", Version: "v1", Kind: "Cluster", Plural: "clusters"}}
	b.RequiredApis = []*api.GroupVersionKind{{Group: "vault.example", Version: "v1", Kind: "Vault"}}
	s, err := load(t, p)
	require.NoError(t, err)
	assert.Empty(t, s.Faults())
	assert.Equal(t, []any{
		map[string]any{"type": "olm.package", "value": map[string]any{"packageName": "etcd", "version": "1.0.0"}},
		map[string]any{"type": "olm.gvk", "value": map[string]any{"group": "etcd.example", "kind": "Cluster", "version": "v1"}},
		map[string]any{"type": "olm.gvk.required", "value": map[string]any{"group": "vault.example", "kind": "Vault", "version": "v1"}},
	}, s.Bundle(0).Properties.CEL()[1:])
	assert.Equal(t, "1.31.0", s.Bundle(0).Properties.Metadata().MinKubeVersion)

	b.Dependencies = []*api.Dependency{
		{Type: "olm.package", Value: `{"packageName":"vault","version":">=1.0.0"}`},
		{Type: "olm.gvk", Value: `{"group":"vault.example","kind":"Vault","version":"v2"}`},
		{Type: "olm.constraint", Value: `{"failureMessage":"m","gvk":{"group":"vault.example","kind":"Vault","version":"v3"}}`},
	}
	s, err = load(t, p)
	require.NoError(t, err)
	assert.Empty(t, s.Faults())
	assert.Len(t, s.Bundle(0).Constraints, 3)
}

// TestDeprecations: messages come with packages, channels and bundles.
func TestDeprecations(t *testing.T) {
	p := newPod()
	p.packages[0].Deprecation = &api.Deprecation{Message: "p"}
	p.packages[0].Channels[0].Deprecation = &api.Deprecation{Message: "c"}
	p.bundles[0].Deprecation = &api.Deprecation{Message: "b"}
	s, err := load(t, p)
	require.NoError(t, err)
	etcd := s.Package("etcd")
	assert.Equal(t, "p c b", etcd.Deprecation+" "+etcd.Channel("alpha").Deprecation+" "+s.Bundle(0).Deprecation)
}

// TestLifecycles: what publishers state of support is what the folder holds; a pod whose
// service fails has not stated it.
func TestLifecycles(t *testing.T) {
	folder := fstest.MapFS{"catalog.json": {Data: []byte(`{"schema":"olm.package","name":"etcd","defaultChannel":"alpha"}
{"schema":"olm.channel","package":"etcd","name":"alpha","entries":[{"name":"etcd.v1.0.0"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v1.0.0","image":"registry.example/etcd:1","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}
{"schema":"io.openshift.operators.lifecycles.v1alpha1","package":"etcd","versions":[{"name":"1.0","phases":[{"name":"Full support","startDate":"2026-01-01","endDate":"2026-12-31"}],"platformCompatibility":[{"name":"openshift","versions":["4.18"]}]}]}
`)}}
	want, err := cache.LoadFS(t.Context(), folder, cache.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, want.Package("etcd").Lifecycles)
	got, err := (&registrypod.Source{Name: "pod", Dial: serve(t, registry(t, folder))}).Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, content(t, want), content(t, got))

	_, err = (&registrypod.Source{Name: "pod", Dial: serve(t, &failing{pod: newPod()})}).Load(t.Context())
	assert.ErrorContains(t, err, "pod: lifecycles of package etcd: rpc error: code = DataLoss desc = disk on fire")
}

// failing has a service of lifecycles that fails.
type failing struct {
	*pod
	api.UnimplementedExperimentalRegistryServer
}

func (failing) ExperimentalListPackageCustomSchemas(*api.ExperimentalListPackageCustomSchemasRequest, api.ExperimentalRegistry_ExperimentalListPackageCustomSchemasServer) error {
	return status.Error(codes.DataLoss, "disk on fire")
}

// TestDamage: what is wrong with one bundle quarantines that bundle only.
func TestDamage(t *testing.T) {
	for name, damage := range map[string]func(p *pod, b *api.Bundle){
		"a property is no JSON": func(_ *pod, b *api.Bundle) {
			b.Properties = append(b.Properties, &api.Property{Type: "olm.gvk", Value: "{"})
		},
		"a dependency is no JSON": func(_ *pod, b *api.Bundle) {
			b.Dependencies = append(b.Dependencies, &api.Dependency{Type: "olm.package", Value: "}"})
		},
		"another package": func(_ *pod, b *api.Bundle) {
			b.Properties[0].Value = `{"packageName":"other","version":"1.0.0"}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod()
			broken := newPod().bundles[0]
			broken.CsvName, broken.Replaces = "etcd.v1.1.0", "etcd.v1.0.0"
			damage(p, broken)
			p.bundles = append(p.bundles, broken)
			s, err := load(t, p)
			require.NoError(t, err)
			assert.NotEmpty(t, s.Faults())
			assert.Equal(t, 1, s.Len())
		})
	}
	t.Run("a ClusterServiceVersion is none", func(t *testing.T) {
		p := newPod()
		p.csvs = map[string]string{"etcd.v1.0.0": `{"spec":[]}`}
		s, err := load(t, p)
		require.NoError(t, err)
		require.Len(t, s.Faults(), 1)
		assert.Equal(t, "etcd.v1.0.0", s.Faults()[0].Bundle)
	})
}

// TestContradiction: a pod that says two things of a bundle gets the same answer
// whatever comes first.
func TestContradiction(t *testing.T) {
	p := newPod()
	other := newPod().bundles[0]
	other.ChannelName, other.BundlePath = "beta", "registry.example/etcd:other"
	p.bundles = append(p.bundles, other)
	one, err := load(t, p)
	require.NoError(t, err)
	slices.Reverse(p.bundles)
	two, err := load(t, p)
	require.NoError(t, err)
	assert.Equal(t, content(t, one), content(t, two))
}

// TestFailures: an error names the pod and what failed.
func TestFailures(t *testing.T) {
	small := cache.OriginOptions{}
	small.Limits = catalog.Limits{Documents: 4, DocumentBytes: 1000, FileBytes: 1500}
	for _, c := range []struct {
		name    string
		options cache.OriginOptions
		timeout time.Duration
		change  func(*pod)
		want    string
	}{
		{name: "the list breaks off", change: func(p *pod) { p.listErr = errors.New("disk on fire") },
			want: "pod: listing its bundles: rpc error: code = Unknown desc = disk on fire"},
		{name: "a package is gone", change: func(p *pod) { p.gone = true }, want: "pod: package etcd: rpc error: code = Unknown desc = there is no such package"},
		{name: "silence", timeout: 50 * time.Millisecond, change: func(p *pod) { p.stall = true }, want: "pod: listing its bundles: rpc error: code = DeadlineExceeded"},
		{name: "too many messages", options: small, change: func(p *pod) { p.bundles = slices.Repeat(p.bundles, 5) }, want: "more than the 4 messages allowed"},
		{name: "a large message", options: small, change: func(p *pod) { p.bundles[0].CsvJson = strings.Repeat(" ", 1001) }, want: "received message larger than max"},
		{name: "a large catalog", options: small, change: func(p *pod) {
			p.bundles[0].SkipRange = strings.Repeat(" ", 700)
			p.bundles = append(p.bundles, p.bundles[0])
		}, want: "larger than the 1500 bytes allowed"},
		{name: "large annotations", options: small, change: func(p *pod) {
			p.bundles[0].CsvJson = `{"metadata":{"annotations":{"a":"` + strings.Repeat("x", 700) + `"}}}`
			next := newPod().bundles[0]
			next.CsvName, next.CsvJson = "etcd.v1.1.0", p.bundles[0].CsvJson
			p.bundles = append(p.bundles, next)
		}, want: "larger than the 1500 bytes allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPod()
			c.change(p)
			source := &registrypod.Source{Name: "pod", Dial: serve(t, p), Options: c.options, Timeout: c.timeout}
			_, err := source.Load(t.Context())
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// TestCancel: a context that ends while the pod is silent ends the reading at once.
func TestCancel(t *testing.T) {
	p := newPod()
	p.stall = true
	source := &registrypod.Source{Name: "pod", Dial: serve(t, p)}
	late, err := testkit.CancelAfter(t.Context(), 50*time.Millisecond, func(ctx context.Context) error {
		_, err := source.Load(ctx)
		return err
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Less(t, late, testkit.AllowedLatency())
}

// TestIndex: a pod is not asked again for content that is known.
func TestIndex(t *testing.T) {
	p := newPod()
	options := cache.OriginOptions{Index: cache.IndexStore{Dir: t.TempDir(), Report: func(err error) { t.Error(err) }}}
	dial := serve(t, p)
	for range 2 {
		source := &registrypod.Source{Name: "pod", Dial: dial, Content: "image@sha256:1", Options: options}
		s, err := source.Load(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, s.Len())
	}
	assert.EqualValues(t, 1, p.requests.Load())
}
