package text_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

func TestWait(t *testing.T) {
	object := func(kind string) result.Object { return result.Object{Kind: kind, Namespace: "n", Name: "x"} }
	condition, sub := object(words.ObjectCondition), object(words.ObjectSubscription)
	held := result.Caution{Kind: words.CautionHeld, Names: []string{"x"}, Said: "Busy:  a migration"}
	upgradeable := []cluster.Condition{{Type: "Upgradeable", Status: "True"}}
	waits := result.Fix{Class: result.ClassOverrides, Cautions: []result.Caution{held},
		Changes: []result.Change{{Object: condition, Steps: []result.Step{{Object: condition, Field: words.FieldOverrides, To: upgradeable}}}}}
	drops := result.Fix{Class: result.ClassAbandons, Changes: []result.Change{{Object: sub, Steps: []result.Step{{Object: sub}}}},
		GivesUp: []cluster.RequestKey{{Kind: cluster.KindSubscription, Namespace: "n", Name: "x"}}}
	assert.Empty(t, text.OfHelp(&result.Help{Fixes: []result.Fix{drops}}).Wait)
	assert.Equal(t, []text.Section{
		{Title: "What would help (each was tried here, not on the cluster)", Lines: []text.Line{{Text: "do what the operator's message asks for, and wait until OperatorCondition x is Upgradeable again: installs nothing"}}},
		{Title: "At a risk", Lines: []text.Line{{Label: "Fix 1:", Text: "override OperatorCondition x (spec.overrides: Upgradeable True): installs nothing", Fix: 1},
			{Label: "warning:", Text: "x refuses updates: Busy: a migration", Follows: true}}, Continues: true},
		{Title: "To give up", Lines: []text.Line{{Label: "Fix 2:", Text: "delete Subscription x: installs nothing", Fix: 2}}, Continues: true},
	}, text.OfHelp(&result.Help{Home: "n", Fixes: []result.Fix{waits, drops}}).Sections(text.Limits{}))

	strategy := result.Step{Object: object(words.ObjectOperatorGroup), Field: words.FieldUpgradeStrategy, From: "Default", To: words.StrategyFailForward}
	forward := func(said string, names ...string) result.Fix {
		return result.Fix{Class: result.ClassOverrides, Changes: []result.Change{{Object: strategy.Object, Steps: []result.Step{strategy}}},
			Cautions: []result.Caution{{Kind: words.CautionForward, Names: names, Said: said}}}
	}
	assert.Equal(t, "repair what keeps ClusterServiceVersion a.v2 in phase Failed: no room: installs nothing", (&result.Help{Home: "n", Fixes: []result.Fix{drops, forward("no\nroom", "a.v2")}}).WaitText())
	failed := text.OfHelp(&result.Help{Home: "n", Fixes: []result.Fix{forward("", "a.v2", "b.v2")}})
	assert.Contains(t, failed.Wait, "ClusterServiceVersions a.v2 and b.v2 in phase Failed: nothing is stated, so look at the events")

	unhealthy := &result.Help{Wait: []result.Object{object(words.ObjectCatalogSource)}, Fixes: []result.Fix{{Class: result.ClassSafe, Changes: drops.Changes}}}
	assert.Equal(t, "What would help (each but the repair was tried here, not on the cluster)", text.OfHelp(unhealthy).Sections(text.Limits{})[0].Title)

	other := text.OfHelp(&result.Help{Follows: "app.v4", Awaited: []result.Awaited{{Request: cluster.RequestKey{Kind: "Subscription", Name: "app"}, Channel: "next", Bundles: []string{"app.v2", "app.v3"}, Approval: true, Beside: "p"}}})
	assert.Equal(t, "do not approve InstallPlan p, which brings something else; set spec.channel of Subscription app to next; OLM then updates it to app.v2 and then app.v3; each update waits for approval again", other.Wait)
	assert.Equal(t, "app.v4 comes", other.Then)
}

func TestProceed(t *testing.T) {
	key := func(name, namespace string) cluster.RequestKey {
		return cluster.RequestKey{Kind: cluster.KindSubscription, Name: name, Namespace: namespace}
	}
	of := func(home string, blocking, proceeding []cluster.RequestKey) string {
		cause := result.Cause{Explanation: &result.Explanation{}}
		e := &result.NotSatisfiable{Help: result.Help{Home: home}, Blocking: blocking, Proceeding: proceeding, Causes: []result.Cause{cause}}
		return text.Of(e, nil).Proceed
	}
	assert.Equal(t, "None of the 2 Subscriptions proceeds until this is solved. Without Subscription a, Subscription b can proceed.", of("m", []cluster.RequestKey{key("a", "m")}, []cluster.RequestKey{key("b", "m")}))
	assert.Equal(t, "None of the 4 Subscriptions proceeds until this is solved. Without Subscriptions a in namespace m and c in namespace n, Subscriptions b in namespace m and b in namespace m can proceed.",
		of("", []cluster.RequestKey{key("a", "m"), key("c", "n")}, []cluster.RequestKey{key("b", "m"), key("b", "m")}))
}
