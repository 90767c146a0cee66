package template

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties"
)

// Schemas of templates.
const (
	schemaBasic  = "olm.template.basic"
	schemaSemver = "olm.semver"
)

// others are the schemas of the templates of opm that are not read, with their types.
var others = map[string]string{"olm.template.substitutes": "substitutes", "olm.composite": "composite", "olm.composite.catalogs": "composite"}

// Is reports whether the text of a file is a template: whether its first document has the
// schema of one.
func Is(ctx context.Context, text []byte) bool {
	schema := schemaOf(ctx, text, schemaBasic, schemaSemver)
	return schema == schemaBasic || schema == schemaSemver
}

// Other returns the type of a template that opm renders and this package does not read, ""
// for any other text.
func Other(ctx context.Context, text []byte) string {
	return others[schemaOf(ctx, text, slices.Collect(maps.Keys(others))...)]
}

// schemaOf returns the schema of the first document of a text that contains any of some schemas.
func schemaOf(ctx context.Context, text []byte, schemas ...string) string {
	if !slices.ContainsFunc(schemas, func(schema string) bool { return bytes.Contains(text, []byte(schema)) }) {
		return ""
	}
	var first firstSchema
	r := document.Reader{Limits: catalog.Limits{}.WithDefaults(), Strings: &properties.Interner{}, Sink: &first}
	_ = r.ReadFile(ctx, "", text) // reading the catalog finds the error of ctx, too
	return string(first)
}

// firstSchema is the schema of the first document, as a [document.Sink].
type firstSchema string

func (s *firstSchema) Document(d *document.Document) {
	if *s == "" {
		*s = firstSchema(d.Schema + " "[:max(0, 1-len(d.Schema))])
	}
}

func (*firstSchema) Fault(catalog.Fault)   {}
func (*firstSchema) Damage(string, string) {}

// Images returns the images of the bundles that a template names, each once, in their order.
func Images(ctx context.Context, file string, text []byte, opts cache.Options) ([]string, error) {
	r, err := read(ctx, file, text, opts)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, p := range r.named {
		list = append(list, p.image)
	}
	return list, nil
}

// Load reads a template as the catalog that it renders to. Places of findings are those in the
// template. The error is that of ctx, or a *[NotGiven].
func Load(ctx context.Context, file string, text []byte, bundles Bundles, opts cache.Options) (*cache.Checked, error) {
	r, err := read(ctx, file, text, opts)
	if err != nil {
		return nil, err
	}
	missing := &NotGiven{File: file, Of: len(r.named)}
	for _, p := range r.named {
		if bundles[p.image] == nil && r.stated[p.image] == nil {
			missing.places = append(missing.places, p)
		}
	}
	if len(missing.places) > 0 {
		return nil, missing
	}
	if r.semver != nil {
		r.renderSemver(bundles)
	}
	checked, err := cache.ParseChecked(ctx, file, r.text(bundles), opts)
	if err == nil {
		checked.Faults = build.Sorted(append(checked.Faults, r.faults...))
	}
	return checked, err
}

// reader reads one template.
type reader struct {
	*document.Tree
	file string
	// named are the images, each once, at their first places; known is the set of them.
	named []place
	known map[string]bool
	// stated are bundles that a basic template states itself, by image.
	stated map[string][]byte
	semver *semverTemplate // nil for a basic template
	blobs  []blob
	faults []catalog.Fault
}

// blob is a blob at its place in the template: its text, or that of the bundle of an image.
type blob struct {
	line, column int
	text         []byte
	image        string
}

func read(ctx context.Context, file string, text []byte, opts cache.Options) (*reader, error) {
	r := &reader{file: file, stated: map[string][]byte{}, known: map[string]bool{}}
	documents := 0
	fault, err := document.Trees(ctx, file, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), opts.Limits.WithDefaults(), func(t *document.Tree) {
		switch documents++; documents {
		case 1:
			r.Tree = t
		case 2:
			f := t.FaultIn(catalog.Fault{Severity: catalog.Warning}, code.Template, "opm reads the first document of a template only: keep what follows it in a file of its own")
			r.faults = append(r.faults, f)
		}
	})
	if err != nil {
		return nil, err
	}
	if fault != nil {
		r.faults = append(r.faults, *fault)
	}
	if r.Tree == nil {
		return r, nil
	}
	members, err := r.Members(r.Root)
	if err != nil {
		r.fault(r.Root, "", "%s", err)
		return r, nil
	}
	if slices.ContainsFunc(members, func(m document.Member) bool {
		return strings.EqualFold(m.Name, "schema") && m.Value.Value == schemaSemver
	}) {
		r.readSemver()
	} else {
		r.readBasic()
	}
	return r, nil
}

// fault records why opm refuses the template.
func (r *reader) fault(at *yaml.Node, path, format string, args ...any) {
	f := document.Origin{File: r.file, Line: at.Line, Column: at.Column}.Fault(code.Template, fmt.Sprintf(format, args...))
	f.Path = path
	if len(r.faults) < document.MaxProblems {
		r.faults = append(r.faults, f)
	}
}

// name notes an image, and reports whether this is its first place.
func (r *reader) name(at *yaml.Node, image string) bool {
	if r.known[image] {
		return false
	}
	r.named, r.known[image] = append(r.named, place{image, at.Line}), true
	return true
}

// ofBundle are the fields that a bundle of a basic template has in a catalog only.
var ofBundle = []string{"package", "properties", "relatedImages"}

func (r *reader) readBasic() {
	entries, err := r.Elements("entries")
	if err != nil {
		r.fault(r.Root, "entries", "%s", err)
	}
	if len(entries) == 0 {
		r.fault(r.Root, "", "the template has no entries, so that opm renders nothing: list the blobs of the catalog")
	}
	for i, e := range entries {
		path := fmt.Sprintf("entries[%d]", i)
		text, err := r.JSON(e)
		members, wrong := r.Members(e)
		if err != nil || wrong != nil {
			if err == nil {
				err = wrong
			}
			r.fault(e, path, "an entry cannot be read: %s", err)
			continue
		}
		one := blob{line: e.Line, column: e.Column, text: text}
		fields := map[string]*yaml.Node{}
		for _, m := range members {
			fields[strings.ToLower(m.Name)] = m.Value
		}
		if schema := fields["schema"]; schema != nil && schema.Value == document.SchemaBundle {
			one.text = nil
			image := fields["image"]
			if image == nil || image.Kind != yaml.ScalarNode || image.Value == "" {
				r.fault(e, path, "a bundle names no image, from which opm renders it: name it")
				continue
			}
			one.image = image.Value
			for _, name := range ofBundle {
				if field := fields[strings.ToLower(name)]; field != nil {
					r.fault(field, path+"."+name, "the bundle %s states its %s, which opm refuses here: it renders the bundle from its image; remove it", one.image, name)
					r.stated[one.image] = text
				}
			}
			if !r.name(e, one.image) {
				continue
			}
		}
		r.blobs = append(r.blobs, one)
	}
}

// text returns the blobs as a catalog with each at its place.
func (r *reader) text(bundles Bundles) []byte {
	slices.SortStableFunc(r.blobs, func(a, b blob) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	var out []byte
	line, column := 1, 1
	for _, b := range r.blobs {
		if b.image != "" {
			if b.text = bundles[b.image]; b.text == nil {
				b.text = r.stated[b.image]
			}
		}
		if b.line > line {
			out = append(out, strings.Repeat("\n", b.line-line)...)
			line, column = b.line, 1
		}
		out = append(out, strings.Repeat(" ", max(0, b.column-column))...)
		out = append(out, b.text...)
		column = max(column, b.column) + len(b.text)
	}
	return out
}
