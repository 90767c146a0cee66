package fixes

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/names"
)

func objects() cluster.Objects {
	return cluster.Objects{
		Subscriptions:      []cluster.Subscription{{Namespace: "n", Name: "b", Package: "b", Channel: "c"}, {Namespace: "n", Name: "d"}, {Namespace: "m", Name: "d"}},
		CSVs:               []cluster.ClusterServiceVersion{{Namespace: "n", Name: "b.v1"}},
		OperatorGroups:     []cluster.OperatorGroup{{Namespace: "n", Name: "g", Selector: &cluster.Selector{}, HasStatus: true, Annotations: map[string]string{names.AnnotationExcludeGlobal: "true", "a": "b"}}},
		OperatorConditions: []cluster.OperatorCondition{{Namespace: "n", Name: "b.v1", Upgradeable: &cluster.Condition{Type: names.ConditionUpgradeable, Status: "False"}}},
		ClusterExtensions:  []cluster.ClusterExtension{{Name: "e", Channels: []string{"c"}, Version: "1.x", Selector: &cluster.Selector{MatchLabels: map[string]string{"a": "b"}}}},
		InstallPlans:       []cluster.InstallPlan{{Namespace: "n", Name: "i"}},
		CatalogSources:     []cluster.CatalogSource{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Priority: 1}},
		ClusterCatalogs:    []cluster.ClusterCatalog{{Name: "c", Unavailable: true}},
	}
}

func TestApply(t *testing.T) {
	of := func(kind string, namespace, name string) Object { return Object{kind, namespace, name} }
	sub, group, ext := of(code.ObjectSubscription, "n", "b"), of(code.ObjectOperatorGroup, "n", "g"), of(code.ObjectExtension, "", "e")
	allowed := []cluster.Condition{{Type: "Other"}, {Type: names.ConditionUpgradeable, Status: "True"}}
	x, err := Apply(cluster.NewIndex(objects()), cluster.Scope{}, []Step{
		{Object: sub, Field: code.FieldChannel, From: "c"},
		{Object: sub, Field: code.FieldStartingCSV, To: "b.v2"},
		{Object: of(code.ObjectSubscription, "n", "d")},
		{Object: of(code.ObjectCSV, "n", "b.v1")},
		{Object: of(code.ObjectSubscription, "n", "c"), Create: &cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "c"}}}},
		{Object: of(code.ObjectNamespace, "", "o"), Create: &cluster.Objects{Namespaces: []cluster.Namespace{{Name: "o"}}}},
		{Object: group, Field: code.FieldTargetSelector, From: cluster.Selector{}},
		{Object: group, Field: code.FieldTargets, To: []string{"n"}},
		{Object: group, Field: code.FieldExcludeGlobal, From: "true"},
		{Object: group, Field: code.FieldUpgradeStrategy, From: "Default", To: names.StrategyFailForward},
		{Object: of(code.ObjectCondition, "n", "b.v1"), Field: code.FieldOverrides, To: allowed},
		{Object: of(code.ObjectInstallPlan, "n", "i"), Field: code.FieldApproved, From: false, To: true},
		{Object: ext, Field: code.FieldExtensionChannels, From: []string{"c"}, To: []string{"c", "d"}},
		{Object: ext, Field: code.FieldExtensionVersion, From: "1.x"},
		{Object: ext, Field: code.FieldExtensionSelector, From: cluster.Selector{MatchLabels: map[string]string{"a": "b"}}},
		{Object: ext, Field: code.FieldExtensionPolicy, From: "CatalogProvided", To: "SelfCertified"},
		{Object: of(code.ObjectCatalogSource, "olm", "c"), Field: code.FieldPriority, From: 1, To: 2},
		{Object: of(code.ObjectClusterCatalog, "", "c"), Field: code.FieldAvailability, From: "Unavailable", To: "Available"},
	})
	require.NoError(t, err)
	want := objects()
	want.Subscriptions = []cluster.Subscription{{Namespace: "m", Name: "d"}, {Namespace: "n", Name: "b", Package: "b", StartingCSV: "b.v2"}, {Namespace: "n", Name: "c"}}
	want.CSVs = []cluster.ClusterServiceVersion{}
	want.Namespaces = []cluster.Namespace{{Name: "o"}}
	want.OperatorGroups = []cluster.OperatorGroup{{Namespace: "n", Name: "g", TargetNamespaces: []string{"n"}, Annotations: map[string]string{"a": "b"}, FailForward: true}}
	want.OperatorConditions[0].Overrides, want.OperatorConditions[0].Upgradeable = allowed, &allowed[1]
	want.InstallPlans[0].Approved = true
	want.ClusterExtensions = []cluster.ClusterExtension{{Name: "e", Channels: []string{"c", "d"}, SelfCertified: true}}
	want.CatalogSources[0].Priority, want.ClusterCatalogs[0].Unavailable = 2, false
	assert.Equal(t, want, x.Objects())

	for _, c := range []struct {
		step Step
		want string
	}{
		{Step{Object: of("Pod", "n", "b")}, "Pod n/b: steps change no such objects"},
		{Step{Object: of(code.ObjectSubscription, "m", "b")}, "Subscription m/b: there is no such object"},
		{Step{Object: sub, Create: &cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "b"}}}}, "Subscription n/b: it exists already"},
		{Step{Object: of(code.ObjectSubscription, "n", "x"), Create: &cluster.Objects{}}, "Subscription n/x: the manifest is that of another object"},
		{Step{Object: sub, Field: code.FieldTargets}, "Subscription n/b: steps do not change spec.targetNamespaces"},
		{Step{Object: sub, Field: code.FieldChannel, From: "d"}, "Subscription n/b: spec.channel holds c, not d"},
		{Step{Object: sub, Field: code.FieldPackage, From: "b"}, "Subscription n/b: spec.name cannot hold <nil>"},
		{Step{Object: ext, Field: code.FieldExtensionPolicy, From: "CatalogProvided", To: 1}, "ClusterExtension e: spec.source.catalog.upgradeConstraintPolicy cannot hold 1"},
	} {
		_, err := Apply(cluster.NewIndex(objects()), cluster.Scope{}, []Step{c.step})
		assert.EqualError(t, err, c.want)
	}
}

// What steps cost does not depend on the namespaces that they leave alone.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{1, 5000} {
		var o cluster.Objects
		for i := range n {
			namespace := fmt.Sprintf("n%04d", i)
			o.Subscriptions = append(o.Subscriptions, cluster.Subscription{Namespace: namespace, Name: "s"})
			o.OperatorGroups = append(o.OperatorGroups, cluster.OperatorGroup{Namespace: namespace, Name: "g"})
		}
		x := cluster.NewIndex(o)
		steps := []Step{
			{Object: Object{code.ObjectSubscription, "n0000", "s"}, Field: code.FieldChannel, To: "c"},
			{Object: Object{code.ObjectOperatorGroup, "n0000", "g"}, Field: code.FieldTargets, To: []string{"n0000"}},
		}
		b.Run(fmt.Sprintf("namespaces=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Apply(x, cluster.InNamespace("n0000"), steps); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
