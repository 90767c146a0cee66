package cache

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func benchmarkLoad(b *testing.B, files fs.FS) {
	b.ReportAllocs()
	var snapshot *catalog.Snapshot
	for b.Loop() {
		var err error
		snapshot, err = LoadFS(b.Context(), files, Options{})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(snapshot.Len()), "bundles")
}

// realFiles is a real catalog.
func realFiles(b *testing.B, catalog string) fs.FS {
	return os.DirFS(testkit.Shared(b, "catalogs", catalog))
}

// BenchmarkLoadCommunity loads 7.7 MB of JSON, BenchmarkLoadRaw 11 MB of YAML
// with all that maintainers put into it.
func BenchmarkLoadCommunity(b *testing.B) { benchmarkLoad(b, realFiles(b, "community")) }

func BenchmarkLoadRaw(b *testing.B) { benchmarkLoad(b, realFiles(b, "raw-v4.19")) }

// BenchmarkLoadGenerated loads catalogs of the real shape, times as large, as
// JSON and as YAML. Writing them takes part of the time.
func BenchmarkLoadGenerated(b *testing.B) {
	for _, times := range []int{1, 10} {
		b.Run(fmt.Sprintf("json-%dx", times), func(b *testing.B) { benchmarkLoad(b, generate.Real(1).Times(times).FS()) })
	}
	raw := generate.Real(1)
	raw.Packages, raw.Blobs = 33, 10<<10
	b.Run("yaml", func(b *testing.B) { benchmarkLoad(b, raw.FS()) })
}

// BenchmarkLoadObjects loads catalogs of 8 MB, whose bundles have 16 KiB of manifests among their
// properties, and one with the same bytes in a property of another type.
func BenchmarkLoadObjects(b *testing.B) {
	shape := generate.Real(1)
	shape.Packages, shape.Objects = 18, 16<<10
	files := fstest.MapFS{}
	other := fstest.MapFS{}
	size := 0
	require.NoError(b, fs.WalkDir(shape.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(shape.FS(), name)
		files[name] = &fstest.MapFile{Data: text}
		other[name] = &fstest.MapFile{Data: bytes.ReplaceAll(text, []byte("olm.bundle.object"), []byte("olm.csv.metadata2"))}
		size += len(text)
		return err
	}))
	for name, files := range map[string]fs.FS{"objects": files, "other": other} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			benchmarkLoad(b, files)
		})
	}
}

// BenchmarkSnapshotMemory reports what finished snapshots keep alive: one that was
// loaded, one that was read from an index, and thirty copies of one in a Cache, which holds
// it once.
func BenchmarkSnapshotMemory(b *testing.B) {
	loaded := func(files fs.FS) func() (*View, error) {
		return func() (*View, error) {
			s, err := LoadFS(context.Background(), files, Options{})
			return NewView([]Catalog{{Snapshot: s}}), err
		}
	}
	b.Run("community", func(b *testing.B) { benchmarkMemory(b, loaded(realFiles(b, "community"))) })
	b.Run("generated", func(b *testing.B) { benchmarkMemory(b, loaded(generate.Real(1).FS())) })
	store := IndexStore{Dir: b.TempDir()}
	indexed := func() Source { return IndexedFS(realFiles(b, "community"), store, Options{}) }
	read := func() (*View, error) {
		s, err := indexed().Load(context.Background())
		return NewView([]Catalog{{Snapshot: s}}), err
	}
	_, err := read() // which writes the index
	require.NoError(b, err)
	b.Run("index", func(b *testing.B) { benchmarkMemory(b, read) })
	copies := func(source func() Source) func(b *testing.B) {
		return func(b *testing.B) {
			benchmarkMemory(b, func() (*View, error) {
				c := New(CacheOptions{})
				for i := range 30 {
					c.Set(catalog.Key{Name: fmt.Sprint("copy", i)}, CatalogConfig{Source: source()})
				}
				err := c.Refresh(context.Background())
				return c.View(), err
			})
		}
	}
	b.Run("copies", copies(func() Source { return FS(realFiles(b, "community"), Options{}) }))
	b.Run("index-copies", copies(indexed))
}

func benchmarkMemory(b *testing.B, load func() (*View, error)) {
	live := func() uint64 {
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	var used, bundles uint64
	for b.Loop() {
		before := live()
		view, err := load()
		require.NoError(b, err)
		used, bundles = live()-before, 0
		for c := range view.Catalogs() {
			bundles += uint64(c.Snapshot.Len())
		}
		runtime.KeepAlive(view)
	}
	b.ReportMetric(float64(used), "live-B")
	b.ReportMetric(float64(used)/float64(bundles), "B/bundle")
}

// BenchmarkRule evaluates a rule that nobody has asked for before on all bundles
// of a catalog. It takes some 16 us and 150 allocations per bundle. Half of both is
// the interpreter of cel-go, and half of that counts the cost of each step, which
// bounds the rule. 40 percent of the allocations are the maps that the rule reads.
// Therefore verdicts are cached.
func BenchmarkRule(b *testing.B) {
	snapshot, err := LoadFS(b.Context(), generate.Real(1).FS(), Options{})
	require.NoError(b, err)
	parser := constraints.NewParser(constraints.Limits{})
	rule, err := parser.Rule(`properties.exists(p, p.type == "olm.package" && p.value.packageName.endsWith("operator-000007") && semver_compare(p.value.version, "1.0.0") >= 0)`)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		snapshot = snapshot.WithFaults(nil, nil) // which has evaluated nothing yet
		b.StartTimer()
		_, err := snapshot.Matches(b.Context(), constraints.CEL{Rule: rule}, rules.Facts{})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*snapshot.Len()), "ns/bundle")
}

// BenchmarkContent makes the digest of a catalog that tells equal ones.
func BenchmarkContent(b *testing.B) {
	snapshot, err := LoadFS(b.Context(), generate.Real(1).FS(), Options{})
	require.NoError(b, err)
	for b.Loop() {
		_, err := snapshot.WithFaults(nil, nil).Content(b.Context())
		require.NoError(b, err)
	}
}
