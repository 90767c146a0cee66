package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestCheck has catalogs that are usable as they are and yet break a rule.
func TestCheck(t *testing.T) {
	bundle := func(name, version, rest string) string {
		return "---\n{schema: olm.bundle, package: p, name: " + name + ", image: i, properties: [{type: olm.package, value: {packageName: p, version: " + version + "}}" + rest + "]}\n"
	}
	const pkg = "{schema: olm.package, name: p, defaultChannel: c}\n"
	channel := func(entries string) string {
		return "---\n{schema: olm.channel, package: p, name: c, entries: [" + entries + "]}\n"
	}
	sound := pkg + channel("{name: a}") + bundle("a", "1.0.0", "")
	for name, test := range map[string]struct {
		text   string
		faults []string
	}{
		"sound":         {text: sound},
		"another sound": {text: etcd},
		"package name": {
			text:   strings.NewReplacer("package: p", "package: P", "packageName: p", "packageName: P", "name: p", "name: P").Replace(sound),
			faults: []string{"name c.yaml:1:1, package P: the name of a package has at most 63 characters, lower-case letters, digits and dashes, with a letter or digit at both ends"},
		},
		"nothing in it": {
			text: pkg,
			faults: []string{
				`defaultChannel c.yaml:1:1, package p: the default channel "c" does not exist, so none of the package's channels is preferred: name one that does`,
				"noBundle c.yaml:1:1, package p: the package has no bundle: add one, or remove the package",
				"noChannel c.yaml:1:1, package p: the package has no channel: add one",
			},
		},
		"empty channel": {
			text: pkg + channel("") + bundle("a", "1.0.0", ""),
			faults: []string{
				"noChannel c.yaml:5:1, package p, bundle a: no channel lists the bundle, so nobody is offered it: add an entry, or remove the bundle",
				"! noHead c.yaml:3:1, package p, channel c: the channel has no order, so Subscriptions and dependencies cannot use it: it has no head: it has no entries",
			},
		},
		"entry without bundle": {
			text:   pkg + channel("{name: a}, {name: b, replaces: a}") + bundle("a", "1.0.0", ""),
			faults: []string{"entry c.yaml:3:1, package p, channel c, bundle b: the package has no bundle of this name: add it, or remove the entry"},
		},
		"no image": {
			text:   strings.Replace(sound, "image: i, ", "", 1),
			faults: []string{"image c.yaml:5:1, package p, bundle a: the bundle has no image: name it"},
		},
		"one version twice": {
			text:   pkg + channel("{name: a}, {name: b, replaces: a}") + bundle("a", "1.0.0", "") + bundle("b", "1.0.0", ""),
			faults: []string{"sameVersion c.yaml:7:1, package p, bundle b: the bundle has the version 1.0.0, as a has: give one of them another"},
		},
		"versions that differ in the build": {
			text: pkg + channel("{name: a}, {name: b, replaces: a}") + bundle("a", "1.0.0", "") + bundle("b", "1.0.0+1", ""),
		},
		"names of APIs": {
			text: pkg + channel("{name: a}") + bundle("a", "1.0.0", ", {type: olm.gvk, value: {group: G_, version: v1, kind: K}}"+
				", {type: olm.gvk.required, value: {group: g, version: v1, kind: K K}}"),
			faults: []string{
				"name c.yaml:5:1, package p, bundle a: the group of the API K (G_/v1) is not one that Kubernetes accepts",
				"name c.yaml:5:1, package p, bundle a, property 2: the kind of the API K K (g/v1) is not one that Kubernetes accepts",
			},
		},
		"typing errors of what OLM defines": {
			text: "{schema: olm.packages, name: q}\n---\n{schema: olm.template.basic}\n---\n{schema: own.package}\n---\n{schema: olm.semver}\n---\n{schema: olm.bundel, package: p}\n---\n" +
				pkg + channel("{name: a}") + bundle("a", "1.0.0", ", {type: olm.gvk.require, value: {group: g, version: v1, kind: K}}, {type: own.gvk, value: 1}, {type: oml.gvk, value: 1}, {type: lm.label, value: 1}, {type: olm.bundle.object, value: {}}, {type: olm.label, value: {label: l}}"),
			faults: []string{
				`(warning) undefined c.yaml:15:1, package p, bundle a, property 3: OLM defines no property type "oml.gvk", so it passes over the property: correct the name, if one of OLM is meant`,
				`(warning) undefined c.yaml:15:1, package p, bundle a, property 4: OLM defines no property type "lm.label", so it passes over the property: correct the name, if one of OLM is meant`,
				`(warning) undefined c.yaml:1:1: OLM defines no schema "olm.packages", so it passes over the document: correct the name, or choose one that does not begin with olm.`,
				`(warning) undefined c.yaml:15:1, package p, bundle a, property 1: OLM defines no property type "olm.gvk.require", so it passes over the property: correct the name, or choose one that does not begin with olm.`,
				`(warning) undefined c.yaml:9:1, package p: OLM defines no schema "olm.bundel", so it passes over the document: correct the name, or choose one that does not begin with olm.`,
			},
		},
		"a bare not": {
			text:   pkg + channel("{name: a}") + bundle("a", "1.0.0", ", {type: olm.constraint, value: {not: {constraints: [{gvk: {group: g, version: v1, kind: K}}]}}}"),
			faults: []string{"(warning) trap c.yaml:5:1, package p, bundle a, property 1, not: the constraint only forbids: other resolvers may refuse it, or take it for a demand that any other bundle satisfies"},
		},
		"stranded beside the chain": {
			text: pkg + channel("{name: a}, {name: b, replaces: a}, {name: c, skips: [b, x]}, {name: x, replaces: y}, {name: y}") +
				bundle("a", "1.0.0", "") + bundle("b", "2.0.0", "") + bundle("c", "3.0.0", "") + bundle("x", "4.0.0", "") + bundle("y", "5.0.0", ""),
			faults: []string{
				"stranded c.yaml:3:1, package p, channel c, bundle a: no chain of replaces leads here from the head c, so nobody is offered this entry: have another entry replace or skip it, or remove it",
				"stranded c.yaml:3:1, package p, channel c, bundle y: no chain of replaces leads here from the head c, so nobody is offered this entry: have another entry replace or skip it, or remove it",
			},
		},
		"stranded below a skipped entry": {
			text: pkg + channel("{name: a}, {name: b, replaces: a}, {name: c, replaces: b, skips: [b]}") +
				bundle("a", "1.0.0", "") + bundle("b", "2.0.0", "") + bundle("c", "3.0.0", ""),
			faults: []string{"stranded c.yaml:3:1, package p, channel c, bundle a: updates end at a, because b, which leads on from it, is skipped: have the entry that skips it skip a, too"},
		},
		"lifecycles": {
			text: sound + `---
schema: io.openshift.operators.lifecycles.v1alpha1
package: p
versions:
- name: "1.0"
  phases:
  - {name: full, startDate: 2026-01-01, endDate: 2026-12-31}
  - {name: maintenance, startDate: "2027-01-02", endDate: "2027-12-31"}
  - {name: extended, startDate: "2028-01-01", endDate: "2027-01-01"}
- {name: "1.1", phases: [{name: full, startDate: "2026-13-01", endDate: "2026-12-31"}]}
- {name: "1.0"}
---
{schema: io.openshift.operators.lifecycles.v1alpha1, package: q}
`,
			faults: []string{
				`(warning) lifecycle c.yaml:7:1, package p, versions[0]: the lifecycle of version "1.0": phase "extended" ends on 2027-01-01, before it begins: correct one of the dates`,
				`(warning) lifecycle c.yaml:7:1, package p, versions[0]: the lifecycle of version "1.0": phase "maintenance" begins on 2027-01-02, but the phase before it ends so that it must begin on 2027-01-01`,
				`(warning) lifecycle c.yaml:7:1, package p, versions[1]: the lifecycle of version "1.1" is of no bundle: name a version as MAJOR.MINOR that has one, or remove it`,
				`(warning) lifecycle c.yaml:7:1, package p, versions[1]: the lifecycle of version "1.1": phase "full" needs a startDate and an endDate, as YYYY-MM-DD`,
				`(warning) lifecycle c.yaml:7:1, package p, versions[2]: the lifecycle of version "1.0" is stated again: keep one`,
				"lifecycle c.yaml:18:1, package q: there is no such package: remove the lifecycles",
			},
		},
		"two lifecycles": {
			text: sound + `---
{schema: io.openshift.operators.lifecycles.v1alpha1, package: p, versions: [{name: "1.0"}]}
---
{schema: io.openshift.operators.lifecycles.v1alpha1, package: p, versions: [{name: 1.0}]}
`,
			faults: []string{
				"duplicateLifecycles c.yaml:7:1, package p: the package has several lifecycle blobs, of which none is used: keep one",
				"duplicateLifecycles c.yaml:9:1, package p: the package has several lifecycle blobs, of which none is used: keep one",
				"field c.yaml:9:1, package p: the lifecycles are not used: versions[0].name: want a string, got a number",
			},
		},
		"deprecations": {
			text: sound + `---
{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.package, name: p}, message: m}, {reference: {schema: olm.channel, name: x}, message: m},
  {reference: {schema: olm.bundle, name: a}}, {reference: {schema: other}, message: m}]}
---
{schema: olm.deprecations, package: q}
`,
			faults: []string{
				`deprecation c.yaml:7:1, package p: a reference to olm.package has no name, but this one has "p": remove it`,
				`deprecation c.yaml:7:1, package p: schema "other" of a reference is none of olm.package, olm.channel and olm.bundle`,
				"deprecation c.yaml:7:1, package p, bundle a: the deprecation has no message: say what to use instead",
				"deprecation c.yaml:7:1, package p, channel x: what is deprecated does not exist, and opm refuses the whole catalog for it: remove the deprecation",
				"deprecation c.yaml:10:1, package q: there is no such package: remove the deprecations",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			checked, err := FS(files("-- c.yaml --\n"+test.text), Options{}).LoadChecked(t.Context())
			require.NoError(t, err)
			texts := faultTexts(checked.Faults)
			for i, f := range checked.Faults {
				if f.Severity == catalog.Warning {
					texts[i] = "(warning) " + texts[i]
				}
			}
			assert.ElementsMatch(t, test.faults, texts)
		})
	}
}

// TestCheckConformance compares with which catalogs OLM's own validation takes.
func TestCheckConformance(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testkit.Shared(t, "conformance"), "*", "*.yaml"))
	require.NoError(t, err)
	judged := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var test struct {
			ValidCatalog *bool    `yaml:"validCatalog"`
			Reasons      []string `yaml:"invalidCatalogReasons"`
			Catalogs     []struct{ Blobs []yaml.Node }
		}
		require.NoError(t, yaml.Unmarshal(text, &test), path)
		if len(test.Catalogs) == 0 {
			continue
		}
		judged++
		var found []string
		for _, input := range test.Catalogs {
			var tree strings.Builder
			tree.WriteString("-- c.yaml --\n")
			for _, blob := range input.Blobs {
				text, err := yaml.Marshal(&blob)
				require.NoError(t, err)
				tree.WriteString("---\n" + string(text))
			}
			checked, err := FS(files(tree.String()), Options{}).LoadChecked(t.Context())
			require.NoError(t, err)
			for _, f := range checked.Faults {
				if f.Severity == catalog.Error {
					found = append(found, string(f.Code)+" "+f.Error())
				}
			}
		}
		valid := test.ValidCatalog == nil || *test.ValidCatalog
		assert.Equal(t, valid, len(found) == 0, "%s: %v %q", filepath.Base(path), test.Reasons, found)
	}
	assert.Positive(t, judged)
}
