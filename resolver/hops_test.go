package resolver_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// hopPackage is a package of one channel: what each version replaces, from 0 on, -1 for
// nothing, and the highest minor of OpenShift that it runs on. That is stated by its bundles
// or, if lifecycle is set, by a lifecycle, which changes no choice.
type hopPackage struct {
	replaces, limit []int
	lifecycle       bool
	// requires are further properties of a version, each behind a comma.
	requires func(version int) string
	// from, if set, is the first version that each updates directly.
	from []int
}

func (h hopPackage) blobs(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"schema":"olm.package","name":%q,"defaultChannel":"c"}{"schema":"olm.channel","package":%q,"name":"c","entries":[`, name, name)
	for v := range h.replaces {
		if v > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"name":"%s.v%d"`, name, v)
		if h.replaces[v] >= 0 {
			fmt.Fprintf(&b, `,"replaces":"%s.v%d"`, name, h.replaces[v])
		}
		if h.from != nil {
			fmt.Fprintf(&b, `,"skipRange":">=%d.0.0 <%d.0.0"`, h.from[v], v)
		}
		b.WriteString("}")
	}
	b.WriteString("]}")
	var lifecycles []string
	for v := range h.replaces {
		limit := fmt.Sprintf(`,{"type":"olm.maxOpenShiftVersion","value":"4.%d"}`, h.limit[v])
		if h.lifecycle {
			limit = ""
			var minors []string
			for minor := 10; minor <= h.limit[v]; minor++ {
				minors = append(minors, fmt.Sprintf("%q", fmt.Sprintf("4.%d", minor)))
			}
			lifecycles = append(lifecycles, fmt.Sprintf(`{"name":"%d.0","platformCompatibility":[{"name":"openshift","versions":[%s]}]}`, v, strings.Join(minors, ",")))
		}
		if h.requires != nil {
			limit += h.requires(v)
		}
		fmt.Fprintf(&b, `{"schema":"olm.bundle","package":%q,"name":"%s.v%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":%q,"version":"%d.0.0"}}%s]}`,
			name, name, v, name, v, limit)
	}
	if h.lifecycle {
		fmt.Fprintf(&b, `{"schema":"io.openshift.operators.lifecycles.v1alpha1","package":%q,"versions":[%s]}`, name, strings.Join(lifecycles, ","))
	}
	return b.String()
}

// fewest is the least number of updates from a version to one that runs on a minor, which
// all must run on the one of now, 0 if they need not; -1 if there is none.
func (h hopPackage) fewest(from, now, minor int) int {
	for at, n := []int{from}, 0; len(at) > 0; n++ {
		var next []int
		for _, v := range at {
			if h.limit[v] >= minor {
				return n
			}
			for to := range h.replaces {
				if h.replaces[to] == v && (h.lifecycle || h.limit[to] >= now) {
					next = append(next, to)
				}
			}
		}
		at = next
	}
	return -1
}

// enforced is the minor that limits what may be installed: nothing does in OLM.
func enforced(p resolver.Problem, minor int) int {
	if p.Options.EnforceOpenShiftLimit {
		return minor
	}
	return 0
}

// TestHops compares the plan of random clusters, from 4.10 to 4.12, with the fewest updates
// that what runs needs before each minor.
func TestHops(t *testing.T) {
	seen := map[string]int{}
	for seed := range testkit.Seeds(t, *problems/3) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 1 + r.IntN(5)
		packages := make([][2]hopPackage, n) // of now, and from the first hop on
		var objects cluster.Objects
		objects.OpenShiftVersion = "4.10.3"
		files := [2]fstest.MapFS{{}, {}}
		for i := range packages {
			name, versions := string(rune('a'+i)), 1+r.IntN(4)
			lifecycle := r.IntN(3) == 0
			for k := range packages[i] {
				h := &packages[i][k]
				h.lifecycle = lifecycle
				for v := range versions {
					h.replaces, h.limit = append(h.replaces, v-1), append(h.limit, 10+r.IntN(4))
				}
				if k == 1 {
					copy(h.limit, packages[i][0].limit) // a bundle stays what it is
					for v := versions; v < versions+r.IntN(2); v++ {
						h.replaces, h.limit = append(h.replaces, v-1), append(h.limit, 10+r.IntN(4))
					}
				}
				files[k][name+".json"] = &fstest.MapFile{Data: []byte(h.blobs(name))}
			}
			objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: name + ".v0", Version: "0.0.0", Annotations: map[string]string{
				cluster.AnnotationProperties: fmt.Sprintf(`{"properties":[{"type":"olm.package","value":{"packageName":%q,"version":"0.0.0"}}]}`, name),
			}})
			objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "n", Name: name, Package: name, Channel: "c", Catalog: "k", CatalogNamespace: "olm", InstalledCSV: name + ".v0"})
		}
		var views [2]*cache.View
		for k := range views {
			snapshot, err := cache.LoadFS(t.Context(), files[k], cache.Options{})
			require.NoError(t, err)
			views[k] = cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}})
		}
		problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: views[0]}
		problem.Options.NoFixes, problem.Options.EnforceOpenShiftLimit = true, seed%2 == 1
		rows, err := resolver.New().Status(t.Context(), problem, problem.Cluster.Scopes(), &resolver.Target{OpenShiftVersion: "4.12", Catalogs: map[string]*cache.View{"4.11": views[1]}})
		require.NoError(t, err)
		for i := range rows {
			at := 0
			for k, hop := range []string{"4.11", "4.12"} {
				h, row := packages[i][k], &rows[i]
				steps := slices.DeleteFunc(slices.Clone(row.Target.Updates), func(s result.PathStep) bool { return s.Hop != hop })
				want := h.fewest(at, enforced(problem, 10+k), 11+k)
				if want < 0 {
					seen["blocked"]++
					require.Equal(t, hop, row.Target.Blocks, "seed %d, %s: %+v", seed, row.Request.Name, packages[i])
					break
				}
				seen[fmt.Sprintf("%d steps before %s", want, hop)]++
				require.Len(t, steps, want, "seed %d, %s before %s: %+v", seed, row.Request.Name, hop, packages[i])
				require.NotEqual(t, hop, row.Target.Blocks, "seed %d, %s: %+v", seed, row.Request.Name, packages[i])
				if at += want; want > 0 {
					assert.Equal(t, fmt.Sprintf("%s.v%d", row.Package, at), steps[want-1].Bundle)
				}
			}
		}
	}
	t.Log(seen)
	assert.Greater(t, len(seen), 4)
	_, err := (&resolver.Target{OpenShiftVersion: "4.11"}).Hops("4.12.1")
	assert.EqualError(t, err, "the target OpenShift 4.11 is below 4.12.1, which the cluster runs")
}

// What waits for approval, or refuses updates, blocks the update of the cluster until that
// ends.
func TestHopsWait(t *testing.T) {
	h := hopPackage{replaces: []int{-1, 0}, limit: []int{10, 13}}
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"a.json": &fstest.MapFile{Data: []byte(h.blobs("a"))}}, cache.Options{})
	require.NoError(t, err)
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}})
	objects := cluster.Objects{
		OpenShiftVersion: "4.10",
		CSVs:             []cluster.ClusterServiceVersion{{Namespace: "n", Name: "a.v0", Version: "0.0.0"}},
		Subscriptions:    []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a", Channel: "c", Catalog: "k", CatalogNamespace: "olm", InstalledCSV: "a.v0"}},
	}
	until := func() string {
		p := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view}
		rows, err := resolver.New().Status(t.Context(), p, p.Cluster.Scopes(), &resolver.Target{OpenShiftVersion: "4.11"})
		require.NoError(t, err)
		assert.Equal(t, rows[0].Target.Until != "", rows[0].Target.Blocks == "4.11")
		return rows[0].Target.Until
	}
	assert.Empty(t, until())
	objects.OperatorConditions = []cluster.OperatorCondition{{Namespace: "n", Name: "a.v0", Upgradeable: &cluster.Condition{Status: "False"}}}
	assert.Equal(t, "OperatorCondition a.v0 is Upgradeable again", until())
	objects.OperatorConditions = nil
	objects.InstallPlans = []cluster.InstallPlan{{Namespace: "n", Name: "i", CSVs: []string{"a.v1"}, Phase: "RequiresApproval"}}
	objects.Subscriptions[0].Observed.InstallPlan = "i"
	assert.Equal(t, "InstallPlan i is approved", until())
	objects.InstallPlans[0].CSVs = []string{"a.v9"} // what resolving does not give may not be approved
	assert.Equal(t, "InstallPlan i is approved or replaced", until())

	// The update is made: what still runs may not run there, and what it waits for comes first.
	stated := map[string]string{cluster.AnnotationProperties: `{"properties":[{"type":"olm.maxOpenShiftVersion","value":"4.10"}]}`}
	objects.CSVs = []cluster.ClusterServiceVersion{
		{Namespace: "n", Name: "a.v0", Version: "0.0.0", Phase: "Replacing", Annotations: stated}, {Namespace: "n", Name: "a.v1", Version: "1.0.0", Phase: "Pending", Replaces: "a.v0"},
	}
	objects.InstallPlans, objects.Subscriptions[0].InstalledCSV, objects.Subscriptions[0].Observed = nil, "a.v1", cluster.Observed{}
	assert.Equal(t, "ClusterServiceVersion a.v1 is in phase Succeeded", until())
	objects.OperatorConditions = []cluster.OperatorCondition{{Namespace: "n", Name: "a.v0", Upgradeable: &cluster.Condition{Status: "False"}}}
	assert.Equal(t, "OperatorCondition a.v0 is Upgradeable again", until())
}

// The range of a ClusterExtension that keeps it from a version that may run there is changed by a
// fix, unless the caller wants none.
func TestHopsOfRange(t *testing.T) {
	h := hopPackage{replaces: []int{-1, 0}, limit: []int{10, 13}}
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"a.json": &fstest.MapFile{Data: []byte(h.blobs("a"))}}, cache.Options{})
	require.NoError(t, err)
	known := cluster.NewIndex(cluster.Objects{OpenShiftVersion: "4.10", ClusterExtensions: []cluster.ClusterExtension{
		{Name: "e", Namespace: "n", Package: "a", Version: "0.0.0", Installed: &cluster.InstalledExtension{Name: "a.v0", Version: "0.0.0"}},
	}})
	for _, none := range []bool{false, true} {
		p := resolver.Problem{Cluster: known, Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "k"}, Snapshot: snapshot}}), Options: policy.Options{NoFixes: none}}
		rows, err := resolver.New().Status(t.Context(), p, known.Scopes(), &resolver.Target{OpenShiftVersion: "4.11"})
		require.NoError(t, err)
		var path *result.NoPath
		require.ErrorAs(t, rows[0].Target.Err, &path)
		assert.Equal(t, []string{"a.v1"}, path.Fitting)
		assert.Equal(t, none, len(path.Help.Fixes) == 0)
	}
}

// What a request of a failing namespace must move to may be what ends the failure: the others
// are tried again then. Where it stays, each says what keeps it: its own cause, or the others.
func TestHopsFailing(t *testing.T) {
	h := hopPackage{replaces: []int{-1, 0}, limit: []int{10, 13}}
	files := fstest.MapFS{}
	objects := cluster.Objects{OpenShiftVersion: "4.10"}
	for _, name := range []string{"a", "b"} {
		files[name+".json"] = &fstest.MapFile{Data: []byte(h.blobs(name))}
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: name + ".v0", Version: "0.0.0"})
		objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "n", Name: name, Package: name, Channel: "c", Catalog: "k", CatalogNamespace: "olm", InstalledCSV: name + ".v0"})
	}
	snapshot, err := cache.LoadFS(t.Context(), files, cache.Options{})
	require.NoError(t, err)
	targets := func() (list []result.TargetStatus) {
		p := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}})}
		rows, err := resolver.New().Status(t.Context(), p, p.Cluster.Scopes(), &resolver.Target{OpenShiftVersion: "4.11"})
		require.NoError(t, err)
		for i := range rows {
			list = append(list, *rows[i].Target)
		}
		return list
	}
	objects.Subscriptions[1].Channel = "gone"
	for _, row := range targets() {
		assert.Empty(t, row.Blocks, row.Reason())
	}
	objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "n", Name: "z", Package: "none"})
	list := targets()
	assert.Contains(t, list[0].Reason(), "waits until Subscriptions b and z of its namespace can be satisfied or are deleted")
	assert.True(t, strings.HasSuffix(list[1].Reason(), "package b has no channel gone; its channel is c"), list[1].Reason())
}

// needs are requirements of a package from a version on.
func needs(from int, pkg, versions string) func(int) string {
	return func(v int) string {
		if v < from {
			return ""
		}
		return fmt.Sprintf(`,{"type":"olm.package.required","value":{"packageName":%q,"versionRange":%q}}`, pkg, versions)
	}
}

// hopStatus looks ahead from 4.10 in a namespace that has v0 of packages installed.
func hopStatus(t *testing.T, packages map[string]hopPackage, installed, target string, change func(*resolver.Problem, *cluster.Objects)) map[string]result.Status {
	files := fstest.MapFS{}
	for name, p := range packages {
		files[name+".json"] = &fstest.MapFile{Data: []byte(p.blobs(name))}
	}
	snapshot, err := cache.LoadFS(t.Context(), files, cache.Options{})
	require.NoError(t, err)
	objects := cluster.Objects{OpenShiftVersion: "4.10"}
	for name := range strings.FieldsSeq(installed) {
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: name + ".v0", Version: "0.0.0", Annotations: map[string]string{
			cluster.AnnotationProperties: fmt.Sprintf(`{"properties":[{"type":"olm.package","value":{"packageName":%q,"version":"0.0.0"}},{"type":"olm.maxOpenShiftVersion","value":"4.%d"}]}`, name, packages[name].limit[0]),
		}})
		objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "n", Name: name, Package: name, Channel: "c", Catalog: "k", CatalogNamespace: "olm", InstalledCSV: name + ".v0"})
	}
	p := resolver.Problem{Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}})}
	if change != nil {
		change(&p, &objects)
	}
	p.Cluster = cluster.NewIndex(objects)
	rows, err := resolver.New().Status(t.Context(), p, p.Cluster.Scopes(), &resolver.Target{OpenShiftVersion: target})
	require.NoError(t, err)
	of := map[string]result.Status{}
	for _, row := range rows {
		of[cmp.Or(row.Request.Name, row.Installed)] = row
	}
	return of
}

// stepsAfter are the updates before a target, with those that must come first.
func stepsAfter(row result.Status) (list []string) {
	for _, s := range row.Target.Updates {
		text := s.Bundle
		for _, m := range s.After {
			text += " after " + m.Bundle
		}
		list = append(list, text)
	}
	return list
}

func chain(n int, limits ...int) hopPackage {
	h := hopPackage{limit: append(limits, slices.Repeat([]int{13}, n-len(limits))...)}
	for v := range n {
		h.replaces = append(h.replaces, v-1)
	}
	return h
}

func (h hopPackage) with(requires func(int) string) hopPackage {
	h.requires = requires
	return h
}

// What a request must move to may require others to be updated first, more than once, or to be
// installed.
func TestHopsOthersFirst(t *testing.T) {
	a := chain(2, 10).with(needs(1, "b", ">=2.0.0"))
	rows := hopStatus(t, map[string]hopPackage{"a": a, "b": chain(3)}, "a b", "4.11", nil)
	assert.Equal(t, []string{"a.v1 after b.v2"}, stepsAfter(rows["a"]))
	assert.Equal(t, []string{"b.v1", "b.v2"}, stepsAfter(rows["b"]))
	assert.True(t, rows["a"].Target.OK() && rows["b"].Target.OK())

	rows = hopStatus(t, map[string]hopPackage{"a": a, "b": chain(3)}, "a b", "4.11", func(_ *resolver.Problem, o *cluster.Objects) {
		o.CSVs, o.Subscriptions[1].StartingCSV = o.CSVs[:1], "b.v0"
	})
	assert.Equal(t, []string{"a.v1 after b.v2"}, stepsAfter(rows["a"]))
	assert.Equal(t, []string{"b.v0", "b.v1", "b.v2"}, stepsAfter(rows["b"]))

	// What others wait for ends that.
	rows = hopStatus(t, map[string]hopPackage{"a": a, "b": chain(3)}, "a b", "4.11", func(_ *resolver.Problem, o *cluster.Objects) {
		o.OperatorConditions = []cluster.OperatorCondition{{Namespace: "n", Name: "b.v0", Upgradeable: &cluster.Condition{Status: "False"}}}
	})
	assert.Equal(t, "OperatorCondition b.v0 is Upgradeable again", rows["a"].Target.Until)

	// It still does once others have moved.
	rows = hopStatus(t, map[string]hopPackage{"a": a, "b": chain(3), "c": chain(2, 10).with(needs(1, "d", ">=2.0.0")), "d": chain(3)}, "a b c d", "4.11", func(_ *resolver.Problem, o *cluster.Objects) {
		o.OperatorConditions = []cluster.OperatorCondition{{Namespace: "n", Name: "b.v0", Upgradeable: &cluster.Condition{Status: "False"}}}
	})
	assert.True(t, rows["c"].Target.OK())
	assert.Equal(t, "OperatorCondition b.v0 is Upgradeable again", rows["a"].Target.Until)

	// A search that ends at its limit says so.
	rows = hopStatus(t, map[string]hopPackage{"a": a, "b": chain(3)}, "a b", "4.11", func(p *resolver.Problem, _ *cluster.Objects) { p.Options.PathBudget = 2 })
	assert.Contains(t, rows["a"].Target.Reason(), "the search for updates of others that would let it follow ended at its limit")
}

// Of two that must move in turn each says what it needs of the other, and nothing else.
func TestHopsInTurn(t *testing.T) {
	rows := hopStatus(t, map[string]hopPackage{
		"a": chain(2, 10).with(needs(1, "b", ">=2.0.0")), "b": chain(3).with(needs(2, "d", ">=2.0.0")), "d": chain(3).with(needs(2, "b", ">=1.0.0")), "e": chain(3),
	}, "a b d e", "4.11", nil)
	assert.Equal(t, []string{"a.v1 after b.v2"}, stepsAfter(rows["a"]))
	assert.Equal(t, []string{"b.v1", "b.v2 after d.v2"}, stepsAfter(rows["b"]))
	assert.Equal(t, []string{"d.v1", "d.v2 after b.v1"}, stepsAfter(rows["d"]))
	assert.Empty(t, stepsAfter(rows["e"]))
}

// Versions in between are no obstacle, as many as a channel has.
func TestHopsManyVersions(t *testing.T) {
	b := chain(103)
	b.from = make([]int, 103)
	b.from[102] = 1
	rows := hopStatus(t, map[string]hopPackage{"a": chain(2, 10).with(needs(1, "b", ">=102.0.0")), "b": b}, "a b", "4.11", nil)
	assert.Equal(t, []string{"a.v1 after b.v102"}, stepsAfter(rows["a"]))
	assert.Equal(t, []string{"b.v101", "b.v102"}, stepsAfter(rows["b"]))
}

// A row that was blocked is looked at again once others have moved together: here six that need
// one another, more than are moved together.
func TestHopsRing(t *testing.T) {
	packages, installed := map[string]hopPackage{"a": chain(2, 10).with(needs(1, "b", ">=2.0.0")), "b": chain(3)}, "a"
	for i := range 6 {
		next, needed := needs(1, fmt.Sprintf("r%d", (i+1)%6), ">=1.0.0"), needs(1, "b", ">=2.0.0")
		packages[fmt.Sprintf("r%d", i)] = chain(2, 10).with(func(v int) string { return next(v) + needed(v) })
		installed += fmt.Sprintf(" r%d", i)
	}
	for name, row := range hopStatus(t, packages, installed+" b", "4.11", nil) {
		assert.True(t, row.Target.OK(), "%s: %s", name, row.Target.Reason())
	}
}

// What updates bring is judged at the versions behind, and what no request has installed at
// each.
func TestHopsWithoutRows(t *testing.T) {
	packages := map[string]hopPackage{"a": chain(2, 10).with(needs(1, "lib", ">=0.0.0")), "lib": chain(1, 11), "free": chain(2, 11)}
	rows := hopStatus(t, packages, "a free", "4.12", func(_ *resolver.Problem, o *cluster.Objects) { o.Subscriptions = o.Subscriptions[:1] })
	assert.Equal(t, []string{"a.v1"}, stepsAfter(rows["a"]))
	assert.Equal(t, "4.12", rows["lib-c-k-olm"].Target.Blocks)
	assert.Equal(t, "4.12", rows["free.v0"].Target.Blocks)
	assert.Contains(t, rows["free.v0"].Target.Reason(), "no Subscription has it installed")
	assert.Len(t, rows, 3)

	packages["lib"] = chain(2, 11) // the newer one comes
	assert.Len(t, hopStatus(t, packages, "a", "4.12", nil), 1)
}

// A fix of a row says that nothing comes of it while other requests fail, and what it removes at
// once.
func TestFixesWhileOthersFail(t *testing.T) {
	rows := hopStatus(t, map[string]hopPackage{"a": chain(2), "b": chain(2)}, "a b", "4.11", func(_ *resolver.Problem, o *cluster.Objects) {
		o.OperatorConditions = []cluster.OperatorCondition{{Namespace: "n", Name: "a.v0", Upgradeable: &cluster.Condition{Status: "False"}}}
		o.Subscriptions[1].Channel = "gone"
	})
	require.NotEmpty(t, rows["a"].Fixes)
	for _, f := range rows["a"].Fixes {
		assert.Equal(t, []cluster.RequestKey{rows["b"].Request}, f.Waiting)
		deletes := slices.ContainsFunc(f.Steps(), func(s result.Step) bool { return s.Object.Kind == words.ObjectCSV })
		want := "changes nothing until Subscription b is solved or deleted, then updates a"
		if deletes {
			want = "removes a.v0 at once, and installs nothing until Subscription b is solved or deleted, then updates a"
		}
		assert.Contains(t, f.Text("n"), want)
	}
	for _, f := range rows["b"].Fixes {
		assert.Empty(t, f.Waiting)
	}
}

// What is to be known of a request is said of the hop that brings it: not of those after it, nor
// what a hop leaves behind.
func TestHopsRemarks(t *testing.T) {
	packages := map[string]hopPackage{"moves": chain(2, 10), "ends": chain(1), "stays": chain(1), "blocks": chain(1, 10)}
	view := func(deprecated string) *cache.View {
		files := fstest.MapFS{}
		for name, p := range packages {
			files[name+".json"] = &fstest.MapFile{Data: []byte(p.blobs(name))}
		}
		for bundle := range strings.FieldsSeq(deprecated) {
			pkg, _, _ := strings.Cut(bundle, ".")
			files["old-"+pkg+".json"] = &fstest.MapFile{Data: fmt.Appendf(nil, `{"schema":"olm.deprecations","package":%q,"entries":[{"reference":{"schema":"olm.bundle","name":%q},"message":"old"}]}`, pkg, bundle)}
		}
		snapshot, err := cache.LoadFS(t.Context(), files, cache.Options{})
		require.NoError(t, err)
		return cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}})
	}
	objects := cluster.Objects{OpenShiftVersion: "4.10"}
	for name := range packages {
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: name + ".v0", Version: "0.0.0"})
		objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "n", Name: name, Package: name, Channel: "c", Catalog: "k", CatalogNamespace: "olm", InstalledCSV: name + ".v0"})
	}
	for _, test := range []struct {
		now    string
		at     map[string]string // what is deprecated from a version on
		before []string          // what is said of now
		want   []string
	}{
		{"", nil, nil, nil},
		{"moves.v0 stays.v0", nil, []string{"stays.v0"}, nil},
		{"moves.v1 stays.v0 ends.v0", nil, []string{"ends.v0", "moves.v1", "stays.v0"}, nil}, // the update is of now
		{"stays.v0 ends.v0", map[string]string{"4.12": "stays.v0 moves.v1 blocks.v0"}, []string{"ends.v0", "stays.v0"}, []string{"4.12 moves.v1"}},
		{"ends.v0", map[string]string{"4.11": "stays.v0", "4.12": "stays.v0 ends.v0"}, []string{"ends.v0"}, []string{"4.11 stays.v0", "4.12 ends.v0"}},
	} {
		target := &resolver.Target{OpenShiftVersion: "4.12", Catalogs: map[string]*cache.View{}}
		for version, deprecated := range test.at {
			target.Catalogs[version] = view(deprecated)
		}
		p := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view(test.now)}
		rows, err := resolver.New().Status(t.Context(), p, p.Cluster.Scopes(), target)
		require.NoError(t, err)
		var before, got []string
		for _, row := range rows {
			for _, r := range row.Remarks {
				before = append(before, r.Args().Bundle)
			}
			for hop, remarks := range row.Target.Remarks {
				for _, r := range remarks {
					got = append(got, hop+" "+r.Args().Bundle)
				}
			}
		}
		slices.Sort(before)
		slices.Sort(got)
		assert.Equal(t, test.before, before, test.now)
		assert.Equal(t, test.want, got, test.now)
	}
}
