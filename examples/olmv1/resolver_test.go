package olmv1_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resolvent/resolvent/examples/olmv1"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// The interface is operator-controller's own, which only its packages can import.
var _ interface {
	Resolve(ctx context.Context, ext *ocv1.ClusterExtension, installedBundle *ocv1.BundleMetadata) (*declcfg.Bundle, *declcfg.VersionRelease, *declcfg.Deprecation, error)
} = (*olmv1.Resolver)(nil)

// offered is a catalog as the cluster knows it, and its content.
type offered struct {
	ocv1.ClusterCatalog
	content *declcfg.DeclarativeConfig
	err     error
}

// catalogs returns what the controller would read of the catalogs.
func catalogs(given ...*offered) olmv1.Catalogs {
	return olmv1.Catalogs{
		List: func(context.Context) (list []ocv1.ClusterCatalog, err error) {
			for _, c := range given {
				list = append(list, c.ClusterCatalog)
			}
			return list, nil
		},
		Package: func(_ context.Context, from *ocv1.ClusterCatalog, pkg string) (*declcfg.DeclarativeConfig, error) {
			c := given[slices.IndexFunc(given, func(c *offered) bool { return c.Name == from.Name })]
			if c.err != nil {
				return nil, c.err
			}
			return packageOf(c.content, pkg), nil
		},
	}
}

// packageOf returns the part of a catalog that is about a package.
func packageOf(c *declcfg.DeclarativeConfig, pkg string) *declcfg.DeclarativeConfig {
	var part declcfg.DeclarativeConfig
	for _, p := range c.Packages {
		if p.Name == pkg {
			part.Packages = append(part.Packages, p)
		}
	}
	for _, channel := range c.Channels {
		if channel.Package == pkg {
			part.Channels = append(part.Channels, channel)
		}
	}
	for _, b := range c.Bundles {
		if b.Package == pkg {
			part.Bundles = append(part.Bundles, b)
		}
	}
	for _, d := range c.Deprecations {
		if d.Package == pkg {
			part.Deprecations = append(part.Deprecations, d)
		}
	}
	return &part
}

// coast is a catalog of package testdata.
func coast(t testing.TB) *offered {
	t.Helper()
	files, err := fs.Sub(testdata.Catalogs, "catalogs/coast")
	require.NoError(t, err)
	content, err := declcfg.LoadFS(t.Context(), files)
	require.NoError(t, err)
	return &offered{
		ClusterCatalog: ocv1.ClusterCatalog{
			ObjectMeta: metav1.ObjectMeta{Name: "coast", Labels: map[string]string{"sea": "near"}},
			Spec:       ocv1.ClusterCatalogSpec{Priority: 5},
		},
		content: content,
	}
}

// asks returns a ClusterExtension for a package.
func asks(filter ocv1.CatalogFilter) *ocv1.ClusterExtension {
	return &ocv1.ClusterExtension{
		ObjectMeta: metav1.ObjectMeta{Name: "light"},
		Spec:       ocv1.ClusterExtensionSpec{Namespace: "harbor", Source: ocv1.SourceConfig{SourceType: ocv1.SourceTypeCatalog, Catalog: &filter}},
	}
}

func TestInstall(t *testing.T) {
	from := coast(t)
	bundle, version, deprecation, err := olmv1.New(catalogs(from), policy.Options{}).
		Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "foghorn", Version: "2.x"}), nil)
	require.NoError(t, err)
	assert.Equal(t, "foghorn.v2.1.0", bundle.Name)
	assert.Equal(t, "registry.example/coast/foghorn:v2.1.0", bundle.Image)
	assert.Len(t, bundle.Properties, 2, "all that the catalog states")
	assert.Equal(t, "2.1.0", version.Version.String())
	assert.Nil(t, deprecation)
}

func TestUpdate(t *testing.T) {
	for _, test := range []struct {
		name      string
		filter    ocv1.CatalogFilter
		installed string
		want      string
	}{
		{"to a successor", ocv1.CatalogFilter{Channels: []string{"stable"}}, "1.3.0", "foghorn.v2.1.0"},
		{"stays", ocv1.CatalogFilter{Version: "1.x"}, "1.3.0", "foghorn.v1.3.0"},
		{"one step at a time", ocv1.CatalogFilter{}, "1.3.0", "foghorn.v2.1.0"},
		{"at the head", ocv1.CatalogFilter{}, "3.0.0", "foghorn.v3.0.0"},
		{"back, self-certified", ocv1.CatalogFilter{Version: "<2.0.0", UpgradeConstraintPolicy: ocv1.UpgradeConstraintPolicySelfCertified}, "3.0.0", "foghorn.v1.3.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.filter.PackageName = "foghorn"
			bundle, _, _, err := olmv1.New(catalogs(coast(t)), policy.Options{}).
				Resolve(t.Context(), asks(test.filter), &ocv1.BundleMetadata{Name: "foghorn.v" + test.installed, Version: test.installed})
			require.NoError(t, err)
			assert.Equal(t, test.want, bundle.Name)
		})
	}
}

// TestKeptUnderAnotherName: what is installed is known by its version and release.
func TestKeptUnderAnotherName(t *testing.T) {
	bundle, version, _, err := olmv1.New(catalogs(coast(t)), policy.Options{}).
		Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "pier"}), &ocv1.BundleMetadata{Name: "pier-two", Version: "2.0.0"})
	require.NoError(t, err)
	assert.Equal(t, "pier.v2.0.0", bundle.Name)
	assert.Equal(t, "2.0.0", version.Version.String())
}

func TestDeprecation(t *testing.T) {
	from := coast(t)
	_, _, deprecation, err := olmv1.New(catalogs(from), policy.Options{}).Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "iceberg"}), nil)
	require.NoError(t, err)
	assert.Equal(t, &from.content.Deprecations[0], deprecation)
}

// TestDeprecationOfWinner: the catalog that wins says what is deprecated, whatever the
// others say, and in whatever order they are listed.
func TestDeprecationOfWinner(t *testing.T) {
	first, second := coast(t), coast(t)
	second.Name, second.Spec.Priority = "harbor", 1
	second.content.Deprecations = nil
	for _, order := range [][]*offered{{first, second}, {second, first}} {
		_, _, deprecation, err := olmv1.New(catalogs(order...), policy.Options{}).Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "iceberg"}), nil)
		require.NoError(t, err)
		assert.NotNil(t, deprecation)
	}
}

// TestExplanation: a failure says why, and what would help; and it is data, too.
func TestExplanation(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, test := range []struct {
		name      string
		filter    ocv1.CatalogFilter
		installed *ocv1.BundleMetadata
		want      string
	}{
		{"no successor", ocv1.CatalogFilter{PackageName: "foghorn", Version: ">=3.0.0"}, &ocv1.BundleMetadata{Name: "foghorn.v1.3.0", Version: "1.3.0"}, `
ClusterExtension light cannot be satisfied:
">=3.0.0" of package foghorn is asked for, but the installed foghorn.v1.3.0 cannot be updated to that directly, only to foghorn.v2.1.0 and foghorn.v2.0.0, which the range does not allow

Do this:
  no immediate action needed: foghorn.v1.3.0 keeps running, but gets no updates
  or (tried here, not on the cluster):
  1. set spec.source.catalog.version of ClusterExtension light to ">=2.1.0"
  Then: updates foghorn from 1.3.0 to 2.1.0; then 1 more step follows by itself, next foghorn.v3.0.0
  Careful: foghorn 2.1.0 is a new major version

Or:
  Fix 2: set spec.source.catalog.upgradeConstraintPolicy of ClusterExtension light to SelfCertified (the publisher does not support this update: it may lose data; set the policy back afterwards): updates foghorn from 1.3.0 to 3.0.0
`},
		{"channel", ocv1.CatalogFilter{PackageName: "pier", Channels: []string{"stane"}}, nil, `
ClusterExtension light cannot be satisfied:
package pier has no such channels (stane); its channels are stone, wood

Do this (tried here, not on the cluster):
  1. remove spec.source.catalog.channels from ClusterExtension light
  Then: installs pier 2.0.0
`},
		{"selector", ocv1.CatalogFilter{PackageName: "pier", Selector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "sea", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"near"}}},
		}}, nil, `
ClusterExtension light cannot be satisfied:
no available catalog has the labels that the selector asks for, so package pier cannot be found
  ClusterExtension light asks for package pier
    catalog coast has package pier, but the request does not ask that catalog

Do this (tried here, not on the cluster):
  1. remove spec.source.catalog.selector from ClusterExtension light
  Then: installs pier 2.0.0
`},
		{"dependencies", ocv1.CatalogFilter{PackageName: "lighthouse"}, nil, `
ClusterExtension light cannot be satisfied:
OLM v1 refuses its best bundle lighthouse.v2.0.0, which requires an operator providing Lamp (light.example.com/v1) and package foghorn in range >=2.0.0 <3.0.0, and OLM v1 resolves no dependencies

What would help:
  none of the changes to the cluster that were tried helps
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, _, err := olmv1.New(catalogs(coast(t)), policy.Options{}).Resolve(t.Context(), asks(test.filter), test.installed)
			unsatisfied, ok := errors.AsType[*result.NotSatisfiable](err)
			require.True(t, ok, "%v", err)
			assert.NotEmpty(t, unsatisfied.Constraints)
			assert.Equal(t, strings.TrimPrefix(test.want, "\n"), err.Error())
			for line := range strings.Lines(test.want) {
				if test.name == "no successor" { // the README shows it
					assert.Contains(t, string(readme), strings.TrimSpace(line))
				}
			}
		})
	}
}

// TestRefusals: what a bundle states of install modes and API services counts.
func TestRefusals(t *testing.T) {
	content := coast(t)
	for i := range content.content.Bundles {
		b := &content.content.Bundles[i]
		if b.Package != "pier" {
			continue
		}
		b.Properties = append(b.Properties, property.Property{Type: "olm.csv.metadata", Value: json.RawMessage(`{
			"installModes": [{"type": "OwnNamespace", "supported": true}],
			"apiServiceDefinitions": {"owned": [{"name": "v1.g.io", "group": "g.io", "version": "v1", "kind": "K"}]}}`)})
	}
	ext := asks(ocv1.CatalogFilter{PackageName: "pier"})
	resolve := func() error {
		_, _, _, err := olmv1.New(catalogs(content), policy.Options{OLMv1: cluster.ProfileExperimental}).Resolve(t.Context(), ext, nil)
		return err
	}
	require.ErrorContains(t, resolve(), "supports OwnNamespace only, and spec.config.inline.watchNamespace is not set: set it to harbor; and which owns the API service K (g.io/v1)")
	ext.Spec.Config = &ocv1.ClusterExtensionConfig{ConfigType: ocv1.ClusterExtensionConfigTypeInline, Inline: &apiextensionsv1.JSON{Raw: []byte(`{"watchNamespace": "harbor"}`)}}
	require.ErrorContains(t, resolve(), "best bundle pier.v2.0.0, which owns the API service")
	ext.Spec.Config.Inline.Raw = []byte(`{"watchNamespace": 1}`)
	require.ErrorContains(t, resolve(), "spec.config.inline")
}

// TestCatalogs: a catalog that cannot be read matters where it is selected, one that is
// disabled nowhere, and two of equal rank are ambiguous.
func TestCatalogs(t *testing.T) {
	broken := &offered{ClusterCatalog: ocv1.ClusterCatalog{ObjectMeta: metav1.ObjectMeta{Name: "wreck"}}, err: errors.New("it is not being served")}
	disabled := &offered{ClusterCatalog: ocv1.ClusterCatalog{ObjectMeta: metav1.ObjectMeta{Name: "wreck"}, Spec: ocv1.ClusterCatalogSpec{AvailabilityMode: ocv1.AvailabilityModeUnavailable}}, err: broken.err}
	empty := &offered{ClusterCatalog: ocv1.ClusterCatalog{ObjectMeta: metav1.ObjectMeta{Name: "empty"}}, content: &declcfg.DeclarativeConfig{}}
	twin := coast(t)
	twin.Name, twin.Labels = "twin", nil
	mirror := coast(t)
	mirror.Name = "mirror"
	for i := range mirror.content.Bundles {
		mirror.content.Bundles[i].Image = "mirror.example/" + mirror.content.Bundles[i].Name
	}
	const tied = "; give one of them a higher priority or choose with a selector; each offers pier.v2.0.0, "
	near := &metav1.LabelSelector{MatchLabels: map[string]string{"sea": "near"}}
	for _, test := range []struct {
		name     string
		beside   *offered
		selector *metav1.LabelSelector
		want     result.Result
		text     string
	}{
		{"unreadable", broken, nil, result.ResultUnhealthy, "catalogs selected by ClusterExtension light are unhealthy: wreck (it is not being served)"},
		{"unreadable, not selected", broken, near, result.Resolved, ""},
		{"disabled", disabled, nil, result.Resolved, ""},
		{"without the package", empty, nil, result.Resolved, ""},
		{"of equal priority", twin, nil, result.ResultAmbiguous, "package pier is in several catalogs with the same priority 5: coast, twin" + tied + "with the same image"},
		{"of equal priority, other images", mirror, nil, result.ResultAmbiguous, "package pier is in several catalogs with the same priority 5: coast, mirror" + tied + "but the images differ, or are not stated"},
		{"of equal priority, not selected", twin, near, result.Resolved, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			bundle, _, _, err := olmv1.New(catalogs(test.beside, coast(t)), policy.Options{}).
				Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "pier", Selector: test.selector}), nil)
			require.Equal(t, test.want, result.Of(err), "%v", err)
			if err != nil {
				require.EqualError(t, err, test.text)
				return
			}
			assert.Equal(t, "pier.v2.0.0", bundle.Name)
		})
	}
}

// TestPolicy: the options of the library count here, too.
func TestPolicy(t *testing.T) {
	options := policy.Options{Pins: []policy.Pin{{Package: "pier", Version: "1.0.0"}}}
	_, _, _, err := olmv1.New(catalogs(coast(t)), options).Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "pier", Version: "2.x"}), nil)
	require.ErrorContains(t, err, "pier.v2.0.0")
	assert.Equal(t, result.ResultUnsatisfied, result.Of(err))

	// What cannot be satisfied must not pass as nothing to install.
	_, _, _, err = olmv1.New(catalogs(coast(t)), policy.Options{Partial: true}).Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "pier", Version: "9.x"}), nil)
	assert.Equal(t, result.ResultUnsatisfied, result.Of(err), "%v", err)
}

func TestInvalid(t *testing.T) {
	failing := catalogs()
	failing.List = func(context.Context) ([]ocv1.ClusterCatalog, error) { return nil, errors.New("forbidden") }
	_, _, _, err := olmv1.New(failing, policy.Options{}).Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "pier"}), nil)
	require.EqualError(t, err, "ClusterCatalogs: they cannot be listed: forbidden")

	r := olmv1.New(catalogs(coast(t)), policy.Options{})
	_, _, _, err = r.Resolve(t.Context(), &ocv1.ClusterExtension{ObjectMeta: metav1.ObjectMeta{Name: "light"}}, nil)
	require.EqualError(t, err, "ClusterExtension light: spec.source.catalog is missing; name a package there")
	_, _, _, err = r.Resolve(t.Context(), asks(ocv1.CatalogFilter{}), nil)
	require.EqualError(t, err, "ClusterExtension light: spec.source.catalog.packageName is empty; name a package")
	_, _, _, err = r.Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: "pier"}), &ocv1.BundleMetadata{Name: "pier.v1", Version: "one"})
	assert.Equal(t, result.ResultInvalidInput, result.Of(err), "%v", err)
}

// TestConcurrent: one Resolver serves all workers of a controller.
func TestConcurrent(t *testing.T) {
	r := olmv1.New(catalogs(coast(t)), policy.Options{})
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for _, pkg := range []string{"foghorn", "pier", "iceberg", "kerosene"} {
				bundle, _, _, err := r.Resolve(t.Context(), asks(ocv1.CatalogFilter{PackageName: pkg}), nil)
				if assert.NoError(t, err) {
					assert.Equal(t, pkg, bundle.Package)
				}
			}
		})
	}
	workers.Wait()
}

// TestCancelled: a call on a large package ends with its context, and says so.
func TestCancelled(t *testing.T) {
	large := coast(t)
	for i := range large.content.Channels {
		c := &large.content.Channels[i]
		if c.Package != "foghorn" {
			continue
		}
		for n := range 5_000 {
			b := large.content.Bundles[slices.IndexFunc(large.content.Bundles, func(b declcfg.Bundle) bool { return b.Name == "foghorn.v3.0.0" })]
			b.Name = fmt.Sprintf("foghorn.%s.%d", c.Name, n)
			large.content.Bundles = append(large.content.Bundles, b)
			c.Entries = append(c.Entries, declcfg.ChannelEntry{Name: b.Name})
		}
	}
	r := olmv1.New(catalogs(large), policy.Options{})
	testkit.CancelAtRandom(t, func(ctx context.Context) error {
		_, _, _, err := r.Resolve(ctx, asks(ocv1.CatalogFilter{PackageName: "foghorn", Version: "2.x"}), nil)
		if ctx.Err() != nil && err != nil {
			assert.Equal(t, result.ResultIncomplete, result.Of(err), "%v", err)
		}
		return err
	})
}
