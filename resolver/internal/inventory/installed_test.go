package inventory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// stating returns a ClusterServiceVersion whose annotation lists a property n times.
func stating(property string, n int) *cluster.ClusterServiceVersion {
	text := `{"properties":[` + strings.TrimSuffix(strings.Repeat(property+",", n), ",") + `]}`
	return &cluster.ClusterServiceVersion{Name: "b", Annotations: map[string]string{cluster.AnnotationProperties: text}}
}

// TestInstalledLimits: what is installed has the limits of bundles in catalogs, and reads
// within them.
func TestInstalledLimits(t *testing.T) {
	const opaque, rule = `{"type":"t","value":1}`, `{"type":"olm.gvk.required","value":{"group":"g","version":"v","kind":"K"}}`
	nested := func(depth int) string {
		return `{"type":"t","value":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
	}
	required := func(n int) *cluster.ClusterServiceVersion {
		csv := &cluster.ClusterServiceVersion{Name: "b"}
		for i := range n {
			csv.Requires = append(csv.Requires, properties.GVK{Group: "g", Version: "v", Kind: fmt.Sprint("K", i)})
		}
		return csv
	}
	reader := NewReader(constraints.NewParser(constraints.Limits{}))
	for name, test := range map[string]struct {
		within, beyond *cluster.ClusterServiceVersion
		want           string
	}{
		"properties":    {stating(opaque, 10_000), stating(opaque, 10_001), "it has 10001 properties, more than the 10000 allowed"},
		"constraints":   {stating(rule, 1_000), stating(rule, 1_001), "it has 1001 constraints, more than the 1000 allowed"},
		"depth":         {stating(nested(200), 1), stating(nested(201), 1), "property 0 (t) nests 201 levels deep, more than the 200 allowed"},
		"required APIs": {required(1_000), required(1_001), "it has 1001 constraints, more than the 1000 allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			stated, err := reader.Read(t.Context(), &cluster.NamespaceObjects{}, test.within)
			require.NoError(t, err)
			require.NoError(t, stated.Err)
			stated, err = reader.Read(t.Context(), &cluster.NamespaceObjects{}, test.beyond)
			require.NoError(t, err)
			assert.ErrorContains(t, stated.Err, test.want)
		})
	}
}

// TestReadingEnds: rules are compiled until the context ends, and what is not read is not
// cached.
func TestReadingEnds(t *testing.T) {
	reader := NewReader(constraints.NewParser(constraints.Limits{}))
	csv := stating(`{"type":"olm.constraint","value":{"failureMessage":"f","cel":{"rule":"properties.exists(p, p.type == 'a')"}}}`, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := reader.Read(ctx, &cluster.NamespaceObjects{}, csv)
	require.ErrorIs(t, err, context.Canceled)
	stated, err := reader.Read(t.Context(), &cluster.NamespaceObjects{}, csv)
	require.NoError(t, err)
	assert.Len(t, stated.Constraints, 1)
}

// TestGroupsShareWhatIsInstalled: the groups of a namespace together take room for its APIs
// once, and what is installed is found whichever group it belongs to.
func TestGroupsShareWhatIsInstalled(t *testing.T) {
	var o cluster.Objects
	set := &cluster.ClusterServiceVersion{Namespace: "n", Name: "b", Provides: []properties.GVK{{Group: "g", Version: "v", Kind: "K"}}}
	o.CSVs = append(o.CSVs, *set)
	for i := range 5 {
		o.OperatorGroups = append(o.OperatorGroups, cluster.OperatorGroup{Namespace: "n", Name: fmt.Sprint("g", i), StaticProvidedAPIs: i == 0})
	}
	c := cluster.NewIndex(o)
	require.NoError(t, Derive(t.Context(), c, NewReader(constraints.NewParser(constraints.Limits{}))))
	providers := derivedOf(c).groups.providers.Of(set.Provides[0])
	require.Len(t, providers, 1)
	assert.Equal(t, "g1", providers[0].OperatorGroup.Name)
	for i, g := range derivedOf(c).groups.in.Of("n") {
		_, provided := g.provides(set.Provides[0])
		assert.Equal(t, i > 0, provided)
	}
}

// TestChangedNamespace: what is derived for a namespace that changed, from what was derived
// before, is what is derived of the same objects anew.
func TestChangedNamespace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(namespace string) (list []cluster.ClusterServiceVersion) {
		for i := range 6 {
			for range random.IntN(3) { // a name may be there twice
				csv := stating(fmt.Sprintf(`{"type":"olm.gvk","value":{"group":"g","version":"v%d","kind":"K%d"}}`, random.IntN(2), random.IntN(4)), 1+random.IntN(2))
				csv.Namespace, csv.Name = namespace, fmt.Sprint("b", i)
				list = append(list, *csv)
			}
		}
		return list
	}
	reader := NewReader(constraints.NewParser(constraints.Limits{}))
	moved := 0
	for range 500 {
		before := cluster.Objects{CSVs: slices.Concat(some("m"), some("n"), some("o"))}
		base := cluster.NewIndex(before)
		changed := base.WithNamespace("n", false, func(n *cluster.NamespaceObjects) {
			if n.CSVs = some("n"); random.IntN(2) == 0 { // one goes
				n.CSVs = slices.DeleteFunc(slices.Clone(base.In("n").CSVs), func(v cluster.ClusterServiceVersion) bool { return v.Name == "b1" })
			}
		})
		fresh := cluster.NewIndex(cluster.Objects{CSVs: slices.Concat(base.In("m").CSVs, changed.In("n").CSVs, base.In("o").CSVs)})
		for _, c := range []*cluster.Index{changed, fresh} {
			require.NoError(t, Derive(t.Context(), c, reader))
		}
		assert.Equal(t, slices.Concat(InstalledIn(fresh, "n")), slices.Concat(InstalledIn(changed, "n")))
		for k := range 4 {
			kind := properties.GVK{Group: "g", Kind: fmt.Sprint("K", k)}
			// Bundles of one name come in any order.
			require.ElementsMatch(t, ProvidersIn(fresh).Of(kind), ProvidersIn(changed).Of(kind))
			if !slices.Equal(ProvidersIn(base).Of(kind), ProvidersIn(changed).Of(kind)) {
				moved++
			}
		}
	}
	assert.Positive(t, moved)
}
