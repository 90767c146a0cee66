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
		f := d.fault(CodeSchema, "the document has no schema: add one, such as olm.bundle, or keep the file out with .indexignore")
		f.Package = d.pkg
		if p := d.problemOf(fieldSchema); p != nil {
			f.Path, f.Message = p.path, p.message
		}
		c.fault(f)
	}
}

func (c *collector) fault(f Fault) { c.contents.faults = append(c.contents.faults, f) }

// named checks that the fields that identify a blob are there. The fault of one
// that is not names what is known.
func (c *collector) named(d *document, place Fault, fields ...field) bool {
	for _, f := range fields {
		message := ""
		if p := d.problemOf(f); p != nil {
			message = p.message
		} else if (f == fieldName && d.name == "") || (f == fieldPackage && d.pkg == "") {
			message = "it is missing: without it the " + strings.TrimPrefix(d.schema, "olm.") + " belongs nowhere"
		}
		if message != "" {
			fault := d.fault(CodeField, message)
			fault.Package, fault.Channel, fault.Bundle = place.Package, place.Channel, place.Bundle
			fault.Path, fault.Quarantines = fieldNames[f], true
			c.fault(fault)
			return false
		}
	}
	return true
}

func (c *collector) addPackage(d *document) {
	if !c.named(d, Fault{Package: d.name}, fieldName) {
		return
	}
	if p := d.problemOf(fieldDefaultChannel); p != nil {
		f := d.fault(p.code, p.message)
		f.Package, f.Path = d.name, p.path
		c.fault(f)
	}
	c.contents.packages = append(c.contents.packages, &packageBlob{origin: d.origin, name: d.name, defaultChannel: d.defaultChannel})
}

func (c *collector) addChannel(d *document) {
	if !c.named(d, Fault{Package: d.pkg, Channel: d.name}, fieldPackage, fieldName) {
		return
	}
	b := &channelBlob{origin: d.origin, name: d.name, pkg: d.pkg}
	if len(d.entries) > c.limits.Entries {
		d.limit(fieldEntries, fmt.Sprintf("the channel has %d entries, more than the %d allowed", len(d.entries), c.limits.Entries))
		d.entries = nil
	}
	if p := d.problemOf(fieldEntries); p != nil {
		f := d.fault(p.code, p.message)
		f.Package, f.Channel, f.Path, f.Quarantines = d.pkg, d.name, p.path, true
		c.fault(f)
		b.fault = strings.TrimPrefix(p.path+": ", ": ") + p.message
	}
	b.entries = make([]entryBlob, 0, len(d.entries))
	for _, e := range d.entries {
		if e.name != "" && !e.broken {
			slices.Sort(e.skips)
			b.entries = append(b.entries, entryBlob{e.name, e.replaces, slices.Clip(slices.Compact(e.skips)), e.skipRange})
		}
	}
	c.contents.channels = append(c.contents.channels, b)
}

func (c *collector) addBundle(d *document) {
	if !c.named(d, Fault{Package: d.pkg, Bundle: d.name}, fieldPackage, fieldName) {
		return
	}
	b := &bundleBlob{origin: d.origin, name: d.name, pkg: d.pkg, image: d.image}
	fault := func(f Fault) {
		f.Package, f.Bundle = d.pkg, d.name
		b.unusable = b.unusable || f.Quarantines
		c.fault(f)
	}
	for _, p := range d.problems {
		f := d.fault(p.code, p.message)
		f.Path = p.path
		f.Quarantines = p.field == fieldOther || p.field == fieldProperties || p.field == fieldImage
		fault(f)
	}
	if len(d.properties) > c.limits.Properties {
		f := d.fault(CodeLimit, fmt.Sprintf("the bundle has %d properties, more than the %d allowed", len(d.properties), c.limits.Properties))
		f.Path, f.Quarantines = "properties", true
		fault(f)
		d.properties = d.properties[:0]
	}
	if !b.unusable {
		c.addProperties(d, b, fault)
	}
	c.contents.bundles = append(c.contents.bundles, b)
}

func (c *collector) addProperties(d *document, b *bundleBlob, fault func(Fault)) {
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
	if !c.named(d, Fault{Package: d.pkg}, fieldPackage) {
		return
	}
	for _, p := range d.problems {
		f := d.fault(p.code, p.message)
		f.Package, f.Path = d.pkg, p.path
		c.fault(f)
	}
	b := &deprecationsBlob{origin: d.origin, pkg: d.pkg}
	for _, e := range d.entries {
		if !e.broken {
			b.entries = append(b.entries, deprecation{e.reference.schema, e.reference.name, e.message})
		}
	}
	c.contents.deprecations = append(c.contents.deprecations, b)
}
