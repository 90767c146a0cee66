// Package edit changes the files of a catalog: blobs, bundle directories and templates, as JSON or
// YAML. It knows where something stands, and how it is written; what an edit is good for is the
// matter of others.
//
// A [Draft] has the documents after edits, which are operations of RFC 6902. What these do not
// concern stays byte by byte, where the style of a document allows.
package edit

import (
	"bytes"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/template"
)

// Tree is a catalog as files, with the documents of some packages.
type Tree struct {
	// Files are all files, by name.
	Files map[string][]byte
	// named are the names of these, sorted.
	Named []string
	Draft *Draft
	// Directories: the tree has bundle directories.
	Directories bool
	// Bundles: the tree is a template, and these are its bundles.
	Bundles template.Bundles
}

// Draft has the documents of packages after edits. It is immutable.
type Draft struct {
	Docs []*Document
	Ops  []DocOp
}

// DocOp is an operation on a document of a draft, by its index.
type DocOp struct {
	Doc int
	Op
}

// Blob is a blob of a catalog: a document, or what a pointer leads to in a template.
type Blob struct {
	Doc  int
	At   string
	Node *yaml.Node

	Schema, Pkg, Name string
}

// Directory is a registry+v1 bundle directory: the indices of its documents, -1 for missing
// ones, and what they state.
type Directory struct {
	CSV, Annotations int
	Name, pkg        string
}

// The annotations of a bundle directory that repairs concern.
const (
	annotationPackage = "operators.operatorframework.io.bundle.package.v1"
	AnnotationDefault = "operators.operatorframework.io.bundle.channel.default.v1"
)

// Read reads the documents of packages in the files of a catalog.
func Read(files map[string][]byte, packages map[string]bool, bundles template.Bundles) *Tree {
	t := &Tree{Files: files, Draft: &Draft{}, Bundles: bundles}
	t.Named = slices.Sorted(maps.Keys(t.Files))
	mentions := func(text []byte) bool {
		for pkg := range packages {
			if bytes.Contains(text, []byte(pkg)) {
				return true
			}
		}
		return bundles != nil
	}
	for _, name := range t.Named {
		t.Directories = t.Directories || path.Base(path.Dir(name)) == "manifests"
	}
	wanted := mentions
	if t.Directories {
		named := map[string]bool{} // directories of the packages
		for _, name := range t.Named {
			if path.Base(path.Dir(name)) == "metadata" && mentions(t.Files[name]) {
				named[path.Dir(path.Dir(name))] = true
			}
		}
		wanted = func([]byte) bool { return true }
		t.Named = slices.DeleteFunc(t.Named, func(name string) bool { return !named[path.Dir(path.Dir(name))] })
	}
	for _, name := range t.Named {
		if IsRead(name) && path.Base(name) != ignoreFile {
			t.Draft.Docs = append(t.Draft.Docs, split(name, t.Files[name], wanted)...)
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

// With returns the draft with operations applied, nil if one does not fit.
func (s *Draft) With(ops ...DocOp) *Draft {
	next := &Draft{slices.Clone(s.Docs), slices.Clip(s.Ops)}
	for _, op := range ops {
		root := next.Docs[op.Doc].Root
		op.Path, op.From = written(root, op.Path), written(root, op.From)
		changed, err := next.Docs[op.Doc].apply(op.Op)
		if err != nil {
			return nil
		}
		next.Docs[op.Doc], next.Ops = changed, append(next.Ops, op)
	}
	return next
}

// All returns the blobs, in the order of the files.
func (s *Draft) All() (list []Blob) {
	add := func(doc int, at string, n *yaml.Node) {
		b := Blob{Doc: doc, At: at, Node: Top(n), Schema: Text(n, "schema"), Pkg: Text(n, "package"), Name: Text(n, "name")}
		if b.Schema == SchemaPackage {
			b.Pkg = b.Name
		}
		list = append(list, b)
	}
	for i, d := range s.Docs {
		if Text(d.Root, "schema") == schemaBasic {
			for j, e := range Elements(d.Root, "entries") {
				add(i, Pointer("", "entries", j), e)
			}
		} else if d.Root != nil {
			add(i, "", d.Root)
		}
	}
	return list
}

// Schemas of blobs, and of templates.
const (
	SchemaPackage      = "olm.package"
	SchemaChannel      = "olm.channel"
	SchemaBundle       = "olm.bundle"
	SchemaDeprecations = "olm.deprecations"
	schemaBasic        = "olm.template.basic"
	schemaSemver       = "olm.semver"
)

// Named returns the blobs of a package with a schema and, unless it is empty, a name.
func (s *Draft) Named(pkg, schema, name string) []Blob {
	return slices.DeleteFunc(s.All(), func(b Blob) bool { return b.Pkg != pkg || b.Schema != schema || name != "" && b.Name != name })
}

// Dirs returns the bundle directories of a package and, unless it is empty, a name.
func (s *Draft) Dirs(pkg, name string) (list []Directory) {
	byPath := map[string]*Directory{}
	directoryOf := func(file string) *Directory {
		p := path.Dir(path.Dir(file))
		if byPath[p] == nil {
			byPath[p] = &Directory{CSV: -1, Annotations: -1}
		}
		return byPath[p]
	}
	for i, d := range s.Docs {
		switch {
		case Text(d.Root, "kind") == "ClusterServiceVersion":
			directoryOf(d.File).CSV, directoryOf(d.File).Name = i, Text(Member(d.Root, "metadata"), "name")
		case path.Base(path.Dir(d.File)) == "metadata" && Member(d.Root, "annotations") != nil:
			directoryOf(d.File).Annotations, directoryOf(d.File).pkg = i, Text(Member(d.Root, "annotations"), annotationPackage)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		if d := byPath[p]; d.pkg == pkg && d.CSV >= 0 && (name == "" || d.Name == name) {
			list = append(list, *d)
		}
	}
	return list
}

// Changed returns the files with changed documents, by name.
func (s *Draft) Changed(files map[string][]byte) map[string][]byte {
	changed := map[string][]byte{}
	for _, d := range s.Docs {
		if (d.Changed || d.After != nil) && changed[d.File] == nil {
			changed[d.File] = s.Text(d.File, files[d.File], false)
		}
	}
	return changed
}

// Text returns the text of a file with the changed documents in place: in the file's own style or,
// for a trial, as they are written quickly.
func (s *Draft) Text(name string, before []byte, quickly bool) []byte {
	var out []byte
	end := 0
	for i, d := range s.Docs {
		if d.File != name || !d.Changed && d.After == nil {
			continue
		}
		text := d.Bytes
		if !quickly {
			text = func() []byte { return s.spliced(i) }
		}
		out = append(out, before[end:d.Start]...)
		out, end = append(append(out, text()...), d.After...), d.end
		if d.Root == nil && !d.IsJSON && strings.HasSuffix(string(out), "---") {
			out = out[:len(out)-3]
		}
	}
	return append(out, before[end:]...)
}

// Described yields the operations that lead to a later draft, each with what it does.
func (s *Draft) Described(to *Draft) iter.Seq2[DocOp, string] {
	return func(yield func(DocOp, string) bool) {
		now := &Draft{Docs: slices.Clone(s.Docs)}
		for _, op := range to.Ops[len(s.Ops):] {
			if !yield(op, describe(now.Docs[op.Doc], op.Op)) {
				return
			}
			now = now.With(op)
		}
	}
}

// Place returns the pointer of the value that begins at a line and column of a file, and its
// document.
func (s *Draft) Place(file string, line, column int) (doc int, path string, found bool) {
	for i, d := range s.Docs {
		if d.File == file && !d.IsJSON && d.Root != nil && line >= d.Line {
			if path, found = placeIn(d.Root, line-d.Line+1, column, ""); found {
				return i, path, true
			}
		}
	}
	return 0, "", false
}

func placeIn(n *yaml.Node, line, column int, path string) (string, bool) {
	n = Top(n)
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
		if found, ok := placeIn(inner, line, column, Pointer(path, token)); ok {
			return found, true
		}
	}
	return "", false
}

// Changes returns a text that only equal drafts have.
func (s *Draft) Changes() string {
	var text []byte
	for i, d := range s.Docs {
		if d.Changed {
			text = append(strconv.AppendInt(text, int64(i), 10), ' ')
			if d.Root != nil {
				text = asJSON(text, d.Root)
			}
		}
	}
	return string(text)
}

// IsSemver reports whether the only file is a semver template.
func (s *Draft) IsSemver() bool {
	return len(s.Docs) > 0 && Text(s.Docs[0].Root, "schema") == schemaSemver
}

// Behind returns the draft with the text of a blob behind a document.
func (s *Draft) Behind(doc int, blob []byte) *Draft {
	next := new(*s.Docs[doc])
	next.After = slices.Concat(next.After, behind(next, blob))
	docs := slices.Clone(s.Docs)
	docs[doc] = next
	return &Draft{docs, s.Ops}
}
