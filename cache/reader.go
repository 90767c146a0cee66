package cache

import (
	"errors"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/properties"
)

// reader reads documents, JSON and YAML alike, through a cursor. Fields come in
// any order and mean different things in different schemas, so everything that
// any schema reads is taken down, and judged when the document is complete.
type reader struct {
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
func (r *reader) document() error {
	d := r.doc
	return r.object(func(f field) error {
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
		case fieldProperties:
			return r.list(r.property)
		case fieldEntries:
			return r.list(r.entry)
		}
		return r.cursor.skip()
	})
}

func (r *reader) property() error {
	r.doc.properties = append(r.doc.properties, properties.Property{})
	p := &r.doc.properties[len(r.doc.properties)-1]
	return r.object(func(f field) error {
		switch f {
		case fieldType:
			return r.text(&p.Type)
		case fieldValue:
			value, err := r.cursor.property(p.Type)
			p.Value = value
			return r.judge(err)
		}
		return r.cursor.skip()
	})
}

func (r *reader) entry() error {
	r.doc.entries = append(r.doc.entries, documentEntry{})
	e := &r.doc.entries[len(r.doc.entries)-1]
	problems := len(r.doc.problems)
	err := r.object(func(f field) error {
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
			return r.list(func() error {
				e.skips = append(e.skips, "")
				return r.text(&e.skips[len(e.skips)-1])
			})
		case fieldReference:
			return r.object(func(f field) error {
				switch f {
				case fieldSchema:
					return r.text(&e.reference.schema)
				case fieldName:
					return r.text(&e.reference.name)
				}
				return r.cursor.skip()
			})
		}
		return r.cursor.skip()
	})
	e.broken = len(r.doc.problems) > problems
	return err
}

// object visits the members that any schema reads, each once, and passes over
// the others. Null stands for an object without members.
func (r *reader) object(visit func(field) error) error {
	if kind := r.cursor.kind(); kind != '{' {
		return r.skipUnless(kind == 'n', wrongKind("an object", kind))
	}
	var seen uint32
	return r.cursor.object(func(name []byte) error {
		f := fieldsByName[string(name)]
		if f == fieldOther {
			return r.cursor.skip()
		}
		r.path = append(r.path, step{field: f})
		defer r.pop()
		if seen&(1<<f) != 0 {
			return r.skipUnless(false, &shapeError{CodeField, "it is stated more than once: keep one"})
		}
		seen |= 1 << f
		return visit(f)
	})
}

// list visits the elements of a list. Null stands for an empty list.
func (r *reader) list(visit func() error) error {
	if kind := r.cursor.kind(); kind != '[' {
		return r.skipUnless(kind == 'n', wrongKind("a list", kind))
	}
	return r.cursor.list(func(index int) error {
		r.path = append(r.path, step{fieldElement, index})
		defer r.pop()
		return visit()
	})
}

// text reads a string. Null stands for the empty one.
func (r *reader) text(into *string) error {
	if r.cursor.kind() == 'n' {
		return r.cursor.skip()
	}
	text, err := r.cursor.text(true)
	*into = text
	return r.judge(err)
}

// judge takes down a value of the wrong shape as a problem of the document.
func (r *reader) judge(err error) error {
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
func (r *reader) skipUnless(fine bool, shape *shapeError) error {
	if !fine {
		r.problem(shape)
	}
	return r.cursor.skip()
}

func (r *reader) problem(shape *shapeError) {
	top := fieldOther
	if len(r.path) > 0 {
		top = r.path[0].field
	}
	r.doc.problems = append(r.doc.problems, problem{shape.code, top, r.pathText(), shape.message})
}

func (r *reader) pop() { r.path = r.path[:len(r.path)-1] }

func (r *reader) pathText() string {
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
