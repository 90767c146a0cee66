// Package schema makes the JSON Schemas of what commands write from the types of it.
package schema

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// Of returns the schema (2020-12) of what is one of the documents. Several commands write some of
// them.
func Of(documents []any) ([]byte, error) {
	m := maker{defs: jsonschema.Definitions{}, types: map[string]reflect.Type{}}
	m.reflector = jsonschema.Reflector{
		Anonymous: true, AllowAdditionalProperties: true, // keys may be added
		Namer: m.name, Mapper: m.shape,
	}
	root := &jsonschema.Schema{Version: jsonschema.Version, Definitions: m.defs}
	listed := map[string]bool{}
	for _, d := range documents {
		name := m.add(reflect.TypeOf(d))
		if listed[name] {
			continue
		}
		listed[name] = true
		def := m.defs[name]
		def.Properties.Set("schema", &jsonschema.Schema{Const: terminal.Schema})
		def.Required = append(def.Required, "schema")
		root.AnyOf = append(root.AnyOf, reference(name))
	}
	for len(m.shapes) > 0 {
		next := m.shapes[0]
		m.shapes = m.shapes[1:]
		m.add(next)
	}
	for name, def := range m.defs {
		if t := m.types[name]; t.Kind() == reflect.Struct {
			def.Required = slices.DeleteFunc(def.Required, func(key string) bool { return slices.Contains(optional(t, false), key) })
		}
	}
	return json.Marshal(root, json.Deterministic(true), jsontext.WithIndent("  "))
}

type maker struct {
	reflector jsonschema.Reflector
	defs      jsonschema.Definitions
	types     map[string]reflect.Type // of defs
	shapes    []reflect.Type          // that defs refer to
}

// name is that of a definition, such as result.Install; empty for a type without one.
func (m *maker) name(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	name := path.Base(t.PkgPath()) + "." + strings.TrimSuffix(t.Name(), "JSON")
	m.types[name] = t
	return name
}

func reference(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// add adds the definitions of a type, and of what it contains.
func (m *maker) add(t reflect.Type) string {
	name := m.name(t)
	if m.defs[name] == nil {
		for other, def := range m.reflector.ReflectFromType(t).Definitions {
			m.defs[other] = def
		}
	}
	return name
}

// shape is the schema of a type that stands there in another shape, nil if it does not.
func (m *maker) shape(t reflect.Type) *jsonschema.Schema {
	switch to := outcomes.ShapeOf(t); {
	case t == reflect.TypeFor[semver.Version]():
		return &jsonschema.Schema{Type: "string"}
	case to == reflect.TypeFor[jsontext.Value]():
		return &jsonschema.Schema{}
	case to != nil:
		m.shapes = append(m.shapes, to)
		return reference(m.name(to))
	}
	return nil
}

// optional are the keys that can be absent: those that say so, and all that come from an
// embedded pointer, which may be nil.
func optional(t reflect.Type, absent bool) (keys []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			keys = append(keys, optional(f.Type.Elem(), true)...)
		case f.Anonymous, strings.Contains(options, "inline"):
			keys = append(keys, optional(f.Type, absent)...)
		case absent || strings.Contains(options, "omitzero"):
			keys = append(keys, key)
		}
	}
	return keys
}
