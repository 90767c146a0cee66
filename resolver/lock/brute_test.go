package lock_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// randomPackages returns packages a to d with up to three versions, which may require each other.
// Packages of a second catalog have more versions, but not other ones.
func randomPackages(r *rand.Rand) (old, all []pkg) {
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		p := pkg{name: name}
		for v := range 2 + r.IntN(2) {
			text := fmt.Sprintf("%d.0.0", v+1)
			for _, other := range names {
				if other != name && v > 0 && r.IntN(4) == 0 {
					text += fmt.Sprintf(" %s%s%d.0.0", other, []string{">=", "<="}[r.IntN(2)], 1+r.IntN(3))
				}
			}
			p.bundles = append(p.bundles, text)
		}
		all = append(all, p)
		old = append(old, pkg{name, p.bundles[:1]})
	}
	return old, all
}

// assignments returns every choice of one version per package that resolves, by the names of the
// packages: each is tried by pinning all of them.
func assignments(t *testing.T, c lock.Cluster, packages []pkg) (list [][]int) {
	choice := make([]int, len(packages))
	for {
		p := c.Problem
		p.Options.NoFixes, p.Options.BundleScope, p.Options.NamedUpdates = true, true, true
		for i, of := range packages {
			p.Options.Pins = append(p.Options.Pins, policy.Pin{Package: of.name, Version: fmt.Sprintf("%d.0.0", choice[i]+1)})
		}
		if answer, err := resolver.New().Resolve(t.Context(), p, cluster.InNamespace("n")); err == nil {
			require.Len(t, answer.Installs, len(packages))
			list = append(list, slices.Clone(choice))
		}
		i := 0
		for ; i < len(choice); i++ {
			if choice[i]++; choice[i] < len(packages[i].bundles) {
				break
			}
			choice[i] = 0
		}
		if i == len(choice) {
			return list
		}
	}
}

// TestMinimal: of all choices that resolve, an update takes one in which the package gets as far as
// in any other, and no choice that gets it there moves a proper subset of the others.
func TestMinimal(t *testing.T) {
	along := 0
	for seed := range testkit.Seeds(t, testkit.Scale(60, 600)) {
		r := rand.New(rand.NewPCG(seed, 62))
		old, all := randomPackages(r)
		subscriptions := []string{"n/a", "n/b", "n/c", "n/d"}
		l := made(t, one(view(t, blobs(old...)), subscriptions...), lock.Options{})
		catalogs, err := cache.Parse(t.Context(), []byte(blobs(all...)), cache.Options{})
		require.NoError(t, err)
		clusters := one(cache.NewView([]cache.Catalog{{Key: key, Snapshot: catalogs}}), subscriptions...)
		at := r.IntN(len(all))
		got := update(t, l, clusters, lock.Options{}, all[at].name).Lock.Scopes[0]
		moved := func(choice []int) (list []int) {
			for i, v := range choice {
				if i != at && v > 0 {
					list = append(list, i)
				}
			}
			return list
		}
		var chosen []int
		for _, p := range all {
			chosen = append(chosen, slices.IndexFunc(p.bundles, func(text string) bool { return text[:5] == got.Bundle(p.name).Version }))
		}
		along += len(moved(chosen))
		found := false
		for _, choice := range assignments(t, clusters[0], all) {
			assert.LessOrEqual(t, choice[at], chosen[at], "seed %d: %s can get further: %v instead of %v", seed, all[at].name, choice, chosen)
			found = found || slices.Equal(choice, chosen)
			fewer := choice[at] == chosen[at] && len(moved(choice)) < len(moved(chosen))
			for _, i := range moved(choice) {
				fewer = fewer && slices.Contains(moved(chosen), i)
			}
			assert.False(t, fewer, "seed %d: %v moves less than %v", seed, choice, chosen)
		}
		assert.True(t, found, "seed %d: %v does not resolve", seed, chosen)
	}
	assert.Positive(t, along, "packages that had to move with another")
}
