package properties

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// decodeObjects reads the CustomResourceDefinitions among the olm.bundle.object properties and, for a
// bundle without olm.csv.metadata, its metadata from the first ClusterServiceVersion. With
// olm.csv.metadata it reads the other objects as well: only bundle directories state both.
func (d *decoder) decodeObjects(props []Property) {
	stated := d.set.metadata != nil || slices.ContainsFunc(props, func(p Property) bool { return p.Type == TypeCSVMetadata })
	others := stated
	for i, p := range props {
		if p.Type != TypeBundleObject || len(p.Value) == 0 {
			continue
		}
		kind, text, err := d.in.decodeObject(p.Value, others)
		if d.in.Objects && err == nil && kind == kindCSV {
			if o := d.set.someObjects(); o.ServiceVersion == nil {
				o.ServiceVersion = slices.Clone(text)
			}
		}
		switch {
		case err == nil && kind == kindDefinition:
			if at := d.set.readDefinition(text, d.in.Objects); at > 0 {
				d.items[i] = newItem(inObject, at)
			}
			continue
		case err == nil && others && d.set.readOther(text):
			d.items[i] = newItem(inOther, len(d.set.objects.Others)-1)
			continue
		case stated:
			continue
		case err == nil && kind == kindCSV:
			if d.set.metadata, err = d.in.objectMetadata(text); err == nil {
				d.items[i], stated = newItem(inObject, 0), true
			}
		}
		if err != nil {
			d.faults = append(d.faults, Fault{string(codeMalformed), i, p.Type, false, err})
		}
	}
}

// decodeObject returns the kind of an object and, of the kinds that are read, or of all, its text. The
// next object reuses the memory of the text.
func (in *Interner) decodeObject(value []byte, all bool) (kind string, text []byte, err error) {
	data, err := in.objectData(value)
	if err != nil || data == nil {
		return "", nil, err
	}
	// The kind stands at the start of what tools write. Most objects are of other kinds, and need
	// no more.
	n := min(len(data), maxKindText)
	text, err = in.appendBase64(in.object[:0], data[:n])
	if in.object = text; err != nil {
		return "", nil, err
	}
	kind, err = in.objectKind(text)
	if err != nil && n < len(data) {
		if text, err = in.appendBase64(text, data[n:]); err == nil {
			in.object = text
			kind, err = in.objectKind(text)
		}
	} else if err == nil && (all || kind == kindCSV || kind == kindDefinition) {
		text, err = in.appendBase64(text, data[n:])
		in.object = text
	}
	return kind, text, err
}

// objectMetadata returns the metadata of a ClusterServiceVersion.
func (in *Interner) objectMetadata(text []byte) (*Metadata, error) {
	m := &Metadata{}
	err := in.json.eachMember(text, func(d *jsontext.Decoder, name string) error {
		fields := objectFields[name]
		if fields == nil || d.PeekKind() != '{' {
			return d.SkipValue()
		}
		return readObject(d, func(d *jsontext.Decoder, field string) error {
			if name == "spec" && slices.Contains(in.Texts, field) {
				return m.readTexts(d)
			}
			return m.readField(d, in, field, fields)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("the ClusterServiceVersion cannot be read: %w", err)
	}
	return m, nil
}

// objectFields are the fields of a ClusterServiceVersion that are read.
var objectFields = map[string][]string{
	"metadata": {"annotations", "labels"},
	"spec":     {"apiservicedefinitions", "installModes", "minKubeVersion"},
}

const (
	kindCSV        = "ClusterServiceVersion"
	kindDefinition = "CustomResourceDefinition"
	// maxKindText is where the kind of an object is looked for first, in bytes of base64. It
	// is a multiple of 4.
	maxKindText = 512
)

// objectData returns the data of an object, in base64. It is nil if there is none.
func (in *Interner) objectData(value []byte) (data []byte, err error) {
	// A value with nothing but data needs no second look at all its bytes.
	rest := value
	for _, mark := range []string{`{`, `"data"`, `:`, `"`} {
		var ok bool
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(mark)); !ok {
			rest = nil
			break
		}
	}
	if end := bytes.IndexByte(rest, '"'); end >= 0 && bytes.IndexByte(rest[:end], '\\') < 0 {
		return rest[:end], nil
	}
	err = in.json.eachMember(value, func(d *jsontext.Decoder, name string) error {
		if name != "data" || d.PeekKind() != '"' {
			return d.SkipValue()
		}
		literal, err := d.ReadValue()
		if err == nil {
			data, err = jsontext.AppendUnquote([]byte{}, literal)
		}
		return err
	})
	return data, err
}

func (in *Interner) appendBase64(text, data []byte) ([]byte, error) {
	text, err := base64.StdEncoding.AppendDecode(text, data)
	if err != nil {
		err = fmt.Errorf("data is not base64: %w", err)
	}
	return text, err
}

// objectKind returns the kind of an object. The error is about text before the kind, or its end.
func (in *Interner) objectKind(text []byte) (kind string, err error) {
	err = in.json.eachMember(text, func(d *jsontext.Decoder, name string) error {
		if name != "kind" {
			return d.SkipValue()
		}
		token, err := readToken(d, name, '"')
		if kind = token.String(); err == nil {
			err = errFound
		}
		return err
	})
	switch {
	case errors.Is(err, errFound):
		return kind, nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "", errors.New("data is not a whole JSON object")
	case err != nil:
		return "", fmt.Errorf("data is not a JSON object: %w", err)
	}
	return "", nil
}

var errFound = errors.New("found")

// objectValue appends the value of an object with the least ClusterServiceVersion that states
// what is kept.
func (m *Metadata) objectValue(text []byte) []byte {
	csv := []byte(`{"kind":"` + kindCSV + `","metadata":`)
	csv = append(m.appendFields(csv, objectFields["metadata"]), `,"spec":`...)
	csv = append(m.appendFields(csv, objectFields["spec"]), '}')
	return appendObject(text, csv)
}
