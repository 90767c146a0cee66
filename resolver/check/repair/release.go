package repair

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/check/propose"
)

// Addition is a bundle to add to the files of a catalog.
type Addition struct {
	Package, Name, Version, Image string
	// Blob is that of the bundle, as JSON. It is nil if the catalog has the bundle.
	Blob []byte
	// Entries are those of channels, as proposed. Types are, instead, the types of channels of a
	// semver template.
	Entries []propose.Entry
	Types   []string
}

// Line says what a change does to a file.
type Line struct{ File, Text string }

// Add returns the files that change, by name, if a bundle is added to a catalog, each in its own
// style, and what each change does. With bundles the only file is a template.
func Add(files map[string][]byte, bundles template.Bundles, a Addition) (changed map[string][]byte, lines []Line, err error) {
	t := edit.Read(files, map[string]bool{a.Package: true}, bundles)
	r := &release{tree: t, state: t.Draft, Addition: a, files: map[string][]byte{}}
	switch {
	case len(t.Draft.Docs) == 0:
		err = fmt.Errorf("no file of the catalog that can be edited names package %s", a.Package)
	case t.Draft.IsSemver():
		err = r.semver()
	case bundles != nil:
		err = r.basic()
	default:
		err = r.blobs()
	}
	if err != nil {
		return nil, nil, err
	}
	for op, line := range t.Draft.Described(r.state) {
		lines = append(lines, Line{t.Draft.Docs[op.Doc].File, line})
	}
	changed = r.state.Changed(files)
	maps.Copy(changed, r.files)
	return changed, append(lines, r.lines...), nil
}

// IsSemver reports whether a file is a semver template.
func IsSemver(files map[string][]byte) bool {
	return edit.Read(files, nil, template.Bundles{}).Draft.IsSemver()
}

// release is the adding of one bundle.
type release struct {
	tree  *edit.Tree
	state *edit.Draft
	Addition
	files map[string][]byte // new ones
	lines []Line
}

func (r *release) apply(ops ...edit.DocOp) error {
	next := r.state.With(ops...)
	if next == nil {
		return fmt.Errorf("%s: bundle %s cannot be added, because a document has another form than a catalog", r.state.Docs[ops[0].Doc].File, r.Name)
	}
	r.state = next
	return nil
}

// semver adds the image to the lists of a semver template.
func (r *release) semver() error {
	for _, typ := range r.Types {
		root := r.state.Docs[0].Root
		named := func(n *yaml.Node) bool { return edit.Text(n, "image") == r.Image }
		element := map[string]string{"image": r.Image}
		var op edit.DocOp
		switch list := edit.Elements(edit.Member(root, typ), "bundles"); {
		case slices.ContainsFunc(list, named):
			continue
		case len(list) > 0:
			op = edit.Add(0, edit.Pointer("", typ, "bundles", "-"), element)
		default:
			op = edit.Add(0, edit.Pointer("", typ), map[string]any{"bundles": []any{element}})
		}
		if err := r.apply(op); err != nil {
			return err
		}
	}
	return nil
}

// basic adds the entries and the image to a basic template.
func (r *release) basic() error {
	last := func(schema string) int {
		at := -1
		for i, e := range edit.Elements(r.state.Docs[0].Root, "entries") {
			if edit.Text(e, "schema") == schema {
				at = i
			}
		}
		return at
	}
	for _, e := range r.Entries {
		err := r.entry(e, func(b []byte) error {
			return r.apply(edit.Add(0, edit.Pointer("", "entries", last(edit.SchemaChannel)+1), jsontext.Value(b)))
		})
		if err != nil {
			return err
		}
	}
	if r.Blob == nil {
		return nil
	}
	blob := map[string]string{"schema": edit.SchemaBundle, "image": r.Image}
	i := last(edit.SchemaBundle)
	if beside := edit.At(r.state.Docs[0].Root, edit.Pointer("", "entries", i)); beside != nil && edit.Member(beside, "name") != nil {
		blob["name"] = r.Name
	}
	token := "-"
	if i >= 0 {
		token = strconv.Itoa(i + 1)
	}
	return r.apply(edit.Add(0, edit.Pointer("", "entries", token), blob))
}

// entry adds an entry to its channel, which create makes if the package has none of its name.
func (r *release) entry(e propose.Entry, create func(blob []byte) error) error {
	fields := map[string]any{"name": e.Name}
	for name, v := range map[string]string{"replaces": e.Replaces, "skipRange": e.SkipRange} {
		if v != "" {
			fields[name] = v
		}
	}
	if len(e.Skips) > 0 {
		fields["skips"] = e.Skips
	}
	channels := r.state.Named(e.Package, edit.SchemaChannel, e.Channel)
	if len(channels) == 0 {
		return create(edit.Value(map[string]any{"schema": edit.SchemaChannel, "package": e.Package, "name": e.Channel, "entries": []any{fields}}))
	}
	c := channels[0]
	var ops []edit.DocOp
	list := edit.Elements(c.Node, "entries")
	place := func(name string) int {
		return slices.IndexFunc(list, func(n *yaml.Node) bool { return edit.Text(n, "name") == name })
	}
	if above := place(e.Above); e.Above != "" && above >= 0 {
		path := edit.Pointer(c.At, "entries", above, "replaces")
		if edit.At(r.state.Docs[c.Doc].Root, path) != nil {
			ops = append(ops, edit.Replace(c.Doc, path, e.Name))
		} else {
			ops = append(ops, edit.Add(c.Doc, path, e.Name))
		}
	}
	if edit.Member(c.Node, "entries") == nil {
		return r.apply(append(ops, edit.Add(c.Doc, edit.Pointer(c.At, "entries"), []any{fields}))...)
	}
	i := len(list)
	if beside := place(e.Replaces); e.Replaces != "" && beside >= 0 {
		if i = beside + 1; r.descending(list) {
			i = beside
		}
	}
	token := "-"
	if i < len(list) {
		token = strconv.Itoa(i)
	}
	return r.apply(append(ops, edit.Add(c.Doc, edit.Pointer(c.At, "entries", token), fields))...)
}

// descending reports whether a list of entries begins with the newest.
func (r *release) descending(list []*yaml.Node) bool {
	for i, e := range list {
		if to := edit.Text(e, "replaces"); to != "" {
			at := slices.IndexFunc(list, func(n *yaml.Node) bool { return edit.Text(n, "name") == to })
			if at >= 0 {
				return at > i
			}
		}
	}
	return false
}

// blobs adds the entries and the blob to a file-based catalog.
func (r *release) blobs() error {
	all := r.state.Named(r.Package, edit.SchemaBundle, "")
	for _, e := range r.Entries {
		err := r.entry(e, func(b []byte) error {
			list := r.state.Named(r.Package, edit.SchemaChannel, "")
			if len(list) == 0 {
				list = r.state.Named(r.Package, edit.SchemaPackage, "")
			}
			return r.beside(list, b, e.Channel)
		})
		if err != nil {
			return err
		}
	}
	if r.Blob == nil {
		return nil
	}
	return r.beside(all, r.Blob, r.Name)
}

// beside puts a blob behind the last one of a list, or into a file of its own where each of these
// has one.
func (r *release) beside(list []edit.Blob, text []byte, name string) error {
	if len(list) == 0 {
		return fmt.Errorf("package %s has no blob beside which that of %s belongs", r.Package, name)
	}
	last := list[len(list)-1]
	d := r.state.Docs[last.Doc]
	written := edit.BlobLike(text, d)
	here := len(list) > 1 && !slices.ContainsFunc(list, func(b edit.Blob) bool {
		return slices.ContainsFunc(r.state.Docs, func(other *edit.Document) bool {
			return other != r.state.Docs[b.Doc] && other.File == r.state.Docs[b.Doc].File
		})
	})
	if !here {
		r.state = r.state.Behind(last.Doc, written)
		r.lines = append(r.lines, Line{d.File, fmt.Sprintf("add the blob of %s behind that of %s", name, last.Name)})
		return nil
	}
	file := edit.FileLike(d.File, last, name, r.Version)
	if r.tree.Files[file] != nil || r.files[file] != nil {
		return fmt.Errorf("%s: the file of %s is there already, with something else in it", file, name)
	}
	before := r.tree.Files[d.File][:d.Start]
	if !bytes.HasPrefix(written, []byte("\n")) && bytes.HasSuffix(before, []byte("---")) {
		written = append([]byte("\n"), written...)
	}
	r.files[file] = append(bytes.Clone(before[max(0, bytes.LastIndex(before, []byte("---"))):]), append(bytes.TrimRight(written, "\n"), '\n')...)
	r.lines = append(r.lines, Line{file, "a new file with " + name})
	return nil
}
