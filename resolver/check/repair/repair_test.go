package repair_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/check/repair"
)

func tree(files map[string][]byte) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: text}
	}
	return fsys
}

// checked judges a catalog.
func checked(t testing.TB, fsys fstest.MapFS, published string) (check.Catalog, *check.Report) {
	t.Helper()
	read, err := cache.FS(fsys, cache.Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	if published != "" {
		s, err := cache.Parse(t.Context(), []byte(published), cache.Options{})
		require.NoError(t, err)
		read, err = read.AddedTo(t.Context(), s, cache.Options{})
		require.NoError(t, err)
	}
	c := check.Catalog{Key: catalog.Key{Name: "c"}, Checked: read}
	report, err := check.Run(t.Context(), []check.Catalog{c}, check.Options{})
	require.NoError(t, err)
	return c, report
}

func pkg(name, channel string) string {
	return fmt.Sprintf("---\nschema: olm.package\nname: %s\ndefaultChannel: %s\n", name, channel)
}

func channel(pkg, name, entries string) string {
	return fmt.Sprintf("---\nschema: olm.channel\npackage: %s\nname: %s\nentries: # keep\n%s", pkg, name, entries)
}

// entry is an entry with further fields, such as "replaces: a".
func entry(name string, fields ...string) string {
	return strings.Join(append([]string{"- name: " + name}, fields...), "\n  ") + "\n"
}

func bundle(pkg, version string, more ...string) string {
	return fmt.Sprintf("---\nschema: olm.bundle\npackage: %s\nname: %s.v%s\nimage: i\nproperties:\n- type: olm.package\n  value: {packageName: %s, version: %s}\n%s", pkg, pkg, version, pkg, version, strings.Join(more, ""))
}

func bundles(pkg string, versions ...string) (text string) {
	for _, v := range versions {
		text += bundle(pkg, v)
	}
	return text
}

// Packages are searched at the same time, and each finding has the repair that it has alone.
func TestFindOfSeveral(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"p", "q", "r"} {
		text.WriteString(pkg(name, "s") + bundles(name, "1.0.0", "2.0.0", "3.0.0") +
			channel(name, "s", entry(name+".v1.0.0")+entry(name+".v2.0.0")+entry(name+".v3.0.0")) +
			channel(name, "t", entry(name+".v1.0.0", "replaces: "+name+".v2.0.0")+entry(name+".v2.0.0", "replaces: "+name+".v1.0.0")))
	}
	files := map[string][]byte{"c.yaml": []byte(text.String())}
	c, report := checked(t, tree(files), "")
	var list []*check.Finding
	var want []*repair.Repair
	for i := range report.Findings {
		f := &report.Findings[i]
		alone, err := repair.Read(c, files, nil, report.Findings, check.Options{}).Find(t.Context(), f)
		require.NoError(t, err)
		list, want = append(list, f), append(want, alone...)
	}
	require.Greater(t, len(list), 5)
	found, err := repair.Read(c, files, nil, report.Findings, check.Options{}).Find(t.Context(), list...)
	require.NoError(t, err)
	assert.Equal(t, want, found)
}

// A bundle directory states the Kubernetes version in its ClusterServiceVersion.
func TestRepairsOfDirectories(t *testing.T) {
	csv := func(annotation, kube string) string {
		return "kind: ClusterServiceVersion\nmetadata:\n  name: p.v2.0.0\n  annotations:\n    " + annotation + ": '>=1.0.0 <2.0.0'\nspec:\n  version: 2.0.0\n  minKubeVersion: " + kube + "\n"
	}
	const annotations = `annotations:
  operators.operatorframework.io.bundle.package.v1: p
  operators.operatorframework.io.bundle.channels.v1: s
  operators.operatorframework.io.bundle.channel.default.v1: s
`
	for _, test := range []struct {
		before, after string
		code          catalog.Code
	}{
		{csv("olm.skipRange", "'1.21'"), csv("olm.skipRange", "1.21.0"), "property"},
		{csv("skipRange", "1.21.0"), csv("olm.skipRange", "1.21.0"), "undefined"},
		{strings.Replace(csv("olm.skiprange", "1.21.0"), ">=1.0.0 ", ">= v1.0.0, ", 1), csv("olm.skipRange", "1.21.0"), "undefined"},
		{strings.Replace(csv("skipRange", "1.21.0"), "spec:", "    olm.skipRange: '<2.0.0'\nspec:", 1), strings.Replace(csv("olm.skipRange", "1.21.0"), ">=1.0.0 ", "", 1), "undefined"},
	} {
		files := map[string][]byte{"b/manifests/csv.yaml": []byte(test.before), "b/metadata/annotations.yaml": []byte(annotations)}
		judged, report := checked(t, tree(files), pkg("p", "s")+bundle("p", "1.0.0")+channel("p", "s", entry("p.v1.0.0")))
		c := repair.Read(judged, files, nil, report.Findings, check.Options{})
		for i := range report.Findings {
			if f := &report.Findings[i]; f.Code == test.code {
				applied, err := c.Apply(t.Context(), f)
				require.NoError(t, err)
				assert.Empty(t, applied[0].None)
			}
		}
		var got, want any
		require.NoError(t, yaml.Unmarshal(c.Changed()["b/manifests/csv.yaml"], &got), test.before)
		require.NoError(t, yaml.Unmarshal([]byte(test.after), &want))
		assert.Equal(t, want, got, test.before)
	}
}

// A package that is misspelt is found where it is: beside the bundle, or in a catalog that is not judged.
func TestRepairsWithOthers(t *testing.T) {
	ferry := pkg("ferry", "s") + bundle("ferry", "1.0.0", "- type: olm.package.required\n  value: {packageName: quuee, versionRange: '>=1.0.0'}\n") + channel("ferry", "s", entry("ferry.v1.0.0"))
	queue := pkg("queue", "s") + bundles("queue", "1.2.0") + channel("queue", "s", entry("queue.v1.2.0"))
	background, err := cache.Parse(t.Context(), []byte(queue), cache.Options{})
	require.NoError(t, err)
	for text, background := range map[string][]cache.Catalog{
		ferry + queue: nil, ferry: {{Key: catalog.Key{Name: "other"}, Snapshot: background}},
	} {
		judged, _ := checked(t, fstest.MapFS{"c.yaml": {Data: []byte(text)}}, "")
		o := check.Options{Background: background}
		report, err := check.Run(t.Context(), []check.Catalog{judged}, o)
		require.NoError(t, err)
		at := slices.IndexFunc(report.Findings, func(f check.Finding) bool { return f.Code == finding.CodeUninstallable })
		require.GreaterOrEqual(t, at, 0)
		found, err := repair.Read(judged, map[string][]byte{"c.yaml": []byte(text)}, nil, report.Findings, o).Find(t.Context(), &report.Findings[at])
		require.NoError(t, err)
		r := found[0]
		require.Len(t, r.Patches, 1, r.None)
		assert.Equal(t, []string{`set properties[1].value.packageName to "queue"; it is "quuee"`}, r.Patches[0].Lines)
	}
}

// A template is repaired in its own terms.
func TestRepairsOfTemplates(t *testing.T) {
	bundles := template.Bundles{}
	for image, b := range map[string][2]string{"i:1": {"p", "1.0.0"}, "i:2": {"p", "1.1.0"}, "i:2b": {"p", "1.1.0"}, "i:4": {"p", "1.1.4"}, "q:1": {"q", "1.0.0"}} {
		bundles[image] = fmt.Appendf(nil, `{"schema":"olm.bundle","package":%q,"name":"%[1]s.v%s","image":%q,"properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":%[2]q}}]}`, b[0], b[1], image)
	}
	bundles["i:3"] = []byte(strings.Replace(strings.ReplaceAll(string(bundles["i:2"]), "1.1.0", "1.2.0"), `"properties":[`, `"properties":[{"type":"olm.maxOpenShiftVersion","value":4.2},`, 1))
	basic := func(entries string) string {
		return "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: s}\n- schema: olm.channel # keep\n  package: p\n  name: s\n  entries:\n" + entries
	}
	both := "- {schema: olm.bundle, image: 'i:1'}\n- {schema: olm.bundle, image: 'i:2'}\n"
	edge := "  - name: p.v1.0.0\n  - {name: p.v1.1.0, replaces: p.v1.0.0}\n"
	semver := func(more string) string {
		return "schema: olm.semver\n# keep\nstable:\n  bundles:\n  - image: i:1\n  - image: i:2\n" + more
	}
	for _, test := range []struct {
		text string
		code catalog.Code
		want string // or why there is none
	}{
		{basic("  - name: p.v1.0.0\n  - name: p.v1.1.0\n" + both), "severalHeads", `set entries[s].entries[p.v1.1.0].replaces to "p.v1.0.0"`},
		{basic("  - name: p.v1.0.0\n" + both), "noChannel", `add {"name":"p.v1.1.0","replaces":"p.v1.0.0"} to entries[s].entries`},
		{strings.Replace(basic(edge+both), "defaultChannel: s", "defaultChannel: ss", 1), "defaultChannel", `set entries[p].defaultChannel to "s"; it is "ss"`},
		{strings.Replace(basic(edge+both), "schema: olm.channel", "scheme: olm.channel", 1), "schema", "rename scheme to entries[s].schema"},
		{strings.Replace(basic(edge+both), "name: p.v1.1.0", "name: p.1.1.0", 1), "entry", `set entries[s].entries[p.1.1.0].name to "p.v1.1.0"; it is "p.1.1.0"`},
		{basic(edge+both) + "- {schema: olm.channel, package: p, name: s, entries: [{name: p.v1.0.0}]}\n", "duplicateChannel", "remove entries[s]"},
		{basic(edge + strings.Replace(both, "image: 'i:1'", "image: 'i:1', package: p", 1)), "template", `remove entries[2].package, which is "p"`},
		{basic(edge + both + "- {schema: olm.bundle}\n"), "template", "remove entries[4]"},
		{basic(edge + "  - {name: p.v1.2.0, replaces: p.v1.1.0}\n" + both + "- {schema: olm.bundle, image: 'i:3'}\n"), "trap", "the template only names the image of the bundle: fix the bundle, and build a new image"},
		{semver("generateMajorChanels: true\n"), "template", "rename generateMajorChanels to generateMajorChannels"},
		{semver("  - image: i:4\ngenerateMajorChanels: true\n"), "template", "rename generateMajorChanels to generateMajorChannels"},
		{semver("generateMajorChannels: 'true'\n"), "template", `set generateMajorChannels to true; it is "true"`},
		{semver("  - image: i:1\n"), "template", "remove stable.bundles[2]"},
		{semver("  - image: q:1\n"), "template", "remove stable.bundles[2]"},
		{semver("defaultChannelTypePreference: major\n"), "template", `remove defaultChannelTypePreference, which is "major"`},
		{semver("fast:\n  bundles:\n  - image: i:2b\n"), "duplicateBundle", `set fast.bundles[0].image to "i:2"; it is "i:2b"`},
		{semver("  - image: i:3\n"), "trap", "the template only names the image of the bundle: fix the bundle, and build a new image"},
		{semver("---\nschema: x\n"), "template", "only its author knows what is meant"},
	} {
		files := map[string][]byte{"t.yaml": []byte(test.text)}
		judge := func(text []byte) (check.Catalog, *check.Report) {
			read, err := template.Load(t.Context(), "t.yaml", text, bundles, cache.Options{})
			require.NoError(t, err)
			c := check.Catalog{Key: catalog.Key{Name: "c"}, Checked: read}
			report, err := check.Run(t.Context(), []check.Catalog{c}, check.Options{})
			require.NoError(t, err)
			return c, report
		}
		judged, report := judge(files["t.yaml"])
		var found *check.Finding
		for i := range report.Findings {
			if report.Findings[i].Code == test.code {
				found = &report.Findings[i]
			}
		}
		require.NotNil(t, found, "%s\n%v", test.text, report.Findings)
		c := repair.Read(judged, files, bundles, report.Findings, check.Options{})
		applied, err := c.Apply(t.Context(), found)
		require.NoError(t, err)
		r := applied[0]
		if r.None != "" {
			assert.Equal(t, test.want, r.None, test.text)
			continue
		}
		require.Len(t, r.Patches, 1)
		assert.Equal(t, test.want, strings.Join(r.Patches[0].Lines, "\n"), test.text)
		changed := c.Changed()["t.yaml"]
		assert.Contains(t, string(changed), "# keep")
		_, after := judge(changed)
		for _, id := range after.All.Identities() {
			rendered := test.code == "template" && id.Code == "hiddenBySkips" // as opm renders patches
			assert.True(t, (report.All.Has(id) || rendered) && id != found.Identities[0], "%v appears", id)
		}
	}
}
