package outcomes

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

func TestCommands(t *testing.T) {
	sub := result.Object{Kind: "Subscription", Namespace: "n", Name: "x"}
	group := result.Object{Kind: "OperatorGroup", Namespace: "n", Name: "it's"}
	extension := result.Object{Kind: "ClusterExtension", Name: "e"}
	were := cluster.Selector{MatchLabels: map[string]string{"tier": "gold"}, MatchExpressions: []cluster.SelectorTerm{{Key: "x", Operator: "Exists"}}}
	selected := cluster.Selector{MatchLabels: map[string]string{"name": "c"}}
	made := &cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "x", Package: "p"}}}
	fix := result.Fix{Changes: []result.Change{
		{Object: group, Steps: []result.Step{{Object: group, Field: "metadata.annotations.olm.operatorframework.io/exclude-global-namespace-resolution", From: "true"}, {Object: group, Field: "spec.targetNamespaces", To: []string{"n"}}}},
		{Object: sub, Steps: []result.Step{{Object: sub}, {Object: sub, Create: made}}},
		{Object: extension, Steps: []result.Step{{Object: extension, Field: "spec.source.catalog.selector", From: were, To: selected}}},
	}, Cautions: []result.Caution{{Kind: "held", Names: []string{"y\nrm -rf ."}}}}
	helps := []*result.Help{{}, {Fixes: []result.Fix{fix}, Search: "complete"}}
	var text, notes strings.Builder
	found, err := NumberedFix("--fix", "--all", 1, helps...)
	require.NoError(t, err)
	require.NoError(t, writeCommands(t.Context(), &text, found.Steps()))
	writeNotes(&notes, found, atOnce(found.Steps())...)
	assert.Equal(t, `warning: 'run all commands at once: OLM may resolve the namespace in between'
warning: 'y rm -rf . refuses updates'
`, notes.String())
	assert.Equal(t, `kubectl get --namespace n --output yaml -- \
  subscriptions.operators.coreos.com/x > saved-x.yaml
kubectl patch operatorgroups.operators.coreos.com --namespace n --type merge --patch '{"metadata":{"annotations":{"olm.operatorframework.io/exclude-global-namespace-resolution":null}},"spec":{"targetNamespaces":["n"]}}' -- 'it'\''s'
kubectl delete subscriptions.operators.coreos.com --namespace n -- x
printf '%s' '{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"x","namespace":"n"},"spec":{"name":"p"}}' | kubectl create -f -
kubectl patch clusterextensions.olm.operatorframework.io --type merge --patch '{"spec":{"source":{"catalog":{"selector":{"matchExpressions":[],"matchLabels":{"name":"c","tier":null}}}}}}' -- e
`, text.String())

	_, err = NumberedFix("--fix", "--all", 2, helps...)
	assert.EqualError(t, err, "--fix 2: there is only fix 1; to see all, run this again with --all instead of --fix")
	_, err = NumberedFix("--fix", "--all", 1, helps[:1]...)
	assert.EqualError(t, err, "--fix: there are no fixes; run this again without --fix to see why")
	more := append(helps, helps[1], &result.Help{Fixes: []result.Fix{{Risk: result.RiskWidens}, {Risk: result.RiskRemoves}}})
	found, err = NumberedFix("--fix", "--all", 3, more...)
	require.NoError(t, err)
	assert.Equal(t, result.RiskRemoves, found.Risk, "what fails together counts once")
	_, err = NumberedFix("--fix", "--all", 4, more...)
	assert.EqualError(t, err, "--fix 4: there are only fixes 1 to 3; to see all, run this again with --all instead of --fix")
	for _, kind := range manifest.Kinds() {
		if resources[kind] == "" {
			_, err := result.Apply(cluster.NewIndex(cluster.Objects{}), cluster.Scope{}, []result.Step{{Object: result.Object{Kind: kind}}})
			assert.ErrorContains(t, err, "steps change no such objects")
		}
	}
}

// The numbers of JSON are those of the text and of --fix, also where fixes of several groups
// stand in several sections.
func TestNumbers(t *testing.T) {
	var list []result.Fix
	add := func(name string, group int, class result.Class, givesUp bool) {
		object := result.Object{Kind: "Subscription", Namespace: "n", Name: name}
		fix := result.Fix{Group: group, Class: class, Changes: []result.Change{{Object: object, Steps: []result.Step{{Object: object}}}}}
		if givesUp {
			fix.GivesUp = []cluster.RequestKey{{Kind: cluster.KindSubscription, Namespace: "n", Name: name}}
		}
		list = append(list, fix)
	}
	add("joined", 0, result.ClassSafe, false)
	add("second", 2, result.ClassSafe, false)
	add("second-dropped", 2, result.ClassGivesUp, true)
	add("risky", 1, result.ClassRemoves, false)
	add("first-dropped", 1, result.ClassAbandons, true)
	help := &result.Help{Fixes: list, Search: "complete", Home: "n"}
	var sections strings.Builder
	for _, s := range text.OfHelp(help).Sections(text.Limits{}) {
		for _, line := range s.Lines {
			fmt.Fprintf(&sections, "%s\n", line)
		}
	}
	var of struct {
		Fixes   []string
		Changes []struct {
			Number int
			Text   string
			Object result.Object
		}
	}
	written, err := json.Marshal(help)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(written, &of))
	require.Len(t, of.Changes, len(list))
	for i, c := range of.Changes {
		assert.Equal(t, i+1, c.Number)
		assert.Equal(t, c.Text, of.Fixes[i])
		assert.Contains(t, sections.String(), fmt.Sprintf("Fix %d: %s\n", c.Number, c.Text))
		var commands strings.Builder
		fix, err := NumberedFix("--fix", "--all", c.Number, help)
		require.NoError(t, err)
		require.NoError(t, writeCommands(t.Context(), &commands, fix.Steps()))
		name := c.Object.Name
		assert.Equal(t, "kubectl get --namespace n --output yaml -- \\\n  subscriptions.operators.coreos.com/"+name+" > saved-"+name+".yaml\n"+
			"kubectl delete subscriptions.operators.coreos.com --namespace n -- "+name+"\n", commands.String())
	}
	assert.Equal(t, "second", of.Changes[1].Object.Name)
}
