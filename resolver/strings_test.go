package resolver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// What somebody prints to look at it is for people: no pointers, and no fields of Go.
func TestStrings(t *testing.T) {
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{
		{Namespace: "harbor", Name: "lighthouse", Package: "lighthouse", Catalog: "coast", CatalogNamespace: "olm"},
		{Namespace: "sea", Name: "kraken", Package: "kraken", Catalog: "coast", CatalogNamespace: "olm"},
	}})
	problem := resolver.Problem{Cluster: known, Catalogs: exampleCatalogs()}
	var r resolver.Resolver
	outcomes := r.ResolveAll(t.Context(), problem, known.Scopes())
	install := outcomes[0].Resolution.Installs[0]
	unsatisfied, ok := outcomes[1].Err.(*result.NotSatisfiable)
	require.True(t, ok)
	fix := unsatisfied.Fixes[0]
	for want, value := range map[string]any{
		"lighthouse.v1.2.0 from olm/coast":                              install.Bundle,
		"lighthouse.v1.2.0 from olm/coast, channel stable":              install,
		"[Subscription lighthouse in namespace harbor]":                 install.For,
		"lighthouse.v1.2.0 requires package kerosene":                   result.Obligation{Bundle: "lighthouse.v1.2.0", Constraint: "package kerosene"},
		"install lighthouse.v1.2.0 from olm/coast, channel stable":      outcomes[0].Resolution.Operations()[0],
		"lighthouse.v1 in namespace a":                                  result.BundleRef{Namespace: "a", Bundle: catalog.BundleKey{Name: "lighthouse.v1"}},
		"keeper.v1":                                                     result.Kept{Bundle: catalog.BundleKey{Name: "keeper.v1"}},
		"[delete Subscription kraken in namespace sea]":                 fix.Steps(),
		"delete Subscription kraken in namespace sea: installs nothing": fix,
	} {
		assert.Equal(t, want, fmt.Sprint(value))
	}
	for _, value := range []any{unsatisfied.Constraints, unsatisfied.Causes, unsatisfied.Others, fix, fix.Changes, fix.Steps(), fix.Then, outcomes[0].Resolution.Operations(), result.Step{}, result.Reason{}} {
		text := fmt.Sprintf("%v %+v", value, value)
		assert.NotRegexp(t, `0xc|<nil>|\{|%!`, text)
	}
}
