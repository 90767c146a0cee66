package resolver_test

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/generate"
	"github.com/resolvent/resolvent/resolver"
)

// BenchmarkCatalogSize asks for the same bundles of catalogs of 1, 10 and 100
// times the real size: what a call costs follows what its requests reach.
func BenchmarkCatalogSize(b *testing.B) {
	for _, times := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dx", times), func(b *testing.B) {
			view := generatedView(b, times)
			benchmarkResolve(b, withDependencies(b, view), view)
		})
	}
}

// withDependencies asks for the first package that needs two others.
func withDependencies(b *testing.B, view *cache.View) *resolver.Cluster {
	for pkg := range generate.Real(1).Packages {
		cluster := wanting(pkg)
		resolution, err := resolver.New(resolver.Options{}).Resolve(b.Context(), "operators", cluster, view)
		if err == nil && len(resolution.Installs) == 3 {
			return cluster
		}
	}
	b.Fatal("no package needs two others")
	return nil
}

// BenchmarkRequests asks for more and more packages of one catalog, half of
// which are installed already.
func BenchmarkRequests(b *testing.B) {
	shape := generate.Real(1).Times(10)
	shape.Conflicts, shape.Missing = 0, 0
	benchmarkRequests(b, shape)
}

// BenchmarkConflicts does so where many packages cannot be together.
func BenchmarkConflicts(b *testing.B) {
	shape := generate.Real(1).Times(10)
	shape.Conflicts = 0.5
	benchmarkRequests(b, shape)
}

func benchmarkRequests(b *testing.B, shape generate.Shape) {
	view := viewOf(b, shape.FS())
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkResolve(b, generatedCluster(b, snapshotOf(view), 1, n, 0.5), view)
		})
	}
}

// hardProblem is a catalog that only an adversary would write, with the packages
// to ask for.
type hardProblem struct {
	name     string
	files    fs.FS
	packages []int
	// solvable: the requests can be met.
	solvable bool
}

func hardProblems() []hardProblem {
	return []hardProblem{
		{"3000-versions", generate.Versions(3000), numbers(1), true},
		{"1000-providers", generate.Providers(1000, 3), numbers(1), true},
		{"300-providers-all-wanted", generate.Providers(300, 3), numbers(300), false},
		{"chain-of-500", generate.Chain(500, 3, 3), numbers(1), true},
		{"chain-to-the-oldest", generate.Chain(50, 20, 1), numbers(1), true},
		{"chain-to-nothing", generate.Chain(30, 15, 0), numbers(1), false},
		{"conflicts", generate.Conflicts(12, 16), numbers(12), true},
		{"conflicts-too-dense", generate.Conflicts(6, 5), numbers(6), false},
		{"any-of-200-alls", generate.Alternatives(200), numbers(1), true},
	}
}

// BenchmarkHard resolves what only an adversary would write.
func BenchmarkHard(b *testing.B) {
	for _, hard := range hardProblems() {
		b.Run(hard.name, func(b *testing.B) {
			benchmarkResolve(b, wanting(hard.packages...), viewOf(b, hard.files))
		})
	}
}

// TestHardProblems checks that each has the answer that it was made for.
func TestHardProblems(t *testing.T) {
	for _, hard := range hardProblems() {
		t.Run(hard.name, func(t *testing.T) {
			_, err := resolver.New(resolver.Options{}).Resolve(t.Context(), "operators", wanting(hard.packages...), viewOf(t, hard.files))
			if hard.solvable {
				require.NoError(t, err)
				return
			}
			var failure *resolver.NotSatisfiable
			require.ErrorAs(t, err, &failure)
		})
	}
}
