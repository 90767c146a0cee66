package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/testdata"
)

// Of a call that ends early, the rows are there that were ready.
func TestStatusCutOff(t *testing.T) {
	processors := runtime.GOMAXPROCS(1) // one namespace after another
	defer runtime.GOMAXPROCS(processors)
	tree, err := fs.Sub(testdata.Catalogs, "catalogs/coast")
	require.NoError(t, err)
	snapshot, err := cache.LoadFS(t.Context(), tree, cache.Options{})
	require.NoError(t, err)
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "coast"}, Snapshot: snapshot}})
	ctx, cancel := context.WithCancel(t.Context())
	options := policy.Options{SystemConstraint: func(_ context.Context, c policy.Candidate) (bool, string) {
		if c.Namespace == "m" {
			cancel()
		}
		return true, ""
	}}
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{
		{Namespace: "a", Name: "s", Package: "foghorn"}, {Namespace: "m", Name: "s", Package: "foghorn"}, {Namespace: "z", Name: "s", Package: "foghorn"},
	}})
	rows, err := resolver.New().Status(ctx, resolver.Problem{Cluster: known, Catalogs: view, Options: options}, known.Scopes(), nil)
	incomplete, ok := errors.AsType[*result.Incomplete](err)
	require.True(t, ok, "%v", err)
	require.ErrorIs(t, incomplete, context.Canceled)
	require.Len(t, rows, 1)
	assert.Equal(t, "a", rows[0].Request.Namespace)
	assert.NotEmpty(t, rows[0].State)
}

// BenchmarkStatus finds how every package of a real catalog stands, each in the middle of
// its default channel, and what blocks the update to another OpenShift.
func BenchmarkStatus(b *testing.B) {
	view := realView(b)
	snapshot := view.Catalog(catalog.Key{Namespace: "olm", Name: "community"}).Snapshot
	for _, bench := range []struct {
		name      string
		namespace func(pkg string) string
		target    *resolver.Target
	}{
		{"hops", func(string) string { return "operators" }, &resolver.Target{OpenShiftVersion: "4.20"}},
		{"own-namespaces", func(pkg string) string { return pkg }, nil},
		{"one-namespace", func(string) string { return "operators" }, nil},
		{"target", func(pkg string) string { return pkg }, &resolver.Target{OpenShiftVersion: "4.22"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			objects := oldInstalled(snapshot, bench.namespace)
			objects.OpenShiftVersion = "4.18"
			known := cluster.NewIndex(objects)
			r := resolver.New()
			states := map[updates.State]int{}
			for b.Loop() {
				rows, err := r.Status(b.Context(), resolver.Problem{Cluster: known, Catalogs: view}, known.Scopes(), bench.target)
				require.NoError(b, err)
				clear(states)
				for i := range rows {
					states[rows[i].State]++
				}
			}
			b.Log(len(known.Scopes()), len(objects.Subscriptions), states)
		})
	}
}

// oldInstalled are Subscriptions to all packages of a catalog, each with a bundle of the
// middle of its default channel installed. In a namespace of several, those are left out
// that others do not allow.
func oldInstalled(snapshot *catalog.Snapshot, namespace func(pkg string) string) cluster.Objects {
	var objects cluster.Objects
	provided := map[string]bool{}
	for pkg := range snapshot.Packages() {
		channel := pkg.Channel(pkg.DefaultChannel)
		if channel == nil {
			continue
		}
		for _, i := range channel.Order[len(channel.Order)/2:] {
			e := &channel.Entries[i]
			if e.Bundle == catalog.NoBundle {
				continue
			}
			in := namespace(pkg.Name)
			taken := false
			for _, api := range snapshot.Bundle(e.Bundle).Properties.GVKs() {
				taken = taken || provided[in+fmt.Sprint(api)]
			}
			if !taken && (in == pkg.Name || len(snapshot.Bundle(e.Bundle).Constraints) == 0) {
				for _, api := range snapshot.Bundle(e.Bundle).Properties.GVKs() {
					provided[in+fmt.Sprint(api)] = true
				}
				objects.Append(random.Installed(in, snapshot, pkg.Name, channel.Name, e.Bundle))
			}
			break
		}
	}
	return objects
}

// A package that the catalogs of the target lack blocks the update of the cluster.
func TestTargetLacksPackage(t *testing.T) {
	in := inputsOf(t, "scenarios/update-replaces")
	there := inputsOf(t, "explanations/unknown-package")
	rows, err := resolver.New().Status(t.Context(), in.Problem, in.Scopes, &resolver.Target{Catalogs: map[string]*cache.View{"": there.Problem.Catalogs}})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, updates.UpdateAvailable, rows[0].State)
	assert.False(t, rows[0].Target.OK())
	assert.True(t, rows[0].Stuck())
	assert.Contains(t, rows[0].Target.Reason(), "with the catalogs of the target: catalog olm/community has no package a")
}

// What OLM v1 says of a ClusterExtension is quoted, unless it is as it should be.
func TestExtensionConditions(t *testing.T) {
	objects, err := manifest.Read(t.Context(), strings.NewReader(`{apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: e}, spec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: foghorn}}},
status: {conditions: [{type: Installed, status: "True"}, {type: Progressing, status: "True", reason: Retrying, message: no bundle}, {type: Deprecated, status: "False"}],
activeRevisions: [{name: e-1}, {name: e-2, conditions: [{type: Available, status: "False", reason: ProbeFailure, message: no pod}, {type: Available, status: "True"}]}]}}`), "e.yaml")
	require.NoError(t, err)
	problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView(nil)}
	rows, err := resolver.New().Status(t.Context(), problem, problem.Cluster.Scopes(), nil)
	require.NoError(t, err)
	assert.Equal(t, []fixes.Condition{
		{Object: fixes.Object{Kind: fixes.ObjectExtension, Name: "e"}, Type: "Progressing", Reason: "Retrying", Message: "no bundle"},
		{Object: fixes.Object{Kind: fixes.ObjectExtension, Name: "e"}, Type: "Available", Reason: "ProbeFailure", Message: "revision e-2: no pod"},
	}, rows[0].Conditions)
}
