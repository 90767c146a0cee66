package resolver_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// withPhase returns a problem in which all that is installed is in a phase.
func withPhase(p resolver.Problem, phase string, change func(*cluster.Objects)) resolver.Problem {
	objects := p.Cluster.Objects()
	objects.CSVs, objects.Subscriptions = slices.Clone(objects.CSVs), slices.Clone(objects.Subscriptions)
	for i := range objects.CSVs {
		objects.CSVs[i].Phase = phase
	}
	if change != nil {
		change(&objects)
	}
	p.Cluster = cluster.NewIndex(objects)
	return p
}

// Where nothing updates what is installed, it is said that it can be left alone if it works, and
// what to ask the publisher for, before what is at a risk.
func TestDeadEndIsLeft(t *testing.T) {
	const name = "a.v9"
	in := inputsOf(t, "scenarios/update-replaces").Problem
	r, scope := resolver.New(), cluster.InNamespace("operators")
	for phase, works := range map[string]bool{"Succeeded": true, "Failed": false, "": false} {
		p := withPhase(in, phase, func(o *cluster.Objects) {
			o.Subscriptions[0].InstalledCSV, o.CSVs[0].Name, o.CSVs[0].Version = name, name, "0.9.0"
		})
		request := p.Cluster.In("operators").Subscriptions[0].Key()
		_, none := r.Path(t.Context(), p, request, "")
		why, err := r.WhyNot(t.Context(), p, scope, "a.v3")
		require.NoError(t, err)
		rows, err := r.Status(t.Context(), p, []cluster.Scope{scope}, nil)
		require.NoError(t, err)
		list := []*result.Help{result.HelpOf(none), &why.Help}
		if works {
			list = append(list, &rows[0].Help)
		}
		for _, help := range list {
			require.NotEmpty(t, help.Others, phase)
			assert.Equal(t, result.Other{Kind: "update", Bundle: catalog.BundleKey{Package: "a", Name: name}, Constraints: []string{"stable"}, Accepts: []string{"0.9.0"}}, help.Others[0])
			assert.Equal(t, "an entry in channel stable that replaces or skips a.v9, or has a skipRange that covers 0.9.0: ask the publisher of package a", help.Others[0].Text(""))
			sections := text.OfHelp(help).Sections(text.Limits{Lines: text.Screen})
			if works {
				assert.Equal(t, "Needs a change by others", sections[0].Title)
				assert.Equal(t, "Do this", sections[1].Title)
				assert.Equal(t, "no immediate action needed: a.v9 keeps running, but gets no updates", sections[1].Lines[0].Text)
				assert.Equal(t, "or, at a risk (tried here, not on the cluster):", sections[1].Lines[1].Text)
			} else {
				assert.NotContains(t, fmt.Sprint(sections), "nothing has to be done", "in phase %q", phase)
			}
		}
	}
}

// A bundle to which OLM updates by itself is waited for: nothing is deleted for it. With manual
// approval each update waits.
func TestWhyNotWaits(t *testing.T) {
	in := inputsOf(t, "scenarios/update-replaces").Problem
	for _, manual := range []bool{false, true} {
		p := withPhase(in, "Succeeded", func(o *cluster.Objects) { o.Subscriptions[0].Manual = manual })
		why, err := resolver.New().WhyNot(t.Context(), p, cluster.InNamespace("operators"), "a.v3")
		require.NoError(t, err)
		advice := text.OfHelp(&why.Help)
		want := "wait until OLM has updated Subscription a to a.v2, which it does by itself"
		if manual {
			want = "wait until OLM has updated Subscription a to a.v2, each once its InstallPlan is approved: the next one waits again"
		}
		assert.Equal(t, want, advice.Wait)
		assert.Equal(t, "a.v3 comes", advice.Then)
		assert.NotContains(t, fmt.Sprint(advice.Sections(text.Limits{Lines: text.Screen})), "tried here", "nothing is recommended")
	}
	why, err := resolver.New().WhyNot(t.Context(), withPhase(in, "Failed", nil), cluster.InNamespace("operators"), "a.v3")
	require.NoError(t, err)
	assert.Empty(t, text.OfHelp(&why.Help).Wait, "OLM does not go on from what failed")
}

// A path names the InstallPlan of its first step, if that waits, and how each step is approved. A fix
// of status says that the next update waits again.
func TestPathNamesItsPlan(t *testing.T) {
	in := inputsOf(t, "scenarios/update-replaces").Problem
	for bundle, first := range map[string]string{"a.v2": "plan", "other": ""} {
		p := withPhase(in, "Succeeded", func(o *cluster.Objects) {
			o.Subscriptions[0].Manual = true
			o.Subscriptions[0].Observed = cluster.Observed{InstallPlan: "plan", CurrentCSV: "a.v2"}
			o.InstallPlans = []cluster.InstallPlan{{Namespace: "operators", Name: "plan", Phase: "RequiresApproval", CSVs: []string{bundle}}}
		})
		path, err := resolver.New().Path(t.Context(), p, p.Cluster.In("operators").Subscriptions[0].Key(), "")
		require.NoError(t, err)
		assert.Equal(t, first, path.InstallPlan)
		require.Len(t, path.Steps, 2)
		assert.Equal(t, words.Manual, path.Steps[1].Resolution.Approval)
		rows, err := resolver.New().Status(t.Context(), p, []cluster.Scope{cluster.InNamespace("operators")}, nil)
		require.NoError(t, err)
		require.Equal(t, result.StatePendingApproval, rows[0].State)
		if first != "" { // else it is not to be approved
			assert.Contains(t, rows[0].Fixes[0].Outcome(""), "; the next update then waits for approval again")
		}
	}
}

// While OLM begins an update, the one before, whose bundle still goes away, is done.
func TestUpdateAfterUpdate(t *testing.T) {
	p := withPhase(inputsOf(t, "scenarios/update-replaces").Problem, "Replacing", func(o *cluster.Objects) {
		o.Subscriptions[0].InstalledCSV, o.Subscriptions[0].Observed.CurrentCSV = "a.v2", "a.v3"
		o.CSVs = append(o.CSVs, cluster.ClusterServiceVersion{Namespace: "operators", Name: "a.v2", Version: "2.0.0", Phase: "Succeeded", Replaces: "a.v1"},
			cluster.ClusterServiceVersion{Namespace: "operators", Name: "a.v3", Version: "3.0.0", Phase: "Pending", Replaces: "a.v2"})
	})
	rows, err := resolver.New().Status(t.Context(), p, []cluster.Scope{cluster.InNamespace("operators")}, nil)
	require.NoError(t, err)
	assert.Equal(t, result.StatePending, rows[0].State)
	assert.Equal(t, "a.v2", rows[0].Installed)
}
