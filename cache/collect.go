package cache

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// collector turns documents into the blobs that they stand for. It is for one
// goroutine.
type collector struct {
	contents contents
	limits   Limits
	in       *properties.Interner
	parser   *constraints.Parser
	reader   Reader
	text     []byte // of the file that is being read; kept for the next one
}

func newCollector(limits Limits, parser *constraints.Parser) *collector {
	c := &collector{limits: limits, in: properties.NewInterner(), parser: parser}
	c.reader = Reader{Limits: limits, Strings: c.in, Sink: c}
	return c
}

// readFile reads a file of the catalog. Its error is that of ctx; what is wrong
// with the file becomes a fault.
func (c *collector) readFile(ctx context.Context, name string, text []byte) error {
	return c.reader.ReadFile(ctx, name, text)
}

// Document implements [Sink]: it reads a document by its schema. Other schemas than
// those of catalogs are passed over.
func (c *collector) Document(d *document) {
	if d.size > c.limits.DocumentBytes {
		d.limit(fieldOther, fmt.Sprintf("the document is %d bytes long, more than the %d allowed", d.size, c.limits.DocumentBytes))
	}
	switch d.schema {
	case schemaPackage:
		c.addPackage(d)
	case schemaChannel:
		c.addChannel(d)
	case schemaBundle:
		c.addBundle(d)
	case schemaDeprecations:
		c.addDeprecations(d)
	case "":
		place := Fault{Package: d.pkg}
		if len(c.report(d, place, fieldSchema)) == 0 {
			c.Fault(d.faultIn(place, CodeSchema, "the document has no schema: add one, such as olm.bundle, or keep the file out with .indexignore"))
		}
	}
}

// Fault implements [Sink].
func (c *collector) Fault(f Fault) { c.contents.faults = append(c.contents.faults, f) }

// Damage implements [Sink].
func (c *collector) Damage(file, pkg string) {
	c.contents.damages = append(c.contents.damages, damage{file, pkg})
}

// report turns the problems of some fields, and of the document as a whole, into
// faults. It returns them; a place that is set to quarantine makes them do so.
func (c *collector) report(d *document, place Fault, fields ...field) []problem {
	var found []problem
	for _, p := range d.problems {
		if p.field != fieldOther && !slices.Contains(fields, p.field) {
			continue
		}
		f := d.faultIn(place, p.code, p.message)
		f.Path, f.Quarantines = p.path, place.Quarantines
		c.Fault(f)
		found = append(found, p)
	}
	return found
}

// missing reports a field without which a blob belongs nowhere, unless it has
// been reported that it cannot be read.
func (c *collector) missing(d *document, place Fault, f field, found []problem) {
	if slices.ContainsFunc(found, func(p problem) bool { return p.field == f || p.field == fieldOther }) {
		return
	}
	fault := d.faultIn(place, CodeField, "it is missing: without it the "+strings.TrimPrefix(d.schema, "olm.")+" belongs nowhere")
	fault.Path, fault.Quarantines = fieldNames[f], true
	c.Fault(fault)
}

func (c *collector) addPackage(d *document) {
	place := Fault{Package: d.name}
	found := c.report(d, place, fieldName, fieldDefaultChannel)
	if d.name == "" {
		c.missing(d, place, fieldName, found)
		return
	}
	c.contents.packages = append(c.contents.packages, &packageBlob{origin: d.origin, name: d.name, defaultChannel: d.defaultChannel})
}

func (c *collector) addChannel(d *document) {
	if len(d.entries) > c.limits.Entries {
		d.limit(fieldEntries, fmt.Sprintf("the channel has %d entries, more than the %d allowed", len(d.entries), c.limits.Entries))
		d.entries = nil
	}
	for i, e := range d.entries {
		if e.name == "" && !e.broken {
			d.problems = append(d.problems, problem{CodeField, fieldEntries, fmt.Sprintf("entries[%d].name", i), "it is missing: name the bundle"})
		}
	}
	place := Fault{Package: d.pkg, Channel: d.name, Quarantines: true}
	found := c.report(d, place, fieldPackage, fieldName, fieldEntries)
	if !c.belongs(d, place, found) {
		return
	}
	b := &channelBlob{origin: d.origin, name: d.name, pkg: d.pkg}
	if len(found) > 0 {
		b.fault = strings.TrimPrefix(found[0].path+": ", ": ") + found[0].message
	}
	b.entries = make([]entryBlob, 0, len(d.entries))
	for _, e := range d.entries {
		if e.name != "" {
			slices.Sort(e.skips)
			b.entries = append(b.entries, entryBlob{e.name, e.replaces, slices.Clip(slices.Compact(e.skips)), e.skipRange})
		}
	}
	c.contents.channels = append(c.contents.channels, b)
}

// belongs reports whether a blob says to which package it belongs and what it is
// called.
func (c *collector) belongs(d *document, place Fault, found []problem) bool {
	if d.pkg == "" {
		c.missing(d, place, fieldPackage, found)
	}
	if d.name == "" {
		c.missing(d, place, fieldName, found)
	}
	return d.pkg != "" && d.name != ""
}

func (c *collector) addBundle(d *document) {
	if len(d.properties) > c.limits.Properties {
		d.limit(fieldProperties, fmt.Sprintf("the bundle has %d properties, more than the %d allowed", len(d.properties), c.limits.Properties))
	}
	place := Fault{Package: d.pkg, Bundle: d.name, Quarantines: true}
	found := c.report(d, place, fieldPackage, fieldName, fieldImage, fieldProperties)
	if !c.belongs(d, place, found) {
		return
	}
	b := &bundleBlob{origin: d.origin, name: d.name, pkg: d.pkg, image: d.image, unusable: len(found) > 0}
	if !b.unusable {
		c.addProperties(d, b)
	}
	c.contents.bundles = append(c.contents.bundles, b)
}

func (c *collector) addProperties(d *document, b *bundleBlob) {
	place := Fault{Package: b.pkg, Bundle: b.name}
	fault := func(f Fault) {
		b.unusable = b.unusable || f.Quarantines
		c.Fault(f)
	}
	fatal := func(code Code, message string) {
		f := d.faultIn(place, code, message)
		f.Quarantines = true
		fault(f)
	}
	set, faults := properties.Decode(d.properties, c.in)
	for _, pf := range faults {
		fault(propertyFault(d.origin, place, pf))
	}
	if pkg, ok := set.Package(); ok && pkg.Name != d.pkg {
		fatal(CodePackageMismatch, fmt.Sprintf("the olm.package property names the package %q, but the bundle is in package %q: make them equal", pkg.Name, d.pkg))
	}
	if stated := len(set.Constraints()); stated > c.limits.BundleConstraints {
		fatal(CodeLimit, fmt.Sprintf("the bundle has %d constraints, more than the %d allowed", stated, c.limits.BundleConstraints))
		return
	}
	parsed, errs := c.parser.ParseSet(set)
	for _, err := range errs {
		f := d.faultIn(place, CodeConstraint, fmt.Sprintf("the bundle cannot be used, because what it asks for cannot be read: %v", err.Err))
		f.Property, f.Path, f.Quarantines = err.Index, err.Path, true
		fault(f)
	}
	b.properties, b.constraints = set, parsed
}

func propertyFault(at origin, place Fault, pf properties.Fault) Fault {
	f := at.faultIn(place, CodeProperty, pf.Err.Error())
	f.Property, f.Quarantines = pf.Index, pf.Fatal
	if pf.Type != "" && pf.Index >= 0 {
		f.Message = pf.Type + ": " + f.Message
	}
	switch pf.Kind {
	case properties.EmptyType:
		f.Code = CodePropertyType
	case properties.NullValue:
		f.Code = CodeNullValue
	case properties.MissingPackage, properties.RepeatedPackage:
		f.Code = CodePackageProperty
	case properties.BadVersion:
		f.Code = CodeVersion
	}
	if pf.Type == properties.TypeMaxOpenShift {
		f.Severity = Warning
	}
	return f
}

func (c *collector) addDeprecations(d *document) {
	place := Fault{Package: d.pkg}
	found := c.report(d, place, fieldPackage, fieldEntries)
	if d.pkg == "" {
		c.missing(d, place, fieldPackage, found)
		return
	}
	b := &deprecationsBlob{origin: d.origin, pkg: d.pkg}
	for _, e := range d.entries {
		if !e.broken {
			b.entries = append(b.entries, deprecation{e.reference.schema, e.reference.name, e.message})
		}
	}
	slices.SortFunc(b.entries, deprecation.compare)
	c.contents.deprecations = append(c.contents.deprecations, b)
}
