package cache

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func benchmarkLoad(b *testing.B, catalog string) {
	root := os.DirFS(sharedPath(b, "catalogs", catalog))
	b.ReportAllocs()
	var snapshot *Snapshot
	for b.Loop() {
		var err error
		snapshot, err = LoadFS(b.Context(), root, Options{})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(snapshot.Len()), "bundles")
}

func BenchmarkLoadCommunity(b *testing.B) { benchmarkLoad(b, "community") }

func BenchmarkLoadRaw(b *testing.B) { benchmarkLoad(b, "raw-v4.19") }

// BenchmarkSnapshotMemory reports what a finished snapshot keeps alive.
func BenchmarkSnapshotMemory(b *testing.B) {
	root := os.DirFS(sharedPath(b, "catalogs", "community"))
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
		snapshot, err := LoadFS(context.Background(), root, Options{})
		require.NoError(b, err)
		used, bundles = live()-before, uint64(snapshot.Len())
		runtime.KeepAlive(snapshot)
	}
	b.ReportMetric(float64(used), "live-B")
	b.ReportMetric(float64(used)/float64(bundles), "B/bundle")
}
