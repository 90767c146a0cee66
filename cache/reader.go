package cache

import (
	"errors"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/properties"
)

// decoder reads documents, JSON and YAML alike, through a cursor. Fields come in
// any order and mean different things in different schemas, so everything that
// any schema reads is taken down, and judged when the document is complete.
type decoder struct {
	cursor cursor
	doc    *document
	path   []step
}

// step is a field, or an element of a list where field is fieldElement.
type step struct {
	field field
	index int
}

// field is a name that some schema reads.
type field uint8

const (
	fieldOther field = iota
	fieldElement
	fieldSchema
	fieldPackage
	fieldName
	fieldImage
	fieldDefaultChannel
	fieldProperties
	fieldEntries
	fieldType
	fieldValue
	fieldReplaces
	fieldSkips
	fieldSkipRange
	fieldReference
	fieldMessage
)

var fieldNames = [...]string{
	fieldSchema: "schema", fieldPackage: "package", fieldName: "name", fieldImage: "image",
	fieldDefaultChannel: "defaultChannel", fieldProperties: "properties", fieldEntries: "entries",
	fieldType: "type", fieldValue: "value", fieldReplaces: "replaces", fieldSkips: "skips",
	fieldSkipRange: "skipRange", fieldReference: "reference", fieldMessage: "message",
}

var fieldsByName = func() map[string]field {
	m := map[string]field{}
	for f, name := range fieldNames {
		if name != "" {
			m[name] = field(f)
		}
	}
	return m
}()

// document reads one document.
func (r *decoder) document() error {
	r.path = r.path[:0]
	return r.object(inDocument)
}

// scope is an object that holds fields.
type scope uint8

const (
	inDocument scope = iota
	inProperty
	inEntry
	inReference
)

// object reads the members that any schema reads, each once, and passes over the
// others. Null stands for an object without members.
func (r *decoder) object(in scope) error {
	if kind := r.cursor.kind(); kind != '{' {
		return r.skipUnless(kind == 'n', wrongKind("an object", kind))
	}
	if err := r.cursor.enter(); err != nil {
		return r.judge(err)
	}
	var seen uint32
	for {
		name, ok, err := r.cursor.member()
		if err != nil || !ok {
			return err
		}
		f := fieldsByName[string(name)]
		if f == fieldOther {
			if err := r.cursor.skip(); err != nil {
				return err
			}
			continue
		}
		r.path = append(r.path, step{field: f})
		if seen&(1<<f) != 0 {
			err = r.skipUnless(false, &shapeError{CodeField, "it is stated more than once: keep one"})
		} else {
			err = r.member(in, f)
		}
		if err != nil {
			return err
		}
		seen |= 1 << f
		r.pop()
	}
}

func (r *decoder) member(in scope, f field) error {
	switch in {
	case inDocument:
		return r.documentField(f)
	case inProperty:
		return r.propertyField(&r.doc.properties[len(r.doc.properties)-1], f)
	case inEntry:
		return r.entryField(&r.doc.entries[len(r.doc.entries)-1], f)
	default:
		return r.referenceField(&r.doc.entries[len(r.doc.entries)-1], f)
	}
}

func (r *decoder) documentField(f field) error {
	d := r.doc
	switch f {
	case fieldSchema:
		return r.text(&d.schema)
	case fieldPackage:
		return r.text(&d.pkg)
	case fieldName:
		return r.text(&d.name)
	case fieldDefaultChannel:
		return r.text(&d.defaultChannel)
	case fieldImage:
		// Hardly any two bundles have the same image.
		text, err := r.cursor.text(false)
		d.image = text
		return r.judge(err)
	case fieldProperties, fieldEntries:
		return r.list(f)
	}
	return r.cursor.skip()
}

func (r *decoder) propertyField(p *properties.Property, f field) error {
	switch f {
	case fieldType:
		return r.text(&p.Type)
	case fieldValue:
		value, err := r.cursor.property(p.Type)
		p.Value = value
		return r.judge(err)
	}
	return r.cursor.skip()
}

func (r *decoder) entryField(e *documentEntry, f field) error {
	switch f {
	case fieldName:
		return r.text(&e.name)
	case fieldReplaces:
		return r.text(&e.replaces)
	case fieldSkipRange:
		return r.text(&e.skipRange)
	case fieldMessage:
		return r.text(&e.message)
	case fieldSkips:
		return r.list(f)
	case fieldReference:
		return r.object(inReference)
	}
	return r.cursor.skip()
}

func (r *decoder) referenceField(e *documentEntry, f field) error {
	switch f {
	case fieldSchema:
		return r.text(&e.reference.schema)
	case fieldName:
		return r.text(&e.reference.name)
	}
	return r.cursor.skip()
}

// list reads the elements of a list field. Null stands for an empty list.
func (r *decoder) list(f field) error {
	if kind := r.cursor.kind(); kind != '[' {
		return r.skipUnless(kind == 'n', wrongKind("a list", kind))
	}
	if err := r.cursor.enter(); err != nil {
		return r.judge(err)
	}
	for index := 0; ; index++ {
		ok, err := r.cursor.element()
		if err != nil || !ok {
			return err
		}
		r.path = append(r.path, step{fieldElement, index})
		if err := r.element(f); err != nil {
			return err
		}
		r.pop()
	}
}

func (r *decoder) element(f field) error {
	d := r.doc
	switch f {
	case fieldProperties:
		d.properties = append(d.properties, properties.Property{})
		return r.object(inProperty)
	case fieldEntries:
		d.entries = append(d.entries, documentEntry{})
		problems := len(d.problems)
		err := r.object(inEntry)
		d.entries[len(d.entries)-1].broken = len(d.problems) > problems
		return err
	case fieldSkips:
		e := &d.entries[len(d.entries)-1]
		e.skips = append(e.skips, "")
		return r.text(&e.skips[len(e.skips)-1])
	}
	return r.cursor.skip()
}

// text reads a string. Null stands for the empty one.
func (r *decoder) text(into *string) error {
	if r.cursor.kind() == 'n' {
		return r.cursor.skip()
	}
	text, err := r.cursor.text(true)
	*into = text
	return r.judge(err)
}

// judge takes down a value of the wrong shape as a problem of the document.
func (r *decoder) judge(err error) error {
	if err == nil {
		return nil
	}
	if shape, ok := errors.AsType[*shapeError](err); ok {
		r.problem(shape)
		return nil
	}
	return err
}

// skipUnless passes over a value, which is a problem unless it is fine.
func (r *decoder) skipUnless(fine bool, shape *shapeError) error {
	if !fine {
		r.problem(shape)
	}
	return r.cursor.skip()
}

func (r *decoder) problem(shape *shapeError) {
	top := fieldOther
	if len(r.path) > 0 {
		top = r.path[0].field
	}
	r.doc.problems = append(r.doc.problems, problem{shape.code, top, r.pathText(), shape.message})
}

func (r *decoder) pop() { r.path = r.path[:len(r.path)-1] }

func (r *decoder) pathText() string {
	var b strings.Builder
	for _, s := range r.path {
		if s.field == fieldElement {
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(fieldNames[s.field])
	}
	return b.String()
}
