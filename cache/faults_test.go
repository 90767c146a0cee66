package cache

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// TestFaults has a catalog for each fault, what is reported of it, and which
// bundles and channels are left. A mark ! means that something is quarantined.
func TestFaults(t *testing.T) {
	// Each catalog comes on top of a sound package.
	const (
		sound = `
-- sound.yaml --
{schema: olm.package, name: p, defaultChannel: c}
---
{schema: olm.channel, package: p, name: c, entries: [{name: p.v2, replaces: p.v1}, {name: p.v1}]}
---
{schema: olm.bundle, package: p, name: p.v1, image: i, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]}
`
		missing = "entry sound.yaml:3:1, package p, channel c, bundle p.v2: the package has no bundle of this name: add it, or remove the entry"
		v2      = `{schema: olm.bundle, package: p, name: p.v2, image: i, properties: [{type: olm.package, value: {packageName: p, version: 2.0.0}}`
	)
	for name, test := range map[string]struct {
		text    string
		faults  []string
		bundles []string
	}{
		"none": {
			text:    v2 + "]}",
			bundles: []string{"p.v2", "p.v1"},
		},
		"missing bundle is a virtual entry": {
			text:    ``,
			faults:  []string{missing},
			bundles: []string{"p.v1"},
		},
		"constraint": {
			text:    v2 + ", {type: olm.constraint, value: {any: {constraints: [{package: {packageName: q, versionRange: x}}]}}}]}",
			faults:  []string{`! constraint f.yaml:1:1, package p, bundle p.v2, property 1, any.constraints[0].package.versionRange: what the bundle requires cannot be read: *`},
			bundles: []string{"p.v1"},
		},
		"constraints": {
			text: v2 + ", {type: olm.constraint, value: {}}, {type: olm.package.required, value: {packageName: q, versionRange: x}}]}",
			faults: []string{
				`! constraint f.yaml:1:1, package p, bundle p.v2, property 1: what the bundle requires cannot be read: *`,
				`! constraint f.yaml:1:1, package p, bundle p.v2, property 2, versionRange: what the bundle requires cannot be read: *`,
			},
			bundles: []string{"p.v1"},
		},
		"version": {
			text:    "{schema: olm.bundle, package: p, name: p.v2, properties: [{type: olm.package, value: {packageName: p, version: v2}}]}",
			faults:  []string{`! version f.yaml:1:1, package p, bundle p.v2, property 0: olm.package: version "v2" is not a semantic version such as 1.2.3: *`},
			bundles: []string{"p.v1"},
		},
		"no olm.package property": {
			text:    "{schema: olm.bundle, package: p, name: p.v2}",
			faults:  []string{`! packageProperty f.yaml:1:1, package p, bundle p.v2: there is no olm.package property: add one with packageName and version`},
			bundles: []string{"p.v1"},
		},
		"package mismatch": {
			text:    "{schema: olm.bundle, package: p, name: p.v2, properties: [{type: olm.package, value: {packageName: q, version: 2.0.0}}]}",
			faults:  []string{`! packageMismatch f.yaml:1:1, package p, bundle p.v2: the olm.package property names the package "q", but the bundle is in package "p": make them equal`},
			bundles: []string{"p.v1"},
		},
		"null and typeless properties": {
			text: v2 + ", {type: a, value: null}, {value: 1}, null]}",
			faults: []string{
				"nullValue f.yaml:1:1, package p, bundle p.v2, property 1: a: the value is null: give a value or remove the property",
				"propertyType f.yaml:1:1, package p, bundle p.v2, property 2: the property has no type: name one or remove the property",
				"propertyType f.yaml:1:1, package p, bundle p.v2, property 3: the property has no type: name one or remove the property",
			},
			bundles: []string{"p.v2", "p.v1"},
		},
		"constraint beside its value": {
			text:    v2 + ", {type: olm.constraint, value: null, package: {packageName: q}}, {type: a, all: {}}]}",
			faults:  []string{`! field f.yaml:1:1, package p, bundle p.v2, properties[1]: the value of olm.constraint is null, and "package" stands beside it: move that into the value`},
			bundles: []string{"p.v1"},
		},
		"members beside a value": {
			text:    v2 + ", {type: olm.constraint, value: {package: {packageName: p, versionRange: '>0.0.1'}}, all: {}}, {all: {}, type: a}]}",
			faults:  []string{"nullValue f.yaml:1:1, package p, bundle p.v2, property 2: a: the value is null: give a value or remove the property"},
			bundles: []string{"p.v2", "p.v1"},
		},
		"properties that are no list": {
			text:    "{schema: olm.bundle, package: p, name: p.v2, properties: {a: b}}",
			faults:  []string{`! field f.yaml:1:1, package p, bundle p.v2, properties: it must be a list, not an object`},
			bundles: []string{"p.v1"},
		},
		"field stated twice": {
			text:    `{"schema":"olm.bundle","package":"p","name":"p.v2","properties":[],"properties":[]}`,
			faults:  []string{`! field f.yaml:1:1, package p, bundle p.v2, properties: it is stated more than once: keep one`},
			bundles: []string{"p.v1"},
		},
		"value with a repeated key": {
			text:    v2 + ", {type: a, value: {x: 1, x: 2}}]}",
			faults:  []string{`! field f.yaml:1:1, package p, bundle p.v2, properties[1].value: the key "x" in line 1 is stated more than once: keep one`},
			bundles: []string{"p.v1"},
		},
		"bundle without a name": {
			text:    "{schema: olm.bundle, package: p}",
			faults:  []string{`! field f.yaml:1:1, package p, name: it is missing: without it this olm.bundle belongs nowhere`, missing},
			bundles: []string{"p.v1"},
		},
		"name is no string": {
			text:    `{"schema":"olm.bundle","package":"p","name":2}`,
			faults:  []string{`! field f.yaml:1:1, package p, name: it must be a string, not a number`, missing},
			bundles: []string{"p.v1"},
		},
		"no schema": {
			text:    "{package: p, name: x}",
			faults:  []string{`schema f.yaml:1:1, package p: the document has no schema: add one, such as olm.bundle, or keep the file out with .indexignore`, missing},
			bundles: []string{"p.v1"},
		},
		"duplicate bundles": {
			text: v2 + "]}\n---\n" + v2 + ", {type: a, value: 1}]}",
			faults: []string{
				"! duplicateBundle f.yaml:1:1, package p, bundle p.v2: it is stated again, and differently, in this file, line 3; none of these is used: keep one",
				"! duplicateBundle f.yaml:3:1, package p, bundle p.v2: it is stated again, and differently, in this file, line 1; none of these is used: keep one",
			},
			bundles: []string{"p.v1"},
		},
		"duplicate channel": {
			text: "{schema: olm.channel, package: p, name: c, entries: [{name: p.v1}]}",
			faults: []string{
				"! duplicateChannel f.yaml:1:1, package p, channel c: it is stated again, and differently, in sound.yaml, line 3; none of these is used: keep one",
				"! duplicateChannel sound.yaml:3:1, package p, channel c: it is stated again, and differently, in f.yaml, line 1; none of these is used: keep one",
				missing,
			},
			bundles: []string{"(p.v1)"},
		},
		"duplicate package": {
			text: "{schema: olm.package, name: p, defaultChannel: d}",
			faults: []string{
				"! duplicatePackage f.yaml:1:1, package p: it is stated again, and differently, in sound.yaml, line 1; none of these is used: keep one",
				"! duplicatePackage sound.yaml:1:1, package p: it is stated again, and differently, in f.yaml, line 1; none of these is used: keep one",
			},
			bundles: []string{},
		},
		"duplicate entries": {
			text: "{schema: olm.channel, package: p, name: d, entries: [{name: p.v1, skips: [a]}, {name: p.v1}]}",
			faults: []string{
				"! duplicateEntry f.yaml:1:1, package p, channel d, bundle p.v1: the channel has several entries of this name, and they differ; the bundle cannot be reached here: keep one",
				missing,
			},
			bundles: []string{"p.v1"},
		},
		"duplicate entries, of which the last skips": {
			text: "{schema: olm.channel, package: p, name: d, entries: [{name: p.v2}, {name: p.v3, replaces: p.v2}, {name: p.v3, replaces: p.v2, skips: [p.v1]}, {name: p.v1}]}\n---\n" + v2 + "]}",
			faults: []string{
				"! duplicateEntry f.yaml:1:1, package p, channel d, bundle p.v3: the channel has several entries of this name, and they differ; the bundle cannot be reached here: keep one",
				"entry f.yaml:1:1, package p, channel d, bundle p.v3: the package has no bundle of this name: add it, or remove the entry",
			},
			bundles: []string{"p.v2", "p.v1"},
		},
		"equal entries": {
			text:    "{schema: olm.channel, package: p, name: d, entries: [{name: p.v1, skips: [a, b]}, {name: p.v1, skips: [b, a, b]}]}",
			faults:  []string{missing},
			bundles: []string{"p.v1"},
		},
		"unknown default channel": {
			text:    "{schema: olm.package, name: q, defaultChannel: d}",
			faults:  []string{`defaultChannel f.yaml:1:1, package q: the default channel "d" does not exist, so none of the package's channels is preferred: name one that does`, missing},
			bundles: []string{"p.v1"},
		},
		"no olm.package blob": {
			text:    "{schema: olm.channel, package: q, name: d, entries: [{name: q.v1}]}",
			faults:  []string{"packageMissing f.yaml:1:1, package q: the package has no olm.package blob, so none of its channels is preferred: add one with its name and default channel", "entry f.yaml:1:1, package q, channel d, bundle q.v1: *", missing},
			bundles: []string{"p.v1"},
		},
		"several heads": {
			text:    "{schema: olm.channel, package: p, name: d, entries: [{name: p.v1}, {name: p.v3}]}",
			faults:  []string{"! severalHeads f.yaml:1:1, package p, channel d: the channel has no order, so Subscriptions and dependencies cannot use it: it has 2 heads, *: p.v1, p.v3", "entry f.yaml:1:1, package p, channel d, bundle p.v3: *", missing},
			bundles: []string{"p.v1"},
		},
		"entry of a wrong form": {
			text:    "{schema: olm.channel, package: p, name: d, entries: [{name: p.v1, replaces: [x]}, p.v2]}",
			faults:  []string{"! field f.yaml:1:1, package p, channel d, entries[0].replaces: it must be a string, not a list", "! field f.yaml:1:1, package p, channel d, entries[1]: it must be an object, not a string", missing},
			bundles: []string{"p.v1"},
		},
		"entry without a name": {
			text:    "{schema: olm.channel, package: p, name: d, entries: [{name: p.v1}, {replaces: p.v1}]}",
			faults:  []string{"! field f.yaml:1:1, package p, channel d, entries[1].name: it is missing*", missing},
			bundles: []string{"p.v1"},
		},
		"skipRange": {
			text:    `{schema: olm.channel, package: p, name: d, entries: [{name: p.v1, skipRange: <v1.15.0 x}]}`,
			faults:  []string{`skipRange f.yaml:1:1, package p, channel d, bundle p.v1: skipRange covers nothing, because it cannot be read: *`, missing},
			bundles: []string{"p.v1"},
		},
		"deprecations": {
			text: "{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.package}, message: a}]}\n---\n{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.package}, message: b}]}",
			faults: []string{
				"duplicateDeprecations f.yaml:1:1, package p: the package has several olm.deprecations blobs, and they differ: keep one",
				"duplicateDeprecations f.yaml:3:1, package p: the package has several olm.deprecations blobs, and they differ: keep one",
				missing,
			},
			bundles: []string{"p.v1"},
		},
		"broken YAML": {
			text: "schema: olm.package\nname: q\n---\nschema: olm.bundle\npackage: p\nname: [\n---\nschema: olm.bundle\npackage: r\nname: x\n",
			faults: []string{
				"syntax f.yaml:7:1: while parsing a flow *; packages that this file mentions are not used",
				"! damagedFile f.yaml, package p: the package is not used, because this file, which mentions it, cannot be read to its end: fix the file or remove it",
				"! damagedFile f.yaml, package q: *",
				"! damagedFile f.yaml, package r: *",
				"! packageProperty f.yaml:8:1, package r, bundle x: *",
			},
			bundles: []string{},
		},
		"truncated JSON": {
			text: `{"schema":"olm.package","name":"q","defaultChannel":""}` + "\n" + `{"schema":"olm.channel","package":"r","name":"x","entries":[{"name":`,
			faults: []string{
				"syntax f.yaml:3:1: the file ends in the middle of a document; packages that this file mentions are not used",
				"! damagedFile f.yaml, package q: *",
				"! damagedFile f.yaml, package r: *",
				missing,
			},
			bundles: []string{"p.v1"},
		},
		"JSON broken in the middle": {
			text: `{"schema":"olm.package","name":"q","defaultChannel":""}` + "\n" + `{"schema":"olm.bundle" "package":"r"}` + "\n" + `{"schema":"olm.package","name":"s"}` + "\n" + `{"name":"t","schema":"olm.package"}` + "\n" + `{"schema":"olm.bundle","package" : "u"}`,
			faults: []string{
				"syntax f.yaml:2:24: *; packages that this file mentions are not used",
				"! damagedFile f.yaml, package q: *",
				"! damagedFile f.yaml, package r: *",
				"! damagedFile f.yaml, package s: *",
				"! damagedFile f.yaml, package t: *",
				"! damagedFile f.yaml, package u: *",
				missing,
			},
			bundles: []string{"p.v1"},
		},
		"a list": {
			text:    "- {schema: olm.package, name: q}",
			faults:  []string{"syntax f.yaml:1:1: a document must be an object with a schema; packages that this file mentions are not used", missing},
			bundles: []string{"p.v1"},
		},
		"OpenShift version": {
			text:    v2 + ", {type: olm.maxOpenShiftVersion, value: next}]}",
			faults:  []string{`propert* f.yaml:1:1, package p, bundle p.v2, property 1: olm.maxOpenShiftVersion: "next" is not a version such as 4.8; the bundle counts as having no limit`},
			bundles: []string{"p.v2", "p.v1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, sound+"-- f.yaml --\n"+test.text+"\n")
			got := faultTexts(s.Faults())
			if assert.Len(t, got, len(test.faults), strings.Join(got, "\n")) {
				for i, want := range test.faults {
					assert.True(t, matchStars(want, got[i]), "want %s\ngot  %s", want, got[i])
				}
			}
			// In brackets those that are no candidates.
			left := []string{}
			for id := range catalog.ID(s.Len()) {
				name := s.Bundle(id).Name
				if int(id) >= s.Candidates() {
					name = "(" + name + ")"
				}
				left = append(left, name)
			}
			assert.Equal(t, test.bundles, left)
			for p := range s.Packages() {
				for _, f := range s.Quarantined(p.Name) {
					assert.True(t, f.Quarantines)
					assert.Equal(t, p.Name, f.Package)
				}
			}
			checkIndex(t, s, Options{})
		})
	}
}

// matchStars matches with * for any text.
func matchStars(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	text, ok := strings.CutPrefix(text, parts[0])
	for _, part := range parts[1:] {
		i := strings.Index(text, part)
		if !ok || i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return ok && (text == "" || strings.HasSuffix(pattern, "*"))
}

func TestDuplicateChannelIsNamedButEmpty(t *testing.T) {
	s := load(t, `
-- c.yaml --
`+etcd+`
---
{schema: olm.channel, package: etcd, name: alpha, entries: []}
`)
	c := s.Package("etcd").Channel("alpha")
	require.NotNil(t, c)
	assert.Equal(t, "it is stated several times, and differently", c.Fault)
	assert.Empty(t, c.Entries)
	assert.Len(t, s.Quarantined("etcd"), 2)
}

func TestVirtualEntriesKeepTheOrder(t *testing.T) {
	s := load(t, strings.Replace("-- c.yaml --"+etcd, "packageName: etcd, version: 2.0.0", "packageName: etcd, version: two", 1))
	alpha := s.Package("etcd").Channel("alpha")
	assert.Empty(t, alpha.Fault)
	v2 := alpha.Entry("etcd.v2")
	assert.Equal(t, catalog.NoBundle, v2.Bundle)
	assert.EqualValues(t, 1, v2.Depth)
	assert.False(t, v2.Candidate())
	assert.EqualValues(t, 2, alpha.Entry("etcd.v1").Depth)
}

func TestLimits(t *testing.T) {
	bundle := `{"schema":"olm.bundle","package":"p","name":"b","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},{"type":"x","value":[[[1]]]},{"type":"olm.label.required","value":{"label":"a"}},{"type":"olm.label.required","value":{"label":"b"}}]}`
	bomb := "schema: olm.bundle\npackage: p\nname: b\nx0: &x0 [a,a,a,a,a,a,a,a,a,a]\n"
	for _, c := range "12345678" {
		above := string(c - 1)
		bomb += "x" + string(c) + ": &x" + string(c) + " [" + strings.Repeat("*x"+above+",", 9) + "*x" + above + "]\n"
	}
	bomb += "properties:\n- {type: x, value: *x8}\n"
	for name, test := range map[string]struct {
		text   string
		limits catalog.Limits
		want   string
	}{
		"file":          {bundle, catalog.Limits{FileBytes: 200}, "limit line 1:1: the file is larger than the 200 bytes allowed; *"},
		"document":      {bundle, catalog.Limits{DocumentBytes: 99}, "! limit line 1:1, package p, bundle b: the document is * bytes long, more than the 99 allowed"},
		"YAML document": {"#\n" + bundle, catalog.Limits{DocumentBytes: 99}, "limit line 1:1: the document is * bytes long, more than the 99 allowed; *"},
		"documents":     {bundle + bundle, catalog.Limits{Documents: 1}, "limit line 1:*: the file has more than the 1 documents allowed; *"},
		"depth":         {bundle, catalog.Limits{Depth: 2}, "! limit line 1:1, package p, bundle b, properties[1].value: the value nests 3 levels deep, more than the 2 allowed"},
		"YAML depth":    {"#\n" + bundle, catalog.Limits{Depth: 5}, "! limit line 2:1, package p, bundle b, *: the value nests 6 levels deep, more than the 5 allowed"},
		"properties":    {bundle, catalog.Limits{Properties: 3}, "! limit line 1:1, package p, bundle b, properties: the bundle has 4 properties, more than the 3 allowed"},
		"constraints":   {bundle, catalog.Limits{BundleConstraints: 1}, "! limit line 1:1, package p, bundle b: the bundle has 2 constraints, more than the 1 allowed"},
		"entries":       {`{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"a"},{"name":"b"}]}`, catalog.Limits{Entries: 1}, "! limit line 1:1, package p, channel c, entries: the channel has 2 entries, more than the 1 allowed"},
		"name":          {`{"schema":"olm.bundle","package":"p","name":"` + strings.Repeat("b", 1025) + `"}`, catalog.Limits{}, "! limit line 1:1, package p, name: it is 1025 bytes long, more than the 1024 allowed"},
		"problems":      {`{"schema":"olm.channel","package":"p","name":"c","entries":[1` + strings.Repeat(",1", 1000) + `]}`, catalog.Limits{}, "! limit line 1:1, package p, channel c: there are more problems than the 1000 that are listed"},
		"aliases":       {bomb, catalog.Limits{}, "! limit line 1:1, package p, bundle b, properties[0].value: the document becomes too large when its aliases are followed"},
		"endless alias": {"schema: olm.bundle\npackage: p\nname: b\nproperties:\n- {type: x, value: &a [*a]}\n", catalog.Limits{}, "! limit line 1:1, package p, bundle b, properties[0].value: the value nests *"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(t.Context(), []byte(test.text), Options{Limits: test.limits})
			require.NoError(t, err)
			var texts []string
			for i, text := range faultTexts(s.Faults()) {
				if s.Faults()[i].Code == code.Limit {
					texts = append(texts, text)
				}
			}
			require.Len(t, texts, 1, faultTexts(s.Faults()))
			assert.True(t, matchStars(test.want, texts[0]), texts[0])
			assert.Zero(t, s.Len())
		})
	}
}
