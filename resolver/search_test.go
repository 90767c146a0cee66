package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// A search for fixes that is cut off says so, and what cut it off.
func TestSearchIsCutOff(t *testing.T) {
	const content = `{"schema":"olm.package","name":"a","defaultChannel":"stable"}
		{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v1"}]}
		{"schema":"olm.channel","package":"a","name":"beta","entries":[{"name":"a.v2"}]}
		{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},
			{"type":"olm.package.required","value":{"packageName":"absent","versionRange":">=1.0.0"}}]}
		{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}]}`
	snapshot, err := cache.Parse(t.Context(), []byte(content), cache.Options{})
	require.NoError(t, err)
	objects := cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a", Channel: "stable"}}}
	resolve := func(ctx context.Context, options policy.Options, hidden int) *result.NotSatisfiable {
		catalogs := []cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Snapshot: snapshot}}
		for i := range hidden {
			key := catalog.Key{Namespace: "olm", Name: fmt.Sprintf("hidden%d", i)}
			catalogs = append(catalogs, cache.Catalog{Key: key, Snapshot: snapshot})
			options.ExcludeCatalogs = append(options.ExcludeCatalogs, key)
		}
		_, err := resolver.New().Resolve(ctx, resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView(catalogs), Options: options}, cluster.InNamespace("n"))
		failure, ok := errors.AsType[*result.NotSatisfiable](err)
		require.True(t, ok, "%v", err)
		return failure
	}

	whole := resolve(t.Context(), policy.Options{}, 0)
	assert.EqualValues(t, result.SearchComplete, whole.Search)
	assert.Len(t, whole.Fixes, 2)
	assert.NotContains(t, text.All(whole), "search")

	ctx, cancel := context.WithCancel(t.Context())
	canceled := resolve(ctx, policy.Options{SystemConstraint: func(_ context.Context, c policy.Candidate) (bool, string) {
		if c.Bundle.Name == "a.v2" { // only a fix leads to it
			cancel()
		}
		return true, ""
	}}, 0)
	assert.EqualValues(t, result.SearchCanceled, canceled.Search)
	assert.Empty(t, canceled.Fixes)
	assert.Contains(t, text.All(canceled), "\nWhat was not searched:\n  - The search for what would help was cut off: there may be changes that help\n")
	assert.NotContains(t, text.All(canceled), "no change")

	limited := resolve(t.Context(), policy.Options{}, 600)
	assert.EqualValues(t, result.SearchLimit, limited.Search)
	assert.Len(t, limited.Fixes, 2)
	assert.Contains(t, text.All(limited), "\nWhat was not searched:\n  - The search for what would help ended at its limit: there may be more\n")

	assert.Empty(t, resolve(t.Context(), policy.Options{NoFixes: true}, 0).Search)
}

// A try that a limit of the solver ends may be one that helps.
func TestSearchMeetsConflictLimit(t *testing.T) {
	const blob = `{"schema":"olm.package","name":"%[1]s","defaultChannel":"c"}{"schema":"olm.channel","package":"%[1]s","name":"c","entries":[%[2]s]}`
	const bundle = `{"schema":"olm.bundle","package":"%[1]s","name":"%[1]s.v%[2]d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"%[1]s","version":"%[2]d.0.0"}}%[3]s]}`
	content, requires := "", ""
	for _, name := range []string{"p", "q", "r"} {
		content += fmt.Sprintf(blob, name, fmt.Sprintf(`{"name":"%[1]s.v1"},{"name":"%[1]s.v2","replaces":"%[1]s.v1"}`, name))
		content += fmt.Sprintf(bundle, name, 1, "") + fmt.Sprintf(bundle, name, 2, "")
	}
	for i := range 8 { // every choice of three versions contradicts one of these
		requires += fmt.Sprintf(`,{"type":"olm.constraint","value":{"any":{"constraints":[
			{"package":{"packageName":"p","versionRange":"%d.0.0"}},{"package":{"packageName":"q","versionRange":"%d.0.0"}},{"package":{"packageName":"r","versionRange":"%d.0.0"}}]}}}`,
			1+i&1, 1+i>>1&1, 1+i>>2)
	}
	content += fmt.Sprintf(blob, "top", `{"name":"top.v1"}`) + fmt.Sprintf(bundle, "top", 1, requires)
	snapshot, err := cache.Parse(t.Context(), []byte(content), cache.Options{})
	require.NoError(t, err)
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Snapshot: snapshot}})
	objects := cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "absent", Package: "absent"}, {Namespace: "n", Name: "top", Package: "top"}}}
	ends, cutOff := map[result.Search]bool{}, false
	for limit := range 20 { // 0 is none
		problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view, Options: policy.Options{MaxConflicts: limit}}
		_, err := resolver.New().Resolve(t.Context(), problem, cluster.InNamespace("n"))
		if failure, ok := errors.AsType[*result.NotSatisfiable](err); ok {
			ends[failure.Search] = true
			cutOff = cutOff || failure.CutOff != nil
			assert.Equal(t, failure.CutOff != nil, strings.Contains(text.All(failure), "\n  - The search for further causes was cut off: "))
			assert.True(t, limit > 0 || failure.Search == result.SearchComplete)
		}
	}
	assert.Equal(t, map[result.Search]bool{result.SearchLimit: true, result.SearchComplete: true}, ends)
	assert.True(t, cutOff, "so does the search for causes")
}
