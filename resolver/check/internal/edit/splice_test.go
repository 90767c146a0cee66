package edit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// A file after an operation means what the operation says, in whatever style it is written, and what
// stands beside its document stays as it was, byte by byte.
func FuzzSplice(f *testing.F) {
	const (
		block = "# all\nschema: olm.channel\nname: s\nentries:\n  # first\n  - name: p.v1\n  - name: 'p.v2' # second\n    replaces: \"p.v1\"\n    skips: [p.v0]\n---\nschema: olm.package\nname: p\n"
		flow  = "---\r\n{schema: olm.channel, entries: [{name: p.v1}]}\r\n---\r\nnull\r\n"
		line  = `{"schema":"olm.channel","entries":[{"name":"p.v1"},{"name":"p.v2","replaces":"p.v1"}]}` + "\n" + `{"a":[]}`
		wide  = "{\n    \"entries\": [\n        {\n            \"name\": \"p.v1\"\n        }\n    ],\n    \"a\": {}\n}\n"
	)
	for _, text := range []string{block, flow, line, wide, "a: &x [1]\nb: *x\n", "a: &x [*x]\n", "a: &x {b: *x}\n", "? a\n: b\n", "a: |\n  text\n\nb: >-\n  x\n"} {
		json := strings.HasPrefix(text, "{")
		f.Add(text, json, uint8(0), uint8(0), "/entries/-", `{"name":"p.v3","replaces":"p.v2"}`)
		f.Add(text, json, uint8(0), uint8(0), "/entries/0", `{"name":"p.v0"}`)
		f.Add(text, json, uint8(0), uint8(0), "/entries/0/replaces", `"p.v0"`)
		f.Add(text, json, uint8(0), uint8(1), "/entries/1/replaces", `"\u2028: # "`)
		f.Add(text, json, uint8(0), uint8(2), "/entries/1", `null`)
		f.Add(text, json, uint8(0), uint8(2), "/a", `null`)
		f.Add(text, json, uint8(1), uint8(0), "/name", `1e3`)
		f.Add(text, json, uint8(0), uint8(2), "", `null`)
	}
	testkit.LookFurther(f)
	f.Fuzz(func(t *testing.T, text string, isJSON bool, doc, kind uint8, path, value string) {
		if len(text) > 4<<10 || len(value) > 1<<10 || !json.Valid([]byte(value)) {
			return
		}
		file := "c.yaml"
		if isJSON {
			file = "c.json"
		}
		every := map[string]bool{"": true}
		before := Read(map[string][]byte{file: []byte(text)}, every, nil).Draft
		if len(before.Docs) == 0 {
			return
		}
		at := int(doc) % len(before.Docs)
		op := Op{Op: []string{"add", "replace", "remove"}[int(kind)%3], Path: path}
		if op.Op != "remove" {
			op.Value = []byte(value)
		}
		after := before.With(DocOp{at, op})
		if after == nil || !after.Docs[at].Changed {
			return
		}
		out := string(after.Text(file, []byte(text), false))
		d := before.Docs[at]
		if after.Docs[at].Root != nil && (!strings.HasPrefix(out, text[:d.Start]) || !strings.HasSuffix(out, text[d.end:])) {
			t.Fatalf("%s %s of document %d changes what stands beside it:\n%q\n%q", op.Op, path, at, text, out)
		}
		again := Read(map[string][]byte{file: []byte(out)}, every, nil).Draft
		var want []*Document
		for _, d := range after.Docs {
			if d.Root != nil {
				want = append(want, d)
			}
		}
		if len(again.Docs) != len(want) {
			t.Fatalf("%s %s of document %d: %d documents, not %d:\n%q\n%q", op.Op, path, at, len(again.Docs), len(want), text, out)
		}
		for i, d := range want {
			if !same(again.Docs[i].Root, d.Root) {
				t.Fatalf("%s %s %s of document %d: document %d is another:\n%q\n%q", op.Op, path, value, at, i, text, out)
			}
		}
	})
}
