package request

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// definition returns one of some versions; "+" marks the one that is stored.
func definition(scope string, versions ...string) (d properties.Definition) {
	d = properties.Definition{Group: "g", Names: properties.DefinitionNames{Kind: "Thing", Plural: "things"}, Scope: scope}
	for _, v := range versions {
		stores := v[0] == '+'
		if stores {
			v = v[1:]
		}
		d.Versions = append(d.Versions, properties.DefinedVersion{Name: v, Served: true, Storage: stores})
	}
	return d
}

func TestRefusedDefinition(t *testing.T) {
	for name, test := range map[string]struct {
		has, brings properties.Definition
		stored      []string
		codes       []words.Code
		kind        string // of the repair
		keep        []string
		moves       bool
	}{
		"the same":            {definition("Cluster", "+v1"), definition("Cluster", "+v1"), []string{"v1"}, nil, "", nil, false},
		"a version more":      {definition("Cluster", "+v1"), definition("Cluster", "v1", "+v2"), []string{"v1"}, nil, "", nil, false},
		"not stored":          {definition("Cluster", "v1", "+v2"), definition("Cluster", "+v2"), []string{"v2"}, nil, "", nil, false},
		"stored":              {definition("Cluster", "v1", "+v2"), definition("Cluster", "+v2"), []string{"v1", "v2"}, []words.Code{words.RefusedStored}, words.RepairStored, []string{"v2"}, false},
		"stored alone":        {definition("Cluster", "v1", "+v2"), definition("Cluster", "+v2"), []string{"v1"}, []words.Code{words.RefusedStored}, words.RepairStored, []string{"v2"}, false},
		"storage goes":        {definition("Cluster", "+v1", "v2"), definition("Cluster", "+v2"), []string{"v1"}, []words.Code{words.RefusedStored}, words.RepairStored, []string{"v2"}, true},
		"nothing in common":   {definition("Cluster", "+v1", "v3"), definition("Cluster", "+v2"), []string{"v1"}, []words.Code{words.RefusedStored}, words.RepairStoredOnly, nil, false},
		"only one":            {definition("Cluster", "+v1"), definition("Cluster", "+v2"), []string{"v1"}, []words.Code{words.RefusedStored}, words.RepairStoredOnly, nil, false},
		"scope":               {definition("Cluster", "+v1"), definition("Namespaced", "+v1"), []string{"v1"}, []words.Code{words.RefusedField}, "", nil, false},
		"scope is not stated": {definition("", "+v1"), definition("Namespaced", "+v1"), []string{"v1"}, nil, "", nil, false},
		"both":                {definition("Cluster", "+v1", "v2"), definition("Namespaced", "+v2"), []string{"v1"}, []words.Code{words.RefusedStored, words.RefusedField}, words.RepairStored, []string{"v2"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			has := &cluster.Definition{Name: "things.g", Definition: test.has, Stored: test.stored}
			list := RefusedDefinition(has, &test.brings, "b.v2")
			var codes []words.Code
			for i := range list {
				codes = append(codes, list[i].Code())
			}
			assert.Equal(t, test.codes, codes)
			if test.kind == "" {
				for i := range list {
					assert.Nil(t, StoredRepair(&list[i], has, &test.brings))
				}
				return
			}
			repair := StoredRepair(&list[0], has, &test.brings)
			assert.Equal(t, test.kind, repair.Kind)
			assert.Equal(t, test.keep, repair.Keep)
			assert.Equal(t, test.moves, repair.Moves != "")
		})
	}
	assert.Empty(t, RefusedDefinition(nil, &properties.Definition{}, "b.v2"))
}

// OLM v1 takes over no definition, unless its ClusterExtension installed it, or was migrated from
// OLM v0.
func TestRefusedOwned(t *testing.T) {
	value := []byte(`{"group":"g","version":"v1","kind":"Thing"}`)
	states, _ := properties.Decode([]properties.Property{{Type: properties.TypeGVK, Value: value}}, nil)
	refused := func(owner string, e *cluster.ClusterExtension) int {
		known := cluster.NewIndex(cluster.Objects{Definitions: []cluster.Definition{{Name: "things.g", Definition: definition("", "+v1"), Owner: owner}}})
		return len(RefusedDefinitions(known, e, "b.v2", states))
	}
	assert.Equal(t, 1, refused("", &cluster.ClusterExtension{Name: "e"}))
	assert.Equal(t, 1, refused("f", &cluster.ClusterExtension{Name: "e"}))
	assert.Equal(t, 0, refused("e", &cluster.ClusterExtension{Name: "e"}))
	assert.Equal(t, 0, refused("", &cluster.ClusterExtension{Name: "e", Installed: &cluster.InstalledExtension{}}))
	assert.Equal(t, 0, refused("", &cluster.ClusterExtension{Name: "e", MigratedFrom: "n/s"}))
	assert.Equal(t, 0, refused("", nil))
	assert.Empty(t, RefusedDefinitions(cluster.NewIndex(cluster.Objects{}), &cluster.ClusterExtension{Name: "e"}, "b.v2", states))
}
