package properties

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// All walks the kept properties with their indices, in the stated order. It writes
// typed values as JSON again.
func (s *Set) All() iter.Seq2[int, Property] {
	return func(yield func(int, Property) bool) {
		for index, it := range s.items() {
			p := Property{Type: s.typeOf(it)}
			if it.kind() == inRaw {
				p = s.raw[it.index()]
			} else {
				p.Value = s.render(it)
			}
			if !yield(index, p) {
				return
			}
		}
	}
}

// CEL returns the kept properties as a CEL rule reads them: maps with the keys type
// and value. The value is decoded JSON with numbers as float64. Each call makes a new
// list, which belongs to the caller.
func (s *Set) CEL() []any {
	list := []any{}
	for _, it := range s.items() {
		var value any
		if it.kind() == inRaw {
			value = decodeJSON(s.raw[it.index()].Value)
		} else {
			value = s.typed(it)
		}
		list = append(list, map[string]any{"type": s.typeOf(it), "value": value})
	}
	return list
}

// CELSize estimates the memory of [Set.CEL] in bytes: the text, and 64 for each value.
func (s *Set) CELSize() int {
	size := 0
	for _, it := range s.items() {
		values := 4
		switch it.kind() {
		case inRaw:
			text := s.raw[it.index()].Value
			size += len(text)
			for _, mark := range []string{",", ":", "{"} {
				values += bytes.Count(text, []byte(mark))
			}
		case inMetadata:
			values += 3*len(s.metadata.modes) + len(s.metadata.annotations) + 4*len(s.metadata.apiServices)
		}
		size += 64 * values
	}
	return size
}

// typed returns a typed value in the shape of its JSON.
func (s *Set) typed(it item) map[string]any {
	switch it.kind() {
	case inPackage:
		value := map[string]any{"packageName": s.pkg.Name, "version": s.pkg.Version.String()}
		if s.pkg.Release != "" {
			value["release"] = string(s.pkg.Release)
		}
		return value
	case inMetadata:
		return s.metadata.cel()
	case inGVKs:
		g := s.gvks[it.index()]
		return map[string]any{"group": g.Group, "version": g.Version, "kind": g.Kind}
	case inLabels:
		return map[string]any{"label": s.labels[it.index()]}
	}
	return nil
}

// render writes a typed value as JSON. Provided APIs are the bulk of a catalog, and
// so are written without a map.
func (s *Set) render(it item) []byte {
	if it.kind() != inGVKs {
		return renderJSON(s.typed(it))
	}
	g := s.gvks[it.index()]
	text := make([]byte, 0, len(`{"group":"","kind":"","version":""}`)+len(g.Group)+len(g.Kind)+len(g.Version))
	for _, member := range [][2]string{{`{"group":`, g.Group}, {`,"kind":`, g.Kind}, {`,"version":`, g.Version}} {
		// The error only means that invalid UTF-8 was replaced, as in renderJSON.
		text, _ = jsontext.AppendQuote(append(text, member[0]...), member[1])
	}
	return append(text, '}')
}

// renderJSON writes a value of [Set.typed]. It sorts keys, so that equal values have
// equal text.
func renderJSON(value map[string]any) []byte {
	text, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return []byte("null") // impossible: the maps hold only strings, booleans and lists of these
	}
	return text
}

// decodeJSON decodes text that Decode has checked.
func decodeJSON(text []byte) any {
	var value any
	if err := json.Unmarshal(text, &value, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil
	}
	return value
}
