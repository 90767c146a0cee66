package terminal

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// With is an object with further members, such as those that only this program knows of an answer
// of the library. A nil More has none.
type With[T, M any] struct {
	Of   T
	More M
}

// Parts returns the types of both, whose members [Joined] joins.
func (With[T, M]) Parts() (of, more reflect.Type) { return reflect.TypeFor[T](), reflect.TypeFor[M]() }

func (w With[T, M]) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(w.Of)
	if err != nil {
		return nil, err
	}
	more, err := json.Marshal(w.More)
	if err != nil {
		return nil, err
	}
	return joined(text, more), nil
}

// joined returns a valid text with what another one has more: members that are in both objects are joined
// in their place, and so are the objects of two lists of one length; others follow. Otherwise it is the other text.
func joined(object, more jsontext.Value) jsontext.Value {
	names, values := elements(object)
	added, with := elements(more)
	switch {
	case more.Kind() == 'n':
		return object
	case object.Kind() != more.Kind() || object.Kind() != '{' && object.Kind() != '[' || names == nil && (len(values) != len(with) || slices.ContainsFunc(slices.Concat(values, with), func(v jsontext.Value) bool { return v.Kind() != '{' })):
		return more
	}
	for i, value := range with {
		at := i
		if names != nil {
			at = slices.Index(names, added[i])
		}
		if at >= 0 {
			values[at] = joined(values[at], value)
		} else {
			names, values = append(names, added[i]), append(values, value)
		}
	}
	var b bytes.Buffer
	b.WriteByte(object[0])
	for i, value := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		if names != nil {
			b.WriteString(names[i] + ":")
		}
		b.Write(value)
	}
	b.WriteByte(object[len(object)-1])
	return b.Bytes()
}

// elements returns the values of an object or a list, and the names of an object as they are written.
func elements(of jsontext.Value) (names []string, values []jsontext.Value) {
	d := jsontext.NewDecoder(bytes.NewReader(of))
	if begin, _ := d.ReadToken(); begin.Kind() == '{' {
		names = []string{}
	} else if begin.Kind() != '[' {
		return nil, nil
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return names, values
		}
		if names != nil && len(names) == len(values) {
			names = append(names, string(value))
		} else {
			values = append(values, value.Clone())
		}
	}
	return names, values
}
