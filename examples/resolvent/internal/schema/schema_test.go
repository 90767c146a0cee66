package schema

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
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
	"github.com/resolvent/resolvent/resolver/result"
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
		name := m.of(reflect.TypeOf(d))
		if listed[name] {
			continue
		}
		listed[name] = true
		def := m.defs[name]
		def.Properties.Set("schema", &jsonschema.Schema{Const: terminal.Schema})
		def.Required = append(def.Required, "schema")
		root.AnyOf = append(root.AnyOf, reference(name))
	}
	used := map[string]bool{} // the others are parts of joined ones
	var use func(s *jsonschema.Schema)
	use = func(s *jsonschema.Schema) {
		text, _ := json.Marshal(s)
		for _, ref := range regexp.MustCompile(`"#/\$defs/([^"]+)"`).FindAllSubmatch(text, -1) {
			if name := string(ref[1]); !used[name] {
				used[name] = true
				use(m.defs[name])
			}
		}
	}
	use(&jsonschema.Schema{AnyOf: root.AnyOf})
	maps.DeleteFunc(m.defs, func(name string, _ *jsonschema.Schema) bool { return !used[name] })
	return json.Marshal(root, json.Deterministic(true), jsontext.WithIndent("  "))
}

type maker struct {
	reflector jsonschema.Reflector
	defs      jsonschema.Definitions
	types     map[string]reflect.Type // of defs
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

// joint is a terminal.With.
type joint interface {
	Parts() (of, more reflect.Type)
}

// of adds the definition of what stands in JSON for a type, and those of what that contains. It
// returns the name.
func (m *maker) of(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return m.of(t.Elem())
	}
	value := reflect.Zero(t).Interface()
	if with, is := value.(joint); is {
		of, more := with.Parts()
		return m.joined(m.of(of), m.of(more), more.Kind() != reflect.Pointer)
	}
	if alias, is := value.(interface{ JSONSchemaAlias() any }); is {
		return m.of(reflect.TypeOf(alias.JSONSchemaAlias()))
	}
	if to := result.ShapeOf(t); to != nil {
		return m.of(to)
	}
	name := m.name(t)
	if m.defs[name] == nil {
		for other, def := range m.reflector.ReflectFromType(t).Definitions {
			if of := m.types[other]; m.defs[other] == nil && of.Kind() == reflect.Struct {
				def.Required = slices.DeleteFunc(def.Required, func(key string) bool { return slices.Contains(optional(of, false), key) })
			}
			m.defs[other] = cmp.Or(m.defs[other], def)
		}
	}
	return name
}

// joined returns the name of the definition of an object with further members, as terminal.With writes
// it. required says whether it always has these.
func (m *maker) joined(of, more string, required bool) string {
	name, both, differs := of+"With", *m.defs[of], false
	both.Properties = jsonschema.NewProperties()
	for at := m.defs[of].Properties.Oldest(); at != nil; at = at.Next() {
		both.Properties.Set(at.Key, at.Value)
	}
	for at := m.defs[more].Properties.Oldest(); at != nil; at = at.Next() {
		was, has := both.Properties.Get(at.Key)
		is := at.Value
		if has {
			is = m.member(was, is)
		}
		differs = differs || is != was
		both.Properties.Set(at.Key, is)
	}
	if !differs {
		return of
	}
	if required {
		both.Required = slices.Concat(both.Required, slices.DeleteFunc(slices.Clone(m.defs[more].Required), func(key string) bool { return slices.Contains(both.Required, key) }))
	}
	m.defs[name] = cmp.Or(m.defs[name], &both)
	return name
}

// member is the schema of a member of both.
func (m *maker) member(was, more *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case was.Items != nil && more.Items != nil:
		if items := m.member(was.Items, more.Items); items != was.Items {
			return &jsonschema.Schema{Type: was.Type, Items: items}
		}
	case was.Ref != "" && more.Ref != "":
		definition := func(s *jsonschema.Schema) string { return m.of(m.types[path.Base(s.Ref)]) }
		of := definition(was)
		if name := m.joined(of, definition(more), true); name != of {
			return reference(name)
		}
	}
	return was
}

// shape is the schema of a type that stands there in another shape, nil if it does not.
func (m *maker) shape(t reflect.Type) *jsonschema.Schema {
	_, joins := reflect.Zero(t).Interface().(joint)
	switch {
	case t == reflect.TypeFor[semver.Version]():
		return &jsonschema.Schema{Type: "string"}
	case t == reflect.TypeFor[jsontext.Value]():
		return &jsonschema.Schema{}
	case joins, result.ShapeOf(t) != nil:
		return reference(m.of(t))
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
