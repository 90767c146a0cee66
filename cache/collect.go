package cache

import (
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
	text     []byte // of the file that is being read; kept for the next one
	pruned   []byte // a document without what is not read; kept likewise
}

// add reads a document by its schema. Other schemas than those of catalogs are
// passed over.
func (c *collector) add(d *document) {
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
			c.fault(d.fault(CodeSchema, "the document has no schema: add one, such as olm.bundle, or keep the file out with .indexignore").in(place))
		}
	}
}

func (c *collector) fault(f Fault) { c.contents.faults = append(c.contents.faults, f) }

// in returns the fault with the package, channel and bundle of a place.
func (f Fault) in(place Fault) Fault {
	f.Package, f.Channel, f.Bundle = place.Package, place.Channel, place.Bundle
	return f
}

// report turns the problems of some fields, and of the document as a whole, into
// faults. It returns them; a place that is set to quarantine makes them do so.
func (c *collector) report(d *document, place Fault, fields ...field) []problem {
	var found []problem
	for _, p := range d.problems {
		if p.field != fieldOther && !slices.Contains(fields, p.field) {
			continue
		}
		f := d.fault(p.code, p.message).in(place)
		f.Path, f.Quarantines = p.path, place.Quarantines
		c.fault(f)
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
	fault := d.fault(CodeField, "it is missing: without it the "+strings.TrimPrefix(d.schema, "olm.")+" belongs nowhere").in(place)
	fault.Path, fault.Quarantines = fieldNames[f], true
	c.fault(fault)
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
	fault := func(f Fault) {
		b.unusable = b.unusable || f.Quarantines
		c.fault(f.in(Fault{Package: b.pkg, Bundle: b.name}))
	}
	set, faults := properties.Decode(d.properties, c.in)
	for _, pf := range faults {
		fault(propertyFault(d.origin, pf))
	}
	if pkg, ok := set.Package(); ok && pkg.Name != d.pkg {
		f := d.fault(CodePackageMismatch, fmt.Sprintf("the olm.package property names the package %q, but the bundle is in package %q: make them equal", pkg.Name, d.pkg))
		f.Quarantines = true
		fault(f)
	}
	if stated := len(set.Constraints()); stated > c.limits.BundleConstraints {
		f := d.fault(CodeLimit, fmt.Sprintf("the bundle has %d constraints, more than the %d allowed", stated, c.limits.BundleConstraints))
		f.Quarantines = true
		fault(f)
		return
	}
	parsed, errs := c.parser.ParseSet(set)
	for _, err := range errs {
		f := d.fault(CodeConstraint, fmt.Sprintf("the bundle cannot be used, because what it asks for cannot be read: %v", err.Err))
		f.Property, f.Path, f.Quarantines = err.Index, err.Path, true
		fault(f)
	}
	b.properties, b.constraints = set, parsed
}

func propertyFault(at origin, pf properties.Fault) Fault {
	f := at.fault(CodeProperty, pf.Err.Error())
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
