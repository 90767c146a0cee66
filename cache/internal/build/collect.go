package build

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// Collector turns documents into blobs, and judges each by itself. It is for one
// goroutine.
type Collector struct {
	Contents Contents
	Limits   catalog.Limits
	// Whole selects the blobs to keep whole. Nil selects none.
	Whole  func(BlobKey) bool
	in     *properties.Interner
	parser *constraints.Parser
	reader document.Reader
	Text   bytes.Buffer // of the file that is being read; its memory serves the next one
}

// NewCollector returns an empty Collector. With texts it also reads texts for people, and with
// objects it keeps those of objects.
func NewCollector(limits catalog.Limits, parser *constraints.Parser, texts, objects bool) *Collector {
	c := &Collector{Limits: limits, in: &properties.Interner{Objects: objects}, parser: parser}
	if texts {
		c.in.Texts = document.TextFields
	}
	c.reader = document.Reader{Limits: limits, Strings: c.in, Sink: c}
	return c
}

// Texts reports whether the Collector reads texts for people.
func (c *Collector) Texts() bool { return c.in.Texts != nil }

// Objects reports whether the Collector keeps the texts of objects.
func (c *Collector) Objects() bool { return c.in.Objects }

// ReadFile reads a file of the catalog. Its error is that of ctx. Errors of the file
// become faults.
func (c *Collector) ReadFile(ctx context.Context, name string, text []byte) error {
	if c.Whole != nil {
		c.reader.Whole = func(d *document.Document) bool { return c.Whole(blobKey(d)) }
	}
	return c.reader.ReadFile(ctx, name, text)
}

func blobKey(d *document.Document) BlobKey {
	if d.Schema == document.SchemaPackage {
		return BlobKey{d.Schema, d.Name, d.Name}
	}
	return BlobKey{d.Schema, d.Pkg, d.Name}
}

// Document implements [document.Sink]: it reads a document by its schema. It skips
// unknown schemas.
func (c *Collector) Document(d *document.Document) {
	if d.Size > c.Limits.DocumentBytes {
		d.Limit(document.FieldOther, fmt.Sprintf("the document is %d bytes long, more than the %d allowed", d.Size, c.Limits.DocumentBytes))
	}
	if d.Whole != nil {
		c.Contents.Whole = append(c.Contents.Whole, WholeBlob{blobKey(d), d.Whole})
	}
	if d.Schema != "" {
		c.refuseIn(d, catalog.Fault{Package: d.Pkg}, document.FieldSchema)
	}
	switch d.Schema {
	case document.SchemaPackage:
		c.addPackage(d)
	case document.SchemaChannel:
		c.addChannel(d)
	case document.SchemaBundle:
		c.addBundle(d)
	case document.SchemaDeprecations:
		c.addDeprecations(d)
	case document.SchemaLifecycles:
		c.refuseNames(d)
		c.addLifecycles(d)
	case "":
		place := catalog.Fault{Package: d.Pkg}
		if len(c.report(d, place, document.FieldSchema)) == 0 {
			c.Fault(d.FaultIn(place, code.Schema, "the document has no schema: add one, such as olm.bundle, or keep the file out with .indexignore"))
		}
	default:
		c.refuseNames(d)
		if document.Undefined(d.Schema) {
			c.refuse(d, catalog.Fault{Package: d.Pkg, Severity: catalog.Warning}, code.Undefined, undefined("schema", d.Schema, "the document"))
		}
	}
}

// refuseNames notes names with which the pod of a catalog does not start: it keeps documents of
// further schemas in files of these names.
func (c *Collector) refuseNames(d *document.Document) {
	const rule = "the pod of the catalog does not start: such a name begins with a letter or digit, and has only these, dots, dashes and underscores"
	place := catalog.Fault{Package: d.Pkg}
	if !fileName(d.Schema) {
		c.refuse(d, place, code.Schema, fmt.Sprintf("with the schema %.200q %s", d.Schema, rule))
	}
	if d.Pkg != "" && !fileName(d.Pkg) {
		place.Path = "package"
		c.refuse(d, place, code.Field, fmt.Sprintf("with the package %.200q of a document of schema %.200q %s", d.Pkg, d.Schema, rule))
	}
}

func fileName(name string) bool {
	for i := range len(name) {
		c := name[i]
		alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alphanumeric && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return true
}

// Refuse notes a fault for [Check].
func (c *Contents) Refuse(f catalog.Fault) { c.refused = append(c.refused, f) }

// refuse notes a fault for [Check].
func (c *Collector) refuse(d *document.Document, place catalog.Fault, code catalog.Code, message string) {
	if len(c.Contents.refused) < maxFaults {
		c.Contents.refused = append(c.Contents.refused, d.FaultIn(place, code, message))
	}
}

// refuseIn notes the problems of a field for [Check].
func (c *Collector) refuseIn(d *document.Document, place catalog.Fault, field document.Field) {
	for _, p := range d.Problems {
		if p.Field == field {
			place.Path, place.Quarantines = p.Path, false
			c.refuse(d, place, p.Code, p.Message)
		}
	}
}

// undefined returns the message about a name that only looks like one of OLM.
func undefined(kind, name, subject string) string {
	remedy := "correct the name, or choose one that does not begin with olm."
	if !strings.HasPrefix(name, "olm.") {
		remedy = "correct the name, if one of OLM is meant"
	}
	return fmt.Sprintf("OLM defines no %s %q, so it passes over %s: %s", kind, name, subject, remedy)
}

// maxFaults is how many faults without quarantine of a file are listed.
const maxFaults = 100_000

// Fault implements [document.Sink].
func (c *Collector) Fault(f catalog.Fault) {
	if n := len(c.Contents.Faults); n < maxFaults || f.Quarantines {
		c.Contents.Faults = append(c.Contents.Faults, f)
	} else if n == maxFaults {
		f = document.Origin{File: f.File}.Fault(code.Limit, fmt.Sprintf("there are more faults than the %d that are listed", maxFaults))
		c.Contents.Faults = append(c.Contents.Faults, f)
	}
}

// Damage implements [document.Sink].
func (c *Collector) Damage(file, pkg string) {
	c.Contents.damages = append(c.Contents.damages, damage{file, pkg})
}

// report records faults for the problems of some fields, and of the document as a whole.
// It returns these problems.
func (c *Collector) report(d *document.Document, place catalog.Fault, fields ...document.Field) []document.Problem {
	var found []document.Problem
	for _, p := range d.Problems {
		if p.Field == document.FieldOther || slices.Contains(fields, p.Field) {
			place.Path = p.Path
			c.Fault(d.FaultIn(place, p.Code, p.Message))
			found = append(found, p)
		}
	}
	return found
}

// has reports whether a required field is stated. It records a fault if it is missing,
// unless found has a problem of that field.
func (c *Collector) has(text string, d *document.Document, place catalog.Fault, f document.Field, found []document.Problem) bool {
	if text == "" && !slices.ContainsFunc(found, func(p document.Problem) bool { return p.Field == f || p.Field == document.FieldOther }) {
		place.Path, place.Quarantines = document.FieldNames[f], true
		c.Fault(d.FaultIn(place, code.Field, "it is missing: without it this "+d.Schema+" belongs nowhere"))
	}
	return text != ""
}

// belongs reports whether a blob states its package and its name.
func (c *Collector) belongs(d *document.Document, place catalog.Fault, found []document.Problem) bool {
	inPackage := c.has(d.Pkg, d, place, document.FieldPackage, found)
	return c.has(d.Name, d, place, document.FieldName, found) && inPackage
}

func (c *Collector) addPackage(d *document.Document) {
	place := catalog.Fault{Package: d.Name}
	found := c.report(d, place, document.FieldName, document.FieldDefaultChannel)
	if c.has(d.Name, d, place, document.FieldName, found) {
		p := c.Contents.Of(d.Name, d.Origin)
		p.Stated = append(p.Stated, &Package{Origin: d.Origin, Name: d.Name, DefaultChannel: d.DefaultChannel})
	}
}

func (c *Collector) addChannel(d *document.Document) {
	if len(d.Entries) > c.Limits.Entries {
		d.Limit(document.FieldEntries, fmt.Sprintf("the channel has %d entries, more than the %d allowed", len(d.Entries), c.Limits.Entries))
		d.Entries = nil
	}
	for i, e := range d.Entries {
		if e.Name == "" && !e.Broken {
			d.Report(document.Problem{Code: code.Field, Field: document.FieldEntries, Path: fmt.Sprintf("entries[%d].name", i), Message: "it is missing: name the bundle"})
		}
	}
	place := catalog.Fault{Package: d.Pkg, Channel: d.Name, Quarantines: true}
	found := c.report(d, place, document.FieldPackage, document.FieldName, document.FieldEntries)
	if !c.belongs(d, place, found) {
		return
	}
	b := &Channel{Origin: d.Origin, Name: d.Name, Pkg: d.Pkg, Entries: make([]Entry, 0, len(d.Entries))}
	if len(found) > 0 {
		b.fault = strings.TrimPrefix(found[0].Path+": ", ": ") + found[0].Message
	}
	for _, e := range d.Entries {
		if e.Name != "" {
			if slices.Contains(e.Skips, "") {
				c.refuse(d, catalog.Fault{Package: d.Pkg, Channel: d.Name, Bundle: e.Name}, code.Field, "an element of skips is empty: remove it")
			}
			slices.Sort(e.Skips)
			b.Entries = append(b.Entries, Entry{e.Name, e.Replaces, slices.Clip(slices.Compact(e.Skips)), e.SkipRange})
		}
	}
	p := c.Contents.Of(d.Pkg, d.Origin)
	p.Channels = append(p.Channels, b)
}

func (c *Collector) addBundle(d *document.Document) {
	place := catalog.Fault{Package: d.Pkg, Bundle: d.Name, Quarantines: true}
	if stated := len(d.Properties); stated > c.Limits.Properties {
		d.Limit(document.FieldProperties, fmt.Sprintf("the bundle has %d properties, more than the %d allowed", stated, c.Limits.Properties))
	}
	found := c.report(d, place, document.FieldPackage, document.FieldName, document.FieldImage, document.FieldProperties)
	c.refuseIn(d, place, document.FieldRelatedImages)
	if c.belongs(d, place, found) {
		c.AddBundle(&Bundle{Origin: d.Origin, Name: d.Name, Pkg: d.Pkg, Image: d.Image, NoImage: d.NoImage, Unusable: len(found) > 0}, d.Properties)
	}
}

// AddBundle adds a bundle with its properties. It does not read those of an unusable
// bundle.
func (c *Collector) AddBundle(b *Bundle, stated []properties.Property) {
	if !b.Unusable {
		c.decode(b, stated)
	}
	p := c.Contents.Of(b.Pkg, b.Origin)
	p.bundles = append(p.bundles, b)
}

func (c *Collector) decode(b *Bundle, stated []properties.Property) {
	fault := func(f catalog.Fault) {
		f.Package, f.Bundle = b.Pkg, b.Name
		b.Unusable = b.Unusable || f.Quarantines
		c.Fault(f)
	}
	fatal := func(code catalog.Code, message string) {
		fault(b.FaultIn(catalog.Fault{Quarantines: true}, code, message))
	}
	set, faults := properties.Decode(stated, c.in)
	for _, pf := range faults {
		fault(propertyFault(b.originOf(pf.Index), pf))
	}
	if pkg, ok := set.Package(); ok && pkg.Name != b.Pkg {
		fatal(code.PackageMismatch, fmt.Sprintf("the olm.package property names the package %q, but the bundle is in package %q: make them equal", pkg.Name, b.Pkg))
	}
	n := 0
	for range set.Constraints() {
		n++
	}
	if n > c.Limits.BundleConstraints {
		fatal(code.Limit, fmt.Sprintf("the bundle has %d constraints, more than the %d allowed", n, c.Limits.BundleConstraints))
		return
	}
	parsed, errs := c.parser.ParseSet(set)
	for _, err := range errs {
		f := b.originOf(err.Index).Fault(code.Constraint, fmt.Sprintf("what the bundle requires cannot be read: %v", err.Err))
		f.Property, f.Path, f.Quarantines = err.Index, err.Path, true
		fault(f)
	}
	b.properties, b.constraints = set, parsed
}

func propertyFault(at document.Origin, pf properties.Fault) catalog.Fault {
	f := at.Fault(catalog.Code(pf.Code), pf.Err.Error())
	f.Property, f.Quarantines = pf.Index, pf.Fatal
	if pf.Type != "" && pf.Index >= 0 {
		f.Message = pf.Type + ": " + f.Message
	}
	if pf.Type == properties.TypeMaxOpenShift {
		f.Severity = catalog.Warning
	}
	return f
}

func (c *Collector) addDeprecations(d *document.Document) {
	place := catalog.Fault{Package: d.Pkg}
	found := c.report(d, place, document.FieldPackage, document.FieldEntries)
	if !c.has(d.Pkg, d, place, document.FieldPackage, found) {
		return
	}
	b := &deprecations{Origin: d.Origin, pkg: d.Pkg}
	for _, e := range d.Entries {
		if !e.Broken {
			b.entries = append(b.entries, deprecation{e.Reference.Schema, e.Reference.Name, e.Message})
		}
	}
	slices.SortFunc(b.entries, deprecation.compare)
	p := c.Contents.Of(d.Pkg, d.Origin)
	p.deprecations = append(p.deprecations, b)
}
