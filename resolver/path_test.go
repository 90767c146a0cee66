package resolver_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// bundlesOf lists the bundles that a path leads over, and its changes of channel.
func bundlesOf(p *result.Path) []string {
	names := []string{}
	for _, s := range p.Steps {
		names = append(names, s.String())
	}
	return names
}

// TestPathsOfRealPackages walks from the oldest bundle of every default channel
// to its head. Each step must be one that the resolver can make from there.
func TestPathsOfRealPackages(t *testing.T) {
	view := realView(t)
	snapshot := view.Catalog(catalog.Key{Namespace: "olm", Name: "community"}).Snapshot
	r := resolver.New()
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
		known := cluster.NewIndex(random.Installed("operators", snapshot, pkg.Name, channel.Name, oldest.Bundle))
		problem := resolver.Problem{Cluster: known, Catalogs: view}
		path, err := r.Path(context.Background(), problem, updated(known, "operators", pkg.Name), "")
		if err != nil {
			var none *result.NoPath
			require.ErrorAs(t, err, &none, pkg.Name)
			steps[-1]++
			continue
		}
		steps[len(path.Steps)]++
		require.Equal(t, channel.Head().Name, bundlesOf(path)[len(path.Steps)-1], pkg.Name)
		followSteps(t, r, path, problem)
	}
	t.Logf("packages by number of steps (-1: no path): %v", steps)
}

// followSteps follows a path: each step replaces what was installed, and with its
// result the namespace resolves again.
func followSteps(t *testing.T, r *resolver.Resolver, path *result.Path, problem resolver.Problem) {
	t.Helper()
	current := path.From
	for _, step := range path.Steps {
		i := slices.IndexFunc(step.Resolution.Installs, func(in result.Install) bool { return in.Bundle.Name == step.Bundle })
		require.GreaterOrEqual(t, i, 0, "%s of %s", step.Bundle, path.Package)
		assert.Equal(t, current, step.Resolution.Installs[i].Replaces)
		problem = problem.After(step.Resolution)
		_, err := r.Resolve(context.Background(), problem, path.Request.Scope())
		require.NoError(t, err, "after %s of %s", step.Bundle, path.Package)
		current = step.Bundle
	}
}

// TestPathToAnotherCatalog: a target that only another visible catalog has is found
// where updates may come from there.
func TestPathToAnotherCatalog(t *testing.T) {
	s, err := scenario.Parse([]byte(`A path that leaves the named catalog.
-- cluster.yaml --
{kind: Subscription, apiVersion: operators.coreos.com/v1alpha1, metadata: {name: x, namespace: w}, spec: {name: x, channel: a, source: own, sourceNamespace: olm}, status: {installedCSV: x2}}
---
{kind: ClusterServiceVersion, apiVersion: operators.coreos.com/v1alpha1, metadata: {name: x2, namespace: w}, spec: {version: 2.0.0}}
-- catalogs/olm/own/catalog.yaml --
{schema: olm.package, name: x, defaultChannel: a}
---
{schema: olm.channel, package: x, name: a, entries: [{name: x2}]}
---
{schema: olm.bundle, package: x, name: x2, image: i, properties: [{type: olm.package, value: {packageName: x, version: 2.0.0}}]}
-- catalogs/olm/other/catalog.yaml --
{schema: olm.package, name: x, defaultChannel: a}
---
{schema: olm.channel, package: x, name: a, entries: [{name: x3, replaces: x2}]}
---
{schema: olm.bundle, package: x, name: x3, image: i, properties: [{type: olm.package, value: {packageName: x, version: 3.0.0}}]}
-- want --
`))
	require.NoError(t, err)
	in, err := s.Question(t.Context())
	require.NoError(t, err)
	request := updated(in.Problem.Cluster, "w", "x")
	path, err := resolver.New().Path(t.Context(), in.Problem, request, "3.0.0")
	require.NoError(t, err)
	assert.Equal(t, []string{"x3"}, bundlesOf(path))
	in.Problem.Options.NamedUpdates = true
	_, err = resolver.New().Path(t.Context(), in.Problem, request, "3.0.0")
	var invalid *result.InvalidInput
	require.ErrorAs(t, err, &invalid)
}
