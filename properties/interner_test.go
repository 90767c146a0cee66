package properties_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// One bundle of a catalog must not get the APIs or types of another because
// their texts look alike when they are strung together.
func TestInternerTellsListsApart(t *testing.T) {
	in := &properties.Interner{}
	api := func(group, version, kind string) properties.Property {
		return properties.Property{Type: properties.TypeGVK, Value: fmt.Appendf(nil, `{"group":%q,"version":%q,"kind":%q}`, group, version, kind)}
	}
	pkg := properties.Property{Type: properties.TypePackage, Value: []byte(`{"packageName":"p","version":"1.0.0"}`)}
	_, faults := properties.Decode([]properties.Property{pkg, {Type: properties.TypeGVK, Value: []byte(`{"group":"g","version":"v1","kind":"A\u0000g\u0000v1\u0000B"}`)}}, in)
	require.Empty(t, faults)
	set, faults := properties.Decode([]properties.Property{pkg, api("g", "v1", "A"), api("g", "v1", "B")}, in)
	require.Empty(t, faults)
	assert.Equal(t, []properties.GVK{{Group: "g", Version: "v1", Kind: "A"}, {Group: "g", Version: "v1", Kind: "B"}}, set.GVKs())

	properties.Decode([]properties.Property{pkg, {Type: "a\x00b", Value: []byte("1")}, {Type: "c", Value: []byte("1")}}, in)
	set, _ = properties.Decode([]properties.Property{pkg, {Type: "a", Value: []byte("1")}, {Type: "b\x00c", Value: []byte("1")}}, in)
	var types []string
	for _, p := range set.All() {
		types = append(types, p.Type)
	}
	assert.Equal(t, []string{"olm.package", "a", "b\x00c"}, types)
}

// Many APIs and labels keep their order and lose their repeats.
func TestManyAPIs(t *testing.T) {
	var list []properties.Property
	for i := range 3000 {
		list = append(list,
			properties.Property{Type: properties.TypeGVK, Value: fmt.Appendf(nil, `{"group":"g","version":"v1","kind":"K%d"}`, i%1000)},
			properties.Property{Type: properties.TypeLabel, Value: fmt.Appendf(nil, `{"label":"L%d"}`, i%1000)})
	}
	set, _ := properties.Decode(list, nil)
	require.Len(t, set.GVKs(), 1000)
	require.Len(t, set.Labels(), 1000)
	for i := range 1000 {
		assert.Equal(t, fmt.Sprintf("K%d", i), set.GVKs()[i].Kind)
		assert.Equal(t, fmt.Sprintf("L%d", i), set.Labels()[i])
	}
}

// How many types a bundle states is bounded only by who reads it.
func TestManyTypes(t *testing.T) {
	const n = 200_000
	list := make([]properties.Property, 2*n)
	for i := range list {
		list[i] = properties.Property{Type: fmt.Sprintf("t%06d", (i*7919)%n), Value: []byte("1")}
	}
	var set *properties.Set
	_, took := testkit.Cost(func() { set, _ = properties.Decode(list, &properties.Interner{}) })
	assert.Less(t, took, 10*time.Second)
	assert.True(t, set.States("t199999"))
	assert.False(t, set.States("t200000"))
}
