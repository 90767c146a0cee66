package repair

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/template"
)

// tree is a catalog as files, with the documents of some packages.
type tree struct {
	// files are all files, by name.
	files map[string][]byte
	// named are the names of these, sorted.
	named []string
	state *state
	// directories: the tree has bundle directories.
	directories bool
	// bundles: the tree is a template, and these are its bundles.
	bundles template.Bundles
}

// state has the documents of packages after changes. It is immutable.
type state struct {
	docs []*document
	ops  []docOp
}

// docOp is an operation on a document of a state, by its index.
type docOp struct {
	doc int
	Op
}

// blob is a blob of a catalog: a document, or what a pointer leads to in a template.
type blob struct {
	doc  int
	at   string
	node *yaml.Node

	schema, pkg, name string
}

// bundleDir is a registry+v1 bundle directory: the indices of its documents, -1 for missing
// ones, and what they state.
type bundleDir struct {
	csv, annotations int
	name, pkg        string
}

// The annotations of a bundle directory that repairs concern.
const (
	annotationPackage = "operators.operatorframework.io.bundle.package.v1"
	annotationDefault = "operators.operatorframework.io.bundle.channel.default.v1"
)

// read reads the documents of packages in the files of a catalog.
func read(files map[string][]byte, packages map[string]bool, bundles template.Bundles) *tree {
	t := &tree{files: files, state: &state{}, bundles: bundles}
	t.named = slices.Sorted(maps.Keys(t.files))
	mentions := func(text []byte) bool {
		for pkg := range packages {
			if bytes.Contains(text, []byte(pkg)) {
				return true
			}
		}
		return bundles != nil
	}
	for _, name := range t.named {
		t.directories = t.directories || path.Base(path.Dir(name)) == "manifests"
	}
	wanted := mentions
	if t.directories {
		of := map[string]bool{} // directories of the packages
		for _, name := range t.named {
			if path.Base(path.Dir(name)) == "metadata" && mentions(t.files[name]) {
				of[path.Dir(path.Dir(name))] = true
			}
		}
		wanted = func([]byte) bool { return true }
		t.named = slices.DeleteFunc(t.named, func(name string) bool { return !of[path.Dir(path.Dir(name))] })
	}
	for _, name := range t.named {
		if IsRead(name) && path.Base(name) != ignoreFile {
			t.state.docs = append(t.state.docs, split(name, t.files[name], wanted)...)
		}
	}
	return t
}

const ignoreFile = ".indexignore"

// IsRead reports whether a file can be a part of a catalog.
func IsRead(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".jsonl", ".ndjson", ".yaml", ".yml", ignoreFile:
		return true
	}
	return false
}

// with returns the state with operations applied, nil if one does not fit.
func (s *state) with(ops ...docOp) *state {
	next := &state{slices.Clone(s.docs), slices.Clip(s.ops)}
	for _, op := range ops {
		root := next.docs[op.doc].root
		op.Path, op.From = written(root, op.Path), written(root, op.From)
		changed, err := next.docs[op.doc].apply(op.Op)
		if err != nil {
			return nil
		}
		next.docs[op.doc], next.ops = changed, append(next.ops, op)
	}
	return next
}

// all returns the blobs, in the order of the files.
func (s *state) all() (list []blob) {
	add := func(doc int, at string, n *yaml.Node) {
		b := blob{doc: doc, at: at, node: top(n), schema: text(n, "schema"), pkg: text(n, "package"), name: text(n, "name")}
		if b.schema == schemaPackage {
			b.pkg = b.name
		}
		list = append(list, b)
	}
	for i, d := range s.docs {
		if text(d.root, "schema") == schemaBasic {
			for j, e := range elements(d.root, "entries") {
				add(i, pointer("", "entries", j), e)
			}
		} else if d.root != nil {
			add(i, "", d.root)
		}
	}
	return list
}

// Schemas of blobs, and of templates.
const (
	schemaPackage      = "olm.package"
	schemaChannel      = "olm.channel"
	schemaBundle       = "olm.bundle"
	schemaDeprecations = "olm.deprecations"
	schemaBasic        = "olm.template.basic"
	schemaSemver       = "olm.semver"
)

// named returns the blobs of a package with a schema and, unless it is empty, a name.
func (s *state) named(pkg, schema, name string) []blob {
	return slices.DeleteFunc(s.all(), func(b blob) bool { return b.pkg != pkg || b.schema != schema || name != "" && b.name != name })
}

// dirs returns the bundle directories of a package and, unless it is empty, a name.
func (s *state) dirs(pkg, name string) (list []bundleDir) {
	byPath := map[string]*bundleDir{}
	of := func(file string) *bundleDir {
		p := path.Dir(path.Dir(file))
		if byPath[p] == nil {
			byPath[p] = &bundleDir{csv: -1, annotations: -1}
		}
		return byPath[p]
	}
	for i, d := range s.docs {
		switch {
		case text(d.root, "kind") == "ClusterServiceVersion":
			of(d.file).csv, of(d.file).name = i, text(member(d.root, "metadata"), "name")
		case path.Base(path.Dir(d.file)) == "metadata" && member(d.root, "annotations") != nil:
			of(d.file).annotations, of(d.file).pkg = i, text(member(d.root, "annotations"), annotationPackage)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		if d := byPath[p]; d.pkg == pkg && d.csv >= 0 && (name == "" || d.name == name) {
			list = append(list, *d)
		}
	}
	return list
}

// text returns the text of a file with the changed documents in place, as write writes them.
func (s *state) text(name string, before []byte, write func(doc int) []byte) []byte {
	var out []byte
	end := 0
	for i, d := range s.docs {
		if d.file != name || !d.changed && d.after == nil {
			continue
		}
		out = append(out, before[end:d.start]...)
		out, end = append(append(out, write(i)...), d.after...), d.end
		if d.root == nil && !d.isJSON && strings.HasSuffix(string(out), "---") {
			out = out[:len(out)-3]
		}
	}
	return append(out, before[end:]...)
}

// place returns the pointer of the value that begins at a line and column of a file, and its
// document.
func (s *state) place(file string, line, column int) (doc int, path string, found bool) {
	for i, d := range s.docs {
		if d.file == file && !d.isJSON && d.root != nil && line >= d.line {
			if path, found = placeIn(d.root, line-d.line+1, column, ""); found {
				return i, path, true
			}
		}
	}
	return 0, "", false
}

func placeIn(n *yaml.Node, line, column int, path string) (string, bool) {
	n = top(n)
	if n.Line == line && n.Column == column {
		return path, true
	}
	for i, inner := range n.Content {
		var token any = i
		if n.Kind == yaml.MappingNode {
			if i%2 == 0 {
				continue
			}
			token = n.Content[i-1].Value
		}
		if found, ok := placeIn(inner, line, column, pointer(path, token)); ok {
			return found, true
		}
	}
	return "", false
}
