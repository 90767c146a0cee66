// Package collect turns documents into blobs: a package, a channel, a bundle or
// deprecations, each judged by itself. Whether the blobs of a catalog go together is
// for packages build and check.
package collect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// Collector turns documents into the blobs that they stand for. It is for one
// goroutine.
type Collector struct {
	Contents Contents
	Limits   catalog.Limits
	in       *properties.Interner
	parser   *constraints.Parser
	reader   document.Reader
	Text     []byte // of the file that is being read; kept for the next one
}

func New(limits catalog.Limits, parser *constraints.Parser) *Collector {
	c := &Collector{Limits: limits, in: properties.NewInterner(), parser: parser}
	c.reader = document.Reader{Limits: limits, Strings: c.in, Sink: c}
	return c
}

// ReadFile reads a file of the catalog. Its error is that of ctx; what is wrong
// with the file becomes a fault.
func (c *Collector) ReadFile(ctx context.Context, name string, text []byte) error {
	return c.reader.ReadFile(ctx, name, text)
}

// Document implements [Sink]: it reads a document by its schema. Other schemas than
// those of catalogs are passed over.
func (c *Collector) Document(d *document.Document) {
	if d.Size > c.Limits.DocumentBytes {
		d.Limit(document.FieldOther, fmt.Sprintf("the document is %d bytes long, more than the %d allowed", d.Size, c.Limits.DocumentBytes))
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
	case "":
		place := catalog.Fault{Package: d.Pkg}
		if len(c.report(d, place, document.FieldSchema)) == 0 {
			c.Fault(d.FaultIn(place, catalog.CodeSchema, "the document has no schema: add one, such as olm.bundle, or keep the file out with .indexignore"))
		}
	}
}

// Fault implements [Sink].
func (c *Collector) Fault(f catalog.Fault) { c.Contents.Faults = append(c.Contents.Faults, f) }

// Damage implements [Sink].
func (c *Collector) Damage(file, pkg string) {
	c.Contents.Damages = append(c.Contents.Damages, damage{file, pkg})
}

// report turns the problems of some fields, and of the document as a whole, into
// faults. It returns them; a place that is set to quarantine makes them do so.
func (c *Collector) report(d *document.Document, place catalog.Fault, fields ...document.Field) []document.Problem {
	var found []document.Problem
	for _, p := range d.Problems {
		if p.Field != document.FieldOther && !slices.Contains(fields, p.Field) {
			continue
		}
		f := d.FaultIn(place, p.Code, p.Message)
		f.Path, f.Quarantines = p.Path, place.Quarantines
		c.Fault(f)
		found = append(found, p)
	}
	return found
}

// missing reports a field without which a blob belongs nowhere, unless it has
// been reported that it cannot be read.
func (c *Collector) missing(d *document.Document, place catalog.Fault, f document.Field, found []document.Problem) {
	if slices.ContainsFunc(found, func(p document.Problem) bool { return p.Field == f || p.Field == document.FieldOther }) {
		return
	}
	fault := d.FaultIn(place, catalog.CodeField, "it is missing: without it the "+strings.TrimPrefix(d.Schema, "olm.")+" belongs nowhere")
	fault.Path, fault.Quarantines = document.FieldNames[f], true
	c.Fault(fault)
}

func (c *Collector) addPackage(d *document.Document) {
	place := catalog.Fault{Package: d.Name}
	found := c.report(d, place, document.FieldName, document.FieldDefaultChannel)
	if d.Name == "" {
		c.missing(d, place, document.FieldName, found)
		return
	}
	c.Contents.Packages = append(c.Contents.Packages, &Package{Origin: d.Origin, Name: d.Name, DefaultChannel: d.DefaultChannel})
}

func (c *Collector) addChannel(d *document.Document) {
	if len(d.Entries) > c.Limits.Entries {
		d.Limit(document.FieldEntries, fmt.Sprintf("the channel has %d entries, more than the %d allowed", len(d.Entries), c.Limits.Entries))
		d.Entries = nil
	}
	for i, e := range d.Entries {
		if e.Name == "" && !e.Broken {
			d.Problems = append(d.Problems, document.Problem{Code: catalog.CodeField, Field: document.FieldEntries, Path: fmt.Sprintf("entries[%d].name", i), Message: "it is missing: name the bundle"})
		}
	}
	place := catalog.Fault{Package: d.Pkg, Channel: d.Name, Quarantines: true}
	found := c.report(d, place, document.FieldPackage, document.FieldName, document.FieldEntries)
	if !c.belongs(d, place, found) {
		return
	}
	b := &Channel{Origin: d.Origin, Name: d.Name, Pkg: d.Pkg}
	if len(found) > 0 {
		b.Fault = strings.TrimPrefix(found[0].Path+": ", ": ") + found[0].Message
	}
	b.Entries = make([]Entry, 0, len(d.Entries))
	for _, e := range d.Entries {
		if e.Name != "" {
			slices.Sort(e.Skips)
			b.Entries = append(b.Entries, Entry{e.Name, e.Replaces, slices.Clip(slices.Compact(e.Skips)), e.SkipRange})
		}
	}
	c.Contents.Channels = append(c.Contents.Channels, b)
}

// belongs reports whether a blob says to which package it belongs and what it is
// called.
func (c *Collector) belongs(d *document.Document, place catalog.Fault, found []document.Problem) bool {
	if d.Pkg == "" {
		c.missing(d, place, document.FieldPackage, found)
	}
	if d.Name == "" {
		c.missing(d, place, document.FieldName, found)
	}
	return d.Pkg != "" && d.Name != ""
}

func (c *Collector) addBundle(d *document.Document) {
	if len(d.Properties) > c.Limits.Properties {
		d.Limit(document.FieldProperties, fmt.Sprintf("the bundle has %d properties, more than the %d allowed", len(d.Properties), c.Limits.Properties))
	}
	place := catalog.Fault{Package: d.Pkg, Bundle: d.Name, Quarantines: true}
	found := c.report(d, place, document.FieldPackage, document.FieldName, document.FieldImage, document.FieldProperties)
	if !c.belongs(d, place, found) {
		return
	}
	b := &Bundle{Origin: d.Origin, Name: d.Name, Pkg: d.Pkg, Image: d.Image, Unusable: len(found) > 0}
	if !b.Unusable {
		c.AddProperties(d, b)
	}
	c.Contents.Bundles = append(c.Contents.Bundles, b)
}

func (c *Collector) AddProperties(d *document.Document, b *Bundle) {
	place := catalog.Fault{Package: b.Pkg, Bundle: b.Name}
	fault := func(f catalog.Fault) {
		b.Unusable = b.Unusable || f.Quarantines
		c.Fault(f)
	}
	fatal := func(code catalog.Code, message string) {
		f := d.FaultIn(place, code, message)
		f.Quarantines = true
		fault(f)
	}
	set, faults := properties.Decode(d.Properties, c.in)
	for _, pf := range faults {
		fault(propertyFault(d.Origin, place, pf))
	}
	if pkg, ok := set.Package(); ok && pkg.Name != d.Pkg {
		fatal(catalog.CodePackageMismatch, fmt.Sprintf("the olm.package property names the package %q, but the bundle is in package %q: make them equal", pkg.Name, d.Pkg))
	}
	if stated := len(set.Constraints()); stated > c.Limits.BundleConstraints {
		fatal(catalog.CodeLimit, fmt.Sprintf("the bundle has %d constraints, more than the %d allowed", stated, c.Limits.BundleConstraints))
		return
	}
	parsed, errs := c.parser.ParseSet(set)
	for _, err := range errs {
		f := d.FaultIn(place, catalog.CodeConstraint, fmt.Sprintf("the bundle cannot be used, because what it asks for cannot be read: %v", err.Err))
		f.Property, f.Path, f.Quarantines = err.Index, err.Path, true
		fault(f)
	}
	b.Properties, b.Constraints = set, parsed
}

func propertyFault(at document.Origin, place catalog.Fault, pf properties.Fault) catalog.Fault {
	f := at.FaultIn(place, catalog.CodeProperty, pf.Err.Error())
	f.Property, f.Quarantines = pf.Index, pf.Fatal
	if pf.Type != "" && pf.Index >= 0 {
		f.Message = pf.Type + ": " + f.Message
	}
	switch pf.Kind {
	case properties.EmptyType:
		f.Code = catalog.CodePropertyType
	case properties.NullValue:
		f.Code = catalog.CodeNullValue
	case properties.MissingPackage, properties.RepeatedPackage:
		f.Code = catalog.CodePackageProperty
	case properties.BadVersion:
		f.Code = catalog.CodeVersion
	}
	if pf.Type == properties.TypeMaxOpenShift {
		f.Severity = catalog.Warning
	}
	return f
}

func (c *Collector) addDeprecations(d *document.Document) {
	place := catalog.Fault{Package: d.Pkg}
	found := c.report(d, place, document.FieldPackage, document.FieldEntries)
	if d.Pkg == "" {
		c.missing(d, place, document.FieldPackage, found)
		return
	}
	b := &Deprecations{Origin: d.Origin, Pkg: d.Pkg}
	for _, e := range d.Entries {
		if !e.Broken {
			b.Entries = append(b.Entries, Deprecation{e.Reference.Schema, e.Reference.Name, e.Message})
		}
	}
	slices.SortFunc(b.Entries, Deprecation.compare)
	c.Contents.deprecations = append(c.Contents.deprecations, b)
}
