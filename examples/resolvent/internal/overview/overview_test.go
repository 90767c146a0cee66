package overview_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// Of all of testdata: every row that is stuck is told, each once; a fix that is recommended has
// no risk, is found by its number, and ends what it is for.
func TestOverview(t *testing.T) {
	causes, tried := 0, 0
	for _, folder := range []string{"scenarios", "explanations"} {
		for file, data := range testkit.Files(t, "testdata", folder, "*.txtar") {
			s, err := scenario.Parse(data)
			require.NoError(t, err)
			in, err := s.Question(t.Context())
			require.NoError(t, err)
			rows, err := resolver.New().Status(t.Context(), in.Problem, in.Scopes, nil)
			if err != nil {
				continue // a limit of the scenario ends it
			}
			o := overview.New(rows, overview.Call{})
			require.Len(t, o.Rows, len(rows), file)
			total := 0
			for _, n := range o.Totals() {
				total += n
			}
			assert.Equal(t, len(rows), total, file)
			told := map[*overview.Row]int{}
			waits := map[cluster.Scope]bool{}
			for _, c := range o.Causes {
				causes++
				assert.NotEmpty(t, c.Lines, file)
				needed := len(c.Rows) == 0 || slices.ContainsFunc(c.Rows, func(r *overview.Row) bool { return r.Who == overview.You })
				assert.Equal(t, needed, !c.Waits(), file)
				for _, r := range c.Rows {
					told[r]++
				}
				if c.Waiting > 0 {
					waits[c.Scope] = true
				}
				if do := c.Way.Do; do != nil {
					fix := &o.Fixes[do.Number-1]
					assert.True(t, fix.Class <= result.ClassGivesUp || fix.FailsForward(), file)
					assert.Equal(t, do.Number, o.Number(fix), file)
					tried++
					assert.True(t, ends(t, in, c, fix), "%s: %s", file, strings.Join(do.Steps, "; "))
				}
			}
			for _, r := range o.Rows {
				switch r.Who {
				case overview.You, overview.Operator, overview.Goes:
					assert.Equal(t, 1, told[r], "%s: %s is %s", file, r.Name, r.State)
				case overview.Others:
					if len(r.Awaited) > 0 { // it fails by nobody, and says itself what it waits for
						assert.Equal(t, 1, told[r], "%s: %s", file, r.Name)
						continue
					}
					assert.Zero(t, told[r], "%s: %s", file, r.Name)
					assert.True(t, waits[r.Request.Scope()], "%s: %s", file, r.Name)
				default:
					assert.Zero(t, told[r], "%s: %s", file, r.Name)
				}
			}
		}
	}
	assert.Greater(t, causes, 150)
	assert.Greater(t, tried, 50)
}

// ends reports whether no row of a cause is as it was once a fix is applied: they go on, or are
// given up, or wait for those that the fix says.
func ends(t *testing.T, in *scenario.Question, c *overview.Cause, fix *result.Fix) bool {
	p := in.Problem
	var err error
	p.Cluster, err = fix.Apply(in.Problem.Cluster)
	require.NoError(t, err)
	scopes := in.Scopes
	for _, s := range fix.Steps() { // a move leads to another namespace
		if s.Create != nil && len(s.Create.Subscriptions) > 0 && !slices.Contains(scopes, cluster.InNamespace(s.Object.Namespace)) {
			scopes = append(slices.Clone(scopes), cluster.InNamespace(s.Object.Namespace))
		}
	}
	scopes = slices.DeleteFunc(slices.Clone(scopes), func(s cluster.Scope) bool { return s.Alone() && p.Cluster.Extension(s.Name) == nil })
	rows, err := resolver.New().Status(t.Context(), p, scopes, nil)
	require.NoError(t, err)
	was := map[cluster.RequestKey]result.State{}
	for _, r := range c.Rows {
		was[r.Request] = r.State
	}
	for i := range rows {
		r := &rows[i]
		state, concerned := was[r.Request]
		switch {
		case !concerned || len(fix.Waiting) > 0 && r.State != result.StateFailed:
		case state == result.StateFailed && r.State == result.StateFailed, state != result.StateFailed && r.State == state && r.Next == "":
			return false
		}
	}
	return true
}

// What OLM fails is told though nothing is resolved, as a catalog is down, was not given, or has
// no such package.
func TestFailedBesideCatalogs(t *testing.T) {
	for state, from := range map[string]string{"TRANSIENT_FAILURE": "gone", "READY": "gone", "": "other"} {
		s, err := scenario.Parse([]byte("Failed.\n-- cluster.yaml --\n" + `
{kind: CatalogSource, metadata: {name: gone, namespace: olm}, spec: {}, status: {connectionState: {lastObservedState: ` + state + `}}}
---
{kind: Subscription, metadata: {name: a, namespace: n}, spec: {name: a, source: ` + from + `, sourceNamespace: olm}, status: {installedCSV: a.v1}}
---
{kind: ClusterServiceVersion, metadata: {name: a.v1, namespace: n}, spec: {version: 1.0.0}, status: {phase: Failed, reason: TooManyOperatorGroups, message: there are two}}
---
{kind: Subscription, metadata: {name: b, namespace: n}, spec: {name: b, source: ` + from + `, sourceNamespace: olm}, status: {installedCSV: b.v1}}
---
{kind: ClusterServiceVersion, metadata: {name: b.v1, namespace: n}, spec: {version: 1.0.0}, status: {phase: Failed, reason: TooManyOperatorGroups}}
---
{kind: Subscription, metadata: {name: c, namespace: n}, spec: {name: c, source: ` + from + `, sourceNamespace: olm}, status: {installedCSV: c.v1}}
---
{kind: ClusterServiceVersion, metadata: {name: c.v1, namespace: n}, spec: {version: 1.0.0}, status: {phase: Failed}}
-- catalogs/olm/other/catalog.yaml --
{schema: olm.package, name: x}
-- want --
`))
		require.NoError(t, err)
		o := overviewOf(t, s)
		var failed []string
		for _, c := range o.Causes {
			if c.Way.Repair != nil {
				failed = append(failed, c.Lines...)
				assert.NotEmpty(t, c.Way.Repair.Steps())
				assert.NotContains(t, overview.Call{}.FixText(c.Rows[0].Status), "OperatorGroup", "its reason is another")
			}
		}
		assert.Len(t, append(o.NotJudged, o.Causes...), 3)
		assert.Equal(t, []string{
			"ClusterServiceVersion a.v1 is in phase Failed: TooManyOperatorGroups: there are two",
			"ClusterServiceVersion b.v1 is in phase Failed: TooManyOperatorGroups",
			"ClusterServiceVersion c.v1 is in phase Failed",
		}, failed)
	}
}

// What OLM fails for several OperatorGroups is told once, with the fix that deletes one.
func TestFailedForGroups(t *testing.T) {
	s, err := scenario.Parse([]byte("Groups.\n-- cluster.yaml --\n" + `
{kind: OperatorGroup, metadata: {name: a, namespace: n}}
---
{kind: OperatorGroup, metadata: {name: b, namespace: n}}
---
{kind: Subscription, metadata: {name: x, namespace: n}, spec: {name: x, source: c, sourceNamespace: olm}, status: {installedCSV: x.v1}}
---
{kind: ClusterServiceVersion, metadata: {name: x.v1, namespace: n}, spec: {version: 1.0.0}, status: {phase: Failed, reason: TooManyOperatorGroups}}
-- catalogs/olm/c/catalog.yaml --
{schema: olm.package, name: x, defaultChannel: s}
---
{schema: olm.channel, package: x, name: s, entries: [{name: x.v1}]}
---
{schema: olm.bundle, package: x, name: x.v1, image: i, properties: [{type: olm.package, value: {packageName: x, version: 1.0.0}}]}
-- want --
`))
	require.NoError(t, err)
	o := overviewOf(t, s)
	require.Len(t, o.Causes, 1)
	assert.NotNil(t, o.Causes[0].Way.Do)
	assert.Nil(t, o.Causes[0].Way.Repair)
}

func overviewOf(t *testing.T, s *scenario.Scenario) *overview.Overview {
	t.Helper()
	in, err := s.Question(t.Context())
	require.NoError(t, err)
	rows, err := resolver.New().Status(t.Context(), in.Problem, in.Scopes, nil)
	require.NoError(t, err)
	return overview.New(rows, overview.Call{})
}

// The name of a package in a printed command is one word of it, and no flag.
func TestRiskyCommand(t *testing.T) {
	for pkg, want := range map[string]string{"a": "a", "a; rm -rf x": "'a; rm -rf x'", "--fix": "PACKAGE", "a\n": "PACKAGE", "a\xff": "PACKAGE"} {
		row := &overview.Row{Status: &result.Status{Request: cluster.RequestKey{Kind: "Subscription", Namespace: "n", Name: "s"}, Package: pkg, Head: "h"}}
		assert.Equal(t, "No safe fix. For riskier options, run resolvent why-not "+want+" -n n", overview.Call{}.RiskyText([]*overview.Row{row}))
	}
}

// A cause names what it misses itself, and nothing that others miss.
func TestMissingByCause(t *testing.T) {
	s, err := scenario.Parse([]byte("Two packages are missing.\n-- cluster.yaml --\n" + `
{kind: Subscription, metadata: {name: a, namespace: n}, spec: {name: alpha, source: other, sourceNamespace: olm}, status: {installedCSV: a.v1}}
---
{kind: ClusterServiceVersion, metadata: {name: a.v1, namespace: n}, spec: {version: 1.0.0}, status: {phase: Succeeded}}
---
{kind: Subscription, metadata: {name: b, namespace: n}, spec: {name: omega, source: other, sourceNamespace: olm}, status: {installedCSV: b.v1}}
---
{kind: ClusterServiceVersion, metadata: {name: b.v1, namespace: n}, spec: {version: 1.0.0}, status: {phase: Succeeded}}
-- catalogs/olm/other/catalog.yaml --
{schema: olm.package, name: x}
-- want --
`))
	require.NoError(t, err)
	causes := overviewOf(t, s).Causes
	require.Len(t, causes, 2)
	for i, pkg := range []string{"alpha", "omega"} {
		assert.Equal(t, "no given catalog has package "+pkg+"; set spec.source and spec.sourceNamespace of Subscription "+causes[i].Rows[0].Request.Name+" to one that has it", causes[i].Way.Else)
	}
}
