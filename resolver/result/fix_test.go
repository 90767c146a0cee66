package result

import (
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

func version(pkg, bundle, version string) Version {
	v := semver.MustParse(version)
	return Version{catalog.BundleKey{Package: pkg, Name: bundle}, &v}
}

func TestFixes(t *testing.T) {
	object := func(kind string) Object { return Object{kind, "n", "x"} }
	app, db := version("app", "app.v1", "1.0.0"), version("db", "db.v2", "2.0.0")
	sub, csv, ext := object(words.ObjectSubscription), object(words.ObjectCSV), Object{Kind: words.ObjectExtension, Name: "e"}
	made := &cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "x"}}}
	moved := Step{Object: Object{words.ObjectSubscription, "m", "x"}, Create: made}
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{sub, []Step{{Object: sub, Field: words.FieldStartingCSV, From: "a"}}, nil}, "remove spec.startingCSV from Subscription x"},
		{Change{sub, []Step{{Object: sub, Field: words.FieldSource, To: "c"}, {Object: sub, Field: words.FieldSourceNamespace, To: "d"}}, nil}, "set spec.source of Subscription x to c and spec.sourceNamespace to d"},
		{Change{sub, []Step{{Object: sub}, {Object: csv}}, nil}, "delete Subscription x and ClusterServiceVersion x"},
		{Change{sub, []Step{{Object: Object{words.ObjectSubscription, "m", "x"}}}, nil}, "delete Subscription x in namespace m"},
		{Change{sub, []Step{{Object: sub}, {Object: csv}, {Object: sub, Create: made}}, []Step{{Object: sub, Field: words.FieldChannel, To: "c"}, {Object: sub, Field: words.FieldStartingCSV, From: "a"}}},
			"delete Subscription x and ClusterServiceVersion x, and at once create Subscription x again with spec.channel c and no spec.startingCSV"},
		{Change{sub, []Step{{Object: sub}, moved}, nil}, "move Subscription x to namespace m"},
		{Change{sub, []Step{{Object: sub}, {Object: Object{Kind: words.ObjectNamespace, Name: "m"}, Create: &cluster.Objects{}}, moved}, nil},
			"move Subscription x to namespace m, which is created with an OperatorGroup that targets itself"},
		{Change{ext, []Step{{Object: ext}, {Object: ext, Create: &cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{Name: "e", Package: "p"}}}}}, nil},
			"delete ClusterExtension e, and create ClusterExtension e again with spec.source.catalog.packageName p"},
		{Change{ext, []Step{{Object: ext, Field: words.FieldExtensionChannels, To: []string{"c", "d"}}}, nil}, "set spec.source.catalog.channels of ClusterExtension e to [c, d]"},
		{Change{ext, []Step{{Object: ext, Field: words.FieldExtensionVersion, To: ">=1.0.0 <2.0.0"}}, nil}, `set spec.source.catalog.version of ClusterExtension e to ">=1.0.0 <2.0.0"`},
		{Change{ext, []Step{{Object: ext, Field: words.FieldExtensionSelector, To: cluster.Selector{MatchLabels: map[string]string{"b": "2", "a": "1"}}}}, nil},
			"set spec.source.catalog.selector of ClusterExtension e to {matchLabels: {a: 1, b: 2}}"},
		{Change{Steps: []Step{{Object: object(words.ObjectCatalogSource), Field: words.FieldPriority, To: 3}}}, "set spec.priority of CatalogSource x to 3"},
		{Change{Steps: []Step{{Object: object(words.ObjectOperatorGroup), Field: words.FieldExcludeGlobal, From: "true"}}},
			"remove the annotation olm.operatorframework.io/exclude-global-namespace-resolution from OperatorGroup x"},
		{Change{Steps: []Step{{Object: object(words.ObjectOperatorGroup), Field: words.FieldUpgradeStrategy, From: "Default", To: words.StrategyFailForward}}},
			"set spec.upgradeStrategy of OperatorGroup x to TechPreviewUnsafeFailForward"},
		{Change{Steps: []Step{{Object: Object{words.ObjectOptions, "n", "x\ny"}, Field: words.FieldExcludedCatalogs}}}, "do not exclude catalog n/x y"},
		{Change{Steps: []Step{{Object: object(words.ObjectOptions), Field: words.FieldSystemConstraint}}}, "let the policy allow x"},
		{Change{Steps: []Step{{Object: object(words.ObjectOptions), Field: words.FieldPins}}}, "do not pin package x"},
	} {
		fix := Fix{Changes: []Change{c.change}}
		assert.Equal(t, c.want+": installs nothing", fix.Text("n"))
		fix.Then.Stays = true
		assert.Equal(t, c.want+": what is installed stays as it is", fix.Text("n"))
	}

	condition := object(words.ObjectCondition)
	override := Change{condition, []Step{{Object: condition, Field: words.FieldOverrides, To: []cluster.Condition{{Type: "Upgradeable", Status: "True"}}}}, nil}
	held := Caution{words.CautionHeld, []string{"x"}, "Busy:  a migration"}
	fix := Fix{
		Changes: []Change{override, {sub, []Step{{Object: sub, Field: words.FieldChannel, To: "c"}}, nil}}, Risk: RiskOverrides, Cautions: []Caution{held},
		Then: Difference{
			Installs: []Version{app, db}, Removes: []Version{{Bundle: catalog.BundleKey{Name: "y"}}},
			Updates: []Update{{From: app, To: version("app", "app.v2", "2.0.0")}, {From: Version{Bundle: catalog.BundleKey{Name: "z"}}, To: db}, {From: db, To: app, Down: true}},
		},
	}
	assert.Equal(t, "override OperatorCondition x (spec.overrides: Upgradeable True), and set spec.channel of Subscription x to c: "+
		"installs app 1.0.0 and db 2.0.0; updates app from 1.0.0 to 2.0.0 and z to db 2.0.0; downgrades db 2.0.0 to app 1.0.0; removes y; "+
		"warning: x refuses updates: Busy: a migration", fix.Text("n"))

	five := []Version{app, app, app, app, app}
	assert.Equal(t, "installs app 1.0.0, app 1.0.0, app 1.0.0 and 2 more; removes db 2.0.0, db 2.0.0, db 2.0.0, db 2.0.0 and db 2.0.0",
		Difference{Installs: five, Removes: []Version{db, db, db, db, db}}.Text(), "nobody may overlook what is removed")

	strategy := Step{Object: object(words.ObjectOperatorGroup), Field: words.FieldUpgradeStrategy, From: "Default", To: words.StrategyFailForward}
	assert.True(t, (&Fix{Changes: []Change{{strategy.Object, []Step{strategy}, nil}}}).FailsForward() && !fix.FailsForward() && !(&Fix{}).FailsForward())
}

// Every caution has words, for one name and for many.
func TestCautions(t *testing.T) {
	for kind := range words.Cautions {
		one, many := Caution{Kind: CautionKind(kind), Names: []string{"x"}}, Caution{Kind: CautionKind(kind), Names: []string{"x", "y"}}
		assert.NotEmpty(t, one.Text())
		assert.NotContains(t, one.Text(), "%")
		assert.NotEmpty(t, many.Text())
	}
	assert.Equal(t, "x and y stay installed: nothing updates them, and new Subscriptions of their packages fail while they are installed", (&Caution{Kind: words.CautionRunsAlone, Names: []string{"x", "y"}}).Text())
	assert.Equal(t, "no installed operator belongs to OperatorGroup n/x", (&Caution{Kind: words.CautionUnusedGroup, Names: []string{"OperatorGroup n/x"}}).Text())
	assert.Contains(t, (&Caution{Kind: words.CautionRunsOn, Names: []string{"n/x"}}).Text(), "n/x runs under OLM v0: do not delete it to make room")
	assert.Equal(t, "x then belongs to OperatorGroup g", (&Caution{words.CautionRegrouped, []string{"x"}, "g"}).Text())
	assert.Equal(t, "OpenShift makes x and y again; to remove them for good, set disabled: true for them in spec.sources of OperatorHub cluster instead", (&Caution{Kind: words.CautionMadeAgain, Names: []string{"x", "y"}}).Text())
	assert.Contains(t, (&Caution{Kind: words.CautionUncertain, Names: []string{"x"}}).Text(), "warning: the publisher may not support this update of x")
}

// What a fix deletes is saved before, with names that mean nothing to a shell.
func TestSave(t *testing.T) {
	deletes := func(objects ...Object) *Fix {
		f := &Fix{Class: ClassAbandons}
		for _, o := range objects {
			f.Changes = append(f.Changes, Change{Object: o, Steps: []Step{{Object: o}}})
		}
		return f
	}
	of := func(kind string, namespace, name string) Object {
		return Object{Kind: kind, Namespace: namespace, Name: name}
	}
	const unnamed = "save what is deleted (kubectl get with --output yaml)"
	for want, f := range map[string]*Fix{
		"": {Changes: []Change{{Steps: []Step{{Object: of(words.ObjectSubscription, "n", "a"), Field: words.FieldChannel}}}}},
		"save what is deleted: kubectl get --namespace n subscriptions.operators.coreos.com/a clusterserviceversions.operators.coreos.com/a.v1 --output yaml > saved-a.yaml": deletes(of(words.ObjectSubscription, "n", "a"), of(words.ObjectCSV, "n", "a.v1")),
		"save what is deleted: kubectl get clusterextensions.olm.operatorframework.io/a --output yaml > saved-a.yaml":                                                        deletes(of(words.ObjectExtension, "", "a")),
	} {
		assert.Equal(t, want, f.Save())
	}
	alone := deletes(of(words.ObjectSubscription, "n", "a"))
	alone.Class = ClassGivesUp
	assert.Empty(t, alone.Save(), "nothing is installed for it")
	assert.Equal(t, unnamed, deletes(of(words.ObjectSubscription, "n", "a;reboot")).Save())
	assert.Equal(t, unnamed, deletes(of(words.ObjectSubscription, "$(reboot)", "a")).Save())
	assert.Equal(t, unnamed, deletes(of(words.ObjectSubscription, "n", "a"), of(words.ObjectSubscription, "m", "a")).Save(), "in two namespaces")
}

// Of several approvals it is said that the next one waits again.
func TestApprovals(t *testing.T) {
	then := Difference{Updates: []Update{{From: version("app", "app.v1", "1.0.0"), To: version("app", "app.v2", "2.0.0")}}}
	installs := []Change{{Steps: []Step{{Field: words.FieldChannel}}}}
	approves := []Change{{Steps: []Step{{Field: words.FieldApproved, To: true}}}}
	for want, f := range map[string]Fix{
		"updates app from 1.0.0 to 2.0.0, once its InstallPlan is approved":                                                                        {Approval: true, Then: then, Changes: installs},
		"updates app from 1.0.0 to 2.0.0, once its InstallPlan is approved; then 1 more step follows, which waits for approval again, next app.v3": {Approval: true, Then: then, Changes: installs, Further: []string{"app.v3"}},
		"updates app from 1.0.0 to 2.0.0; the next update then waits for approval again":                                                           {Approval: true, Then: then, Changes: approves},
		"updates app from 1.0.0 to 2.0.0": {Then: then, Changes: approves},
		"installs nothing":                {Approval: true, Changes: installs},
	} {
		assert.Equal(t, want, f.Outcome(""))
	}
}
