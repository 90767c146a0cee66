package check_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// catalogOf reads a catalog of one file.
func catalogOf(t testing.TB, name, text string) check.Catalog {
	t.Helper()
	return load(t, name, fstest.MapFS{"c.yaml": {Data: []byte(text)}})
}

func load(t testing.TB, name string, fsys fstest.MapFS) check.Catalog {
	t.Helper()
	checked, err := cache.FS(fsys, cache.Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	return check.Catalog{Key: catalog.Key{Name: name}, Checked: checked}
}

func pkg(name string) string {
	return fmt.Sprintf("---\n{schema: olm.package, name: %s, defaultChannel: c}\n", name)
}

func channel(pkg, name, entries string) string {
	return fmt.Sprintf("---\n{schema: olm.channel, package: %s, name: %s, entries: [%s]}\n", pkg, name, entries)
}

// bundle is PACKAGE.vMAJOR, of version MAJOR.0.0, with further properties.
func bundle(pkg string, major int, more ...string) string {
	return fmt.Sprintf("---\n{schema: olm.bundle, package: %s, name: %s.v%d, image: i, properties: [{type: olm.package, value: {packageName: %s, version: %d.0.0}}%s]}\n",
		pkg, pkg, major, pkg, major, strings.Join(append([]string{""}, more...), ", "))
}

func needs(pkg string) string {
	return fmt.Sprintf("{type: olm.package.required, value: {packageName: %s, versionRange: '>=1.0.0'}}", pkg)
}

func below(pkg string, major int) string {
	return fmt.Sprintf("{type: olm.package.required, value: {packageName: %s, versionRange: '<%d.0.0-0'}}", pkg, major)
}

func api(version string) string {
	return fmt.Sprintf("{type: olm.gvk, value: {group: g, version: %s, kind: K}}", version)
}

func csvRange(text string) string {
	return fmt.Sprintf("{type: olm.csv.metadata, value: {annotations: {olm.skipRange: '%s'}, installModes: [{type: AllNamespaces, supported: true}]}}", text)
}

// defines is an olm.bundle.object of CustomResourceDefinition ks.g with versions; one is stored.
func defines(scope string, versions ...string) string {
	d := properties.Definition{Group: "g", Names: properties.DefinitionNames{Kind: "K", Plural: "ks"}, Scope: scope}
	for _, v := range versions {
		name, stored, _ := strings.Cut(v, " ")
		d.Versions = append(d.Versions, properties.DefinedVersion{Name: name, Served: true, Storage: stored != ""})
	}
	p := properties.DefinitionProperty(&d)
	return fmt.Sprintf("{type: %s, value: %s}", p.Type, p.Value)
}

const deprecated = "{type: olm.deprecated, value: {}}"

// findings shows each as severity, code, channels and bundles.
func findings(r *check.Report) []string {
	var list []string
	for _, f := range r.Findings {
		line := fmt.Sprintf("%s %s", f.Severity, f.Code)
		for _, at := range f.Places {
			line = strings.TrimSuffix(line+" "+at.Channel, " ")
		}
		list = append(list, strings.Join(append([]string{line}, f.Bundles...), " "))
	}
	return list
}

func TestRun(t *testing.T) {
	three := bundle("p", 1) + bundle("p", 2) + bundle("p", 3)
	chain := "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}"
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"sound": {pkg("p") + channel("p", "c", chain) + three, nil},
		"updates that drop versions of an API, in one step, two and by a range": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}, {name: p.v4, skipRange: <4.0.0, skips: [p.v1, p.v2, p.v3]}") +
				bundle("p", 1, api("v1")) + bundle("p", 2, api("v1"), api("v2")) + bundle("p", 3, api("v2")) + bundle("p", 4, api("v2"), api("v3")),
			[]string{"note droppedVersion p.v4", "note hiddenBySkips c p.v1 p.v2 p.v3"},
		},
		"a skipRange that only the ClusterServiceVersion states": {
			pkg("p") + channel("p", "c", chain) + bundle("p", 1) + bundle("p", 2) + bundle("p", 3, csvRange("<3.0.0")),
			[]string{"note unreadSkipRange c p.v3"},
		},
		"one that the entry states as well, and one whose updates are edges already": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2, skipRange: <3.0.0}") +
				bundle("p", 1) + bundle("p", 2, csvRange("<2.0.0")) + bundle("p", 3, csvRange("<3.0.0")),
			nil,
		},
		"updates that take out the version in which resources are stored, and that change the scope": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}, {name: p.v4, replaces: p.v3, skipRange: '>=1.0.0 <4.0.0'}") +
				bundle("p", 1, defines("Namespaced", "v1 stored")) + bundle("p", 2, defines("Namespaced", "v1", "v2 stored")) +
				bundle("p", 3, defines("Namespaced", "v2 stored")) + bundle("p", 4, defines("Cluster", "v2 stored")),
			[]string{"warning refusedUpdate p.v4", "warning refusedUpdate p.v4"},
		},
		"an update that moves what is stored first": {
			pkg("p") + channel("p", "c", chain) + bundle("p", 1, defines("Namespaced", "v1 stored")) + bundle("p", 2, defines("Namespaced", "v1", "v2 stored")) + bundle("p", 3, defines("Namespaced", "v2 stored")),
			nil,
		},
		"a head that cannot be installed": {
			pkg("p") + channel("p", "c", chain) + bundle("p", 1) + bundle("p", 2, needs("q")) + bundle("p", 3, needs("q")),
			[]string{"error uninstallable p.v2 p.v3"},
		},
		"an older bundle that cannot be installed, on the way to the head": {
			pkg("p") + channel("p", "c", chain) + bundle("p", 1) + bundle("p", 2, needs("q")) + bundle("p", 3),
			[]string{"warning updateBlocked c p.v1", "warning uninstallable p.v2"},
		},
		"an older bundle that cannot be installed, beside a shorter way": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2, skipRange: '>=1.0.0 <3.0.0'}") +
				bundle("p", 1) + bundle("p", 2, needs("q")) + bundle("p", 3),
			[]string{"warning uninstallable p.v2"},
		},
		"several causes": {
			pkg("p") + channel("p", "c", "{name: p.v1}") + bundle("p", 1, needs("q"), needs("r")),
			[]string{"error uninstallable p.v1", "error uninstallable p.v1"},
		},
		"deprecated bundles": {
			pkg("p") + channel("p", "c", chain) + bundle("p", 1, deprecated) + bundle("p", 2) + bundle("p", 3),
			[]string{"note deprecatedBundle p.v1"},
		},
		"a deprecated head": {
			pkg("p") + channel("p", "c", "{name: p.v1}") + bundle("p", 1, deprecated),
			[]string{"warning deprecatedBundle p.v1"},
		},
		"an entry without bundle on the way": {
			pkg("p") + channel("p", "c", chain) + bundle("p", 1) + bundle("p", 3),
			[]string{"error entry c p.v2", "warning headUnreachable c p.v1"},
		},
		"edges to nothing": {
			pkg("p") + channel("p", "c", "{name: p.v1, replaces: p.v0}, {name: p.v2, replaces: p.v1, skips: [p.v9]}") + bundle("p", 1) + bundle("p", 2),
			[]string{"note danglingEdge c p.v1 p.v2"},
		},
		"a skipRange that covers what is newer": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1, skipRange: '>=1.0.0'}, {name: p.v3, replaces: p.v2}") + three,
			[]string{"warning skipRangeDowngrade c p.v2"},
		},
		"what replaces a newer one": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v3, replaces: p.v1}, {name: p.v2, replaces: p.v3}") + three,
			[]string{"warning replacesDowngrade c p.v2"},
		},
		"what skips hide": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v1, skips: [p.v2]}") + three,
			[]string{"note hiddenBySkips c p.v2"},
		},
		"a skip upwards": {
			pkg("p") + channel("p", "c", "{name: p.v1, skips: [p.v2]}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}") + three,
			[]string{"error stranded c p.v1", "warning skipsUpwards c p.v1", "note hiddenBySkips c p.v2"},
		},
		"who is left behind": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}") + channel("p", "d", "{name: p.v3, replaces: p.v2}") + three,
			[]string{"note leftBehind d p.v3"},
		},
		"a head that keeps another package from its head, by a range and by an API": {
			pkg("p") + channel("p", "c", chain) + bundle("p", 1) + bundle("p", 2, api("v1")) + bundle("p", 3) +
				pkg("q") + channel("q", "c", "{name: q.v1}") + bundle("q", 1, "{type: olm.constraint, value: {all: {constraints: [{package: {packageName: p, versionRange: '>=1.0.0'}}, {package: {packageName: p, versionRange: <3.0.0-0}}]}}}") +
				pkg("r") + channel("r", "c", "{name: r.v1}") + bundle("r", 1, "{type: olm.gvk.required, value: {group: g, version: v1, kind: K}}"),
			[]string{"note droppedVersion p.v3", "note holdsBack q.v1", "note holdsBack r.v1"},
		},
		"a head that another channel serves, or that cannot be installed, is not kept back": {
			pkg("p") + channel("p", "c", chain) + channel("p", "d", "{name: p.v2, replaces: p.v1}, {name: p.v1}") + bundle("p", 1) + bundle("p", 2) + bundle("p", 3) +
				pkg("q") + channel("q", "c", "{name: q.v1}, {name: q.v2, replaces: q.v1}") + bundle("q", 1) + bundle("q", 2, needs("nothing")) +
				pkg("r") + channel("r", "c", "{name: r.v1}") + bundle("r", 1, below("p", 3), below("q", 2)),
			[]string{"error uninstallable q.v2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := check.Run(t.Context(), []check.Catalog{catalogOf(t, "a", test.text)}, check.Options{})
			require.NoError(t, err)
			assert.Equal(t, test.want, findings(r))
			for _, f := range r.Findings {
				for _, at := range f.Places {
					assert.Equal(t, "c.yaml", at.File, f.Code)
					assert.Positive(t, at.Line, f.Code)
				}
			}
		})
	}
}

// A catalog in the background lends its bundles and is not judged.
func TestRunBackground(t *testing.T) {
	judged := catalogOf(t, "a", pkg("p")+channel("p", "c", "{name: p.v1}")+bundle("p", 1, needs("q")))
	other := catalogOf(t, "b", pkg("q")+channel("q", "c", "{name: q.v1}, {name: q.v2}")+channel("q", "d", "{name: q.v1}")+bundle("q", 1)+bundle("q", 2))
	r, err := check.Run(t.Context(), []check.Catalog{judged}, check.Options{
		Background: []cache.Catalog{{Key: other.Key, Snapshot: other.Checked.Snapshot}},
	})
	require.NoError(t, err)
	assert.Empty(t, r.Findings)
	assert.Equal(t, []check.Summary{{Key: judged.Key, Packages: 1, Channels: 1, Bundles: 1, NeedOthers: 1}}, r.Catalogs)
}

// The head of a channel may be supported no more, on the day that is given.
func TestSupportEnded(t *testing.T) {
	c := catalogOf(t, "a", pkg("p")+channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}")+bundle("p", 1)+bundle("p", 2)+
		"---\n{schema: io.openshift.operators.lifecycles.v1alpha1, package: p, versions: [{name: '1.0', phases: [{name: f, startDate: 2025-01-01, endDate: 2025-12-31}]}, {name: '2.0', phases: [{name: f, startDate: 2026-01-01, endDate: 2026-12-31}]}]}\n")
	for date, want := range map[string][]string{"": nil, "2026-12-31": nil, "2027-01-01": {"warning supportEnded c p.v2"}} {
		r, err := check.Run(t.Context(), []check.Catalog{c}, check.Options{Cluster: cluster.NewIndex(cluster.Objects{Date: date})})
		require.NoError(t, err)
		assert.Equal(t, want, findings(r), date)
	}
}

// A bundle directory has to fit on top of what is published.
func TestRunJoins(t *testing.T) {
	published := catalogOf(t, "a", pkg("p")+channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}")+bundle("p", 1)+bundle("p", 2))
	for replaces, want := range map[string][]string{
		"p.v2": nil,
		"p.v1": {"error severalHeads c"},
		"p.v0": {"error severalHeads c"},
	} {
		dir := load(t, "dir", fstest.MapFS{
			"manifests/p.clusterserviceversion.yaml": {Data: []byte("kind: ClusterServiceVersion\nmetadata: {name: p.v3}\nspec: {version: 3.0.0, replaces: " + replaces + "}")},
			"metadata/annotations.yaml": {Data: []byte("annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n" +
				"  operators.operatorframework.io.bundle.channels.v1: c\n")},
		})
		var err error
		dir.Checked, err = dir.Checked.AddedTo(t.Context(), published.Checked.Snapshot, cache.Options{})
		require.NoError(t, err)
		r, err := check.Run(t.Context(), []check.Catalog{dir}, check.Options{})
		require.NoError(t, err)
		assert.Equal(t, want, findings(r), replaces)
	}
}

// Each code is judged on the catalog as it would be, with its place in the bundle
// directory. What is not about that and was there before is not reported.
func TestRunAdded(t *testing.T) {
	published := pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}") + bundle("p", 1, api("v1")) + bundle("p", 2, api("v1")) + bundle("p", 3, api("v1")) +
		pkg("user") + channel("user", "c", "{name: user.v1}") + bundle("user", 1, "{type: olm.gvk.required, value: {group: g, version: v1, kind: K}}") +
		pkg("lost") + channel("lost", "c", "{name: lost.v1}") + bundle("lost", 1, needs("nothing"))
	const owned = "customresourcedefinitions: {owned: [{name: ks.g, version: v1, kind: K}]}"
	const csv, annotations, dependencies = "manifests/p.clusterserviceversion.yaml", "metadata/annotations.yaml", "metadata/dependencies.yaml"
	for name, test := range map[string]struct {
		csv, defaultChannel, dependencies string
		want                              []string
	}{
		"sound": {csv: "{name: p.v4}, spec: {version: 4.0.0, replaces: p.v3, " + owned + "}"},
		"default channel": {
			csv: "{name: p.v4}, spec: {version: 4.0.0, replaces: p.v3, " + owned + "}", defaultChannel: "other",
			want: []string{"error defaultChannel " + annotations, "note leftBehind " + csv},
		},
		"default channel of a lower version": {
			csv: "{name: p.v0}, spec: {version: 0.1.0, " + owned + "}", defaultChannel: "other",
			want: []string{"error severalHeads " + csv, "error uninstallable " + csv},
		},
		"version": {
			csv:  "{name: p.v4}, spec: {version: 3.0.0, replaces: p.v3, " + owned + "}",
			want: []string{"error sameVersion " + csv},
		},
		"edges": {
			csv:  "{name: p.v4, annotations: {olm.skipRange: <2.0.0}}, spec: {version: 4.0.0, skips: [p.v3, p.x], " + owned + "}",
			want: []string{"error stranded " + csv, "note danglingEdge " + csv, "note hiddenBySkips " + csv},
		},
		"API": {
			csv:  "{name: p.v4}, spec: {version: 4.0.0, replaces: p.v3}",
			want: []string{"note droppedVersion " + csv, "note holdsBack " + csv},
		},
		"dependencies": {
			csv: "{name: p.v4}, spec: {version: 4.0.0, replaces: p.v3, " + owned + "}", dependencies: "{type: olm.package, value: {packageName: gone, version: <3.0.0}}",
			want: []string{"error uninstallable " + csv, "warning trap " + dependencies},
		},
		"in the place of the last provider": {
			csv:  "{name: p.v3}, spec: {version: 3.0.0, skips: [p.v1, p.v2]}",
			want: []string{"note droppedVersion " + csv, "note hiddenBySkips " + csv, "error uninstallable " + csv},
		},
	} {
		dir := load(t, "dir", fstest.MapFS{
			csv:                  {Data: []byte("{kind: ClusterServiceVersion, metadata: " + test.csv + "}")},
			"manifests/crd.yaml": {Data: []byte("{kind: CustomResourceDefinition, metadata: {name: ks.g}, spec: {versions: [{name: v1}]}}")},
			annotations: {Data: []byte("annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n" +
				"  operators.operatorframework.io.bundle.channels.v1: c\n  operators.operatorframework.io.bundle.channel.default.v1: '" + test.defaultChannel + "'\n")},
			dependencies: {Data: []byte("dependencies: [" + test.dependencies + "]")},
		})
		var err error
		dir.Checked, err = dir.Checked.AddedTo(t.Context(), catalogOf(t, "a", published).Checked.Snapshot, cache.Options{})
		require.NoError(t, err)
		r, err := check.Run(t.Context(), []check.Catalog{dir}, check.Options{})
		require.NoError(t, err)
		var got []string
		for _, f := range r.Findings {
			require.Len(t, f.Places, 1)
			got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Places[0].File))
		}
		assert.Equal(t, test.want, got, name)
	}
}

func TestRunSameKey(t *testing.T) {
	c := catalogOf(t, "a", pkg("p")+channel("p", "c", "{name: p.v1}")+bundle("p", 1))
	_, err := check.Run(t.Context(), []check.Catalog{c}, check.Options{Background: []cache.Catalog{{Key: c.Key, Snapshot: c.Checked.Snapshot}}})
	assert.ErrorContains(t, err, "several catalogs have this name")
}

func TestRunCancelled(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := check.Run(ctx, []check.Catalog{catalogOf(t, "a", pkg("p")+channel("p", "c", "{name: p.v1}")+bundle("p", 1))}, check.Options{})
	assert.ErrorIs(t, err, context.Canceled)
}

// sharedCatalog reads a real catalog.
func sharedCatalog(t testing.TB, name string) check.Catalog {
	t.Helper()
	path := testkit.Shared(t, "catalogs", name)
	checked, err := cache.FS(os.DirFS(path), cache.Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	return check.Catalog{Key: catalog.Key{Name: name}, Checked: checked}
}

// The known faults of real catalogs, and no others of severity error.
func TestRunRealCatalogs(t *testing.T) {
	for name, want := range map[string]struct {
		errors     []string // packages
		downgrades int      // entries of channels
	}{
		"community":       {[]string{"eclipse-che", "l5-operator", "node-healthcheck-operator", "shipwright-operator", "special-resource-operator"}, 28},
		"community-v4.14": {[]string{"awss3-operator-registry", "awss3-operator-registry", "bpfman-operator", "eclipse-che", "l5-operator", "lib-bucket-provisioner", "lib-bucket-provisioner", "node-healthcheck-operator", "shipwright-operator", "special-resource-operator"}, 18},
		"community-v4.19": {[]string{"awss3-operator-registry", "awss3-operator-registry", "eclipse-che", "l5-operator", "lib-bucket-provisioner", "lib-bucket-provisioner", "node-healthcheck-operator", "special-resource-operator"}, 20},
		"raw-v4.19":       {[]string{"alloydb-omni-operator", "alloydb-omni-operator", "alloydb-omni-operator"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := check.Run(t.Context(), []check.Catalog{sharedCatalog(t, name)}, check.Options{})
			require.NoError(t, err)
			var errors []string
			downgrades := 0
			for _, f := range r.Findings {
				if f.Severity == catalog.Error {
					assert.EqualValues(t, "uninstallable", f.Code, f.Message)
					errors = append(errors, f.Package)
				}
				if f.Code == catalog.Code("skipRangeDowngrade") {
					for _, at := range f.Places {
						downgrades += len(at.Bundles)
					}
				}
			}
			assert.Equal(t, want.errors, errors)
			assert.Equal(t, want.downgrades, downgrades)
		})
	}
}

// BenchmarkRun judges a whole real catalog, after loading.
func BenchmarkRun(b *testing.B) {
	c := sharedCatalog(b, "community")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := check.Run(b.Context(), []check.Catalog{c}, check.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// What else is wrong with a catalog is reported even if its rules cost too much.
func TestUnjudged(t *testing.T) {
	rule := "{type: olm.constraint, value: {cel: {rule: 'properties.exists(p, p.type == \"olm.package\")'}}}"
	c := catalogOf(t, "c", pkg("a")+channel("a", "c", "{name: a.v2, replaces: a.v1}, {name: a.v1}")+bundle("a", 1, rule)+bundle("a", 2, rule)+pkg("b"))
	report, err := check.Run(t.Context(), []check.Catalog{c}, check.Options{Resolver: policy.Options{MaxRuleCost: 1}})
	require.NoError(t, err)
	assert.Contains(t, findings(report), "error unjudged")
	assert.Contains(t, findings(report), "error noChannel")
	assert.NotContains(t, fmt.Sprint(report.Findings), "cannot be installed")
}

// A finding about CustomResourceDefinitions names the clusters that refuse the update.
func TestRefusedUpdate(t *testing.T) {
	c := catalogOf(t, "a", pkg("p")+channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, skips: [p.v1, p.v2]}")+
		bundle("p", 1, defines("Cluster", "v1 stored"))+bundle("p", 2, defines("Namespaced", "v1 stored", "v2"))+bundle("p", 3, defines("Namespaced", "v2 stored")))
	r, err := check.Run(t.Context(), []check.Catalog{c}, check.Options{})
	require.NoError(t, err)
	var got []string
	for _, f := range r.Findings {
		if f.Code == "refusedUpdate" {
			got = append(got, f.Message)
		}
	}
	assert.Equal(t, []string{
		"p.v3 in channel c: changes spec.scope of CustomResourceDefinition ks.g from Cluster to Namespaced: no API server that had p.v1 takes the update",
		"p.v3 in channel c: removes version v1 from CustomResourceDefinition ks.g, in which resources are stored where p.v1 and p.v2 ran: OLM refuses the update as a risk of data loss; keep the version until all of them are written anew",
	}, got)
}
