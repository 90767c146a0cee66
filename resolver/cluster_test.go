package resolver_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/blang/semver/v4"
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

// TestZeroIndex: the zero Index is an empty cluster, whose changes are judged as those of one.
func TestZeroIndex(t *testing.T) {
	key := catalog.Key{Namespace: "olm", Name: "coast"}
	snapshot, err := cache.FS(os.DirFS("../testdata/catalogs/coast"), cache.Options{}).Load(t.Context())
	require.NoError(t, err)
	view := cache.NewView([]cache.Catalog{{Key: key, Snapshot: snapshot}})
	made := func(base *cluster.Index) (answers []any) {
		with := base.WithNamespaces([]string{"harbor"}, true, func(_ string, n *cluster.NamespaceObjects) {
			n.Subscriptions = []cluster.Subscription{{Namespace: "harbor", Name: "compass", Package: "compass", Catalog: key.Name, CatalogNamespace: key.Namespace}}
		})
		for _, known := range []*cluster.Index{base, with} {
			problem := resolver.Problem{Cluster: known, Catalogs: view}
			got, err := resolver.New().Resolve(t.Context(), problem, cluster.InNamespace("harbor"))
			answers = append(answers, known.Scopes(), got, err)
		}
		return answers
	}
	assert.Equal(t, made(cluster.NewIndex(cluster.Objects{})), made(&cluster.Index{}))
}

// TestManyNamespacesCancelled: a context that has ended, or ends soon, ends every
// call soon, with no verdict; the next call is not affected.
func TestManyNamespacesCancelled(t *testing.T) {
	known, view := largeState(t, 300)
	r := resolver.New()
	problem, jointly := resolver.Problem{Cluster: known, Catalogs: view}, resolver.Problem{Cluster: known, Catalogs: view}
	jointly.Options.Jointly = true
	objects := known.Objects()
	installed := objects.Subscriptions[slices.IndexFunc(objects.Subscriptions, func(s cluster.Subscription) bool { return s.InstalledCSV != "" })]
	for _, after := range []time.Duration{0, time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		<-ctx.Done()
		var errs []error
		took := testkit.Took(func() {
			_, path := r.Path(ctx, problem, installed.Key(), "")
			errs = []error{r.ResolveAll(ctx, problem, known.Scopes())[0].Err, r.ResolveAll(ctx, jointly, known.Scopes())[0].Err, path}
		})
		assert.Less(t, took, 500*time.Millisecond)
		cancel()
		for _, err := range errs {
			assert.Equal(t, result.ResultIncomplete, result.Of(err), "%v", err)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	}
	_, err := r.Resolve(context.Background(), problem, known.Scopes()[0])
	assert.NotEqual(t, result.ResultIncomplete, result.Of(err))
}

// TestAfterAll: answers that are carried out at once leave what they leave in turn.
func TestAfterAll(t *testing.T) {
	known, view := largeState(t, 12)
	problem := resolver.Problem{Cluster: known, Catalogs: view}
	var answers []*result.Resolution
	inTurn := problem
	for _, o := range resolver.New().ResolveAll(t.Context(), problem, known.Scopes()) {
		if o.Err == nil {
			answers, inTurn = append(answers, o.Resolution), inTurn.After(o.Resolution)
		}
	}
	require.Greater(t, len(answers), 1)
	assert.Equal(t, inTurn.Cluster.Objects(), problem.After(answers...).Cluster.Objects())
}

// TestAfter: when a resolution has been carried out there is nothing more to
// install, but for the next step of updates that go one at a time.
func TestAfter(t *testing.T) {
	known, view := largeState(t, 12)
	r := resolver.New()
	for _, o := range r.ResolveAll(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, known.Scopes()) {
		if o.Err != nil {
			continue
		}
		state, resolution := resolver.Problem{Cluster: known, Catalogs: view}, o.Resolution
		steps := 0
		for len(resolution.Installs) > 0 {
			for _, in := range resolution.Installs {
				if steps > 0 {
					assert.NotEmpty(t, in.Replaces, "only updates are left: %s", in.Bundle.Name)
				}
			}
			state = state.After(resolution)
			next, err := r.Resolve(context.Background(), state, o.Scope)
			require.NoError(t, err, o.Scope)
			resolution = next
			if steps++; steps > 200 {
				require.Fail(t, "updates without end", o.Scope)
			}
		}
		assert.Len(t, resolution.Kept, len(state.Cluster.Objects().CSVs)-countOthers(state.Cluster, o.Scope.Name))
		for _, s := range state.Cluster.Objects().Subscriptions {
			if kept := slices.IndexFunc(resolution.Kept, func(k result.Kept) bool { return k.Bundle.Name == s.InstalledCSV }); kept >= 0 && s.Key().Scope() == o.Scope {
				assert.True(t, s.Names(resolution.Kept[kept].Bundle.Catalog), s.Name)
			}
		}
	}
}

// TestAfterElsewhere: an update replaces what is installed in its own namespace only.
func TestAfterElsewhere(t *testing.T) {
	before := cluster.NewIndex(cluster.Objects{CSVs: []cluster.ClusterServiceVersion{{Namespace: "m", Name: "a.v1"}, {Namespace: "n", Name: "a.v1"}}})
	update := &result.Resolution{Scope: cluster.InNamespace("m"), Replaced: []string{"a.v1"}, Installs: []result.Install{{Bundle: catalog.BundleKey{Name: "a.v2"}}}}
	var got []string
	for _, v := range (resolver.Problem{Cluster: before}).After(update).Cluster.Objects().CSVs {
		got = append(got, v.Namespace+"/"+v.Name)
	}
	assert.ElementsMatch(t, []string{"n/a.v1", "m/a.v2"}, got)
}

// countOthers counts the installed bundles of other namespaces.
func countOthers(c *cluster.Index, namespace string) int {
	n := 0
	for _, v := range c.Objects().CSVs {
		if v.Namespace != namespace {
			n++
		}
	}
	return n
}

// TestAfterExtension: what an extension has installed is kept by the next call,
// and the bundle of another one is left alone.
func TestAfterExtension(t *testing.T) {
	r := &result.Resolution{Scope: cluster.OfExtension("e"), Installs: []result.Install{
		{Bundle: catalog.BundleKey{Name: "dependency.v1"}, For: []result.Obligation{{Bundle: "a.v2"}}},
		{Bundle: catalog.BundleKey{Name: "a.v2"}, Version: semver.MustParse("2.0.0"), Release: "1", For: []result.Obligation{{Request: cluster.RequestKey{Kind: cluster.KindExtension, Name: "e"}}}},
	}}
	before := cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{Name: "e"}, {Name: "f"}}})
	after := resolver.Problem{Cluster: before}.After(r).Cluster.Objects().ClusterExtensions
	assert.Equal(t, &cluster.InstalledExtension{Name: "a.v2", Version: "2.0.0", Release: "1", HasRelease: true}, after[0].Installed)
	assert.Nil(t, after[1].Installed)
	assert.Nil(t, before.Objects().ClusterExtensions[0].Installed, "the cluster stays as it was")
}

// TestNoSuchExtension: a name that no ClusterExtension has is invalid, and so is an empty one;
// no namespaces have no answer.
func TestNoSuchExtension(t *testing.T) {
	r := resolver.New()
	for _, name := range []string{"", "etcd"} {
		_, resolve := r.Resolve(t.Context(), resolver.Problem{}, cluster.OfExtension(name))
		_, justify := r.Justify(t.Context(), resolver.Problem{}, cluster.OfExtension(name))
		_, whyNot := r.WhyNot(t.Context(), resolver.Problem{}, cluster.OfExtension(name), "etcd.v1.0.0")
		_, path := r.Path(t.Context(), resolver.Problem{}, cluster.RequestKey{Kind: cluster.KindExtension, Name: name}, "")
		for _, err := range []error{resolve, justify, whyNot, path} {
			if name == "" {
				require.ErrorContains(t, err, "it names nothing")
			} else {
				require.EqualError(t, err, "ClusterExtension "+name+": there is no such object")
			}
			assert.Equal(t, result.ResultInvalidInput, result.Of(err))
		}
	}
	assert.Empty(t, r.ResolveAll(t.Context(), resolver.Problem{Options: policy.Options{Jointly: true}}, nil))
	_, err := r.Resolve(t.Context(), resolver.Problem{}, cluster.Scope{Kind: "Third", Name: "x"})
	assert.EqualError(t, err, "Third x: there is no such kind of requests")
}

func TestSelectorText(t *testing.T) {
	s := &cluster.Selector{MatchLabels: map[string]string{"b": "2", "a": "1"}, MatchExpressions: []cluster.SelectorTerm{
		{Key: "c", Operator: "In", Values: []string{"x", "y"}}, {Key: "d", Operator: "Exists"}, {Key: "e", Operator: "DoesNotExist"}, {Key: "f", Operator: "NotIn", Values: []string{"z"}},
	}}
	assert.Equal(t, "a=1,b=2,c in (x,y),d,!e,f notin (z)", s.String())
	assert.Empty(t, (*cluster.Selector)(nil).String())
}
