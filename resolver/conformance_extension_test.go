package resolver_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// extensionError checks that a failure is of the kind that OLM has.
func (c *conformanceCase) extensionError(t *testing.T, err error) {
	t.Helper()
	want := map[any]result.Result{
		"notSatisfiable":  result.ResultUnsatisfied,
		"multipleMatches": result.ResultAmbiguous,
		"invalidInput":    result.ResultInvalidInput,
	}[c.Expect.Error["kind"]]
	assert.Equal(t, want, result.Of(err), "%v", err)
}

// checkDeprecation compares what the catalog says of the package's bundles.
func (c *conformanceCase) checkDeprecation(t *testing.T, view *cache.View) {
	t.Helper()
	if c.Expect.Deprecation == nil {
		return
	}
	install := c.Expect.Installs[0]
	snapshot := view.Catalog(catalog.Key{Name: install.Catalog}).Snapshot
	var deprecated []string
	for _, id := range snapshot.Package(install.Package).Bundles {
		if b := snapshot.Bundle(id); b.Deprecation != "" {
			deprecated = append(deprecated, b.Name)
		}
	}
	assert.ElementsMatch(t, c.Expect.Deprecation.Bundles, deprecated)
}

// checkOrder forbids one bundle after the other: the resolver has to name the
// next. Bundles without a version cannot be used at all and end the list.
func (c *conformanceCase) checkOrder(t *testing.T, order []string, in *scenario.Question) {
	t.Helper()
	var got []string
	for range len(order) + 1 {
		options := policy.Options{SystemConstraint: func(_ context.Context, b policy.Candidate) (bool, string) {
			return !slices.Contains(got, b.Bundle.Name), "was taken before"
		}}
		r, err := resolver.New().Resolve(t.Context(), resolver.Problem{Cluster: in.Problem.Cluster, Catalogs: in.Problem.Catalogs, Options: options}, in.Scopes[0])
		if err != nil {
			break
		}
		if len(r.Installs) == 0 {
			require.Len(t, r.Kept, 1)
			assert.Equal(t, c.Catalogs[0].Name, r.Kept[0].Bundle.Catalog.Name)
			got = append(got, r.Kept[0].Bundle.Name)
			break
		}
		got = append(got, r.Installs[0].Bundle.Name)
	}
	usable := slices.DeleteFunc(slices.Clone(order), func(name string) bool { return !c.hasVersion(name) })
	if len(c.Expect.Order) > 0 {
		assert.Equal(t, usable, got)
	} else {
		assert.ElementsMatch(t, usable, got)
	}
}

// hasVersion reports whether the case states a version for a bundle.
func (c *conformanceCase) hasVersion(bundle string) bool {
	for _, catalog := range c.Catalogs {
		for _, blob := range catalog.Blobs {
			text, err := json.Marshal(blob)
			if err == nil && strings.Contains(string(text), `"`+bundle+`"`) && strings.Contains(string(text), `"version"`) {
				return true
			}
		}
	}
	return false
}
