package resolver_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// bundlesOf lists the bundles that a path leads over.
func bundlesOf(p *result.Path) []string {
	names := []string{}
	for _, s := range p.Steps {
		names = append(names, s.Bundle)
	}
	return names
}

// TestPathsOfRealPackages walks from the oldest bundle of every default channel
// to its head. Each step must be one that the resolver can make from there.
func TestPathsOfRealPackages(t *testing.T) {
	view := realView(t)
	snapshot := view.Catalog(catalog.Key{Namespace: "olm", Name: "community"}).Snapshot
	r := resolver.New(policy.Options{})
	steps := map[int]int{}
	count := 0
	for pkg := range snapshot.Packages() {
		channel := pkg.Channel(pkg.DefaultChannel)
		if channel == nil || len(channel.Order) < 2 {
			continue
		}
		if count++; count%testkit.Scale(4, 1) != 0 {
			continue
		}
		oldest := &channel.Entries[channel.Order[len(channel.Order)-1]]
		if oldest.Bundle == catalog.NoBundle {
			continue
		}
		cluster := resolver.NewCluster(random.Installed("operators", snapshot, pkg.Name, channel.Name, oldest.Bundle))
		path, err := r.Path(context.Background(), "operators", pkg.Name, "", cluster, view)
		if err != nil {
			var none *result.NoPath
			require.ErrorAs(t, err, &none, pkg.Name)
			steps[-1]++
			continue
		}
		steps[len(path.Steps)]++
		require.Equal(t, channel.Head().Name, bundlesOf(path)[len(path.Steps)-1], pkg.Name)
		checkSteps(t, r, path, cluster, view)
	}
	t.Logf("packages by number of steps (-1: no path): %v", steps)
}

// checkSteps follows a path: each step replaces what was installed, and with its
// result the namespace resolves again.
func checkSteps(t *testing.T, r *resolver.Resolver, path *result.Path, cluster *resolver.Cluster, view *cache.View) {
	t.Helper()
	current := path.From
	for _, step := range path.Steps {
		i := slices.IndexFunc(step.Resolution.Installs, func(in result.Install) bool { return in.Bundle == step.Bundle })
		require.GreaterOrEqual(t, i, 0, "%s of %s", step.Bundle, path.Package)
		assert.Equal(t, current, step.Resolution.Installs[i].Replaces)
		cluster = cluster.After(step.Resolution)
		_, err := r.Resolve(context.Background(), path.Namespace, cluster, view)
		require.NoError(t, err, "after %s of %s", step.Bundle, path.Package)
		current = step.Bundle
	}
}
