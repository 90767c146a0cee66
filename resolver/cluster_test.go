package resolver_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestManyNamespacesCancelled: a context that has ended, or ends soon, ends every
// call soon, with no verdict; the next call is not affected.
func TestManyNamespacesCancelled(t *testing.T) {
	known, view := largeState(t, 300)
	r := resolver.New(policy.Options{})
	namespaces := known.Requesting()
	objects := known.Objects()
	installed := objects.Subscriptions[slices.IndexFunc(objects.Subscriptions, func(s cluster.Subscription) bool { return s.InstalledCSV != "" })]
	for _, after := range []time.Duration{0, time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		<-ctx.Done()
		start := time.Now()
		outcomes := r.ResolveNamespaces(ctx, namespaces, known, view)
		_, joint := r.ResolveJointly(ctx, namespaces, known, view)
		_, path := r.Path(ctx, installed.Namespace, installed.Package, "", known, view)
		assert.Less(t, time.Since(start), 500*time.Millisecond)
		cancel()
		for _, err := range []error{outcomes[0].Err, joint, path} {
			assert.Equal(t, result.ResultIncomplete, result.Of(err), "%v", err)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	}
	_, err := r.Resolve(context.Background(), namespaces[0], known, view)
	assert.NotEqual(t, result.ResultIncomplete, result.Of(err))
}

// TestAfterAll: answers that are carried out at once leave what they leave in turn.
func TestAfterAll(t *testing.T) {
	known, view := largeState(t, 12)
	var answers []*result.Resolution
	inTurn := known
	for _, o := range resolver.New(policy.Options{}).ResolveNamespaces(t.Context(), known.Requesting(), known, view) {
		if o.Err == nil {
			answers, inTurn = append(answers, o.Resolution), inTurn.After(o.Resolution)
		}
	}
	require.Greater(t, len(answers), 1)
	assert.Equal(t, inTurn.Objects(), known.After(answers...).Objects())
}

// TestAfter: when a resolution has been carried out there is nothing more to
// install, but for the next step of updates that go one at a time.
func TestAfter(t *testing.T) {
	cluster, view := largeState(t, 12)
	r := resolver.New(policy.Options{})
	for _, o := range r.ResolveNamespaces(context.Background(), cluster.Requesting(), cluster, view) {
		if o.Err != nil {
			continue
		}
		state, resolution := cluster, o.Resolution
		steps := 0
		for len(resolution.Installs) > 0 {
			for _, in := range resolution.Installs {
				if steps > 0 {
					assert.NotEmpty(t, in.Replaces, "only updates are left: %s", in.Bundle)
				}
			}
			state = state.After(resolution)
			next, err := r.Resolve(context.Background(), o.Namespace, state, view)
			require.NoError(t, err, o.Namespace)
			resolution = next
			if steps++; steps > 200 {
				require.Fail(t, "updates without end", o.Namespace)
			}
		}
		assert.Len(t, resolution.Kept, len(state.Objects().CSVs)-countOthers(state, o.Namespace))
		for _, s := range state.Objects().Subscriptions {
			if kept := slices.IndexFunc(resolution.Kept, func(k result.Kept) bool { return k.Bundle == s.InstalledCSV }); kept >= 0 && s.Namespace == o.Namespace {
				assert.True(t, s.Names(resolution.Kept[kept].Catalog), s.Name)
			}
		}
	}
}

// countOthers counts the installed bundles of other namespaces.
func countOthers(c *resolver.Cluster, namespace string) int {
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
	r := &result.Resolution{Extension: "e", Installs: []result.Install{
		{Bundle: "dependency.v1", For: []result.Served{{Bundle: "a.v2"}}},
		{Bundle: "a.v2", Version: "2.0.0", Release: "1", For: []result.Served{{Request: result.ClusterExtension, Name: "e"}}},
	}}
	before := resolver.NewCluster(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{Name: "e"}, {Name: "f"}}})
	after := before.After(r).Objects().ClusterExtensions
	assert.Equal(t, &cluster.InstalledExtension{Name: "a.v2", Version: "2.0.0", Release: "1", HasRelease: true}, after[0].Installed)
	assert.Nil(t, after[1].Installed)
	assert.Nil(t, before.Objects().ClusterExtensions[0].Installed, "the cluster stays as it was")
}

// TestNoSuchExtension: a name that no ClusterExtension has, even an empty one, is
// invalid, and no namespaces have no answer.
func TestNoSuchExtension(t *testing.T) {
	known, view := resolver.NewCluster(cluster.Objects{}), cache.NewView(nil)
	r := resolver.New(policy.Options{})
	for _, name := range []string{"", "etcd"} {
		_, resolve := r.ResolveExtension(t.Context(), name, known, view)
		_, justify := r.JustifyExtension(t.Context(), name, known, view)
		_, whyNot := r.WhyNotExtension(t.Context(), name, known, view, "etcd.v1.0.0")
		_, path := r.PathExtension(t.Context(), name, "", known, view)
		for _, err := range []error{resolve, justify, whyNot, path} {
			require.EqualError(t, err, "ClusterExtension "+name+": there is no such object")
			assert.Equal(t, result.ResultInvalidInput, result.Of(err))
		}
	}
	resolutions, err := r.ResolveJointly(t.Context(), nil, known, view)
	require.NoError(t, err)
	assert.Empty(t, resolutions)
}
