package result

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

func objects() cluster.Objects {
	return cluster.Objects{
		Subscriptions:      []cluster.Subscription{{Namespace: "n", Name: "b", Package: "b", Channel: "c"}, {Namespace: "n", Name: "d"}, {Namespace: "m", Name: "d"}},
		CSVs:               []cluster.ClusterServiceVersion{{Namespace: "n", Name: "b.v1"}},
		OperatorGroups:     []cluster.OperatorGroup{{Namespace: "n", Name: "g", Selector: &cluster.Selector{}, HasStatus: true, Annotations: map[string]string{words.AnnotationExcludeGlobal: "true", "a": "b"}}},
		OperatorConditions: []cluster.OperatorCondition{{Namespace: "n", Name: "b.v1", Upgradeable: &cluster.Condition{Type: words.ConditionUpgradeable, Status: "False"}}},
		ClusterExtensions:  []cluster.ClusterExtension{{Name: "e", Channels: []string{"c"}, Version: "1.x", Selector: &cluster.Selector{MatchLabels: map[string]string{"a": "b"}}}},
		InstallPlans:       []cluster.InstallPlan{{Namespace: "n", Name: "i"}},
		CatalogSources:     []cluster.CatalogSource{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Priority: 1}},
		ClusterCatalogs:    []cluster.ClusterCatalog{{Name: "c", Unavailable: true}},
	}
}

func TestApply(t *testing.T) {
	of := func(kind string, namespace, name string) Object { return Object{kind, namespace, name} }
	sub, group, ext := of(words.ObjectSubscription, "n", "b"), of(words.ObjectOperatorGroup, "n", "g"), of(words.ObjectExtension, "", "e")
	allowed := []cluster.Condition{{Type: "Other"}, {Type: words.ConditionUpgradeable, Status: "True"}}
	x, err := Apply(cluster.NewIndex(objects()), cluster.Scope{}, []Step{
		{Object: sub, Field: words.FieldChannel, From: "c"},
		{Object: sub, Field: words.FieldStartingCSV, To: "b.v2"},
		{Object: of(words.ObjectSubscription, "n", "d")},
		{Object: of(words.ObjectCSV, "n", "b.v1")},
		{Object: of(words.ObjectSubscription, "n", "c"), Create: &cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "c"}}}},
		{Object: of(words.ObjectNamespace, "", "o"), Create: &cluster.Objects{Namespaces: []cluster.Namespace{{Name: "o"}}}},
		{Object: group, Field: words.FieldTargetSelector, From: cluster.Selector{}},
		{Object: group, Field: words.FieldTargets, To: []string{"n"}},
		{Object: group, Field: words.FieldExcludeGlobal, From: "true"},
		{Object: group, Field: words.FieldUpgradeStrategy, From: "Default", To: words.StrategyFailForward},
		{Object: of(words.ObjectCondition, "n", "b.v1"), Field: words.FieldOverrides, To: allowed},
		{Object: of(words.ObjectInstallPlan, "n", "i"), Field: words.FieldApproved, From: false, To: true},
		{Object: ext, Field: words.FieldExtensionChannels, From: []string{"c"}, To: []string{"c", "d"}},
		{Object: ext, Field: words.FieldExtensionVersion, From: "1.x"},
		{Object: ext, Field: words.FieldExtensionSelector, From: cluster.Selector{MatchLabels: map[string]string{"a": "b"}}},
		{Object: ext, Field: words.FieldExtensionPolicy, From: "CatalogProvided", To: "SelfCertified"},
		{Object: of(words.ObjectCatalogSource, "olm", "c"), Field: words.FieldPriority, From: 1, To: 2},
		{Object: of(words.ObjectClusterCatalog, "", "c"), Field: words.FieldAvailability, From: "Unavailable", To: "Available"},
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
		{Step{Object: of(words.ObjectSubscription, "m", "b")}, "Subscription m/b: there is no such object"},
		{Step{Object: sub, Create: &cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "b"}}}}, "Subscription n/b: it exists already"},
		{Step{Object: of(words.ObjectSubscription, "n", "x"), Create: &cluster.Objects{}}, "Subscription n/x: the manifest is that of another object"},
		{Step{Object: sub, Field: words.FieldTargets}, "Subscription n/b: steps do not change spec.targetNamespaces"},
		{Step{Object: sub, Field: words.FieldChannel, From: "d"}, "Subscription n/b: spec.channel holds c, not d"},
		{Step{Object: sub, Field: words.FieldPackage, From: "b"}, "Subscription n/b: spec.name cannot hold <nil>"},
		{Step{Object: ext, Field: words.FieldExtensionPolicy, From: "CatalogProvided", To: 1}, "ClusterExtension e: spec.source.catalog.upgradeConstraintPolicy cannot hold 1"},
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
			{Object: Object{words.ObjectSubscription, "n0000", "s"}, Field: words.FieldChannel, To: "c"},
			{Object: Object{words.ObjectOperatorGroup, "n0000", "g"}, Field: words.FieldTargets, To: []string{"n0000"}},
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
