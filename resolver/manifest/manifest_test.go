package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/manifest"
)

func read(t *testing.T, text string) cluster.Objects {
	t.Helper()
	objects, err := manifest.Read(t.Context(), manifest.Input{Name: "in.yaml", Reader: strings.NewReader(text)})
	require.NoError(t, err)
	return objects
}

func TestReadSubscription(t *testing.T) {
	got := read(t, `
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: lighthouse
  namespace: harbor
  creationTimestamp: null
  annotations: {olm.generated-by: install-x7k2p, owner: keepers, kubectl.kubernetes.io/last-applied-configuration: "{}"}
  labels: {team: harbor}
spec:
  name: lighthouse-operator
  channel: stable
  source: coast
  sourceNamespace: olm
  startingCSV: lighthouse.v1.0.0
  installPlanApproval: Manual
  config: {resources: {}}
status:
  installedCSV: lighthouse.v0.9.0
  currentCSV: lighthouse.v1.0.0
  state: UpgradePending
  installPlanRef: {apiVersion: operators.coreos.com/v1alpha1, name: install-x}
  conditions: [{type: ResolutionFailed, status: "True", reason: Broken, message: nothing fits, lastTransitionTime: "2026-01-01T00:00:00Z"}]
`)
	assert.Equal(t, []cluster.Subscription{{
		Namespace: "harbor", Name: "lighthouse",
		Package: "lighthouse-operator", Channel: "stable",
		Catalog: "coast", CatalogNamespace: "olm",
		StartingCSV: "lighthouse.v1.0.0", Manual: true,
		InstalledCSV: "lighthouse.v0.9.0", Generated: true,
		Observed: cluster.Observed{State: "UpgradePending", CurrentCSV: "lighthouse.v1.0.0", InstallPlan: "install-x", Conditions: []cluster.Condition{
			{Type: "ResolutionFailed", Status: "True", Reason: "Broken", Message: "nothing fits"},
		}},
		Rest:   `{"config":{"resources":{}}}`,
		Labels: map[string]string{"team": "harbor"}, Annotations: map[string]string{"owner": "keepers"},
	}}, got.Subscriptions)
	text, err := manifest.Write(t.Context(), got)
	require.NoError(t, err)
	assert.Equal(t, got, read(t, string(text)))
}

func TestReadInstallPlan(t *testing.T) {
	got := read(t, `
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {name: install-x, namespace: harbor}
spec: {approval: Manual, approved: false, clusterServiceVersionNames: [lighthouse.v1.0.0]}
status:
  phase: RequiresApproval
  conditions: [{type: Installed, status: "False", reason: Waiting}]
  bundleLookups: [{path: example.com/bundle, identifier: lighthouse.v1.0.0, catalogSourceRef: {namespace: olm, name: coast}, conditions: [{type: BundleLookupPending, status: "True", reason: JobIncomplete}]}]
`)
	assert.Equal(t, []cluster.InstallPlan{{
		Namespace: "harbor", Name: "install-x", CSVs: []string{"lighthouse.v1.0.0"}, Phase: "RequiresApproval",
		From:       map[string]catalog.Key{"lighthouse.v1.0.0": {Namespace: "olm", Name: "coast"}},
		Conditions: []cluster.Condition{{Type: "Installed", Status: "False", Reason: "Waiting"}, {Type: "BundleLookupPending", Status: "True", Reason: "JobIncomplete"}},
	}}, got.InstallPlans)
	assert.True(t, got.InstallPlans[0].Waits())
}

func TestReadOpenShift(t *testing.T) {
	got := read(t, `
apiVersion: config.openshift.io/v1
kind: OperatorHub
metadata: {name: cluster}
spec: {disableAllDefaultSources: true, sources: [{name: community-operators, disabled: false}]}
---
apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
status: {desired: {version: 4.20.3}, history: [{state: Partial, version: 4.20.3}, {state: Completed, version: 4.19.9}]}
`)
	assert.Equal(t, "4.19.9", got.OpenShiftVersion)
	hub := got.OperatorHubs[0]
	assert.True(t, hub.Disables(catalog.Key{Namespace: "openshift-marketplace", Name: "redhat-operators"}))
	assert.False(t, hub.Disables(catalog.Key{Namespace: "openshift-marketplace", Name: "community-operators"}))
	assert.False(t, hub.Disables(catalog.Key{Namespace: "olm", Name: "redhat-operators"}))
}

func TestReadClusterServiceVersion(t *testing.T) {
	got := read(t, `
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: lighthouse.v1.0.0
  namespace: harbor
  labels: {olm.copiedFrom: other}
  annotations: {operatorframework.io/properties: '{"properties":[]}'}
spec:
  version: 1.0.0
  replaces: lighthouse.v0.9.0
  customresourcedefinitions:
    owned:
    - {name: lamps.light.example.com, version: v1, kind: Lamp}
    - {name: beams.light.example.com, version: v1beta1, kind: Beam}
    required:
    - {name: oils.fuel.example.com, version: v1, kind: Oil}
  apiservicedefinitions:
    owned:
    - {name: flashes, group: api.example.com, version: v1, kind: Flash, deploymentName: flash}
    required:
    - {name: suns, group: sky.example.com, version: v2, kind: Sun}
status: {phase: Replacing, reason: BeingReplaced}
`)
	assert.Equal(t, got.CSVs[0].Provides[2:], got.CSVs[0].Metadata.APIServices())
	got.CSVs[0].Metadata = nil
	assert.Equal(t, []cluster.ClusterServiceVersion{{
		Namespace: "harbor", Name: "lighthouse.v1.0.0",
		Labels:      map[string]string{"olm.copiedFrom": "other"},
		Annotations: map[string]string{cluster.AnnotationProperties: `{"properties":[]}`},
		Version:     "1.0.0", Replaces: "lighthouse.v0.9.0",
		Provides: []properties.GVK{
			{Group: "light.example.com", Version: "v1", Kind: "Lamp"},
			{Group: "light.example.com", Version: "v1beta1", Kind: "Beam"},
			{Group: "api.example.com", Version: "v1", Kind: "Flash"},
		},
		Requires: []properties.GVK{
			{Group: "fuel.example.com", Version: "v1", Kind: "Oil"},
			{Group: "sky.example.com", Version: "v2", Kind: "Sun"},
		},
		Phase: "Replacing", Reason: "BeingReplaced",
	}}, got.CSVs)
}

func TestReadCatalogs(t *testing.T) {
	got := read(t, `
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: coast, namespace: olm}
spec: {priority: -5}
status: {connectionState: {lastObservedState: CONNECTING}, reason: R, message: M, conditions: [{type: T, status: "False", reason: r, message: m}]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: new, namespace: olm}
---
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: ready, namespace: olm}
status: {connectionState: {lastObservedState: READY}, message: M, conditions: [{type: T, status: "True", reason: r, message: m}]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: silent, namespace: olm}
status: {}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata: {name: sea, labels: {depth: deep}}
spec: {priority: 3, availabilityMode: Unavailable}
---
apiVersion: catalogd.operatorframework.io/v1alpha1
kind: ClusterCatalog
metadata: {name: old}
`)
	assert.Equal(t, []cluster.CatalogSource{
		{Key: catalog.Key{Namespace: "olm", Name: "coast"}, Priority: -5, State: "CONNECTING", HasStatus: true,
			Reason: "R", Message: "M", Conditions: []cluster.Condition{{Type: "T", Status: "False", Reason: "r", Message: "m"}}},
		{Key: catalog.Key{Namespace: "olm", Name: "new"}},
		{Key: catalog.Key{Namespace: "olm", Name: "ready"}, State: "READY", HasStatus: true, Message: "M", Conditions: []cluster.Condition{{Type: "T", Status: "True", Reason: "r", Message: "m"}}},
		{Key: catalog.Key{Namespace: "olm", Name: "silent"}, HasStatus: true},
	}, got.CatalogSources)
	assert.Equal(t, []cluster.ClusterCatalog{
		{Name: "sea", Priority: 3, Labels: map[string]string{"depth": "deep"}, Unavailable: true},
		{Name: "old"},
	}, got.ClusterCatalogs)
}

func TestReadOperatorGroupsAndNamespaces(t *testing.T) {
	got := read(t, `
apiVersion: v1
kind: Namespace
metadata: {name: harbor, labels: {sea: near}}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: chosen, namespace: harbor, annotations: {olm.providedAPIs: Lamp.v1.light.example.com}}
spec:
  selector:
    matchLabels: {sea: near}
    matchExpressions: [{key: tide, operator: In, values: [high, low]}]
  staticProvidedAPIs: true
  upgradeStrategy: TechPreviewUnsafeFailForward
status: {namespaces: [harbor]}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: listed, namespace: pier}
spec: {targetNamespaces: [pier, quay], upgradeStrategy: Default}
`)
	assert.Equal(t, []cluster.Namespace{{Name: "harbor", Labels: map[string]string{"sea": "near"}}}, got.Namespaces)
	assert.Equal(t, []cluster.OperatorGroup{
		{
			Namespace: "harbor", Name: "chosen",
			Annotations: map[string]string{words.AnnotationProvidedAPIs: "Lamp.v1.light.example.com"},
			Selector: &cluster.Selector{
				MatchLabels:      map[string]string{"sea": "near"},
				MatchExpressions: []cluster.SelectorTerm{{Key: "tide", Operator: "In", Values: []string{"high", "low"}}},
			},
			StatusNamespaces: []string{"harbor"}, HasStatus: true,
			StaticProvidedAPIs: true, FailForward: true,
		},
		{Namespace: "pier", Name: "listed", TargetNamespaces: []string{"pier", "quay"}},
	}, got.OperatorGroups)
}

// The first place that states the type Upgradeable decides.
func TestReadUpgradeable(t *testing.T) {
	const (
		overrides  = `overrides: [{type: Other, status: "True"}, {type: Upgradeable, status: "True", reason: r1, message: m1}]`
		conditions = `conditions: [{type: Upgradeable, status: "False", reason: r2, message: m2}]`
	)
	tests := []struct {
		name, spec, status string
		want               *cluster.Condition
		overrides          []cluster.Condition
	}{
		{"override before the rest", "{" + overrides + ", " + conditions + "}", "{}",
			&cluster.Condition{Status: "True", Reason: "r1", Message: "m1", Type: "Upgradeable"},
			[]cluster.Condition{{Status: "True", Type: "Other"}, {Status: "True", Reason: "r1", Message: "m1", Type: "Upgradeable"}}},
		{"v2 spec before the status", "{" + conditions + "}", "{conditions: [{type: Upgradeable, status: Unknown}]}",
			&cluster.Condition{Status: "False", Reason: "r2", Message: "m2", Type: "Upgradeable"}, nil},
		{"v1 status", "{}", "{" + conditions + "}",
			&cluster.Condition{Status: "False", Reason: "r2", Message: "m2", Type: "Upgradeable"}, nil},
		{"an override of another type is no statement", "{overrides: [{type: Other, status: \"False\"}]}", "{}", nil, []cluster.Condition{{Status: "False", Type: "Other"}}},
		{"nothing", "null", "null", nil, nil},
		{"true of the generation", "{}", "{conditions: [{type: Upgradeable, status: \"True\", observedGeneration: 3}]}", &cluster.Condition{Status: "True", Type: "Upgradeable"}, nil},
		{"true of an older one", "{}", "{conditions: [{type: Upgradeable, status: \"True\", reason: r, message: m, observedGeneration: 1}]}",
			&cluster.Condition{Status: "False", Message: words.OutdatedCondition(1, 3), Type: "Upgradeable"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := read(t, "apiVersion: operators.coreos.com/v2\nkind: OperatorCondition\nmetadata: {name: lamp.v1, namespace: harbor, generation: 3}\nspec: "+
				tt.spec+"\nstatus: "+tt.status+"\n")
			got.OperatorConditions[0].Status = nil
			assert.Equal(t, []cluster.OperatorCondition{{Namespace: "harbor", Name: "lamp.v1", Upgradeable: tt.want, Overrides: tt.overrides}}, got.OperatorConditions)
		})
	}
}

func TestReadClusterExtension(t *testing.T) {
	tests := []struct {
		name, body string
		want       cluster.ClusterExtension
	}{
		{"v1", `
spec:
  namespace: harbor
  source:
    sourceType: Catalog
    catalog:
      packageName: lighthouse
      channels: [stable, fast]
      version: ">=1.0, <2"
      selector: {matchLabels: {sea: near}}
      upgradeConstraintPolicy: SelfCertified
status: {install: {bundle: {name: lighthouse.v1.0.0, version: 1.0.0+2}}}
`, cluster.ClusterExtension{
			Namespace: "harbor", Package: "lighthouse", Channels: []string{"stable", "fast"}, Version: ">=1.0, <2",
			Selector:      &cluster.Selector{MatchLabels: map[string]string{"sea": "near"}},
			SelfCertified: true,
			Installed:     &cluster.InstalledExtension{Name: "lighthouse.v1.0.0", Version: "1.0.0+2"},
		}},
		{"configured", `
spec:
  namespace: harbor
  serviceAccount: {name: a}
  config: {configType: Inline, inline: {watchNamespace: sea, deploymentConfig: {env: []}}}
  source: {catalog: {packageName: lighthouse}}
`, cluster.ClusterExtension{
			Namespace: "harbor", Package: "lighthouse", WatchNamespace: new("sea"),
			Rest: `{"config":{"configType":"Inline","inline":{"deploymentConfig":{"env":[]},"watchNamespace":"sea"}},"serviceAccount":{"name":"a"}}`,
		}},
		{"an empty release is a release", `
spec: {source: {catalog: {packageName: lighthouse}}}
status: {install: {bundle: {name: lighthouse.v1.0.0, version: 1.0.0, release: ""}}}
`, cluster.ClusterExtension{
			Package:   "lighthouse",
			Installed: &cluster.InstalledExtension{Name: "lighthouse.v1.0.0", Version: "1.0.0", HasRelease: true},
		}},
		{"older form", `
spec: {packageName: lighthouse, channel: stable, version: 1.x, upgradeConstraintPolicy: CatalogProvided}
`, cluster.ClusterExtension{Package: "lighthouse", Channels: []string{"stable"}, Version: "1.x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := read(t, "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {name: ext}\n"+tt.body)
			tt.want.Name = "ext"
			assert.Equal(t, []cluster.ClusterExtension{tt.want}, got.ClusterExtensions)
		})
	}
}

// What a program states is written, beside what was read.
func TestWriteWatchNamespace(t *testing.T) {
	for rest, want := range map[string]string{
		"": `{"configType":"Inline","inline":{"watchNamespace":"sea"}}`,
		`{"config":{"configType":"Inline","inline":{"deploymentConfig":{}}}}`: `{"configType":"Inline","inline":{"deploymentConfig":{},"watchNamespace":"sea"}}`,
	} {
		all := cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{Name: "a", WatchNamespace: new("sea"), Rest: rest}}}
		text, err := manifest.Write(t.Context(), all)
		require.NoError(t, err)
		read := read(t, string(text)).ClusterExtensions[0]
		assert.Equal(t, `{"config":`+want+`}`, read.Rest)
		assert.Equal(t, "sea", *read.WatchNamespace)
	}
}

// What the move to OLM v1 depends on is read, and written again.
func TestReadForMigration(t *testing.T) {
	all := read(t, `
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: a.v1, namespace: n}
spec:
  version: 1.0.0
  installModes: [{type: OwnNamespace, supported: false}, {type: SingleNamespace, supported: false}, {type: MultiNamespace, supported: false}, {type: AllNamespaces, supported: true}]
  customresourcedefinitions: {owned: [{name: things.g.io, version: v1, kind: Thing}]}
  apiservicedefinitions: {owned: [{group: a.io, version: v1, kind: Served}]}
  install: {spec: {clusterPermissions: [{rules: [{apiGroups: [""], resources: [pods]}, {apiGroups: [operators.coreos.com], resources: [subscriptions]}]}]}}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: g, namespace: n}
spec: {serviceAccountName: deployer}
---
apiVersion: operators.coreos.com/v2
kind: OperatorCondition
metadata: {name: a.v1, namespace: n}
status: {conditions: [{type: Other, status: "True", reason: r, message: m}]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: c, namespace: n}
spec: {sourceType: grpc, image: q.io/c, grpcPodConfig: {securityContextConfig: legacy}, updateStrategy: {registryPoll: {interval: 10m}}}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata: {name: c}
spec: {source: {type: Image, image: {ref: q.io/c, pollIntervalMinutes: 10}}}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: a, annotations: {olm.operatorframework.io/migrated-from-subscription: n/a}}
spec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: a}}}
`)
	csv := all.CSVs[0]
	assert.True(t, csv.Metadata.Supports(properties.AllNamespaces))
	assert.False(t, csv.Metadata.Supports(properties.OwnNamespace))
	assert.Equal(t, csv.Provides[1:], csv.Metadata.APIServices())
	rules := csv.Installation.RightsOn("operators.coreos.com")
	require.Len(t, rules, 1)
	assert.True(t, rules[0].Permits("operators.coreos.com", "subscriptions") && !rules[0].Permits("", "subscriptions"))
	assert.Equal(t, "deployer", all.OperatorGroups[0].ServiceAccount)
	assert.Equal(t, "Other", all.OperatorConditions[0].Status[0].Type)
	source := all.CatalogSources[0]
	assert.Equal(t, []string{"grpc", "q.io/c", "10m", "legacy"}, []string{source.Type, source.Image, source.PollInterval, source.SecurityContext})
	assert.Equal(t, cluster.ClusterCatalog{Name: "c", Image: "q.io/c", PollMinutes: 10}, all.ClusterCatalogs[0])
	assert.Equal(t, "n/a", all.ClusterExtensions[0].MigratedFrom)

	text, err := manifest.Write(t.Context(), all)
	require.NoError(t, err)
	again := read(t, string(text))
	assert.Equal(t, all, again)
}

// The same two Subscriptions in every form in which they may come.
func TestReadForms(t *testing.T) {
	const (
		yamlA = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: a, namespace: n}\n"
		yamlB = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: b, namespace: n}\n"
		jsonA = `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"a","namespace":"n"}}`
		jsonB = `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"b","namespace":"n"}}`
	)
	tests := map[string]string{
		"YAML documents":            yamlA + "---\n" + yamlB,
		"empty documents":           "---\n# nothing\n---\n" + yamlA + "---\nnull\n---\n" + yamlB + "...\n",
		"byte order mark":           "\xEF\xBB\xBF" + yamlA + "---\n" + yamlB,
		"concatenated JSON":         jsonA + jsonB,
		"JSON lines":                "\n " + jsonA + "\n" + jsonB + "\n\n",
		"JSON between YAML markers": jsonA + "\n---\n" + jsonB,
		"YAML after JSON":           jsonA + "\n---\n" + yamlB,
		"JSON List":                 `{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[` + jsonA + "," + jsonB + "]}",
		"YAML flow List":            "{kind: List, apiVersion: v1, items: [" + jsonA + ", " + jsonB + "]}",
		"typed list without kinds": `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"SubscriptionList","items":[` +
			`{"metadata":{"name":"a","namespace":"n"}},{"metadata":{"name":"b","namespace":"n"}}]}`,
		"no apiVersion":    "kind: Subscription\nmetadata: {name: a, namespace: n}\n---\nkind: Subscription\nmetadata: {name: b, namespace: n}\n",
		"equal duplicates": yamlA + "---\n" + yamlB + "---\n" + yamlA,
		"aliases": "kind: List\nitems:\n- &s\n  kind: Subscription\n  metadata: {name: a, namespace: &n n}\n- *s\n" +
			"- kind: Subscription\n  metadata: {name: b, namespace: *n}\n",
		"other kinds between": yamlA + `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: 5}
---
apiVersion: messaging.knative.dev/v1
kind: Subscription
metadata: {name: [not, ours]}
---
apiVersion: example.com/v1
kind: AllowList
spec: {}
---
` + yamlB,
	}
	want := []cluster.Subscription{{Namespace: "n", Name: "a"}, {Namespace: "n", Name: "b"}}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, cluster.Objects{Subscriptions: want}, read(t, text))
		})
	}
}

func TestReadJSONSurrogatePair(t *testing.T) {
	got := read(t, `{"kind":"Subscription","metadata":{"name":"a","namespace":"n"},"spec":{"channel":"\ud83c\udf0a"}}`)
	assert.Equal(t, "\U0001F30A", got.Subscriptions[0].Channel)
}

func TestReadErrors(t *testing.T) {
	const sub = "kind: Subscription\nmetadata: {name: a, namespace: n}\n"
	tests := []struct{ name, text, want string }{
		{"wrong type", sub + "spec: {channel: [stable]}",
			"in.yaml: document 1: Subscription n/a: spec.channel: want a string, got a list"},
		{"number for a string", sub + "spec: {channel: 4.10}",
			"in.yaml: document 1: Subscription n/a: spec.channel: want a string, got a number"},
		{"in a list, in the second document", "---\nkind: Namespace\nmetadata: {name: x}\n---\nkind: List\nitems:\n- kind: CatalogSource\n  metadata: {name: c, namespace: n}\n  spec: {priority: high}",
			"in.yaml: document 2, items[0]: CatalogSource n/c: spec.priority: want a whole number, got a string"},
		{"inside of a list", "kind: ClusterServiceVersion\nmetadata: {name: c, namespace: n}\nspec: {customresourcedefinitions: {owned: [{name: a.b}, {name: 5}]}}",
			"in.yaml: document 1: ClusterServiceVersion n/c: spec.customresourcedefinitions.owned[1].name: want a string, got a number"},
		{"definition without a group", "kind: ClusterServiceVersion\nmetadata: {name: c, namespace: n}\nspec: {customresourcedefinitions: {required: [{name: lamps}]}}",
			`in.yaml: document 1: ClusterServiceVersion n/c: spec.customresourcedefinitions.required[0].name: "lamps": want PLURAL.GROUP`},
		{"approval", sub + "spec: {installPlanApproval: Maybe}",
			`in.yaml: document 1: Subscription n/a: spec.installPlanApproval: "Maybe": want Automatic or Manual`},
		{"policy", "kind: ClusterExtension\nmetadata: {name: e}\nspec: {source: {catalog: {upgradeConstraintPolicy: Never}}}",
			`in.yaml: document 1: ClusterExtension e: spec.source.catalog.upgradeConstraintPolicy: "Never": want CatalogProvided or SelfCertified`},
		{"annotation", "kind: OperatorGroup\nmetadata: {name: g, namespace: n, annotations: {a: true}}",
			"in.yaml: document 1: OperatorGroup: metadata.annotations.a: want a string, got a boolean"},
		{"no name", "kind: Subscription\nmetadata: {namespace: n}", "in.yaml: document 1: Subscription: metadata.name: missing"},
		{"no namespace", "kind: Subscription\nmetadata: {name: a}", "in.yaml: document 1: Subscription a: metadata.namespace: missing"},
		{"no kind", "schema: olm.package\nname: x", "in.yaml: document 1: no kind: this is a part of a catalog, not a Kubernetes object; give it as a catalog"},
		{"nothing of Kubernetes", "name: x", "in.yaml: document 1: no kind: this is not a Kubernetes object"},
		{"no object", "- kind: Subscription", "in.yaml: document 1: want a Kubernetes object, got a list"},
		{"list of no objects", "kind: List\nitems: [5]", "in.yaml: document 1, items[0]: want a Kubernetes object, got a number"},
		{"list in a list", "kind: List\nitems: [{kind: List, items: []}]", "in.yaml: document 1, items[0]: List: a List inside of a List"},
		{"list without items", "kind: List\nitems: {}", "in.yaml: document 1: List: items: want a list"},
		{"differing duplicates", sub + "---\n" + sub + "spec: {channel: beta}",
			"in.yaml: document 2: Subscription n/a: differs from the object of that name in in.yaml: document 1"},
		{"truncated JSON", "{\"kind\": \"List\",\n\"items\": [{\"kind\": \"Subscr", "in.yaml: document 1: line 2: the JSON ends in the middle of a value"},
		{"truncated YAML", "kind: List\nitems: [{kind: Subscription", "in.yaml: document 1: line 3: did not find expected ',' or '}' (while parsing a flow mapping)"},
		{"bad JSON", "{\"kind\":\n\"List\" \"items\": []}", "in.yaml: document 1: line 2: invalid character '\"' after object value (expecting ',' or '}')"},
		{"bad YAML after JSON", "{\"kind\": \"Namespace\", \"metadata\": {\"name\": \"n\"}}\n---\na: b: c\n",
			"in.yaml: document 2: line 3: mapping values are not allowed in this context"},
		{"JSON field twice", `{"kind": "Secret", "kind": "Secret"}`, `in.yaml: document 1: line 1: field "kind" is given twice`},
		{"YAML field twice", "kind: Secret\nkind: Secret", `in.yaml: document 1: line 2: field "kind" is given twice`},
		{"field name", "? {a: b}\n: c", "in.yaml: document 1: line 1: a field name must be a plain string"},
		{"merge key", "a: &a {b: c}\nd:\n  <<: *a", "in.yaml: document 1: line 3: merge keys (<<) are not supported"},
		{"YAML bomb", bomb(), "in.yaml: document 1: line 7: aliases expand to more than 4 MiB"},
		{"YAML that holds itself", "a: &a [*a]", "in.yaml: document 1: line 1: nested more than 1000 levels deep"},
		{"deep YAML", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "in.yaml: document 1: line 1: exceeded max depth of 1000 (while increasing flow level)"},
		{"deep JSON", `{"a":` + strings.Repeat("[", 20000), "in.yaml: document 1: line 1: exceeded max depth"},
		{"too many documents", strings.Repeat("---\n", 100_000+2), "in.yaml: more than 100000 documents"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects, err := manifest.Read(t.Context(), manifest.Input{Name: "in.yaml", Reader: strings.NewReader(tt.text)})
			require.EqualError(t, err, tt.want)
			var placed *manifest.Error
			require.ErrorAs(t, err, &placed)
			assert.Zero(t, objects)
		})
	}
}

// bomb is ten levels of ten aliases each.
func bomb() string {
	var b strings.Builder
	b.WriteString("a: &a lol\n")
	for c := 'b'; c <= 'k'; c++ {
		b.WriteString(string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 10), ", ") + "]\n")
	}
	return b.String()
}

func TestReadMergesInputs(t *testing.T) {
	in := func(name, text string) manifest.Input {
		return manifest.Input{Name: name, Reader: strings.NewReader(text)}
	}
	const x, y = "kind: Namespace\nmetadata: {name: x}\n", "kind: Namespace\nmetadata: {name: y}\n"
	got, err := manifest.Read(t.Context(), in("one", x), in("two", y+"---\n"+x))
	require.NoError(t, err)
	assert.Equal(t, []cluster.Namespace{{Name: "x"}, {Name: "y"}}, got.Namespaces)

	_, err = manifest.Read(t.Context(), in("one", x), in("two", "kind: Namespace\nmetadata: {name: x, labels: {a: b}}\n"))
	assert.EqualError(t, err, "two: document 1: Namespace x: differs from the object of that name in one: document 1")
}
