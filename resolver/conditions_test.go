package resolver_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// What OLM states of a request is quoted where it fails, and in the answer why a bundle of
// its package is not there.
func TestConditionsQuoted(t *testing.T) {
	h := hopPackage{replaces: []int{-1, 0}, limit: []int{13, 13}}
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"a.json": &fstest.MapFile{Data: []byte(h.blobs("a"))}}, cache.Options{})
	require.NoError(t, err)
	p := resolver.Problem{Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}})}
	objects := cluster.Objects{
		CSVs:         []cluster.ClusterServiceVersion{{Namespace: "n", Name: "a.v0", Version: "0.0.0", Phase: "Failed", Reason: "InstallCheckFailed", Message: "no\nroom"}},
		InstallPlans: []cluster.InstallPlan{{Namespace: "n", Name: "i", CSVs: []string{"a.v1"}, Phase: "RequiresApproval"}},
		Subscriptions: []cluster.Subscription{
			{Namespace: "n", Name: "a", Package: "a", Channel: "c", Catalog: "k", CatalogNamespace: "olm", InstalledCSV: "a.v0", Observed: cluster.Observed{InstallPlan: "i"}},
			{Namespace: "n", Name: "b", Package: "b", Observed: cluster.Observed{Conditions: []cluster.Condition{{Type: "ResolutionFailed", Status: "True", Reason: "ConstraintsNotSatisfiable"}}}},
		},
	}
	quoted := func(list []result.Condition) (texts []string) {
		for _, c := range list {
			texts = append(texts, c.String())
		}
		return texts
	}
	p.Cluster = cluster.NewIndex(objects)
	scope := cluster.InNamespace("n")
	failed := []string{"Subscription n/b: ResolutionFailed: ConstraintsNotSatisfiable"}
	_, err = resolver.New().Resolve(t.Context(), p, scope)
	assert.Equal(t, failed, quoted(result.HelpOf(err).Conditions))
	assert.Equal(t, failed, quoted(result.HelpOf(resolver.New().ResolveAll(t.Context(), p, []cluster.Scope{scope})[0].Err).Conditions))
	_, err = resolver.New().WhyNot(t.Context(), p, scope, "a.v1")
	assert.Equal(t, failed, quoted(result.HelpOf(err).Conditions))

	objects.Subscriptions = objects.Subscriptions[:1]
	p.Cluster = cluster.NewIndex(objects)
	j, err := resolver.New().WhyNot(t.Context(), p, scope, "a.v1")
	require.NoError(t, err)
	assert.Equal(t, []string{"InstallPlan n/i: RequiresApproval", "ClusterServiceVersion n/a.v0: Failed: InstallCheckFailed: no room"}, text.OfHelp(&j.Help).Stated)
}
