package repair

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/template"
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
	t := read(files, map[string]bool{a.Package: true}, bundles)
	r := &release{tree: t, state: t.state, Addition: a, files: map[string][]byte{}}
	switch {
	case len(t.state.docs) == 0:
		err = fmt.Errorf("no file of the catalog that can be edited names package %s", a.Package)
	case t.state.isSemver():
		err = r.semver()
	case bundles != nil:
		err = r.basic()
	default:
		err = r.blobs()
	}
	if err != nil {
		return nil, nil, err
	}
	now := &state{docs: slices.Clone(t.state.docs)}
	for _, op := range r.state.ops {
		lines = append(lines, Line{now.docs[op.doc].file, describe(now.docs[op.doc], op.Op)})
		now = now.with(op)
	}
	changed = maps.Clone(r.files)
	for _, d := range r.state.docs {
		if (d.changed || d.after != nil) && changed[d.file] == nil {
			changed[d.file] = r.state.text(d.file, files[d.file], r.state.bytes)
		}
	}
	return changed, append(lines, r.lines...), nil
}

// IsSemver reports whether a file is a semver template.
func IsSemver(files map[string][]byte) bool {
	return read(files, nil, template.Bundles{}).state.isSemver()
}

// release is the adding of one bundle.
type release struct {
	tree  *tree
	state *state
	Addition
	files map[string][]byte // new ones
	lines []Line
}

func (r *release) apply(ops ...docOp) error {
	next := r.state.with(ops...)
	if next == nil {
		return fmt.Errorf("%s: bundle %s cannot be added, because a document has another form than a catalog", r.state.docs[ops[0].doc].file, r.Name)
	}
	r.state = next
	return nil
}

// semver adds the image to the lists of a semver template.
func (r *release) semver() error {
	for _, of := range r.Types {
		root := r.state.docs[0].root
		named := func(n *yaml.Node) bool { return text(n, "image") == r.Image }
		element := map[string]string{"image": r.Image}
		var op docOp
		switch list := elements(member(root, of), "bundles"); {
		case slices.ContainsFunc(list, named):
			continue
		case len(list) > 0:
			op = add(0, pointer("", of, "bundles", "-"), element)
		default:
			op = add(0, pointer("", of), map[string]any{"bundles": []any{element}})
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
		for i, e := range elements(r.state.docs[0].root, "entries") {
			if text(e, "schema") == schema {
				at = i
			}
		}
		return at
	}
	for _, e := range r.Entries {
		err := r.entry(e, func(b []byte) error {
			return r.apply(docOp{0, Op{Op: "add", Path: pointer("", "entries", last(schemaChannel)+1), Value: b}})
		})
		if err != nil {
			return err
		}
	}
	if r.Blob == nil {
		return nil
	}
	blob := map[string]string{"schema": schemaBundle, "image": r.Image}
	i := last(schemaBundle)
	if beside := at(r.state.docs[0].root, pointer("", "entries", i)); beside != nil && member(beside, "name") != nil {
		blob["name"] = r.Name
	}
	token := "-"
	if i >= 0 {
		token = strconv.Itoa(i + 1)
	}
	return r.apply(add(0, pointer("", "entries", token), blob))
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
	channels := r.state.named(e.Package, schemaChannel, e.Channel)
	if len(channels) == 0 {
		return create(value(map[string]any{"schema": schemaChannel, "package": e.Package, "name": e.Channel, "entries": []any{fields}}))
	}
	c := channels[0]
	var ops []docOp
	list := elements(c.node, "entries")
	place := func(name string) int {
		return slices.IndexFunc(list, func(n *yaml.Node) bool { return text(n, "name") == name })
	}
	if above := place(e.Above); e.Above != "" && above >= 0 {
		path := pointer(c.at, "entries", above, "replaces")
		if at(r.state.docs[c.doc].root, path) != nil {
			ops = append(ops, replace(c.doc, path, e.Name))
		} else {
			ops = append(ops, add(c.doc, path, e.Name))
		}
	}
	if member(c.node, "entries") == nil {
		return r.apply(append(ops, add(c.doc, pointer(c.at, "entries"), []any{fields}))...)
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
	return r.apply(append(ops, add(c.doc, pointer(c.at, "entries", token), fields))...)
}

// descending reports whether a list of entries begins with the newest.
func (r *release) descending(list []*yaml.Node) bool {
	for i, e := range list {
		if to := text(e, "replaces"); to != "" {
			at := slices.IndexFunc(list, func(n *yaml.Node) bool { return text(n, "name") == to })
			if at >= 0 {
				return at > i
			}
		}
	}
	return false
}

// blobs adds the entries and the blob to a file-based catalog.
func (r *release) blobs() error {
	all := r.state.named(r.Package, schemaBundle, "")
	for _, e := range r.Entries {
		err := r.entry(e, func(b []byte) error {
			list := r.state.named(r.Package, schemaChannel, "")
			if len(list) == 0 {
				list = r.state.named(r.Package, schemaPackage, "")
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
func (r *release) beside(list []blob, text []byte, name string) error {
	if len(list) == 0 {
		return fmt.Errorf("package %s has no blob beside which that of %s belongs", r.Package, name)
	}
	last := list[len(list)-1]
	d := r.state.docs[last.doc]
	written := blobLike(text, d)
	own := len(list) > 1 && !slices.ContainsFunc(list, func(b blob) bool {
		return slices.ContainsFunc(r.state.docs, func(other *document) bool {
			return other != r.state.docs[b.doc] && other.file == r.state.docs[b.doc].file
		})
	})
	if !own {
		next := new(*d)
		next.after = slices.Concat(d.after, behind(d, written))
		r.state = &state{slices.Clone(r.state.docs), r.state.ops}
		r.state.docs[last.doc] = next
		r.lines = append(r.lines, Line{d.file, fmt.Sprintf("add the blob of %s behind that of %s", name, last.name)})
		return nil
	}
	file := fileLike(d.file, last, name, r.Version)
	if r.tree.files[file] != nil || r.files[file] != nil {
		return fmt.Errorf("%s: the file of %s is there already, with something else in it", file, name)
	}
	before := r.tree.files[d.file][:d.start]
	if !bytes.HasPrefix(written, []byte("\n")) && bytes.HasSuffix(before, []byte("---")) {
		written = append([]byte("\n"), written...)
	}
	r.files[file] = append(bytes.Clone(before[max(0, bytes.LastIndex(before, []byte("---"))):]), append(bytes.TrimRight(written, "\n"), '\n')...)
	r.lines = append(r.lines, Line{file, "a new file with " + name})
	return nil
}

// fileLike returns the name of the file of a blob where those of others have files of their own.
func fileLike(file string, other blob, name, version string) string {
	dir, base := path.Split(file)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	of := ""
	for _, p := range elements(other.node, "properties") {
		if text(p, "type") == "olm.package" {
			of = text(member(p, "value"), "version")
		}
	}
	switch {
	case strings.Contains(stem, other.name):
		stem = strings.Replace(stem, other.name, name, 1)
	case of != "" && version != "" && strings.Contains(stem, of):
		stem = strings.Replace(stem, of, version, 1)
	default:
		stem = name
	}
	return dir + path.Base(path.Clean("/"+stem)) + ext
}

// blobLike writes a blob as another document is written.
func blobLike(text []byte, d *document) []byte {
	n := like(parsed(text, true), d.root)
	if d.isJSON {
		return laidOut(asJSON(nil, n), d.text, "")
	}
	layout := layoutOf(top(parsed(d.text, false)), strings.SplitAfter(string(d.text), "\n"))
	out := []byte(layout.dump(n))
	if bytes.Contains(d.text, []byte("\r\n")) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}

// behind returns the text of a document as it stands behind another one.
func behind(d *document, written []byte) []byte {
	if d.isJSON {
		return append([]byte("\n"), written...)
	}
	ending := "\n"
	if bytes.Contains(d.text, []byte("\r\n")) {
		ending = "\r\n"
	}
	marker := "---" + ending
	if text := cmp.Or(string(d.after), string(d.text)); !strings.HasSuffix(text, "\n") {
		marker = ending + marker
	}
	return append([]byte(marker), written...)
}
