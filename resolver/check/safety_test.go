package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// directory is a bundle directory of package p with one CustomResourceDefinition, and a field of its
// ClusterServiceVersion.
func directory(version int, field string) string {
	return fmt.Sprintf(`-- p%[1]d/metadata/annotations.yaml --
annotations: {operators.operatorframework.io.bundle.package.v1: p, operators.operatorframework.io.bundle.channels.v1: "c,d"}
-- p%[1]d/manifests/p.clusterserviceversion.yaml --
kind: ClusterServiceVersion
metadata: {name: p.v%[1]d, annotations: {olm.skipRange: '%[2]s'}}
spec: {version: %[1]d.0.0%[3]s}
-- p%[1]d/manifests/k.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ks.g}
spec:
  group: g
  names: {kind: K, plural: ks}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {description: 'schema of %[1]d'}}}]
`, version, map[bool]string{true: field}[strings.HasPrefix(field, "<")], map[bool]string{true: ", " + field}[strings.Contains(field, ": ")])
}

func checkedTree(t *testing.T, text string) *cache.Checked {
	checked, err := cache.FS(testkit.Tree(text), cache.Options{Objects: true}).LoadChecked(t.Context())
	require.NoError(t, err)
	return checked
}

// OLM v1 takes any update to a higher version in any channel, and what it judges are whole objects.
func TestSafety(t *testing.T) {
	one := directory(1, "") + directory(2, "replaces: p.v1") + directory(3, "skips: [p.v1, p.v4]") + directory(4, "<4.0.0")
	published := checkedTree(t, one)
	added, err := checkedTree(t, directory(5, "<5.0.0")).AddedTo(t.Context(), published.Snapshot, cache.Options{Objects: true})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		judged *cache.Checked
		want   []string
	}{
		"edges": {published, []string{
			"p.v2: the update from p.v1", "p.v3: the update from p.v1", "p.v4: the update from p.v1, p.v2 and p.v3",
		}},
		"a new bundle": {added, []string{"p.v5: the update from p.v1, p.v2, p.v3 and p.v4"}},
	} {
		t.Run(name, func(t *testing.T) {
			options := check.Options{Safety: func(_ context.Context, from, to *properties.Objects) []check.Unsafe {
				for _, o := range []*properties.Objects{from, to} {
					assert.Contains(t, string(o.Definitions[0].Text), `"description":"schema of`)
				}
				return []check.Unsafe{{Definition: "js.g", Changes: []string{"v1: it goes"}}, {Definition: "ks.g", Changes: []string{"a", "b"}}, {Definition: "ls.g", Unjudged: "too large"}}
			}}
			r, err := check.Run(t.Context(), []check.Catalog{{Key: catalog.Key{Name: "c"}, Checked: test.judged}}, options)
			require.NoError(t, err)
			var got, unjudged []string
			for _, f := range r.Findings {
				switch {
				case f.Code == "unsafeUpdate":
					assert.Equal(t, catalog.Warning, f.Severity)
					assert.Equal(t, []string{"js.g: v1: it goes", "ks.g: a", "ks.g: b"}, []string{f.Because[0].String(), f.Because[1].String(), f.Because[2].String()})
					before, after, _ := strings.Cut(f.Message, "OLM v1 refuses ")
					said, rest, _ := strings.Cut(after, ", for 3 changes of 2 CustomResourceDefinitions: ")
					assert.Contains(t, rest, "spec.install.preflight.crdUpgradeSafety.enforcement")
					got = append(got, before+said)
				case f.Code == check.CodeUnjudged:
					unjudged = append(unjudged, f.Message)
				}
			}
			assert.Equal(t, test.want, got)
			assert.NotEmpty(t, unjudged)
			assert.Contains(t, unjudged[0], "CustomResourceDefinition ls.g")
			assert.Contains(t, unjudged[0], "too large")

			options.Baseline = r.All
			r, err = check.Run(t.Context(), []check.Catalog{{Key: catalog.Key{Name: "c"}, Checked: test.judged}}, options)
			require.NoError(t, err)
			assert.Empty(t, r.Findings)
		})
	}
}

// A package with a range over thousands of versions costs no more than the first ten thousand updates.
func TestSafetyBound(t *testing.T) {
	object := properties.DefinitionProperty(&properties.Definition{Group: "g", Names: properties.DefinitionNames{Kind: "K", Plural: "ks"}, Versions: []properties.DefinedVersion{{Name: "v1"}}})
	entries, bundles := "", ""
	for i := range 200 {
		entries += fmt.Sprintf(", {name: p.v%d, skipRange: '<%d.0.0'}", i+1, i+1)
		bundles += bundle("p", i+1, fmt.Sprintf("{type: %s, value: %s}", object.Type, object.Value))
	}
	calls := 0
	_, err := check.Run(t.Context(), []check.Catalog{catalogOf(t, "c", pkg("p")+channel("p", "c", entries[2:])+bundles)}, check.Options{Safety: func(_ context.Context, from, to *properties.Objects) []check.Unsafe {
		calls++
		return nil
	}})
	require.NoError(t, err)
	assert.Equal(t, 10_000, calls)
}
