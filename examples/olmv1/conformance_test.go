package olmv1_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/examples/olmv1"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// conformanceCase is a case of OLM v1's own behaviour.
type conformanceCase struct {
	Catalogs []struct {
		Name     string
		Priority int32
		Labels   map[string]string
		Blobs    []json.RawMessage
	}
	Cluster   []*ocv1.ClusterExtension
	Installed *ocv1.BundleMetadata
	Expect    struct {
		Installs          []struct{ Name, Package, Version, Catalog string }
		Error             *struct{ Kind string }
		Order, Candidates []string
		Deprecation       *struct{ Bundles []string }
	}
}

func TestConformance(t *testing.T) {
	for _, group := range []string{"extension", "extension-derived"} {
		for path, data := range testkit.Files(t, testkit.Shared(t, "conformance", group), "*.yaml") {
			t.Run(group+"/"+strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
				var c conformanceCase
				require.NoError(t, yaml.Unmarshal(data, &c))
				c.run(t)
			})
		}
	}
}

func (c *conformanceCase) run(t *testing.T) {
	var given []*offered
	for _, one := range c.Catalogs {
		content, err := declcfg.LoadReader(bytes.NewReader(bytes.Join(rawOf(one.Blobs), nil)))
		require.NoError(t, err)
		given = append(given, &offered{
			ClusterCatalog: ocv1.ClusterCatalog{
				ObjectMeta: metav1.ObjectMeta{Name: one.Name, Labels: one.Labels},
				Spec:       ocv1.ClusterCatalogSpec{Priority: one.Priority},
			},
			content: content,
		})
	}
	ask := func(options policy.Options) (*declcfg.Bundle, *declcfg.VersionRelease, *declcfg.Deprecation, error) {
		return olmv1.New(catalogs(given...), options).Resolve(t.Context(), c.Cluster[0], c.Installed)
	}
	bundle, version, deprecation, err := ask(policy.Options{})
	if c.Expect.Error != nil {
		want := map[string]result.Result{
			"notSatisfiable":  result.ResultUnsatisfied,
			"multipleMatches": result.ResultAmbiguous,
			"invalidInput":    result.ResultInvalidInput,
		}[c.Expect.Error.Kind]
		assert.Equal(t, want, result.Of(err), "%v", err)
		return
	}
	require.NoError(t, err)
	want := c.Expect.Installs[0]
	assert.Equal(t, want.Name, bundle.Name)
	assert.Equal(t, want.Package, bundle.Package)
	stated := version.Version.String()
	if len(version.Release) > 0 {
		stated += "+" + version.Release.String()
	}
	assert.Equal(t, want.Version, stated)
	if c.Expect.Deprecation != nil {
		var deprecated []string
		for _, e := range deprecation.Entries {
			if e.Reference.Schema == declcfg.SchemaBundle {
				deprecated = append(deprecated, e.Reference.Name)
			}
		}
		assert.ElementsMatch(t, c.Expect.Deprecation.Bundles, deprecated)
	}
	if c.Expect.Order != nil {
		assert.Equal(t, c.usable(given), inTurn(ask))
	} else if c.Expect.Candidates != nil {
		assert.ElementsMatch(t, c.Expect.Candidates, inTurn(ask))
	}
}

// usable is the wanted order without bundles that state no version, which OLM sorts
// last, and fails on.
func (c *conformanceCase) usable(given []*offered) []string {
	return slices.DeleteFunc(slices.Clone(c.Expect.Order), func(name string) bool {
		return !slices.ContainsFunc(given[0].content.Bundles, func(b declcfg.Bundle) bool {
			_, err := b.VersionRelease()
			return b.Name == name && err == nil
		})
	})
}

// inTurn lists what is chosen when what was chosen before is forbidden.
func inTurn(ask func(policy.Options) (*declcfg.Bundle, *declcfg.VersionRelease, *declcfg.Deprecation, error)) (chosen []string) {
	for {
		bundle, _, _, err := ask(policy.Options{SystemConstraint: func(_ context.Context, b policy.Candidate) (bool, string) {
			return !slices.Contains(chosen, b.Bundle.Name), "was taken before"
		}})
		if err != nil || slices.Contains(chosen, bundle.Name) {
			return chosen
		}
		chosen = append(chosen, bundle.Name)
	}
}

func rawOf(blobs []json.RawMessage) [][]byte {
	var raw [][]byte
	for _, b := range blobs {
		raw = append(raw, b)
	}
	return raw
}
