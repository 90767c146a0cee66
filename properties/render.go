package properties

import (
	"bytes"
	"iter"
	"weak"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// All walks the kept properties with their indices, in the stated order. It writes
// typed values as JSON again. Other values stay as stated, but for spaces.
func (s *Set) All() iter.Seq2[int, Property] {
	return func(yield func(int, Property) bool) {
		for index, it := range s.items() {
			if !yield(index, Property{s.typeOf(it), s.value(nil, it)}) {
				return
			}
		}
	}
}

// Canonical walks the kept properties as All does. Values that differ only in spaces and in the
// order of their keys have the same text. Numbers stay as stated: the versions 4.1 and 4.10
// differ. So does a value with a repeated key. The next value reuses the memory of this one.
func (s *Set) Canonical() iter.Seq2[int, Property] {
	return func(yield func(int, Property) bool) {
		var text jsontext.Value
		for index, it := range s.items() {
			if text = s.value(text[:0], it); it.kind() == inRaw {
				_ = text.Format(jsontext.ReorderRawObjects(true))
			}
			if !yield(index, Property{s.typeOf(it), []byte(text)}) {
				return
			}
		}
	}
}

// CEL returns the kept properties but for olm.bundle.object as a CEL rule reads them: maps
// with the keys type and value. The value is decoded JSON with numbers as float64. The list is shared: read it
// only. It is decoded again only once the garbage collector has freed it: many rules read
// the same bundle, one after another, and a catalog as a whole would take much memory.
func (s *Set) CEL() []any {
	if known := s.cel.Load(); known != nil {
		if values := known.Value(); values != nil {
			return values.list
		}
	}
	values := &celValues{s.decodeCEL()}
	known := weak.Make(values)
	s.cel.Store(&known)
	return values.list
}

func (s *Set) decodeCEL() []any {
	list := []any{}
	for _, it := range s.items() {
		if it.kind() == inObject || it.kind() == inOther {
			continue // as OLM leaves it out
		}
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
			values += 3*len(s.metadata.modes) + len(s.metadata.annotations) + len(s.metadata.labels) + 4*len(s.metadata.apiServices)
		}
		size += 64 * values
	}
	return size
}

// typed returns a typed value in the shape of its JSON, which costs half of decoding that.
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

// value appends a value as JSON: as stated, or that of a typed value in canonical form.
func (s *Set) value(text []byte, it item) []byte {
	switch it.kind() {
	case inPackage:
		text = appendText(text, `{"packageName":`, s.pkg.Name)
		if s.pkg.Release != "" {
			text = appendText(text, `,"release":`, string(s.pkg.Release))
		}
		return append(appendText(text, `,"version":`, s.pkg.Version.String()), '}')
	case inMetadata:
		return s.metadata.value(text)
	case inObject:
		if i := it.index(); i > 0 {
			return s.objects.Definitions[i-1].objectValue(text)
		}
		return s.metadata.objectValue(text)
	case inOther:
		return s.objects.Others[it.index()].objectValue(text)
	case inGVKs:
		return s.gvks[it.index()].value(text)
	case inLabels:
		return append(appendText(text, `{"label":`, s.labels[it.index()]), '}')
	}
	return append(text, s.raw[it.index()].Value...)
}

func (g GVK) value(text []byte) []byte {
	return append(appendText(appendText(appendText(text, `{"group":`, g.Group), `,"kind":`, g.Kind), `,"version":`, g.Version), '}')
}

// appendText appends what stands before a string, and the string.
func appendText(text []byte, before, value string) []byte {
	// The error only means that invalid UTF-8 was replaced.
	text, _ = jsontext.AppendQuote(append(text, before...), value)
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
