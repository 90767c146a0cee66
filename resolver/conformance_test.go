package resolver_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// conformanceCase is a case of OLM's own behaviour. Which fields are set
// depends on its kind.
type conformanceCase struct {
	Name     string
	Kind     string
	Catalogs []struct {
		Name, Namespace string
		Priority        int
		Blobs           []any
	}
	Cluster           []any
	Namespaces        []string
	SystemConstraints *struct {
		AllowOnly []struct{ Package, Name, Version string } `yaml:"allowOnly"`
	} `yaml:"systemConstraints"`
	Channel map[string]any
	Start   string
	// Installed is the installed bundle of the extension.
	Installed   map[string]any
	Validations []string
	Expect      struct {
		Installs      []conformanceInstall
		Error         map[string]any
		Order         []string
		Candidates    []string
		Deprecation   *struct{ Bundles []string }
		Properties    []any
		EndsInFailure bool `yaml:"endsInFailure"`
	}
}

type conformanceInstall struct {
	Name, Package, Channel, Catalog, Namespace, Replaces string
	Version                                              string
}

// legal mends the names of two cases whose objects no API server would accept.
var legal = strings.NewReplacer("packageD", "package-d", "name: test-package-,", "name: test-package-none,")

func TestConformance(t *testing.T) {
	for path, data := range testkit.Files(t, testkit.Shared(t, "conformance"), "*", "*.yaml") {
		var c conformanceCase
		require.NoError(t, yaml.Load([]byte(legal.Replace(string(data))), &c), path)
		if c.Kind == "solve" {
			continue // the solver package runs these
		}
		t.Run(filepath.Base(filepath.Dir(path))+"/"+strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			switch c.Kind {
			case "resolve":
				c.resolve(t)
			case "sort":
				c.sort(t)
			case "csv-properties":
				c.properties(t)
			case "replacement-chain":
				c.replacementChain(t)
			case "extension":
				c.extension(t)
			default:
				t.Errorf("unknown kind %q", c.Kind)
			}
		})
	}
}

// scenario writes the catalogs and manifests of the case as files.
func (c *conformanceCase) scenario(t *testing.T) *scenario.Scenario {
	t.Helper()
	// CatalogSources were read: what is not among them is not there.
	read := map[string]any{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": map[string]any{"name": "read", "namespace": "elsewhere"}}
	s := &scenario.Scenario{Comment: c.Name, Cluster: jsonDocuments(t, append(slices.Clone(c.Cluster), read))}
	o := &s.Options
	o.Compound, o.Updates = "bundle", "named"
	o.Priorities = map[string]int{}
	if len(c.Namespaces) > 0 {
		o.Namespaces, o.GlobalNamespaces = c.Namespaces[:1], c.Namespaces[1:]
		o.NoGlobalNamespaces = len(o.GlobalNamespaces) == 0
	}
	for _, given := range c.Catalogs {
		key := catalog.Key{Namespace: given.Namespace, Name: given.Name}
		o.Priorities[key.String()] = given.Priority
		s.AddCatalog(key, "catalog.json", jsonDocuments(t, given.Blobs))
	}
	return s
}

func jsonDocuments(t *testing.T, documents []any) []byte {
	t.Helper()
	var b strings.Builder
	for _, d := range documents {
		require.NoError(t, json.NewEncoder(&b).Encode(d))
	}
	return []byte(b.String())
}

func (c *conformanceCase) resolve(t *testing.T) {
	in, err := c.scenario(t).Question(t.Context())
	require.NoError(t, err)
	if c.SystemConstraints != nil {
		in.Problem.Options.SystemConstraint = c.allowOnly
	}
	r, err := resolver.New().Resolve(t.Context(), in.Problem, in.Scopes[0])
	if c.Expect.Error != nil {
		var unsatisfied *result.NotSatisfiable
		require.ErrorAs(t, err, &unsatisfied, "any failure of the request will do, but it must be one of the request")
		assert.NotEmpty(t, unsatisfied.Constraints)
		return
	}
	require.NoError(t, err)
	got := []conformanceInstall{}
	for _, i := range r.Installs {
		got = append(got, conformanceInstall{
			Name: i.Bundle.Name, Package: i.Bundle.Package, Channel: i.Channel,
			Catalog: i.Bundle.Catalog.Name, Namespace: i.Bundle.Catalog.Namespace, Replaces: i.Replaces,
		})
	}
	assert.ElementsMatch(t, c.Expect.Installs, got)
}

func (c *conformanceCase) extension(t *testing.T) {
	require.Len(t, c.Cluster, 1)
	if c.Installed != nil {
		c.Cluster[0].(map[string]any)["status"] = map[string]any{"install": map[string]any{"bundle": c.Installed}}
	}
	in, err := c.scenario(t).Question(t.Context())
	require.NoError(t, err)
	in.Problem.Options.RejectDependencies = slices.Contains(c.Validations, "noDependencies")
	r, err := resolver.New().Resolve(t.Context(), in.Problem, in.Scopes[0])
	if c.Expect.Error != nil {
		c.extensionError(t, err)
		return
	}
	require.NoError(t, err)
	got := []conformanceInstall{}
	for _, i := range r.Installs {
		version := i.Version.String()
		if i.Release != "" {
			version += "+" + i.Release // how registry+v1 bundles state a release
		}
		got = append(got, conformanceInstall{Name: i.Bundle.Name, Package: i.Bundle.Package, Catalog: i.Bundle.Catalog.Name, Version: version})
	}
	assert.ElementsMatch(t, c.Expect.Installs, got)
	c.checkDeprecation(t, in.Problem.Catalogs)
	if list := slices.Concat(c.Expect.Order, c.Expect.Candidates); len(list) > 0 {
		c.checkOrder(t, list, in)
	}
}

func (c *conformanceCase) allowOnly(_ context.Context, b policy.Candidate) (allowed bool, reason string) {
	for _, a := range c.SystemConstraints.AllowOnly {
		if a.Package == b.Bundle.Package && a.Name == b.Bundle.Name && a.Version == b.Version.String() {
			return true, ""
		}
	}
	return false, "package " + b.Bundle.Package + " is not on the list"
}

func (c *conformanceCase) sort(t *testing.T) {
	pkg, name := c.Channel["package"].(string), c.Channel["name"].(string)
	blobs := jsonDocuments(t, []any{
		map[string]any{"schema": "olm.package", "name": pkg, "defaultChannel": name}, c.Channel,
	})
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"catalog.json": &fstest.MapFile{Data: blobs}}, cache.Options{})
	require.NoError(t, err)
	channel := snapshot.Package(pkg).Channel(name)
	require.NotNil(t, channel)
	if c.Expect.Error != nil {
		assert.NotEmpty(t, channel.Fault)
		assert.Empty(t, channel.Order)
		return
	}
	order := []string{}
	for _, i := range channel.Order {
		if e := channel.Entries[i]; !e.Skipped {
			order = append(order, e.Name)
		}
	}
	assert.Equal(t, len(order) == 0, channel.Fault != "", "only an empty channel has no order")
	assert.Equal(t, c.Expect.Order, order)
}

func (c *conformanceCase) properties(t *testing.T) {
	in, err := c.scenario(t).Question(t.Context())
	require.NoError(t, err)
	csvs := in.Problem.Cluster.Objects().CSVs
	require.Len(t, csvs, 1)
	list, err := resolver.InstalledProperties(in.Problem.Cluster, csvs[0].Namespace, csvs[0].Name)
	require.NoError(t, err)
	got := []any{}
	for _, p := range list {
		var value any
		require.NoError(t, json.Unmarshal(p.Value, &value))
		got = append(got, map[string]any{"type": p.Type, "value": value})
	}
	assert.ElementsMatch(t, c.Expect.Properties, got)
}

// replacementChain asks where a chain ends. OLM refuses two of the chains as
// inconsistent; here a cycle does not end in failure, and a chain follows
// spec.replaces alone, whatever the phases on its way are.
func (c *conformanceCase) replacementChain(t *testing.T) {
	want := c.Expect.EndsInFailure
	if c.Name == "ReplacementChainBrokenByFailedCSVInMiddle" {
		require.NotNil(t, c.Expect.Error)
		want = true
	}
	in, err := c.scenario(t).Question(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, resolver.EndsInFailure(in.Problem.Cluster, "bar", c.Start))
}
