package resolver_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// worstRest is what a worst catalog needs beside its bundles, at most.
const worstRest = 4 << 10

// worstCatalog is so many bytes of bundles of one shape, all in one channel of
// package p, the last one its head; each replaces, and covers, those below it.
func worstCatalog(size int, properties func(i int) string) []byte {
	var bundles, entries bytes.Buffer
	for i := 1; bundles.Len()+entries.Len() < size-worstRest; i++ {
		fmt.Fprintf(&bundles, `{"schema":"olm.bundle","package":"p","name":"b%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%d"}}%s]}`, i, i, properties(i))
		fmt.Fprintf(&entries, `{"name":"b%d","replaces":"b%d","skipRange":">=0.0.1 <1.0.%d"},`, i, i-1, i)
	}
	return fmt.Appendf(bundles.Bytes(), `{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[%s]}`,
		bytes.TrimSuffix(entries.Bytes(), []byte(",")))
}

func constraint(format string, args ...any) string {
	return `,{"type":"olm.constraint","value":` + fmt.Sprintf(format, args...) + `}`
}

// worstProperties are what the bundles of expensive catalogs state.
func worstProperties() map[string]func(i int) string {
	const api = `,{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"K"}}`
	return map[string]func(i int) string{
		"nothing": func(int) string { return "" },
		"one API for all": func(i int) string {
			return api + `,{"type":"olm.gvk.required","value":{"group":"g","version":"v1","kind":"K"}}`
		},
		"a missing API": func(i int) string {
			return constraint(`{"gvk":{"group":"g","version":"v1","kind":"M%d"}}`, i)
		},
		"each needs the next": func(i int) string {
			return fmt.Sprintf(`,{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"K%d"}}`, i) +
				constraint(`{"gvk":{"group":"g","version":"v1","kind":"K%d"}}`, i+1)
		},
		"a range each": func(i int) string {
			return constraint(`{"package":{"packageName":"p","versionRange":">=1.0.0 !=1.0.%d"}}`, i)
		},
		"a rule each": func(i int) string {
			return constraint(`{"cel":{"rule":"properties.exists(p, p.type.endsWith('a%d'))"}}`, i)
		},
		"a rule each that holds": func(i int) string {
			return constraint(`{"cel":{"rule":"size(properties) < %d"}}`, 1000+i)
		},
		"an expensive rule": func(i int) string {
			return constraint(`{"cel":{"rule":"[%[1]s].all(a, [%[1]s].all(b, [%[1]s].all(c, [%[1]s].all(d, a+b+c+d > 0))))"}}`, strings.Repeat("1,", 30)+"1")
		},
		"any of many": func(i int) string {
			return api + constraint(`{"any":{"constraints":[%s{"gvk":{"group":"g","version":"v1","kind":"K"}}]}}`,
				strings.Repeat(fmt.Sprintf(`{"gvk":{"group":"g","version":"v1","kind":"M%d"}},`, i%50), 20))
		},
		"all absent, or none": func(i int) string {
			return api + constraint(`{"any":{"constraints":[{"not":{"constraints":[{"gvk":{"group":"g","version":"v1","kind":"K"}},{"package":{"packageName":"q%d","versionRange":">=1.0.0"}}]}},{"gvk":{"group":"g","version":"v1","kind":"M"}}]}}`, i)
		},
		"many APIs": func(i int) string {
			var b strings.Builder
			for n := range 400 {
				fmt.Fprintf(&b, `,{"type":"olm.gvk","value":{"group":"g","version":"v","kind":"K%d"}}`, (i*7+n)%2000)
			}
			return b.String() + constraint(`{"gvk":{"group":"g","version":"v","kind":"K%d"}}`, i)
		},
		"many constraints": func(i int) string {
			var b strings.Builder
			for n := range 300 {
				b.WriteString(constraint(`{"package":{"packageName":"p","versionRange":">=1.0.%d"}}`, n))
			}
			return b.String()
		},
	}
}

// TestWorstProblems: whatever a megabyte of catalog holds, resolving with it
// costs less than a gigabyte and a minute.
func TestWorstProblems(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("it measures")
	}
	// What many rules may cost is a number, and the time that they take is in
	// proportion to it. So they are given a tenth of it, and a tenth of the time.
	const share = 10
	for shape, properties := range worstProperties() {
		t.Run(shape, func(t *testing.T) {
			options := policy.Options{}
			limit, size := time.Minute, testkit.Scale(1<<15, 1<<20)
			switch {
			case strings.HasPrefix(shape, "a rule each"):
				options.MaxRuleCost, limit = 50_000_000/share, limit/share
			case shape == "a range each":
				size = testkit.Scale(1<<15, 1<<17) // its core has a rule of each bundle: the cube of their number
			case shape == "an expensive rule":
				size = testkit.Scale(worstRest+1<<11, 1<<20) // a tenth of a second a bundle
			}
			view := worstView(t, worstCatalog(size, properties))
			for request, objects := range worstRequests() {
				options.Partial = request == "two"
				r := resolver.New()
				var err error
				memory, took := testkit.Cost(func() {
					_, err = r.Resolve(t.Context(), resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view, Options: options}, cluster.InNamespace("n"))
				})
				text := fmt.Sprint(err)
				t.Logf("%s: %d MiB, %v: %s", request, memory>>20, took.Round(time.Millisecond), text[:min(len(text), 150)])
				assert.NotEqual(t, result.ResultInternal, result.Of(err))
				assert.Less(t, memory, uint64(1<<30))
				assert.Less(t, took, limit)
			}
		})
	}
}

func worstView(t testing.TB, text []byte) *cache.View {
	snapshot, err := cache.Parse(context.Background(), text, cache.Options{})
	require.NoError(t, err)
	return cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "worst"}, Snapshot: snapshot}})
}

// worstRequests ask for the package of a worst catalog: for the first time, from
// its lowest bundle, and together with something that is not there.
func worstRequests() map[string]cluster.Objects {
	p := cluster.Subscription{Namespace: "n", Name: "a", Package: "p", Catalog: "worst", CatalogNamespace: "olm"}
	q, updated := p, p
	q.Name, q.Package = "b", "q"
	updated.InstalledCSV = "b1"
	return map[string]cluster.Objects{
		"one": {Subscriptions: []cluster.Subscription{p}},
		"two": {Subscriptions: []cluster.Subscription{p, q}},
		"update": {
			Subscriptions: []cluster.Subscription{updated},
			CSVs:          []cluster.ClusterServiceVersion{{Namespace: "n", Name: "b1", Version: "1.0.1"}},
		},
	}
}
