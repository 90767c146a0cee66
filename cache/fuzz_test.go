package cache

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
)

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v2","replaces":"p.v1","skips":["p.v1"],"skipRange":"<2.0.0"},{"name":"p.v1"}]}`))
	f.Add([]byte(`{"schema":"olm.bundle","package":"p","name":"p.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},{"type":"olm.constraint","value":{"gvk":{"group":"g","version":"v","kind":"k"}}}]}`))
	f.Add([]byte(`{"schema":"olm.deprecations","package":"p","entries":[{"reference":{"schema":"olm.package"},"message":"m"}]}`))
	f.Add([]byte(`{"schema":"olm.bundle","properties":[{"type":`))
	f.Fuzz(func(t *testing.T, text []byte) { fuzzParse(t, "f.json", text) })
}

func FuzzYAML(f *testing.F) {
	f.Add([]byte(etcd))
	f.Add([]byte("a: &a [*a]\nschema: olm.bundle\nproperties: *a\n"))
	f.Add([]byte("schema: olm.bundle\npackage: p\nname: b\nproperties:\n- {type: x, value: {<<: [{a: 1}, {a: 2}], b: !!binary aGk=}}\n"))
	f.Add([]byte("%YAML 1.1\n---\n{schema: olm.package, name: 4.10}\n--- {}\n...\n"))
	f.Fuzz(func(t *testing.T, text []byte) { fuzzParse(t, "f.yaml", text) })
}

// fuzzParse checks what holds of any snapshot.
func fuzzParse(t *testing.T, name string, text []byte) {
	opts := Options{Limits: catalog.Limits{DocumentBytes: 1 << 16}}
	read := func() *catalog.Snapshot {
		s, err := loadFrom(t.Context(), openTree(fstest.MapFS{name: {Data: text}}), opts)
		require.NoError(t, err)
		return s
	}
	s := read()
	require.Equal(t, s.Faults(), read().Faults())
	require.LessOrEqual(t, s.Candidates(), s.Len())
	for id := range catalog.ID(s.Len()) {
		b := s.Bundle(id)
		require.Equal(t, int(id) < s.Candidates(), len(b.Places) > 0)
		require.Contains(t, s.Named(b.Name), id)
		require.Contains(t, s.Package(b.Package).Bundles, id)
		for _, place := range b.Places {
			e := &place.Channel.Entries[place.Entry]
			require.Equal(t, id, e.Bundle)
			require.True(t, e.Candidate())
		}
		b.Properties.CEL()
	}
	for p := range s.Packages() {
		for _, c := range p.Channels {
			if c.Fault != "" {
				require.Empty(t, c.Order)
			}
			for depth, i := range c.Order {
				require.EqualValues(t, depth, c.Entries[i].Depth)
			}
		}
	}
	for _, f := range s.Faults() {
		require.NotEmpty(t, f.Code)
		require.NotEmpty(t, f.Message)
	}
}
