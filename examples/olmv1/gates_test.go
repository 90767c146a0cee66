package olmv1_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/olmv1"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// The gates that what OLM v1 makes of a bundle depends on.
const (
	gateNamespaces = "SingleOwnNamespaceInstallSupport"
	gateDeployment = "DeploymentConfig"
)

// installation is a ClusterExtension, and the only bundle that it can have.
type installation struct {
	// modes are the install modes that the bundle states, apis the API services that it owns.
	modes, apis []map[string]any
	// inline is spec.config.inline, nil without spec.config.
	inline map[string]any
}

// toInstall and made are the request and answer of the program in testdata/installer.go.txt.
type toInstall struct {
	Bundle    map[string][]byte
	Extension *ocv1.ClusterExtension
	Gates     string
}

type made struct {
	Deployments []any
	Err         string
}

// installation makes a random one.
func (r *random) installation() (i installation) {
	for _, mode := range []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"} {
		if r.chance(0.8) {
			i.modes = append(i.modes, map[string]any{"type": mode, "supported": r.chance(0.6)})
		}
	}
	if r.chance(0.05) {
		i.modes = nil
	}
	if r.chance(0.05) {
		i.apis = []map[string]any{{"group": "g.io", "version": "v1", "kind": "K", "name": "ks"}}
	}
	if r.chance(0.2) {
		return i
	}
	i.inline = map[string]any{}
	if r.chance(0.7) {
		i.inline["watchNamespace"] = pick[any](r, "harbor", "harbor", "harbor", "sea", "sea", "sea", "Sea", "sea.", "", strings.Repeat("s", 63), strings.Repeat("s", 64), nil, 5)
	}
	if r.chance(0.3) {
		i.inline["deploymentConfig"] = r.deploymentConfig()
	}
	if r.chance(0.05) {
		i.inline["watchNamespaces"] = "sea"
	}
	return i
}

// deploymentConfig is what a Subscription of OLM v0 can say in spec.config, but its selector.
func (r *random) deploymentConfig() map[string]any {
	config := map[string]any{}
	for name, value := range map[string]any{
		"env":          []any{map[string]any{"name": "LIGHT", "value": "green"}},
		"envFrom":      []any{map[string]any{"configMapRef": map[string]any{"name": "lights"}}},
		"nodeSelector": map[string]any{"disk": "fast"},
		"resources":    map[string]any{"limits": map[string]any{"memory": "1Gi"}, "requests": map[string]any{"cpu": "1"}},
		"tolerations":  []any{map[string]any{"key": "sea", "operator": "Exists", "effect": "NoSchedule"}},
		"volumes":      []any{map[string]any{"name": "hold", "emptyDir": map[string]any{}}},
		"volumeMounts": []any{map[string]any{"name": "hold", "mountPath": "/hold"}},
		"annotations":  map[string]any{"a": "b"},
		"affinity": map[string]any{"podAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{
			map[string]any{"topologyKey": "berth", "labelSelector": map[string]any{"matchLabels": map[string]any{"app": "tug"}}},
		}}},
	} {
		if r.chance(0.3) {
			config[name] = value
		}
	}
	return config
}

// csv is the ClusterServiceVersion of the bundle.
func (i *installation) csv() map[string]any {
	pod := map[string]any{"containers": []any{map[string]any{"name": "light", "image": "registry.example/light"}}}
	selects := map[string]any{"app": "light"}
	return map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": map[string]any{"name": "light.v1.0.0"},
		"spec": map[string]any{
			"version": "1.0.0", "installModes": i.modes, "apiservicedefinitions": map[string]any{"owned": i.apis},
			"install": map[string]any{"strategy": "deployment", "spec": map[string]any{"deployments": []any{map[string]any{
				"name": "light",
				"spec": map[string]any{"selector": map[string]any{"matchLabels": selects}, "template": map[string]any{"metadata": map[string]any{"labels": selects}, "spec": pod}},
			}}}},
		},
	}
}

// files are those of the bundle's image.
func (i *installation) files() map[string][]byte {
	return map[string][]byte{
		"metadata/annotations.yaml": []byte("annotations: {operators.operatorframework.io.bundle.package.v1: light}"),
		"manifests/light.yaml":      []byte(text(i.csv())),
	}
}

// content is what the catalog has of the bundle.
func (i *installation) content() *declcfg.DeclarativeConfig {
	return &declcfg.DeclarativeConfig{
		Packages: []declcfg.Package{{Schema: declcfg.SchemaPackage, Name: "light", DefaultChannel: "stable"}},
		Channels: []declcfg.Channel{{Schema: declcfg.SchemaChannel, Package: "light", Name: "stable", Entries: []declcfg.ChannelEntry{{Name: "light.v1.0.0"}}}},
		Bundles: []declcfg.Bundle{{Schema: declcfg.SchemaBundle, Package: "light", Name: "light.v1.0.0", Image: "registry.example/light", Properties: []property.Property{
			property.MustBuildPackage("light", "1.0.0"),
			{Type: property.TypeCSVMetadata, Value: json.RawMessage(text(map[string]any{"installModes": i.modes, "apiServiceDefinitions": map[string]any{"owned": i.apis}}))},
		}}},
	}
}

func (i *installation) extension() *ocv1.ClusterExtension {
	e := asks(ocv1.CatalogFilter{PackageName: "light"})
	if i.inline != nil {
		e.Spec.Config = &ocv1.ClusterExtensionConfig{ConfigType: ocv1.ClusterExtensionConfigTypeInline, Inline: &apiextensionsv1.JSON{Raw: []byte(text(i.inline))}}
	}
	return e
}

// ours returns the error of this module.
func (i *installation) ours(t *testing.T, profile cluster.Profile) error {
	from := &offered{content: i.content()}
	from.Name = "coast"
	_, _, _, err := olmv1.New(catalogs(from), policy.Options{NoFixes: true, OLMv1: profile}).Resolve(t.Context(), i.extension(), nil)
	return err
}

// gated are the gates that are on, and the profile in which they are. There is no profile for
// one of the two alone: that of the gate of namespaces decides what is refused.
var gated = map[string]cluster.Profile{
	"":                              "",
	gateNamespaces:                  cluster.ProfileExperimental,
	gateDeployment:                  cluster.ProfileStandard,
	gateNamespaces + gateDeployment: cluster.ProfileExperimental,
}

// installDifferences are the only ones that there may be. Without what each is about, the answers
// are the same.
var installDifferences = []struct {
	what string
	is   func(i *installation, gates string) bool
	// without takes it away.
	without func(i *installation)
}{
	{
		// Most catalogs state no install modes, while every bundle does.
		"the catalog states no install modes, and they are not judged here",
		func(i *installation, _ string) bool { return len(i.modes) == 0 },
		func(i *installation) {
			i.modes, i.inline = []map[string]any{{"type": "AllNamespaces", "supported": true}}, nil
		},
	},
	{
		// The definition of a ClusterExtension that comes without the gate does not have it.
		"without the gate spec.config is not read here",
		func(i *installation, gates string) bool {
			return i.inline != nil && !strings.Contains(gates, gateNamespaces)
		},
		func(i *installation) { i.inline = nil },
	},
	{
		// No profile has one gate without the other.
		"deploymentConfig is an unknown field without its gate",
		func(i *installation, gates string) bool {
			return i.inline["deploymentConfig"] != nil && !strings.Contains(gates, gateDeployment)
		},
		func(i *installation) { delete(i.inline, "deploymentConfig") },
	},
	{
		"other fields of spec.config are not judged here",
		func(i *installation, _ string) bool { return i.inline["watchNamespaces"] != nil },
		func(i *installation) { delete(i.inline, "watchNamespaces") },
	},
	{
		// Only a bundle for AllNamespaces alone is refused then: there is no such field for it.
		"null counts as not set here",
		func(i *installation, _ string) bool {
			value, set := i.inline["watchNamespace"]
			return set && value == nil
		},
		func(i *installation) { delete(i.inline, "watchNamespace") },
	},
}

// TestGates compares what the feature gates change with operator-controller's own code.
func TestGates(t *testing.T) {
	process := startTheirs[toInstall, made](t, "installer")
	t.Run("refusals", func(t *testing.T) { compareRefusals(t, process) })
	t.Run("deployments", func(t *testing.T) { compareDeployments(t, process) })
}

// compareRefusals compares which bundles are refused for their install modes, their API
// services and the configuration, for each set of gates.
func compareRefusals(t *testing.T, process *theirs[toInstall, made]) {
	counts, known := map[string]map[string]int{}, map[string]int{}
	for gates, profile := range gated {
		counts[gates] = map[string]int{}
		on := ""
		for _, gate := range []string{gateNamespaces, gateDeployment} {
			if strings.Contains(gates, gate) {
				on += gate + "=true,"
			}
		}
		for seed := range uint64(testkit.Scale(200, 8000)) {
			r := newRandom(nil, seed)
			i := r.installation()
			ours := i.ours(t, profile)
			theirs := process.ask(t, toInstall{i.files(), i.extension(), on})
			counts[gates][map[bool]string{true: "installs", false: "refuses"}[theirs.Err == ""]]++
			if (ours == nil) == (theirs.Err == "") {
				continue
			}
			j, differs := i, []string{}
			j.inline = maps.Clone(i.inline)
			for _, d := range installDifferences {
				if d.is(&j, gates) {
					d.without(&j)
					differs = append(differs, d.what)
				}
			}
			other := process.ask(t, toInstall{j.files(), j.extension(), on})
			if len(differs) == 1 {
				known[differs[0]]++
			}
			if len(differs) == 0 || (ours == nil) != (other.Err == "") {
				t.Errorf("seed %d, gates %q: modes %s, config %s\nours:   %v\ntheirs: %s\n%v: %s", seed, gates, text(i.modes), text(i.inline), ours, theirs.Err, differs, other.Err)
			}
		}
	}
	t.Log(counts, known)
	for gates := range gated {
		assert.Positive(t, counts[gates]["installs"], gates)
		assert.Positive(t, counts[gates]["refuses"], gates)
	}
	for _, d := range installDifferences {
		assert.Positive(t, known[d.what], d.what)
	}
}

// compareDeployments checks that migrate writes of a Subscription's spec.config what OLM v1
// takes over, and refuses to where the feature gate for that is off.
func compareDeployments(t *testing.T, process *theirs[toInstall, made]) {
	i := installation{modes: []map[string]any{{"type": "AllNamespaces", "supported": true}}}
	content := i.content()
	snapshot, err := cache.Parse(t.Context(), []byte(text(content.Packages[0])+text(content.Channels[0])+text(content.Bundles[0])), cache.Options{})
	require.NoError(t, err)
	problem := resolver.Problem{Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "coast"}, Snapshot: snapshot}})}
	csv := i.csv()
	csv["metadata"] = map[string]any{"name": "light.v1.0.0", "namespace": "harbor", "annotations": map[string]any{
		"operatorframework.io/properties": `{"properties":[{"type":"olm.package","value":{"packageName":"light","version":"1.0.0"}}]}`,
	}}
	csv["status"] = map[string]any{"phase": "Succeeded", "reason": "InstallSucceeded"}
	counts := map[string]int{}
	for seed := range uint64(testkit.Scale(100, 8000)) {
		r := newRandom(nil, seed)
		config := r.deploymentConfig()
		given := maps.Clone(config)
		if r.chance(0.3) {
			given["selector"] = map[string]any{"matchLabels": map[string]any{"app": "light"}}
		}
		objects, err := manifest.Read(t.Context(), manifest.Input{Name: "cluster", Reader: strings.NewReader(fmt.Sprintf(subscribed, text(given), text(csv)))})
		require.NoError(t, err)
		judged := func(profile cluster.Profile) (row migrate.Row, says string, e *ocv1.ClusterExtension) {
			problem.Cluster, problem.Options.OLMv1 = cluster.NewIndex(objects), profile
			plan, err := migrate.Judge(t.Context(), resolver.New(), problem)
			require.NoError(t, err)
			row = plan.Rows[0]
			_, extensions := written(t, cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{*row.Object}})
			return row, row.Checks[slices.IndexFunc(row.Checks, func(c migrate.Check) bool { return c.ID == "V1" })].Message, extensions["light"]
		}
		on, _, taken := judged(cluster.ProfileExperimental)
		theirs := process.ask(t, toInstall{i.files(), taken, gateNamespaces + "=true," + gateDeployment + "=true"})
		assert.Equal(t, migrate.Eligible, on.State, "seed %d: %s", seed, text(on.Checks))
		require.Len(t, theirs.Deployments, 1, "seed %d: %s", seed, theirs.Err)
		for name, value := range config {
			set := text(value)
			assert.Contains(t, text(theirs.Deployments), set[1:len(set)-1], "seed %d: %s", seed, name)
			counts[name]++
		}
		off, says, without := judged(cluster.ProfileStandard)
		theirs = process.ask(t, toInstall{i.files(), without, ""})
		require.Len(t, theirs.Deployments, 1, "seed %d: %s", seed, theirs.Err)
		theirs = process.ask(t, toInstall{i.files(), taken, ""})
		if len(config) == 0 {
			counts["none"]++
			assert.Equal(t, migrate.Eligible, off.State, "seed %d: %s", seed, says)
			assert.Empty(t, theirs.Err, "seed %d", seed)
			continue
		}
		assert.Equal(t, migrate.Ineligible, off.State, "seed %d", seed)
		assert.Contains(t, says, "feature gate "+gateDeployment+" of OLM v1 is off", "seed %d", seed)
		assert.Contains(t, theirs.Err, `unknown field "deploymentConfig"`, "seed %d", seed)
	}
	t.Log(counts)
	assert.Len(t, counts, 10, "each field, and none")
}

// subscribed is a cluster where the bundle runs that a Subscription with some spec.config asks for.
const subscribed = `
{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: coast, namespace: olm}, spec: {sourceType: grpc, image: registry.example/coast}}
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: all, namespace: harbor}, status: {namespaces: [""]}}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: light, namespace: harbor}
spec: {name: light, channel: stable, source: coast, sourceNamespace: olm, config: %s}
status: {installedCSV: light.v1.0.0, state: AtLatestKnown}
---
%s`
