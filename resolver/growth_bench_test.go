package resolver_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// BenchmarkCatalogSize asks for the same bundles of catalogs of 1, 10 and 100
// times the real size: the cost of a call depends on what its requests reach, not
// on the catalog. Fastest of 12: 9.0, 5.5 and 8.5 us, with the same memory. The
// largest catalog needs 1 GB.
func BenchmarkCatalogSize(b *testing.B) {
	for _, times := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dx", times), func(b *testing.B) {
			view := generatedView(b, times)
			benchmarkResolve(b, withDependencies(b, view), view)
		})
	}
}

// withDependencies asks for the first package that needs two others.
func withDependencies(b *testing.B, view *cache.View) *cluster.Index {
	for pkg := range generate.Real(1).Packages {
		known := wanting(pkg)
		resolution, err := resolver.New().Resolve(b.Context(), resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("operators"))
		if err == nil && len(resolution.Installs) == 3 {
			return known
		}
	}
	b.Fatal("no package needs two others")
	return nil
}

// BenchmarkRequests asks for more and more packages of one catalog, half of
// which are installed already. 10, 100, 1,000 and 3,000 requests take 0.31, 3.0, 33
// and 98 million instructions (perf stat -e instructions:u, GOGC=off). The time
// grows a little faster, as less fits into the processor's caches.
func BenchmarkRequests(b *testing.B) {
	benchmarkRequests(b, fittingShape(3000))
}

// BenchmarkInstalled asks for one package in a namespace where more and more is
// installed by hand.
func BenchmarkInstalled(b *testing.B) {
	view := viewOf(b, fittingShape(3000).FS())
	for _, n := range []int{10, 100, 1000, 3000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkResolve(b, freestanding(b, snapshotOf(view), n), view)
		})
	}
}

// BenchmarkBeside asks for a ClusterExtension where more and more is installed by OLM v0.
func BenchmarkBeside(b *testing.B) {
	s, r := snapshotOf(viewOf(b, fittingShape(3000).FS())), resolver.New()
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "community"}, Snapshot: s}})
	asked := cluster.ClusterExtension{Name: "asked", Package: generate.PackageName(0)}
	for _, n := range []int{10, 100, 1000, 3000} {
		known := freestanding(b, s, n).WithObjects(func(o *cluster.Objects) { o.ClusterExtensions = []cluster.ClusterExtension{asked} })
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := r.Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, asked.Key().Scope())
				require.NoError(b, err)
			}
		})
	}
}

// freestanding is a cluster that asks for the first package of a catalog and has
// the newest bundles of n others installed without Subscriptions.
func freestanding(t testing.TB, s *catalog.Snapshot, n int) *cluster.Index {
	objects := cluster.Objects{Subscriptions: []cluster.Subscription{subscriptionTo(generate.PackageName(0))}}
	for p := range s.Packages() {
		if p.Name != generate.PackageName(0) && len(objects.CSVs) < n {
			objects.CSVs = append(objects.CSVs, random.CSV("operators", s.Bundle(p.Bundles[0])))
		}
	}
	return cluster.NewIndex(objects)
}

// BenchmarkPath searches a path to the head of a channel of n entries, each of which replaces the one
// before (steps) or updates all before (edges).
func BenchmarkPath(b *testing.B) {
	for _, n := range []int{450, 4500} {
		for _, name := range []string{"steps", "edges"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				search := pathAlong(b, n, name == "edges")
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, search())
				}
			})
		}
	}
}

// pathAlong searches a path from the oldest of n entries to the head. Each entry replaces the one
// before, or with skip updates all before.
func pathAlong(t testing.TB, n int, skip bool) func() error {
	var entries, bundles strings.Builder
	for i := range n {
		fmt.Fprintf(&bundles, `{"schema":"olm.bundle","package":"p","name":"p.v%d","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%[1]d"}}]}`, i)
		if i == n-1 {
			break
		}
		fmt.Fprintf(&entries, `,{"name":"p.v%d","replaces":"p.v%d"`, i+1, i)
		if skip {
			fmt.Fprintf(&entries, `,"skipRange":"<1.0.%d"`, i+1)
		}
		entries.WriteString("}")
	}
	view := viewOf(t, fstest.MapFS{"p.json": &fstest.MapFile{Data: fmt.Appendf(nil, `{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v0"}%s]}%s`, entries.String(), bundles.String())}})
	objects := random.Installed("operators", snapshotOf(view), "p", "c", snapshotOf(view).Named("p.v0")[0])
	p := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view, Options: policy.Options{PathBudget: n}}
	r := resolver.New()
	return func() error {
		_, err := r.Path(t.Context(), p, objects.Subscriptions[0].Key(), "")
		return err
	}
}

// fittingShape is a catalog of more packages than are asked for, all of which
// can be installed together.
func fittingShape(asked int) generate.Shape {
	shape := generate.Real(1)
	shape = shape.Times(1 + asked/shape.Packages)
	shape.Conflicts, shape.Missing = 0, 0
	return shape
}

// Of many updates that no longer provide an API, those are told whose API nothing else provides.
func TestDroppedOfMany(t *testing.T) {
	const most = 200
	files := fstest.MapFS{}
	for i := range most {
		taken := "" // of each even package, the next one takes the API over
		if i%2 == 1 {
			taken = fmt.Sprintf(`,{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"Kind%d"}}`, i-1)
		}
		pkg := generate.PackageName(i)
		files[pkg+".json"] = &fstest.MapFile{Data: fmt.Appendf(nil, `{"schema":"olm.package","name":%[1]q,"defaultChannel":"stable"}
{"schema":"olm.channel","package":%[1]q,"name":"stable","entries":[{"name":"%[1]s.v2","replaces":"%[1]s.v1"},{"name":"%[1]s.v1"}]}
{"schema":"olm.bundle","package":%[1]q,"name":"%[1]s.v1","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"1.0.0"}},
{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"Kind%[2]d"}}]}
{"schema":"olm.bundle","package":%[1]q,"name":"%[1]s.v2","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"2.0.0"}}%[3]s]}
`, pkg, i, taken)}
	}
	view := viewOf(t, files)
	for _, n := range []int{10, most} {
		var objects cluster.Objects
		for i := range n {
			s := subscriptionTo(generate.PackageName(i))
			s.InstalledCSV = s.Package + ".v1"
			b := snapshotOf(view).Package(s.Package).Bundles
			for _, id := range b {
				if bundle := snapshotOf(view).Bundle(id); bundle.Name == s.InstalledCSV {
					objects.CSVs = append(objects.CSVs, random.CSV("operators", bundle))
				}
			}
			objects.Subscriptions = append(objects.Subscriptions, s)
		}
		answer, err := resolver.New().Resolve(t.Context(), resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view}, cluster.InNamespace("operators"))
		require.NoError(t, err)
		var told []string
		for _, w := range answer.Warnings {
			told = append(told, string(w.Kind())+" "+w.Args().Subject)
		}
		var want []string
		for i := 1; i < n; i += 2 {
			want = append(want, "droppedVersion "+generate.PackageName(i)+".v1")
		}
		assert.ElementsMatch(t, want, told)
	}
}

// BenchmarkConflicts does so with requests where many packages cannot be together: 1,000 take some
// 0.2 s and 160 MB. Causes are sought in each component by itself: the largest has 28 requests.
func BenchmarkConflicts(b *testing.B) {
	shape := generate.Real(1).Times(10)
	shape.Conflicts = 0.5
	benchmarkRequests(b, shape)
}

func benchmarkRequests(b *testing.B, shape generate.Shape) {
	view := viewOf(b, shape.FS())
	for _, n := range []int{10, 100, 1000, 3000} {
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
		{"1000-providers-all-wanted", generate.Providers(1000, 3), numbers(1000), false},
		{"chain-of-3000", generate.Chain(3000, 3, 3), numbers(1), true},
		{"chain-to-the-oldest", generate.Chain(50, 20, 1), numbers(1), true},
		{"chain-to-nothing", generate.Chain(30, 15, 0), numbers(1), false},
		{"conflicts", generate.Conflicts(12, 16), numbers(12), true},
		{"conflicts-too-dense", generate.Conflicts(8, 7), numbers(8), false},
		// Some 64 KiB, and so about as wide as constraints can be.
		{"any-of-300-alls", generate.Alternatives(300), numbers(1), true},
	}
}

// hardBudget is the time that a call for a hard problem may take.
const hardBudget = time.Minute

// BenchmarkHard resolves what only an adversary would write.
func BenchmarkHard(b *testing.B) {
	for _, hard := range hardProblems() {
		b.Run(hard.name, func(b *testing.B) {
			begin := func() (context.Context, context.CancelFunc) { return context.WithTimeout(b.Context(), hardBudget) }
			benchmarkWithin(b, begin, wanting(hard.packages...), viewOf(b, hard.files))
		})
	}
}

// TestHardProblems checks that each has the answer that it was made for, within
// its budget.
func TestHardProblems(t *testing.T) {
	for _, hard := range hardProblems() {
		t.Run(hard.name, func(t *testing.T) {
			view := viewOf(t, hard.files)
			var err error
			assert.Less(t, testkit.Took(func() {
				_, err = resolver.New().Resolve(t.Context(), resolver.Problem{Cluster: wanting(hard.packages...), Catalogs: view}, cluster.InNamespace("operators"))
			}), hardBudget)
			if hard.solvable {
				require.NoError(t, err)
				return
			}
			var failure *result.NotSatisfiable
			require.ErrorAs(t, err, &failure)
		})
	}
}

// TestBudget: what takes longer than anybody waits ends with the context.
func TestBudget(t *testing.T) {
	view, r := viewOf(t, generate.Exclusions(12, 11)), resolver.New()
	for _, budget := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Duration(testkit.Scale(300, 1000)) * time.Millisecond} {
		late, err := testkit.CancelAfter(t.Context(), budget, func(ctx context.Context) error {
			_, err := r.Resolve(ctx, resolver.Problem{Cluster: wanting(numbers(12)...), Catalogs: view}, cluster.InNamespace("operators"))
			return err
		})
		var incomplete *result.Incomplete
		require.ErrorAs(t, err, &incomplete)
		assert.LessOrEqual(t, late, testkit.AllowedLatency())
	}
}

// BenchmarkCatalogs explains a failure that more and more equal catalogs cannot help with.
func BenchmarkCatalogs(b *testing.B) {
	known := realCluster(b, "unsat-package")
	for _, n := range []int{1, 3, 10} {
		view := equalCatalogs(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := resolver.New()
			b.ReportAllocs()
			for b.Loop() {
				_, err := r.Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("operators"))
				require.Error(b, err)
			}
		})
	}
}

func equalCatalogs(t testing.TB, n int) *cache.View {
	one := slices.Collect(realView(t).Catalogs())[0]
	var list []cache.Catalog
	for i := range n {
		of := *one
		if i > 0 {
			of.Key.Name = fmt.Sprintf("%s%d", of.Key.Name, i)
		}
		list = append(list, of)
	}
	return cache.NewView(list)
}

// Catalogs that share their content have the same fixes as copies of it, also where the source
// helps together with another field, or for one of two requests of a package.
func TestEqualCatalogs(t *testing.T) {
	content := func(newer string) *catalog.Snapshot {
		return snapshotOf(viewOf(t, fstest.MapFS{"c.json": &fstest.MapFile{Data: fmt.Appendf(nil, `{"schema":"olm.package","name":"a","defaultChannel":"stable"}
{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"a","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"olm.package.required","value":{"packageName":"b","versionRange":">=2.0.0"}}]}
{"schema":"olm.package","name":"b","defaultChannel":"stable"}
{"schema":"olm.channel","package":"b","name":"stable","entries":[{"name":"b.v1"}]}
{"schema":"olm.channel","package":"b","name":"fast","entries":[{"name":"b.v%[1]s"}]}
{"schema":"olm.bundle","package":"b","name":"b.v1","image":"b","properties":[{"type":"olm.package","value":{"packageName":"b","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"b","name":"b.v%[1]s","image":"b2","properties":[{"type":"olm.package","value":{"packageName":"b","version":"%[1]s"}}]}
`, newer)}}))
	}
	old, equal := content("1.1.0"), content("2.0.0")
	for _, requests := range [][]cluster.Subscription{
		{subscriptionTo("a"), subscriptionTo("b")},
		{subscriptionTo("a"), {Namespace: "operators", Name: "again", Package: "a", Channel: "stable", Catalog: "community", CatalogNamespace: "olm"}, subscriptionTo("b")},
		{subscriptionTo("a"), {Namespace: "operators", Name: "b", Package: "b", Channel: "stable", Catalog: "other2", CatalogNamespace: "olm"}},
	} {
		var helps []result.Help
		for _, shared := range []bool{true, false} {
			list := []cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "community"}, Snapshot: old}}
			for i := range 4 {
				of := cache.Catalog{Key: catalog.Key{Namespace: "olm", Name: fmt.Sprint("other", i)}, Snapshot: equal}
				if !shared {
					of.Snapshot = content("2.0.0")
				}
				list = append(list, of)
			}
			_, err := resolver.New().Resolve(t.Context(), resolver.Problem{Cluster: cluster.NewIndex(cluster.Objects{Subscriptions: requests}), Catalogs: cache.NewView(list)}, cluster.InNamespace("operators"))
			var failure *result.NotSatisfiable
			require.ErrorAs(t, err, &failure)
			helps = append(helps, failure.Help)
		}
		assert.NotEmpty(t, helps[0].Fixes)
		assert.Equal(t, helps[1], helps[0])
	}
}

// BenchmarkOwnRules asks for the first of 1,000 packages that each require the next one by a
// rule of their own, on catalogs where no rule was evaluated yet. Each rule names its package,
// so it is evaluated on one bundle: on all of them the rules cost more than one call may.
func BenchmarkOwnRules(b *testing.B) {
	files := fstest.MapFS{}
	for i := range 1000 {
		rule := fmt.Sprintf(`,{"type":"olm.constraint","value":{"failureMessage":"next","cel":{"rule":"properties.exists(p, p.type == 'olm.package' && p.value.packageName == '%s')"}}}`, generate.PackageName(i+1))
		if i == 999 {
			rule = ""
		}
		files[fmt.Sprint(i, ".json")] = &fstest.MapFile{Data: fmt.Appendf(nil, `{"schema":"olm.package","name":%[1]q,"defaultChannel":"stable"}
{"schema":"olm.channel","package":%[1]q,"name":"stable","entries":[{"name":"%[1]s.v1"}]}
{"schema":"olm.bundle","package":%[1]q,"name":"%[1]s.v1","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"1.0.0"}}%[2]s]}
`, generate.PackageName(i), rule)}
	}
	known, list := wanting(0), slices.Collect(viewOf(b, files).Catalogs())
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		one := *list[0]
		one.Snapshot = one.Snapshot.WithFaults(nil, nil) // which has evaluated nothing yet
		view := cache.NewView([]cache.Catalog{one})
		b.StartTimer()
		_, err := resolver.New().Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("operators"))
		require.NoError(b, err)
	}
}
