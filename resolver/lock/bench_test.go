package lock_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/lock"
)

// fifty returns a fleet: each cluster has fifty operators, a tenth of them with a dependency, all
// installed at the first of four versions.
func fifty(b *testing.B, clusters int) []lock.Cluster {
	var packages []pkg
	var subscriptions []string
	for i := range 50 {
		p := pkg{name: fmt.Sprintf("p%02d", i)}
		for v := range 4 {
			text := fmt.Sprintf("%d.0.0", v+1)
			if i%10 == 9 {
				text += fmt.Sprintf(" p%02d>=1.0.0", i-1)
			}
			p.bundles = append(p.bundles, text)
		}
		packages = append(packages, p)
		subscriptions = append(subscriptions, "n/"+p.name+"=1.0.0")
	}
	names, all := []string{}, map[string][]string{}
	for i := range clusters {
		name := fmt.Sprintf("c%04d", i)
		names, all[name] = append(names, name), subscriptions
	}
	return fleet(view(b, blobs(packages...)), all, names...)
}

func BenchmarkLock(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		clusters := fifty(b, n)
		var made *lock.Result
		b.Run(fmt.Sprintf("Make/clusters=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var err error
				made, err = lock.Make(b.Context(), clusters, lock.Options{})
				require.NoError(b, err)
			}
			data, err := made.Lock.Text()
			require.NoError(b, err)
			b.ReportMetric(float64(len(data)), "file-bytes")
		})
		b.Run(fmt.Sprintf("Check/clusters=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				differences, err := made.Lock.Check(b.Context(), clusters, lock.Options{})
				require.NoError(b, err)
				require.Empty(b, differences)
			}
		})
		b.Run(fmt.Sprintf("Text/clusters=%d", n), func(b *testing.B) {
			for b.Loop() {
				_, err := made.Lock.Text()
				require.NoError(b, err)
			}
		})
		data, err := made.Lock.Text()
		require.NoError(b, err)
		b.Run(fmt.Sprintf("Read/clusters=%d", n), func(b *testing.B) {
			for b.Loop() {
				_, err := lock.Read(data)
				require.NoError(b, err)
			}
		})
	}
}
