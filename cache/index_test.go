package cache

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// written returns the index of a snapshot.
func written(t testing.TB, s *Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteIndex(&b, s))
	return b.Bytes()
}

// BenchmarkReadIndex reads the index of the catalog that BenchmarkLoadCommunity
// loads.
func BenchmarkReadIndex(b *testing.B) {
	snapshot, err := LoadFS(b.Context(), realFiles(b, "community"), Options{})
	require.NoError(b, err)
	index := written(b, snapshot)
	b.ReportAllocs()
	for b.Loop() {
		_, err := ReadIndex(index, Options{})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(len(index)), "index-B")
}

func TestX(t *testing.T) {
	snapshot, err := LoadFS(t.Context(), os.DirFS(sharedPath(t, "catalogs", "community")), Options{})
	require.NoError(t, err)
	index := written(t, snapshot)
	again, err := ReadIndex(index, Options{})
	require.NoError(t, err)
	require.True(t, bytes.Equal(index, written(t, again)))
}
