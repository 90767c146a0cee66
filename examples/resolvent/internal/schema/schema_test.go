package schema

import (
	"flag"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/approvals"
	"github.com/resolvent/resolvent/examples/resolvent/internal/differences"
	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/locks"
	"github.com/resolvent/resolvent/examples/resolvent/internal/migrations"
	"github.com/resolvent/resolvent/examples/resolvent/internal/mirrors"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/policies"
	"github.com/resolvent/resolvent/examples/resolvent/internal/repairs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

var update = flag.Bool("update", false, "write the schemas anew")

// documents are the types of what each command writes with -o json.
func documents() map[string][]any {
	all := map[string][]any{"list": {listing.Listing{}}, "show": {listing.Shown{}}}
	for _, of := range []map[string][]any{approvals.Documents, policies.Documents, outcomes.Documents, findings.Documents, repairs.Documents, differences.Documents, locks.Documents, mirrors.Documents, migrations.Documents} {
		for command, types := range of {
			all[command] = slices.Concat(all[command], types)
		}
	}
	return all
}

// TestSchemas: the embedded schemas are those of the types, one a command.
func TestSchemas(t *testing.T) {
	types := documents()
	commands := slices.Sorted(maps.Keys(types))
	var all []any
	for _, command := range commands {
		all = append(all, types[command]...)
	}
	types[whole] = all
	if *update {
		require.NoError(t, os.RemoveAll(folder))
		require.NoError(t, os.Mkdir(folder, 0o755))
	}
	for command, types := range types {
		want, err := made(types)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join(folder, command+".json"), append(want, '\n'), 0o644))
			continue
		}
		got, err := Of(command)
		require.NoError(t, err)
		assert.True(t, string(want)+"\n" == string(got), "the schema of %s is out of date: go test -update, and read the difference", command)
	}
	if !*update {
		assert.Equal(t, commands, Commands())
	}
}

// made is the schema (2020-12) of what is one of the documents. Several commands write some of
// them.
func made(documents []any) ([]byte, error) {
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
