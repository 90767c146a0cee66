package migrate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// chain is a package of one channel in which each version, of the given install modes,
// replaces the one before.
func chain(pkg string, modes ...string) string {
	lines := []string{text(object{"schema": "olm.package", "name": pkg, "defaultChannel": "stable"})}
	var entries []object
	for i, mode := range modes {
		b := bundle{version: i + 1, modes: mode}
		name := pkg + ".v" + string(rune('1'+i))
		entry := object{"name": name}
		if i > 0 {
			entry["replaces"] = pkg + ".v" + string(rune('0'+i))
		}
		entries = append(entries, entry)
		lines = append(lines, text(object{"schema": "olm.bundle", "package": pkg, "name": name, "image": "i", "properties": append(b.properties(pkg), object{"type": "olm.csv.metadata", "value": b.metadata()})}))
	}
	return strings.Join(append(lines, text(object{"schema": "olm.channel", "package": pkg, "name": "stable", "entries": entries})), "\n")
}

// judged judges manifests with catalogs of the same content.
func judged(t *testing.T, manifests, blobs string, keys ...catalog.Key) *migrate.Plan {
	objects, err := manifest.Read(t.Context(), manifest.Input{Name: "cluster.yaml", Reader: strings.NewReader(manifests)})
	require.NoError(t, err)
	objects.OLMv1 = cluster.ProfileExperimental
	snapshot, err := cache.Parse(t.Context(), []byte(blobs), cache.Options{})
	require.NoError(t, err)
	var list []cache.Catalog
	for _, k := range keys {
		list = append(list, cache.Catalog{Key: k, Snapshot: snapshot})
	}
	plan, err := migrate.Judge(t.Context(), resolver.New(), resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView(list)})
	require.NoError(t, err)
	return plan
}

// Two CatalogSources of one name and different images become two ClusterCatalogs. One by
// digest is not polled, and of a Subscription's configuration OLM v1 has no selector.
func TestObjectsToApply(t *testing.T) {
	one, two := catalog.Key{Namespace: "east", Name: "shop"}, catalog.Key{Namespace: "west", Name: "shop"}
	plan := judged(t, `
{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: shop, namespace: east}, spec: {sourceType: grpc, priority: 7,
  image: "q.io/shop@sha256:1111111111111111111111111111111111111111111111111111111111111111", updateStrategy: {registryPoll: {interval: 45m}}}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: shop, namespace: west}, spec: {sourceType: grpc, image: "q.io/shop:4", updateStrategy: {registryPoll: {interval: 45m}}}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: a, namespace: east}, spec: {name: a, channel: stable, source: shop, sourceNamespace: east,
  config: {selector: {matchLabels: {app: a}}, nodeSelector: {disk: fast}}}, status: {installedCSV: a.v1, state: AtLatestKnown}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: a.v1, namespace: east}, spec: {version: 1.0.0}, status: {phase: Succeeded}}
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: all, namespace: east}, spec: {}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: b, namespace: west}, spec: {name: b, source: shop, sourceNamespace: west,
  config: {selector: {matchLabels: {app: b}}}}, status: {installedCSV: b.v1, state: AtLatestKnown}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: b.v1, namespace: west}, spec: {version: 1.0.0}, status: {phase: Succeeded}}
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: all, namespace: west}, spec: {}}
`, chain("a", "A")+"\n"+chain("b", "A"), one, two)
	require.Len(t, plan.Rows, 2)
	for _, row := range plan.Rows {
		assert.Equal(t, migrate.Eligible, row.State, "%+v", row)
	}
	assert.Equal(t, []cluster.ClusterCatalog{
		{Name: "shop-east", Image: "q.io/shop@sha256:1111111111111111111111111111111111111111111111111111111111111111", Priority: 7},
		{Name: "shop-west", Image: "q.io/shop:4", PollMinutes: 45},
	}, plan.Objects.ClusterCatalogs)
	require.Len(t, plan.Objects.ClusterExtensions, 2)
	first, second := plan.Objects.ClusterExtensions[0], plan.Objects.ClusterExtensions[1]
	assert.Equal(t, map[string]string{"olm.operatorframework.io/metadata.name": "shop-east"}, first.Selector.MatchLabels)
	assert.JSONEq(t, `{"config": {"configType": "Inline", "inline": {"deploymentConfig": {"nodeSelector": {"disk": "fast"}}}}}`, first.Rest)
	assert.Equal(t, []string{"stable"}, second.Channels, "its default channel")
	assert.Empty(t, second.Rest, "nothing but the selector was configured")
}

// A hard check that another version would pass is helped by the lowest later one.
func TestLaterVersion(t *testing.T) {
	const installed = `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: a, namespace: n}, spec: {name: a, channel: stable, source: shop, sourceNamespace: olm}, status: {installedCSV: a.vNUMBER, state: AtLatestKnown}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: a.vNUMBER, namespace: n}, spec: {version: NUMBER.0.0, installModes: [{type: OwnNamespace, supported: true}]}, status: {phase: Succeeded}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: shop, namespace: olm}, spec: {sourceType: grpc, image: q.io/shop}}
`
	for number, want := range map[string]string{
		"2": "update it with OLM v0 to a.v4, which OLM v1 would install, and judge again",
		"5": "ask the publisher of a for a version that OLM v1 installs: its channel has no later one",
	} {
		// The first is no later one, and the third OLM v1 refuses.
		plan := judged(t, strings.ReplaceAll(installed, "NUMBER", number), chain("a", "A", "O", "O", "A", "A"), catalog.Key{Namespace: "olm", Name: "shop"})
		require.Len(t, plan.Rows, 1)
		require.NotEmpty(t, plan.Rows[0].Changes)
		assert.Equal(t, "C1a", plan.Rows[0].Changes[0].Check)
		assert.Equal(t, want, plan.Rows[0].Changes[0].Text)
	}
}

// Another channel may lead to a version that OLM v1 installs, where the own one ends. One that is deprecated
// comes last.
func TestLaterVersionElsewhere(t *testing.T) {
	const installed = `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: a, namespace: n}, spec: {name: a, channel: stable, source: shop, sourceNamespace: olm}, status: {installedCSV: a.v1, state: AtLatestKnown}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: a.v1, namespace: n}, spec: {version: 1.0.0, installModes: [{type: OwnNamespace, supported: true}]}, status: {phase: Succeeded}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: shop, namespace: olm}, spec: {sourceType: grpc, image: q.io/shop}}
`
	const channels = `
{schema: olm.channel, package: a, name: new, entries: [{name: a.v3, skipRange: "<3.0.0"}]}
---
{schema: olm.channel, package: a, name: bad, entries: [{name: a.v2.5, skipRange: "<2.5.0"}]}
---
{schema: olm.deprecations, package: a, entries: [{reference: {schema: olm.bundle, name: a.v2.5}, message: it loses data}]}
---
{schema: olm.bundle, package: a, name: a.v2.5, image: q.io/a:2.5, properties: [{type: olm.package, value: {packageName: a, version: 2.5.0}}, {type: olm.csv.metadata, value: {installModes: [{type: AllNamespaces, supported: true}]}}]}
---
{schema: olm.bundle, package: a, name: a.v3, image: q.io/a:3, properties: [{type: olm.package, value: {packageName: a, version: 3.0.0}}, {type: olm.csv.metadata, value: {installModes: [{type: AllNamespaces, supported: true}]}}]}`
	plan := judged(t, installed, chain("a", "O", "O")+"\n---"+channels, catalog.Key{Namespace: "olm", Name: "shop"})
	require.Len(t, plan.Rows, 1)
	require.NotEmpty(t, plan.Rows[0].Changes)
	c := plan.Rows[0].Changes[0]
	assert.Equal(t, "set spec.channel of Subscription a to new, so that OLM v0 updates it to a.v3, which OLM v1 would install; then judge again", c.Text)
	assert.False(t, c.Others)
	assert.Equal(t, "a", c.Object.Name)
}

// What watches one other namespace only can be served once watchNamespace is set, as what
// watches its own, and what watches several cannot.
func TestSurveyOfModes(t *testing.T) {
	snapshot, err := cache.Parse(t.Context(), []byte(chain("a", "S")+"\n"+chain("b", "O")+"\n"+chain("c", "M")+"\n"+chain("d", "A")), cache.Options{})
	require.NoError(t, err)
	watching := map[string]bool{}
	for _, s := range survey(t, cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "c"}, Snapshot: snapshot}}), cluster.ProfileExperimental) {
		watching[s.Package] = s.Watching
		assert.Equal(t, s.Package == "d", s.Served)
	}
	assert.Equal(t, map[string]bool{"a": true, "b": true, "c": false, "d": false}, watching)
}

// A bundle whose constraint cannot be read satisfies nobody, so what requires the other one
// depends on that alone.
func TestDependentsBesideUnreadable(t *testing.T) {
	csv := func(name, properties string) string {
		return "\n---\n{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: " + name + ", namespace: n, annotations: {operatorframework.io/properties: '{\"properties\": [" +
			properties + "]}'}}, spec: {version: 1.0.0}, status: {phase: Succeeded}}"
	}
	const label = `{"type": "olm.label", "value": {"label": "l"}}`
	plan := judged(t, `{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: a, namespace: n}, spec: {name: a}, status: {installedCSV: a.v1}}`+
		csv("a.v1", label)+csv("b.v1", `{"type": "olm.label.required", "value": {"label": "l"}}`)+csv("c.v1", label+`, {"type": "olm.constraint", "value": {}}`),
		chain("a", "A"), catalog.Key{Namespace: "olm", Name: "shop"})
	require.Len(t, plan.Rows, 1)
	assert.Equal(t, []string{"b.v1"}, plan.Rows[0].Dependents)
	assert.Equal(t, "shop", plan.Rows[0].Catalog, "the first that has the package, as it names none")
}
