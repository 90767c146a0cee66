package fixes

import (
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
)

func version(pkg, bundle, version string) Version {
	v := semver.MustParse(version)
	return Version{catalog.BundleKey{Package: pkg, Name: bundle}, &v}
}

func TestFixes(t *testing.T) {
	object := func(kind ObjectKind) Object { return Object{kind, "n", "x"} }
	app, db := version("app", "app.v1", "1.0.0"), version("db", "db.v2", "2.0.0")
	for _, c := range []struct {
		step Step
		want string
	}{
		{Step{Object: object(ObjectSubscription), Field: FieldStartingCSV, From: "a"}, "remove spec.startingCSV from Subscription x"},
		{Step{Object: object(ObjectSubscription), Field: FieldChannel, To: "c"}, "set spec.channel of Subscription x to c"},
		{Step{Object: object(ObjectSubscription), Field: FieldNamespace, To: "m"}, "move Subscription x to namespace m"},
		{Step{Object: object(ObjectSubscription)}, "delete Subscription x"},
		{Step{Object: Object{ObjectSubscription, "m", "x"}}, "delete Subscription x in namespace m"},
		{Step{Object: object(ObjectCSV), Unmanaged: true}, "delete ClusterServiceVersion x, which no Subscription manages"},
		{Step{Object: Object{Kind: ObjectExtension, Name: "e"}, Field: FieldExtensionChannels, To: []string{"c", "d"}}, "set spec.source.catalog.channels of ClusterExtension e to c, d"},
		{Step{Object: Object{Kind: ObjectExtension, Name: "e"}, Field: FieldExtensionSelector, To: cluster.Selector{MatchLabels: map[string]string{"b": "2", "a": "1"}}},
			"set spec.source.catalog.selector of ClusterExtension e to a=1, b=2"},
		{Step{Object: Object{ObjectOptions, "", "n/x\ny"}, Field: FieldExcludedCatalogs}, "do not exclude catalog n/x y"},
		{Step{Object: object(ObjectOptions), Field: FieldSystemConstraint}, "let the policy allow x"},
		{Step{Object: Object{Kind: ObjectCluster}, Field: FieldKubernetesVersion, To: "1.30"}, "update the cluster to Kubernetes 1.30 or newer"},
	} {
		fix := Fix{Steps: []Step{c.step}}
		assert.Equal(t, c.want+": what is installed stays as it is", fix.Text("n"))
	}
	visible := Fix{Steps: []Step{{Object: object(ObjectOperatorGroup), Field: FieldExcludeGlobal, From: "true"}}}
	assert.Equal(t, "remove the annotation olm.operatorframework.io/exclude-global-namespace-resolution from OperatorGroup x: "+
		"what is installed stays as it is; every Subscription of the namespace then sees the global catalogs", visible.Text("n"))
	fix := Fix{
		Steps: []Step{
			{Object: object(ObjectCondition), Field: FieldOverrides, To: []cluster.Condition{{Type: "Upgradeable", Status: "True"}}, Refused: "Busy:  a migration"},
			{Object: object(ObjectCSV), Refused: "not\nhere"}, {Object: object(ObjectOperatorGroup), Field: FieldTargets, Watching: []string{"a", "b"}},
		},
		Then: Difference{
			Installs: []Version{app, db}, Removes: []Version{{Bundle: catalog.BundleKey{Name: "y"}}},
			Updates: []Update{{From: app, To: version("app", "app.v2", "2.0.0")}, {From: Version{Bundle: catalog.BundleKey{Name: "z"}}, To: db}, {From: db, To: app, Down: true}},
		},
	}
	assert.Equal(t, "override OperatorCondition x (spec.overrides: Upgradeable True), and delete ClusterServiceVersion x, and remove spec.targetNamespaces from OperatorGroup x: "+
		"installs app 1.0.0 and db 2.0.0; updates app from 1.0.0 to 2.0.0 and z to db 2.0.0; downgrades db 2.0.0 to app 1.0.0; removes y (custom resource definitions and custom resources stay, and nothing manages them); "+
		"warning: the operator refuses updates: Busy: a migration; warning: the policy refuses it: not here; a and b would then watch the same namespaces", fix.Text("n"))

	assert.Empty(t, Wait([]Fix{fix}))
	waits := fix
	waits.Steps = fix.Steps[:1]
	texts := Texts([]Fix{fix, waits}, "n")
	assert.Len(t, texts, 3)
	assert.Equal(t, "wait until x allows updates, then nothing needs to change", texts[0])
}
