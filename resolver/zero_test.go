package resolver_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// A Snapshot that nobody made is a catalog without anything.
func TestZeroSnapshot(t *testing.T) {
	objects := cluster.Objects{
		Subscriptions:     []cluster.Subscription{{Namespace: "operators", Name: "a", Package: "a", Channel: "stable"}},
		ClusterExtensions: []cluster.ClusterExtension{{Name: "a", Package: "a", Namespace: "a"}},
	}
	view := cache.NewView([]cache.Catalog{
		{Key: cache.Key{Namespace: "operators", Name: "empty"}, Snapshot: &catalog.Snapshot{}},
		{Key: cache.Key{Name: "empty"}, Snapshot: &catalog.Snapshot{}},
	})
	problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view}
	for _, scope := range problem.Cluster.Scopes() {
		_, err := resolver.New().Resolve(t.Context(), problem, scope)
		assert.Equal(t, "notSatisfiable", string(result.Of(err)), "%v", err)
	}
	rows, err := resolver.New().Status(t.Context(), problem, problem.Cluster.Scopes(), nil)
	require.NoError(t, err)
	assert.Len(t, rows, 2)
}

// A scope sees the catalogs of its kind that can be used; what is not there sees none.
func TestVisible(t *testing.T) {
	var list []cache.Catalog
	for _, key := range []cache.Key{{Name: "v1"}, {Namespace: "olm", Name: "excluded"}, {Namespace: "olm", Name: "global"}, {Namespace: "operators", Name: "own"}, {Namespace: "other", Name: "foreign"}} {
		list = append(list, cache.Catalog{Key: key, Snapshot: &catalog.Snapshot{}})
	}
	list = append(list, cache.Catalog{Key: cache.Key{Namespace: "operators", Name: "unread"}, Err: errors.New("no")})
	problem := resolver.Problem{
		Cluster:  cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{Name: "a", Selector: &cluster.Selector{MatchLabels: map[string]string{"no": "catalog"}}}}}),
		Catalogs: cache.NewView(list),
		Options:  policy.Options{ExcludeCatalogs: []cache.Key{{Namespace: "olm", Name: "excluded"}}},
	}
	for scope, want := range map[cluster.Scope][]string{
		cluster.InNamespace("operators"): {"olm/global", "operators/own"},
		cluster.InNamespace("absent"):    {"olm/global"},
		cluster.OfExtension("a"):         {"v1"},
		cluster.OfExtension("absent"):    nil,
		{}:                               nil,
	} {
		var seen []string
		for _, c := range problem.Visible(scope) {
			seen = append(seen, c.Key.String())
		}
		assert.Equal(t, want, seen, "%v", scope)
	}
	assert.Empty(t, resolver.Problem{}.Visible(cluster.InNamespace("operators")))
}

// The zero Resolver answers, and what nobody meant to ask is an error that says what to do.
func TestZeroResolverAndScope(t *testing.T) {
	objects := cluster.Objects{
		Subscriptions:     []cluster.Subscription{{Namespace: "twice", Name: "a", Package: "a"}, {Namespace: "twice", Name: "a", Package: "b"}, {Namespace: "once", Name: "a", Package: "a"}},
		ClusterExtensions: []cluster.ClusterExtension{{Name: "twice"}, {Name: "once"}, {Name: "twice"}},
	}
	var r resolver.Resolver
	problem := resolver.Problem{Cluster: cluster.NewIndex(objects)}
	for scope, message := range map[cluster.Scope]string{
		{}:                            "scope: it names nothing; make one with cluster.InNamespace or cluster.OfExtension, or take those of Index.Scopes",
		cluster.InNamespace(""):       "scope: it names nothing; make one with cluster.InNamespace or cluster.OfExtension, or take those of Index.Scopes",
		cluster.InNamespace("twice"):  "Subscription a: it is given twice in namespace twice; leave out the one that is not in the cluster",
		cluster.OfExtension("twice"):  "ClusterExtension twice: it is given twice; leave out the one that is not in the cluster",
		cluster.InNamespace("absent"): "",
	} {
		_, err := r.Resolve(t.Context(), problem, scope)
		if message == "" {
			assert.NoError(t, err)
			continue
		}
		assert.IsType(t, &result.InvalidInput{}, err, "%v", scope)
		assert.EqualError(t, err, message)
		_, err = r.Justify(t.Context(), problem, scope)
		assert.EqualError(t, err, message)
		_, err = r.Lifts(t.Context(), problem, scope)
		assert.EqualError(t, err, message)
		_, err = r.WhyNot(t.Context(), problem, scope, "a")
		assert.EqualError(t, err, message)
		outcomes := r.ResolveAll(t.Context(), problem, []cluster.Scope{scope})
		assert.EqualError(t, outcomes[0].Err, message)
		rows, err := r.Status(t.Context(), problem, []cluster.Scope{scope}, nil)
		assert.NoError(t, err)
		for _, row := range rows {
			assert.EqualError(t, row.Err, message)
		}
		_, err = r.Approvals(t.Context(), problem, []cluster.Scope{scope})
		assert.NoError(t, err)
	}
	for _, name := range []string{"once"} {
		assert.NotEqual(t, result.ResultInvalidInput, result.Of(r.ResolveAll(t.Context(), problem, []cluster.Scope{cluster.InNamespace(name)})[0].Err))
	}
	_, err := r.Path(t.Context(), problem, cluster.RequestKey{}, "")
	assert.Error(t, err)
}

// Results that nobody filled in panic nowhere.
func TestZeroResults(t *testing.T) {
	for _, err := range []error{
		&result.InvalidInput{}, &result.Internal{}, &result.Incomplete{}, &result.Ambiguous{}, &result.CatalogsUnhealthy{}, &result.NotSatisfiable{},
		&result.NotSatisfiable{Causes: []result.Cause{{}}}, &result.NoPath{}, &result.Denied{}, &result.UnknownBundle{},
	} {
		assert.NotPanics(t, func() { _ = err.Error() }, "%T", err)
	}
	empty := result.Fix{Changes: []result.Change{{}}}
	assert.NotPanics(t, func() { empty.Text(""); empty.Changes[0].Brief(""); empty.Changes[0].Lines(""); empty.Grants() })
}
