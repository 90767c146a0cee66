package resolver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// Of a call that ends early, the rows are there that were ready.
func TestStatusCutOff(t *testing.T) {
	processors := runtime.GOMAXPROCS(1) // one namespace after another
	defer runtime.GOMAXPROCS(processors)
	tree, err := fs.Sub(testdata.Catalogs, "catalogs/coast")
	require.NoError(t, err)
	snapshot, err := cache.LoadFS(t.Context(), tree, cache.Options{})
	require.NoError(t, err)
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "coast"}, Snapshot: snapshot}})
	ctx, cancel := context.WithCancel(t.Context())
	options := policy.Options{SystemConstraint: func(_ context.Context, c policy.Candidate) (bool, string) {
		if c.Namespace == "m" {
			cancel()
		}
		return true, ""
	}}
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{
		{Namespace: "a", Name: "s", Package: "foghorn"}, {Namespace: "m", Name: "s", Package: "foghorn"}, {Namespace: "z", Name: "s", Package: "foghorn"},
	}})
	rows, err := resolver.New().Status(ctx, resolver.Problem{Cluster: known, Catalogs: view, Options: options}, known.Scopes(), nil)
	incomplete, ok := errors.AsType[*result.Incomplete](err)
	require.True(t, ok, "%v", err)
	require.ErrorIs(t, incomplete, context.Canceled)
	require.Len(t, rows, 1)
	assert.Equal(t, "a", rows[0].Request.Namespace)
	assert.NotEmpty(t, rows[0].State)
}

// TestStepsToHead reads again how many updates lead to the head of a random channel: what is
// installed, and what is new at its startingCSV.
func TestStepsToHead(t *testing.T) {
	farthest := 0
	for seed := range uint64(testkit.Scale(20, 1000)) {
		r := rand.New(rand.NewPCG(seed, 3))
		const n = 7
		name := func(i int) string { return fmt.Sprintf("a.v%d", i) }
		var blobs strings.Builder
		blobs.WriteString(`{"schema":"olm.package","name":"a","defaultChannel":"c"}{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v0"}`)
		leads, skipped := [n][n]bool{}, [n]bool{}
		objects := cluster.Objects{}
		for i := 1; i < n; i++ {
			skip, from := r.IntN(i), r.IntN(2*n) // mostly no range
			fmt.Fprintf(&blobs, `,{"name":"a.v%d","replaces":"a.v%d","skips":["a.v%d"],"skipRange":">=%d.0.0 <%d.0.0"}`, i, i-1, max(skip, i-2), min(from, i), i)
			leads[i-1][i], leads[max(skip, i-2)][i], skipped[max(skip, i-2)] = true, true, true
			for j := from; j < i; j++ {
				leads[j][i] = true
			}
		}
		blobs.WriteString("]}")
		for i := range n {
			fmt.Fprintf(&blobs, `{"schema":"olm.bundle","package":"a","name":"a.v%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"%[1]d.0.0"}}]}`, i)
			at, anew := fmt.Sprint("at", i), fmt.Sprint("new", i)
			objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: at, Name: name(i), Version: fmt.Sprintf("%d.0.0", i)})
			objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: at, Name: "s", Package: "a", InstalledCSV: name(i)},
				cluster.Subscription{Namespace: anew, Name: "s", Package: "a", StartingCSV: name(i)})
		}
		objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "none", Name: "s", Package: "a", StartingCSV: "a.v99"})
		snapshot, err := cache.Parse(t.Context(), []byte(blobs.String()), cache.Options{})
		require.NoError(t, err)
		want := map[string]int{}
		for i, steps := n-1, [n]int{}; i >= 0; i-- {
			for j := i + 1; j < n; j++ {
				if reaches := j == n-1 || steps[j] > 0; leads[i][j] && !skipped[j] && reaches && (steps[i] == 0 || steps[j]+1 < steps[i]) {
					steps[i] = steps[j] + 1
				}
			}
			want[fmt.Sprint("at", i)] = steps[i]
			if steps[i] > 0 || i == n-1 {
				want[fmt.Sprint("new", i)] = steps[i] + 1
			}
			farthest = max(farthest, steps[i])
		}
		known := cluster.NewIndex(objects)
		rows, err := resolver.New().Status(t.Context(), resolver.Problem{
			Cluster: known, Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Snapshot: snapshot}}), Options: policy.Options{NoFixes: true},
		}, known.Scopes(), nil)
		require.NoError(t, err)
		require.Len(t, rows, 2*n+1)
		for i := range rows {
			assert.Equal(t, want[rows[i].Request.Namespace], rows[i].Steps, "seed %d: %v\n%s", seed, rows[i].Request, blobs.String())
		}
	}
	assert.Greater(t, farthest, 2)
}

// BenchmarkStatus finds how every package of a real catalog stands, each in the middle of
// its default channel, and what blocks the update to another OpenShift.
func BenchmarkStatus(b *testing.B) {
	view := realView(b)
	snapshot := view.Catalog(catalog.Key{Namespace: "olm", Name: "community"}).Snapshot
	for _, bench := range []struct {
		name      string
		namespace func(pkg string) string
		target    *resolver.Target
	}{
		{"hops", func(string) string { return "operators" }, &resolver.Target{OpenShiftVersion: "4.20"}},
		{"own-namespaces", func(pkg string) string { return pkg }, nil},
		{"one-namespace", func(string) string { return "operators" }, nil},
		{"target", func(pkg string) string { return pkg }, &resolver.Target{OpenShiftVersion: "4.22"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			objects := oldInstalled(snapshot, bench.namespace)
			objects.OpenShiftVersion = "4.18"
			known := cluster.NewIndex(objects)
			r := resolver.New()
			states := map[result.State]int{}
			for b.Loop() {
				rows, err := r.Status(b.Context(), resolver.Problem{Cluster: known, Catalogs: view}, known.Scopes(), bench.target)
				require.NoError(b, err)
				clear(states)
				for i := range rows {
					states[rows[i].State]++
				}
			}
			b.Log(len(known.Scopes()), len(objects.Subscriptions), states)
		})
	}
}

// BenchmarkMigrate judges whether every package of a real catalog, all in one namespace, can move.
func BenchmarkMigrate(b *testing.B) {
	view := realView(b)
	known := cluster.NewIndex(oldInstalled(snapshotOf(view), func(string) string { return "operators" }))
	b.ReportAllocs()
	for b.Loop() {
		_, err := migrate.Judge(b.Context(), resolver.New(), resolver.Problem{Cluster: known, Catalogs: view})
		require.NoError(b, err)
	}
}

// oldInstalled are Subscriptions to all packages of a catalog, each with a bundle of the
// middle of its default channel installed. In a namespace of several, those are left out
// that others do not allow.
func oldInstalled(snapshot *catalog.Snapshot, namespace func(pkg string) string) cluster.Objects {
	var objects cluster.Objects
	provided := map[string]bool{}
	for pkg := range snapshot.Packages() {
		channel := pkg.Channel(pkg.DefaultChannel)
		if channel == nil {
			continue
		}
		for _, i := range channel.Order[len(channel.Order)/2:] {
			e := &channel.Entries[i]
			if e.Bundle == catalog.NoBundle {
				continue
			}
			in := namespace(pkg.Name)
			taken := false
			for _, api := range snapshot.Bundle(e.Bundle).Properties.GVKs() {
				taken = taken || provided[in+fmt.Sprint(api)]
			}
			if !taken && (in == pkg.Name || len(snapshot.Bundle(e.Bundle).Constraints) == 0) {
				for _, api := range snapshot.Bundle(e.Bundle).Properties.GVKs() {
					provided[in+fmt.Sprint(api)] = true
				}
				objects.Append(random.Installed(in, snapshot, pkg.Name, channel.Name, e.Bundle))
			}
			break
		}
	}
	return objects
}

// A package that the catalogs of the target lack blocks the update of the cluster.
func TestTargetLacksPackage(t *testing.T) {
	in := inputsOf(t, "scenarios/update-replaces")
	there := inputsOf(t, "explanations/unknown-package")
	rows, err := resolver.New().Status(t.Context(), in.Problem, in.Scopes, &resolver.Target{Catalogs: map[string]*cache.View{"": there.Problem.Catalogs}})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, result.StateUpdateAvailable, rows[0].State)
	assert.False(t, rows[0].Target.OK())
	assert.True(t, rows[0].Stuck())
	assert.Contains(t, rows[0].Target.Reason(), "with the catalogs of the target: catalog olm/community has no package a")
}

// What OLM v1 says of a ClusterExtension is quoted, unless it is as it should be.
func TestExtensionConditions(t *testing.T) {
	objects, err := manifest.Read(t.Context(), manifest.Input{Name: "e.yaml", Reader: strings.NewReader(`{apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: e}, spec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: foghorn}}},
status: {conditions: [{type: Installed, status: "True"}, {type: Progressing, status: "True", reason: Retrying, message: no bundle}, {type: Deprecated, status: "False"}, {status: "False", message: no type}],
activeRevisions: [{name: e-1}, {name: e-2, conditions: [{type: Available, status: "False", reason: ProbeFailure, message: no pod}, {type: Available, status: "True"}]}]}}`)})
	require.NoError(t, err)
	problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView(nil)}
	rows, err := resolver.New().Status(t.Context(), problem, problem.Cluster.Scopes(), nil)
	require.NoError(t, err)
	assert.Equal(t, []result.Condition{
		{Object: result.Object{Kind: words.ObjectExtension, Name: "e"}, Type: "Progressing", Reason: "Retrying", Message: "no bundle"},
		{Object: result.Object{Kind: words.ObjectExtension, Name: "e"}, Type: "Available", Reason: "ProbeFailure", Message: "revision e-2: no pod"},
	}, rows[0].Conditions)
}

// Where OLM waits for what failed, the fix is that of its OperatorGroup: status, path and failure
// offer it, the path goes on with it, and what OLM is replacing is never deleted.
func TestFailForward(t *testing.T) {
	var s *scenario.Scenario
	var err error
	for _, data := range testkit.Files(t, "testdata/scenarios/fail-forward-off.txtar") {
		data = bytes.Replace(data, []byte("{name: a.v3, replaces: a.v2}"), []byte("{name: a.v3, replaces: a.v2}, {name: a.v4, replaces: a.v3}"), 1)
		data = bytes.Replace(data, []byte("-- want --"), []byte("---\n{schema: olm.bundle, package: a, name: a.v4, image: i/a.v4, properties: [{type: olm.package, value: {packageName: a, version: 4.0.0}}]}\n-- want --"), 1)
		s, err = scenario.Parse(data)
		require.NoError(t, err)
	}
	q, err := s.Question(t.Context())
	require.NoError(t, err)
	r, scope := resolver.New(), cluster.InNamespace("operators")
	request := q.Problem.Cluster.In("operators").Subscriptions[0].Key()
	for name, phase := range map[string]string{"a.v1": "Replacing", "": "Failed"} {
		objects := q.Problem.Cluster.Objects()
		objects.CSVs = slices.DeleteFunc(slices.Clone(objects.CSVs), func(v cluster.ClusterServiceVersion) bool { return v.Name == "a.v1" && name == "" })
		p := q.Problem
		p.Cluster = cluster.NewIndex(objects)
		rows, err := r.Status(t.Context(), p, []cluster.Scope{scope}, nil)
		require.NoError(t, err)
		require.Equal(t, result.StateUnhealthy, rows[0].State, phase)
		require.NotEmpty(t, rows[0].Fixes, phase)
		fix := rows[0].Fixes[0]
		assert.True(t, fix.FailsForward(), phase)
		assert.Equal(t, result.ClassOverrides, fix.Class)
		assert.Equal(t, "updates a from 2.0.0 to 3.0.0", fix.Then.Text())
		p.Cluster, err = fix.Apply(p.Cluster)
		require.NoError(t, err)
		path, err := r.Path(t.Context(), p, request, "")
		require.NoError(t, err, phase)
		assert.Len(t, path.Steps, 2, "a.v1 goes with a.v2")
		rows, err = r.Status(t.Context(), p, []cluster.Scope{scope}, nil)
		require.NoError(t, err)
		assert.Empty(t, rows[0].Fixes, "what is done is not offered again")
	}
	_, err = r.Path(t.Context(), q.Problem, request, "")
	require.True(t, result.HelpOf(err).Fixes[0].FailsForward())
	_, err = r.Resolve(t.Context(), q.Problem, scope)
	for _, f := range result.HelpOf(err).Fixes {
		for _, step := range f.Steps() {
			assert.NotEqual(t, "a.v1", step.Object.Name, f.Text(""))
		}
	}
}

// Where a bundle that OLM has made waits for a failed one that it replaces, neither is deleted:
// OLM goes on, or what keeps it is mended.
func TestNothingOfAnUpdateIsDeleted(t *testing.T) {
	q := inputsOf(t, "scenarios/fail-forward-off").Problem
	scope := cluster.InNamespace("operators")
	for _, phase := range []string{"Pending", "InstallReady", "Failed"} {
		for _, installed := range []string{"a.v1", "a.v2"} {
			objects := q.Cluster.Objects()
			objects.CSVs, objects.Subscriptions = slices.Clone(objects.CSVs), slices.Clone(objects.Subscriptions)
			objects.Subscriptions[0].InstalledCSV, objects.Subscriptions[0].Observed.CurrentCSV = installed, "a.v2"
			for i := range objects.CSVs {
				v := &objects.CSVs[i]
				if v.Phase, v.Message = "Failed", "no pods"; v.Name == "a.v2" {
					v.Phase = phase
				}
			}
			p := q
			p.Cluster = cluster.NewIndex(objects)
			_, failed := resolver.New().Resolve(t.Context(), p, scope)
			_, none := resolver.New().Path(t.Context(), p, objects.Subscriptions[0].Key(), "")
			_, excluded := resolver.New().WhyNot(t.Context(), p, scope, "a.v3")
			for _, err := range []error{failed, none, excluded} {
				require.Error(t, err)
				help := result.HelpOf(err)
				for _, f := range help.Fixes {
					for _, step := range f.Steps() {
						assert.NotEqualValues(t, words.ObjectCSV, step.Object.Kind, f.Text(""))
					}
				}
				require.NotNil(t, help.Repair, "%s: %v", phase, err)
				advice := text.Of(err, nil)
				if phase == "InstallReady" && installed == "a.v2" {
					assert.Equal(t, "wait for ClusterServiceVersion a.v2, which is in phase InstallReady", advice.Wait)
					for _, s := range advice.Sections(text.Limits{Lines: text.Screen}) {
						assert.NotContains(t, []string{"Or", "What would help"}, s.Title, "nobody has to act")
					}
				} else {
					assert.Regexp(t, "^repair what keeps ClusterServiceVersion a.v[12] in phase (Failed|"+phase+"): no pods", advice.Wait)
				}
				assert.Contains(t, advice.Then, "OLM continues")
			}
		}
	}
}

// What runs in another namespace is never deleted for a ClusterExtension. The one that has
// installed nothing is given up, unless OLM is replacing what is in its way: that goes by itself.
func TestForeignReplacing(t *testing.T) {
	widget := properties.GVK{Group: "example.com", Version: "v1", Kind: "Widget"}
	tree := fstest.MapFS{"a.yaml": {Data: []byte(`{schema: olm.package, name: a, defaultChannel: c}
---
{schema: olm.channel, package: a, name: c, entries: [{name: a.v1}]}
---
{schema: olm.bundle, package: a, name: a.v1, image: i, properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}},
  {type: olm.gvk, value: {group: example.com, version: v1, kind: Widget}}]}
`)}}
	snapshot, err := cache.LoadFS(t.Context(), tree, cache.Options{})
	require.NoError(t, err)
	p := resolver.Problem{Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "c"}, Snapshot: snapshot}})}
	for phase, givenUp := range map[string]bool{"Replacing": false, "Succeeded": true} {
		p.Cluster = cluster.NewIndex(cluster.Objects{
			ClusterExtensions: []cluster.ClusterExtension{{Name: "e", Package: "a", Namespace: "n"}},
			CSVs:              []cluster.ClusterServiceVersion{{Namespace: "m", Name: "w.v1", Version: "1.0.0", Phase: phase, Provides: []properties.GVK{widget}}},
		})
		_, err = resolver.New().Resolve(t.Context(), p, cluster.OfExtension("e"))
		require.Error(t, err)
		assert.Equal(t, givenUp, slices.ContainsFunc(result.HelpOf(err).Fixes, func(f result.Fix) bool { return f.Changes[0].Object.Name == "e" }), phase)
		for _, f := range result.HelpOf(err).Fixes {
			assert.False(t, slices.ContainsFunc(f.Steps(), func(s result.Step) bool { return s.Object.Name == "w.v1" }), phase)
		}
	}
}

// OLM fails what an OperatorGroup does not fit, after it is installed. Each way out is tried: other
// targets where nothing else is served by them, else a namespace of its own. What is moved leaves
// nothing behind. Whether the namespace resolves is nothing to it.
func TestUnfit(t *testing.T) {
	p := resolver.Problem{Catalogs: viewOf(t, fstest.MapFS{"c.yaml": {Data: []byte(`{schema: olm.package, name: a, defaultChannel: c}
---
{schema: olm.channel, package: a, name: c, entries: [{name: a.v1}]}
---
{schema: olm.bundle, package: a, name: a.v1, image: i, properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]}
`)}})}
	const text = `
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: g, namespace: operators}, spec: {targetNamespaces: [%s]}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: a, namespace: operators}, spec: {name: a, channel: c, source: community, sourceNamespace: olm}, status: {installedCSV: a.v1}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: a.v1, namespace: operators},
 spec: {version: 1.0.0, installModes: [{type: %s, supported: true}]}, status: {phase: Failed, reason: UnsupportedOperatorGroup}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: b.v1, namespace: %s},
 spec: {version: 1.0.0, installModes: [{type: AllNamespaces, supported: true}]}, status: {phase: Succeeded}}
`
	const itself = "move Subscription a in namespace operators to namespace a, which is created with an OperatorGroup that targets itself: installs anew a 1.0.0; warning: a is removed first and does not run in between; custom resources and their definitions stay"
	everything := strings.Replace(itself, "itself", "all namespaces", 1)
	for name, test := range map[string]struct {
		targets, has, beside string
		want                 []string
	}{
		"own alone": {"", "OwnNamespace", "other", []string{
			"set spec.targetNamespaces of OperatorGroup g in namespace operators to [operators]: what is installed stays as it is", itself,
		}},
		"own beside all": {"", "OwnNamespace", "operators", []string{itself}}, // b.v1 works, and would fail in a group that fits a.v1
		"all in a small one": {"operators", "AllNamespaces", "operators", []string{
			"remove spec.targetNamespaces from OperatorGroup g in namespace operators: what is installed stays as it is; a.v1 and b.v1 would then watch all namespaces", everything,
		}},
		"it fits by now": {"", "AllNamespaces", "operators", nil},
	} {
		read, err := manifest.Read(t.Context(), manifest.Input{Name: name, Reader: strings.NewReader(fmt.Sprintf(text, test.targets, test.has, test.beside))})
		require.NoError(t, err)
		for range 2 {
			p.Cluster = cluster.NewIndex(read)
			rows, err := resolver.New().Status(t.Context(), p, p.Cluster.Scopes(), nil)
			require.NoError(t, err)
			require.Equal(t, result.StateUnhealthy, rows[0].State, name)
			var got []string
			for _, f := range rows[0].Fixes {
				got = append(got, f.Text(""))
				after, err := f.Apply(p.Cluster)
				require.NoError(t, err)
				assert.Equal(t, after.Subscription(rows[0].Request) == nil, !slices.ContainsFunc(after.In("operators").CSVs, func(v cluster.ClusterServiceVersion) bool { return v.Name == "a.v1" }), name)
			}
			assert.Equal(t, test.want, got, name)
			read.Subscriptions = append(read.Subscriptions, cluster.Subscription{Namespace: "operators", Name: "z", Package: "nowhere", Catalog: "community", CatalogNamespace: "olm"})
		}
	}
}

// What a Subscription says it has installed, and what is not there, is nothing that a move deletes.
func TestMoveOfNothing(t *testing.T) {
	p := resolver.Problem{Catalogs: viewOf(t, fstest.MapFS{"c.yaml": {Data: []byte(`{schema: olm.package, name: a, defaultChannel: c}
---
{schema: olm.channel, package: a, name: c, entries: [{name: a.v1}]}
---
{schema: olm.bundle, package: a, name: a.v1, image: i, properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}},
  {type: olm.csv.metadata, value: {installModes: [{type: OwnNamespace, supported: true}]}}]}
`)}})}
	p.Cluster = cluster.NewIndex(cluster.Objects{
		OperatorGroups: []cluster.OperatorGroup{{Namespace: "operators", Name: "g"}},
		Subscriptions:  []cluster.Subscription{{Namespace: "operators", Name: "a", Package: "a", Channel: "c", Catalog: "community", CatalogNamespace: "olm", InstalledCSV: "a.v0"}},
	})
	_, err := resolver.New().Resolve(t.Context(), p, cluster.InNamespace("operators"))
	require.Error(t, err)
	moved := false
	for _, f := range result.HelpOf(err).Fixes {
		after, err := f.Apply(p.Cluster)
		require.NoError(t, err, f.Text(""))
		for _, s := range after.In("a").Subscriptions {
			moved = true
			assert.Empty(t, s.InstalledCSV)
		}
	}
	assert.True(t, moved)
}

// TestRowsOfMany: of more failing requests than fixes are sought for, each row has fixes of its own or
// says that the search ended, and none those of another request. As JSON it names few that wait.
func TestRowsOfMany(t *testing.T) {
	p := growingProblem(t, "Subscriptions of unknown packages", 100)
	rows, err := resolver.New().Status(t.Context(), p.Problem, p.Cluster.Scopes(), nil)
	require.NoError(t, err)
	var fixed, limited int
	for i := range rows {
		row := &rows[i]
		if row.State != result.StateFailed {
			continue
		}
		for _, f := range row.Fixes {
			assert.Equal(t, row.Request.Name, f.Changes[0].Object.Name)
			assert.Len(t, f.Waiting, 99)
			fixed++
		}
		if len(row.Fixes) == 0 {
			assert.Equal(t, result.SearchLimit, row.Search)
			limited++
		}
		text, err := json.Marshal(row)
		require.NoError(t, err)
		assert.Less(t, len(text), 5000)
	}
	assert.Equal(t, 20, fixed)
	assert.Equal(t, 80, limited)
}
