package resolver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// need is what a version of a package requires: versions of another one from least to most.
type need struct{ pkg, least, most int }

// dependents are packages of which versions require others.
type dependents struct {
	packages []hopPackage
	needs    []map[int]need // by version
}

// holds reports whether the versions of all packages satisfy what they require.
func (d dependents) holds(at []int) bool {
	for i, v := range at {
		if n, ok := d.needs[i][v]; ok && (at[n.pkg] < n.least || at[n.pkg] > n.most) {
			return false
		}
	}
	return true
}

// fewest is the least number of updates that lead from versions of all packages to such that
// run on a minor, and all on the way on the one of now; -1 if there are none. Updates that
// need each other are made together.
func (d dependents) fewest(from []int, now, minor int) int {
	type key = [5]int
	keyOf := func(at []int) (k key) { copy(k[:], at); return k }
	cost := map[key]int{keyOf(from): 0}
	done := map[key]bool{}
	for {
		best, found := key{}, false
		for k, c := range cost {
			if !done[k] && (!found || c < cost[best]) {
				best, found = k, true
			}
		}
		if !found {
			return -1
		}
		done[best] = true
		at := best[:len(from)]
		fits := true
		for i, v := range at {
			fits = fits && d.packages[i].limit[v] >= minor
		}
		if fits {
			return cost[best]
		}
		var move func(i int, to []int, moved int)
		move = func(i int, to []int, moved int) {
			if i == len(at) {
				if k := keyOf(to); d.holds(to) && (cost[k] == 0 || cost[best]+moved < cost[k]) && k != keyOf(from) {
					cost[k] = cost[best] + moved
				}
				return
			}
			move(i+1, append(slices.Clip(to), at[i]), moved)
			for v := range d.packages[i].replaces {
				if d.packages[i].replaces[v] == at[i] && d.packages[i].limit[v] >= now {
					move(i+1, append(slices.Clip(to), v), moved+1)
				}
			}
		}
		move(0, nil, 0)
	}
}

// TestHopsTogether compares the plan of random clusters, whose operators require versions of
// each other, with all that updates could do: after what is planned everything runs on the
// minor. It takes the fewest updates, and nothing blocks without need.
func TestHopsTogether(t *testing.T) {
	seen, hops := map[string]int{}, 0
	for seed := range testkit.Seeds(t, *problems) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 2 + r.IntN(3)
		var d dependents
		files := fstest.MapFS{}
		objects := cluster.Objects{OpenShiftVersion: "4.10"}
		for i := range n {
			var h hopPackage
			needs := map[int]need{}
			for v := range 2 + r.IntN(3) {
				h.replaces, h.limit = append(h.replaces, v-1), append(h.limit, 10+r.IntN(3+min(v, 1)))
				if other := r.IntN(n); v > 0 && other != i && r.IntN(3) > 0 {
					least := r.IntN(3)
					needs[v] = need{other, least, least + r.IntN(3)}
				}
			}
			d.packages, d.needs = append(d.packages, h), append(d.needs, needs)
			name := string(rune('a' + i))
			h.requires = func(v int) string {
				if n, ok := needs[v]; ok {
					return fmt.Sprintf(`,{"type":"olm.package.required","value":{"packageName":%q,"versionRange":">=%d.0.0 <=%d.0.0"}}`, string(rune('a'+n.pkg)), n.least, n.most)
				}
				return ""
			}
			files[name+".json"] = &fstest.MapFile{Data: []byte(h.blobs(name))}
			objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: name + ".v0", Version: "0.0.0", Annotations: map[string]string{
				cluster.AnnotationProperties: fmt.Sprintf(`{"properties":[{"type":"olm.package","value":{"packageName":%q,"version":"0.0.0"}}]}`, name),
			}})
			objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "n", Name: name, Package: name, Channel: "c", Catalog: "k", CatalogNamespace: "olm", InstalledCSV: name + ".v0"})
		}
		snapshot, err := cache.LoadFS(t.Context(), files, cache.Options{})
		require.NoError(t, err)
		problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}})}
		problem.Options.NoFixes, problem.Options.EnforceOpenShiftLimit = true, seed%2 == 1
		rows, err := resolver.New().Status(t.Context(), problem, problem.Cluster.Scopes(), &resolver.Target{OpenShiftVersion: "4.12"})
		require.NoError(t, err)
		at := make([]int, n)
		for k, hop := range []string{"4.11", "4.12"} {
			want := d.fewest(at, enforced(problem, 10+k), 11+k)
			blocked, updates := false, 0
			for _, row := range rows {
				blocked = blocked || row.Target.Blocks == hop
				for _, step := range row.Target.Updates {
					if step.Hop != hop {
						continue
					}
					updates++
					_, err := fmt.Sscanf(step.Bundle[1:], ".v%d", &at[step.Bundle[0]-'a'])
					require.NoError(t, err)
				}
			}
			what := fmt.Sprintf("seed %d before %s: %d updates, blocked %v, the fewest are %d: %+v", seed, hop, updates, blocked, want, d)
			require.True(t, d.holds(at), what)
			hops++
			require.Equal(t, want < 0, blocked, what)
			if blocked {
				seen["blocked"]++
				break
			}
			require.Equal(t, want, updates, what)
			seen[fmt.Sprintf("%d updates", updates)]++
		}
	}
	t.Log(hops, "hops:", seen)
	assert.Greater(t, len(seen), 4)
}
