package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
)

// decoder reads documents through a cursor, JSON and YAML alike. Fields come in any
// order, and their meaning depends on the schema. So the decoder records the fields of
// all schemas, and package build judges the complete document.
type decoder struct {
	cursor cursor
	doc    *Document
	path   []step
	// related: the related image that is read names one.
	related bool
}

// step is a field, or an element of a list where field is fieldElement.
type step struct {
	field Field
	index int
}

// Field is a member of an object that some schema reads.
type Field uint8

const (
	FieldOther Field = iota
	fieldElement
	FieldSchema
	FieldPackage
	FieldName
	FieldImage
	FieldDefaultChannel
	FieldProperties
	FieldEntries
	FieldVersions
	fieldType
	fieldValue
	fieldReplaces
	fieldSkips
	fieldSkipRange
	fieldReference
	fieldMessage
	FieldRelatedImages
)

var FieldNames = [...]string{
	FieldSchema: "schema", FieldPackage: "package", FieldName: "name", FieldImage: "image",
	FieldDefaultChannel: "defaultChannel", FieldProperties: "properties", FieldEntries: "entries",
	FieldVersions: "versions",
	fieldType:     "type", fieldValue: "value", fieldReplaces: "replaces", fieldSkips: "skips",
	fieldSkipRange: "skipRange", fieldReference: "reference", fieldMessage: "message",
	FieldRelatedImages: "relatedImages",
}

var fieldsByName = func() map[string]Field {
	m := map[string]Field{}
	for f, name := range FieldNames {
		if name != "" {
			m[name] = Field(f)
		}
	}
	return m
}()

// fieldNamed returns the field of a name in any case, as operator-registry reads it.
func fieldNamed(name []byte) Field {
	if f, ok := fieldsByName[string(name)]; ok {
		return f
	}
	for f, known := range FieldNames {
		if known != "" && len(known) == len(name) && strings.EqualFold(known, string(name)) {
			return Field(f)
		}
	}
	return FieldOther
}

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
	inRelatedImage
)

// object reads the members that any schema reads, and skips others. A repeated member is
// a problem. Null stands for an object without members.
func (r *decoder) object(in scope) error {
	if kind := r.cursor.kind(); kind != '{' {
		return r.skipUnless(kind == 'n', wrongKind("an object", kind))
	}
	if err := r.cursor.enter(); err != nil {
		return r.judge(err)
	}
	var seen uint32
	beside := ""
	for {
		name, ok, err := r.cursor.member()
		if err != nil {
			return err
		}
		if !ok {
			if beside != "" {
				r.besideValue(beside)
			}
			return nil
		}
		f := fieldNamed(name)
		if in == inProperty && f != fieldType && f != fieldValue && beside == "" {
			beside = string(name[:min(len(name), 100)]) // name is of the cursor
		}
		if f == FieldOther {
			if err := r.cursor.skip(); err != nil {
				return err
			}
			continue
		}
		r.path = append(r.path, step{field: f})
		if seen&(1<<f) != 0 {
			err = r.skipUnless(false, &shapeError{code.Field, "it is stated more than once: keep one"})
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

// besideValue reports a member of a property that has no value but needs one: in YAML, one that is
// indented too little.
func (r *decoder) besideValue(name string) {
	p := &r.doc.Properties[len(r.doc.Properties)-1]
	if len(p.Value) > 0 && string(p.Value) != "null" {
		return
	}
	switch p.Type {
	case properties.TypePackage, properties.TypeGVK, properties.TypeConstraint, properties.TypeGVKRequired, properties.TypePackageRequired:
		r.problem(&shapeError{code.Field, fmt.Sprintf("the value of %s is null, and %q stands beside it: move that into the value", p.Type, name)})
	}
}

// member reads the value of a field, or skips it if such an object has no such field.
func (r *decoder) member(in scope, f Field) (err error) {
	d := r.doc
	var texts [len(FieldNames)]*string
	switch in {
	case inDocument:
		switch f {
		case FieldProperties, FieldEntries, FieldRelatedImages:
			return r.list(f)
		case FieldImage:
			// Sharing would not help: hardly any two bundles have the same image.
			d.Image, err = r.cursor.text(false)
			return r.judge(err)
		case FieldVersions:
			d.Versions, err = r.cursor.property("")
			return r.judge(err)
		}
		texts[FieldSchema], texts[FieldPackage], texts[FieldName], texts[FieldDefaultChannel] = &d.Schema, &d.Pkg, &d.Name, &d.DefaultChannel
	case inProperty:
		p := &d.Properties[len(d.Properties)-1]
		if f == fieldValue {
			p.Value, err = r.cursor.property(p.Type)
			return r.judge(err)
		}
		texts[fieldType] = &p.Type
	case inEntry:
		e := &d.Entries[len(d.Entries)-1]
		switch f {
		case fieldSkips:
			return r.list(f)
		case fieldReference:
			return r.object(inReference)
		}
		texts[FieldName], texts[fieldReplaces], texts[fieldSkipRange], texts[fieldMessage] = &e.Name, &e.Replaces, &e.SkipRange, &e.Message
	case inRelatedImage:
		switch kind := r.cursor.kind(); {
		case kind != 'n' && kind != '"' && f == FieldName:
			return r.skipUnless(false, wrongKind("a string", kind))
		case kind != 'n' && f == FieldImage:
			image, err := r.cursor.text(false)
			r.related = r.related || image != ""
			if err == nil && image != "" && !PullSpec(image) {
				err = &shapeError{code.Image, fmt.Sprintf("%.200q is not a pull spec: write [HOST/]NAME[:TAG][@DIGEST]", image)}
			}
			return r.judge(err)
		}
	case inReference:
		of := &d.Entries[len(d.Entries)-1].Reference
		texts[FieldSchema], texts[FieldName] = &of.Schema, &of.Name
	}
	if texts[f] == nil {
		return r.cursor.skip()
	}
	return r.text(texts[f])
}

// list reads the elements of a list field. Null stands for an empty list.
func (r *decoder) list(f Field) error {
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

func (r *decoder) element(f Field) error {
	d := r.doc
	switch f {
	case FieldProperties:
		d.Properties = append(d.Properties, properties.Property{})
		return r.object(inProperty)
	case FieldEntries:
		d.Entries = append(d.Entries, documentEntry{})
		problems := d.problems
		err := r.object(inEntry)
		d.Entries[len(d.Entries)-1].Broken = d.problems > problems
		return err
	case FieldRelatedImages:
		r.related = false
		err := r.object(inRelatedImage)
		if !r.related && d.NoImage == "" {
			d.NoImage = fmt.Sprintf("relatedImages[%d]", r.path[len(r.path)-1].index)
		}
		return err
	default: // skips
		e := &d.Entries[len(d.Entries)-1]
		e.Skips = append(e.Skips, "")
		return r.text(&e.Skips[len(e.Skips)-1])
	}
}

// text reads a string. Null stands for the empty one.
func (r *decoder) text(into *string) error {
	if r.cursor.kind() == 'n' {
		return r.cursor.skip()
	}
	text, err := r.cursor.text(true)
	if n, f := len(text), r.path[len(r.path)-1].field; n > MaxName && f != fieldMessage && f != fieldSkipRange {
		text, err = "", &shapeError{code.Limit, TooLong(n)}
	}
	*into = text
	return r.judge(err)
}

// judge records a *shapeError as a problem of the document, and returns other errors.
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

// skipUnless skips a value, and records a problem unless it is fine.
func (r *decoder) skipUnless(fine bool, shape *shapeError) error {
	if !fine {
		r.problem(shape)
	}
	return r.cursor.skip()
}

func (r *decoder) problem(shape *shapeError) {
	top := FieldOther
	if len(r.path) > 0 {
		top = r.path[0].field
	}
	r.doc.Report(Problem{shape.code, top, r.pathText(), shape.message})
}

func (r *decoder) pop() { r.path = r.path[:len(r.path)-1] }

func (r *decoder) pathText() string {
	var b strings.Builder
	for _, s := range r.path {
		if s.field == fieldElement {
			fmt.Fprintf(&b, "[%d]", s.index)
		} else {
			b.WriteString("." + FieldNames[s.field])
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// cursor stands in front of a value of a document, JSON or YAML. A *shapeError means
// that the value has the wrong type, and that reading can go on behind it. Any other
// error ends the reading of the document. A cursor calls nobody back, so that the many
// objects of a catalog cost no closures.
type cursor interface {
	// kind returns the kind of the value.
	kind() valueKind
	// text consumes a string. A shared one is likely to repeat.
	text(shared bool) (string, error)
	// enter goes into an object or a list. The caller must then walk all members or
	// elements.
	enter() error
	// member goes in front of the value of the next member. ok is false after the last
	// one, and the object is then consumed. The name is valid until the next call.
	member() (name []byte, ok bool, err error)
	// element goes in front of the next element. ok is false after the last one, and the
	// list is then consumed.
	element() (ok bool, err error)
	// property consumes the value of a property as JSON text, which is valid until the
	// end of the document. The type, if it is already known, decides which parts are
	// left out.
	property(propertyType string) ([]byte, error)
	// skip consumes any value.
	skip() error
}

// valueKind is the first byte of a JSON value: n t f " 0 { or [. It is 0 for broken
// text.
type valueKind = byte

// shapeError is the error of a value with the wrong type or size.
type shapeError struct {
	code    catalog.Code
	message string
}

func (e *shapeError) Error() string { return e.message }

// CodeOf returns the code of an error of reading a value.
func CodeOf(err error) catalog.Code {
	if shape, ok := errors.AsType[*shapeError](err); ok {
		return shape.code
	}
	return code.Field
}

func wrongKind(want string, kind valueKind) *shapeError {
	return &shapeError{code.Field, "it must be " + want + ", not " + jsonfield.KindName(kind)}
}
