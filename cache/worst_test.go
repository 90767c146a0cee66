package cache_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// What a megabyte of catalog may cost at most. A test machine is given room: the
// worst case is several times cheaper.
const (
	worstMemory = 1 << 30
	worstTime   = time.Minute
)

// worstSize is how many bytes a worst case has.
var worstSize = testkit.Scale(1<<15, 1<<20)

// filled repeats what a call writes until the text is as large as a worst case
// may be.
func filled(write func(i int) string) func() []byte { return enclosed("", write, "") }

// enclosed is a text of one part, many times, between two others.
func enclosed(head string, write func(i int) string, tail string) func() []byte {
	return func() []byte {
		b := bytes.NewBufferString(head)
		for i := 0; ; i++ {
			text := write(i)
			if b.Len()-len(head)+len(text) > worstSize {
				break
			}
			b.WriteString(text)
		}
		return append(bytes.TrimSuffix(b.Bytes(), []byte(",")), tail...)
	}
}

const jsonBundle = `{"schema":"olm.bundle","package":"p","name":"b","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},`

// worstCatalogs make catalogs of worstSize each that are as expensive as anyone
// found out how to make them.
func worstCatalogs() map[string]func() fs.FS {
	file := func(name string, text func() []byte) func() fs.FS {
		return func() fs.FS { return fstest.MapFS{name: &fstest.MapFile{Data: text(), Mode: 0o644}} }
	}
	ignored := func(patterns func() []byte) func() fs.FS {
		return func() fs.FS {
			return fstest.MapFS{
				".indexignore": &fstest.MapFile{Data: patterns(), Mode: 0o644},
				"c.yaml":       &fstest.MapFile{Data: []byte("a: b"), Mode: 0o644},
			}
		}
	}
	// Each level of the aliases is ten times as large as the one before.
	var bomb strings.Builder
	bomb.WriteString("x0: &x0 [aaaaaaaaaa,a,a,a,a,a,a,a,a,a]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&bomb, "x%d: &x%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i-1), 10), ","))
	}
	bombed := func(i int) string {
		return fmt.Sprintf("---\nschema: olm.bundle\npackage: p\nname: b%d\nimage: i\n%sproperties:\n- {type: olm.package, value: {packageName: p, version: 1.0.%d}}\n- {type: t, value: *x8}\n", i, bomb.String(), i)
	}
	smaller := func(i int) string {
		return fmt.Sprintf("---\nschema: olm.bundle\npackage: p\nname: b%d\nimage: i\nx0: &a [%s]\nx1: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nx2: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nproperties:\n- {type: olm.package, value: {packageName: p, version: 1.0.%d}}\n- {type: t%d, value: *c}\n", i, strings.TrimSuffix(strings.Repeat("a,", 50), ","), i, i)
	}
	directory := func(csv, annotations, more string) func() fs.FS {
		return func() fs.FS {
			return fstest.MapFS{
				"b/manifests/csv.yaml":        text("kind: ClusterServiceVersion\n" + csv),
				"b/manifests/more.yaml":       text(more),
				"b/metadata/annotations.yaml": text("annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n  operators.operatorframework.io.bundle.channels.v1: a" + annotations + "\n"),
			}
		}
	}
	half := worstSize / 2
	// many repeats a text up to half of the size of a worst case, numbered lists as
	// many different ones.
	many := func(s string) string { return strings.Repeat(s, half/len(s)) }
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < half; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	long := strings.Repeat("k", half)
	const bundle = "schema: olm.bundle\npackage: p\nname: b\nimage: i\n"
	const channel = "schema: olm.channel\npackage: p\nname: c\n"
	inDocument := func(s string) func() fs.FS { return file("c.yaml", func() []byte { return []byte(s) }) }
	return map[string]func() fs.FS{
		// Small texts that stand for much work.
		"aliases of metadata":   inDocument(bundle + "x: &a {" + many("z,") + "z}\ny: &p {type: olm.csv.metadata, value: *a}\nproperties: [" + many("*p,") + "*p]\n"),
		"aliases of a long key": inDocument(bundle + "x: &a {" + long + ": 1}\ny: &p {type: t, value: *a}\nproperties: [" + many("*p,") + "*p]\n"),
		"aliases of no number":  inDocument(bundle + "x: &a " + many("1_") + "\ny: &p {type: t, value: *a}\nproperties: [" + many("*p,") + "*p]\n"),
		"aliases as properties": inDocument(bundle + "x: &a {" + many("a: 1,") + "}\nproperties: [" + many("*a,") + "*a]\n"),
		"aliases of a name":     inDocument(channel + "x: &a " + long + "\nentries: [{name: b, skips: [" + many("*a,") + "*a]}]\n"),
		"aliases of an entry":   inDocument(channel + "x: &a {name: " + long + "}\nentries: [" + many("*a,") + "*a]\n"),
		"aliases, not split": file("c.yaml", enclosed("%YAML 1.1\n", func(i int) string {
			return "---\n" + bundle + "x: &a [a,a,a,a,a,a,a,a]\ny: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nz: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nproperties: [{type: t, value: [*c,*c,*c,*c,*c,*c,*c,*c]}]\n"
		}, "")),
		"a manifest of many keys":        directory(numbered("k%d: v\n"), "", ""),
		"a manifest of many annotations": directory("metadata: {name: b, annotations: {"+numbered("k%d: v,")+"}}\n", "", ""),
		"a manifest of merged keys":      directory("x: &a {a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a}\nmetadata: {name: b, annotations: {<<: ["+many("*a,")+"*a]}}\n", "", ""),
		"many owned and many CRDs": directory("x: &a {name: a}\nmetadata: {name: b}\nspec: {version: 1.0.0, customresourcedefinitions: {owned: ["+many("*a,")+"*a]}}\n", "",
			numbered("---\nkind: CustomResourceDefinition\nmetadata: {name: c%d}\n")),
		"many versions of a CRD": directory("metadata: {name: b}\nspec: {version: 1.0.0, customresourcedefinitions: {owned: ["+numbered("{name: a, version: w%d},")+"]}}\n", "",
			"kind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {versions: ["+numbered("{name: v%d},")+"]}\n"),
		"many channels and many skips":  directory("metadata: {name: b}\nspec: {version: 1.0.0, skips: ["+numbered("%d,")+"]}\n", numbered(",%d"), ""),
		"a long name and many channels": directory("metadata: {name: "+long+"}\nspec: {version: 1.0.0}\n", numbered(",%d"), ""),
		"a long name on a chain": file("c.json", func() []byte {
			return []byte(`{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"top","replaces":"` + long + `","skips":["` + long + `"]},{"name":"` + long + `","replaces":"n0"},` +
				strings.TrimSuffix(numbered(`{"name":"n%[1]d","replaces":"n1%[1]d"},`), ",") + `]}`)
		}),
		"properties of the wrong kind": file("c.json", enclosed(`{"schema":"olm.bundle","package":"p","name":"b","properties":[`, func(int) string { return "1," }, "]}")),
		"ignore patterns in deep folders": func() fs.FS {
			tree := fstest.MapFS{}
			for i := range 30 {
				tree[strings.Repeat("a/", i)+".indexignore"] = text(strings.Repeat("*a*b*c*d\n", worstSize/30/9))
				tree[strings.Repeat("a/", 30)+fmt.Sprint(i)+".yaml"] = text("schema: x\n")
			}
			return tree
		},

		"aliases in one document":        file("c.yaml", func() []byte { return []byte(bombed(0)) }),
		"aliases in many documents":      file("c.yaml", filled(bombed)),
		"aliases, each document allowed": file("c.yaml", filled(smaller)),
		"merge keys": file("c.yaml", filled(func(i int) string {
			return fmt.Sprintf("---\nschema: olm.bundle\nname: b%d\na: &a {a: 1, b: 2, c: 3, d: 4}\nb: &b {<<: [%[2]s]}\nc: &c {<<: [%[3]s]}\nd: &d {<<: [%[4]s]}\ne: &e {<<: [%[5]s]}\nproperties: [{type: t, value: *e}]\n", i,
				"*a,*a,*a,*a,*a,*a,*a,*a,*a", "*b,*b,*b,*b,*b,*b,*b,*b,*b", "*c,*c,*c,*c,*c,*c,*c,*c,*c", "*d,*d,*d,*d,*d,*d,*d,*d,*d")
		})),
		"empty YAML documents":     file("c.yaml", filled(func(int) string { return "---\n" })),
		"small YAML documents":     file("c.yaml", filled(func(int) string { return "---\na: b\n" })),
		"scalars after directives": file("c.yaml", enclosed("%YAML 1.1\n", func(int) string { return "---\na\n" }, "")),
		"broken YAML documents":    file("c.yaml", filled(func(int) string { return "---\n]\n" })),
		"empty JSON documents":     file("c.json", filled(func(int) string { return "{}" })),
		"small nodes":              file("c.yaml", enclosed("schema: x\na: [", func(int) string { return "a," }, "]")),
		"deep YAML":                file("c.yaml", filled(func(int) string { return "[" })),
		"deep YAML blocks":         file("c.yaml", filled(func(int) string { return "- " })),
		"deep YAML mappings":       file("c.yaml", filled(func(int) string { return "? " })),
		"YAML keys":                file("c.yaml", enclosed("{", func(i int) string { return fmt.Sprintf("%d:,", i) }, "}")),
		"YAML repeated keys":       file("c.yaml", enclosed("{", func(i int) string { return "a:," }, "}")),
		"YAML anchors":             file("c.yaml", enclosed("[", func(i int) string { return fmt.Sprintf("&a%d a,", i) }, "]")),
		"YAML comments":            file("c.yaml", filled(func(int) string { return "#\n" })),
		"YAML comments and keys":   file("c.yaml", filled(func(i int) string { return fmt.Sprintf("#\n\n#\na%d: b #\n", i) })),
		"YAML long number": file("c.yaml", enclosed("schema: olm.bundle\npackage: p\nname: b\nproperties:\n- type: t\n  value: 1_",
			func(int) string { return strings.Repeat("7", 100) }, "")),
		"YAML many tabs and spaces": file("c.yaml", filled(func(int) string { return "\n " })),
		"YAML flow spread":          file("c.yaml", enclosed("[", func(int) string { return "[]," }, "]")),
		"YAML quoted":               file("c.yaml", enclosed("- \"", func(int) string { return "\\\n " }, "\"")),
		"deep JSON":                 file("c.json", filled(func(int) string { return `{"a":` })),
		"deep JSON value": file("c.json", func() []byte {
			depth := worstSize * 2 / 5
			return []byte(jsonBundle + `{"type":"t","value":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}]}`)
		}),
		"many properties": file("c.json", enclosed(jsonBundle, func(i int) string { return fmt.Sprintf(`{"type":"t%d","value":1},`, i) }, "]}")),
		"many APIs": file("c.json", enclosed(jsonBundle, func(i int) string {
			if i >= 9990 {
				return strings.Repeat(" ", worstSize)
			}
			return fmt.Sprintf(`{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"K%d"}},`, i)
		}, "]}")),
		"many labels": file("c.json", enclosed(jsonBundle, func(i int) string {
			if i >= 9990 {
				return strings.Repeat(" ", worstSize)
			}
			return fmt.Sprintf(`{"type":"olm.label","value":{"label":"L%d"}},`, i)
		}, "]}")),
		"elements of the wrong kind": file("c.json", enclosed(`{"schema":"olm.channel","package":"p","name":"c","entries":[`, func(int) string { return "1," }, "]}")),
		"many entries":               file("c.json", enclosed(`{"schema":"olm.channel","package":"p","name":"c","entries":[`, func(i int) string { return fmt.Sprintf(`{"name":"%d"},`, i) }, "]}")),
		"a long chain": file("c.json", enclosed(`{"schema":"olm.channel","package":"p","name":"c","entries":[`, func(i int) string {
			return fmt.Sprintf(`{"name":"%d","replaces":"%d"},`, i+1, i)
		}, "]}")),
		"many heads on one chain": file("c.json", enclosed(`{"schema":"olm.channel","package":"p","name":"c","entries":[`, func(i int) string {
			return fmt.Sprintf(`{"name":"%d","replaces":"%d"},`, i+1, i/2)
		}, "]}")),
		"many skips": file("c.json", enclosed(`{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"a","skips":[`, func(i int) string { return fmt.Sprintf(`"%d",`, i) }, `]}]}`)),
		"long skipRanges": file("c.json", enclosed(`{"schema":"olm.channel","package":"p","name":"c","entries":[`, func(i int) string {
			return fmt.Sprintf(`{"name":"%d","skipRange":"%s"},`, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("<1.%d.0||", i), 400), "||"))
		}, "]}")),
		"many channels": file("c.json", filled(func(i int) string { return fmt.Sprintf(`{"schema":"olm.channel","package":"p","name":"%d"}`, i) })),
		"repeated channels": file("c.json", filled(func(i int) string {
			return fmt.Sprintf(`{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"%d"}]}`, i)
		})),
		"many packages":     file("c.json", filled(func(i int) string { return fmt.Sprintf(`{"schema":"olm.package","name":"%d"}`, i) })),
		"many deprecations": file("c.json", enclosed(`{"schema":"olm.package","name":"p"}{"schema":"olm.deprecations","package":"p","entries":[`, func(i int) string { return `{"reference":{"schema":"olm.package"},"message":"m"},` }, "]}")),
		"differing bundles": file("c.json", filled(func(i int) string {
			return fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"b","image":"%d"}`, i)
		})),
		"many rules": file("c.json", filled(func(i int) string {
			return fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"b%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%d"}},{"type":"olm.constraint","value":{"cel":{"rule":"properties.exists(p, p.type.endsWith('a%d'))"}}}]}`, i, i, i)
		})),
		"large rules": file("c.json", filled(func(i int) string {
			return fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"b%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%d"}},{"type":"olm.constraint","value":{"cel":{"rule":"%s%d==0"}}}]}`, i, i, strings.Repeat("0==0||", 1500), i)
		})),
		"nested rules": file("c.json", filled(func(i int) string {
			return fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"b%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%d"}},{"type":"olm.constraint","value":{"cel":{"rule":"%d==0||%strue%s"}}}]}`, i, i, i, strings.Repeat("(", 120), strings.Repeat(")", 120))
		})),
		"unclosed rules": file("c.json", filled(func(i int) string {
			return fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"b%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%d"}},{"type":"olm.constraint","value":{"cel":{"rule":"%d==0||%s"}}}]}`, i, i, i, strings.Repeat("[{(", 1000))
		})),
		"wide constraints": file("c.json", filled(func(i int) string {
			return fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"b%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%d"}},{"type":"olm.constraint","value":{"any":{"constraints":[%s{"gvk":{"group":"","version":"v","kind":"%d"}}]}}}]}`, i, i, strings.Repeat(`{"gvk":{"group":"","version":"v","kind":"k"}},`, 1300), i)
		})),
		"ignore patterns":       ignored(filled(func(int) string { return "a\n" })),
		"a long ignore pattern": ignored(filled(func(int) string { return "*a" })),
	}
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o644} }

// TestWorstCatalogs: whatever a megabyte of catalog holds, reading it costs less than a
// gigabyte and a minute, and the work does not grow with the square of the size.
func TestWorstCatalogs(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("it measures")
	}
	defer func(size int) { worstSize = size }(worstSize)
	largest := max(worstSize, 1<<17) // so that what grows with the square is seen
	worstSize = largest / 4
	smaller := worstCatalogs()
	worstSize = largest
	all := worstCatalogs()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if !testkit.Today(i, 3) {
			continue
		}
		write := all[name]
		t.Run(name, func(t *testing.T) {
			worstSize = largest / 4
			before := worked(t, smaller[name]())
			worstSize = largest
			var took uint64
			peak, time := testkit.Cost(func() { took = worked(t, write()) })
			t.Logf("%d MiB, %v", peak>>20, time)
			assert.Less(t, peak, uint64(worstMemory))
			assert.Less(t, time, worstTime)
			requireGrowth(t, 2<<20, before, took)
		})
	}
}
