package constraints

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

// samples has, for each kind, values of its key. Bundle "a" of the test matches
// the first one and no other. Of two values of a simple kind one text differs, and
// there is a pair for each text.
var samples = map[string][]string{
	"gvk": {
		`{"group":"g.io","version":"v1","kind":"K"}`, `{"group":"h.io","version":"v1","kind":"K"}`,
		`{"group":"g.io","version":"v2","kind":"K"}`, `{"group":"g.io","version":"v1","kind":"L"}`,
	},
	"package": {
		`{"packageName":"a","versionRange":">=1.0.0"}`, `{"packageName":"c","versionRange":">=1.0.0"}`,
		`{"packageName":"a","versionRange":">=2.0.0"}`,
	},
	"label": {`{"label":"gold"}`, `{"label":"tin"}`},
	"cel":   {`{"rule":"properties.exists(p, p.value.packageName == 'a')"}`, `{"rule":"cluster.namespace == 'none'"}`},
	"all":   {listOf("a", "a"), listOf("a", "b"), listOf("b", "a"), listOf("b")},
	"any":   {listOf("b", "a"), listOf("b", "c"), listOf("b")},
	"not":   {listOf("b", "c"), listOf("a"), listOf("a", "b"), listOf("b", "a")},
}

func listOf(packages ...string) string {
	for i, name := range packages {
		packages[i] = fmt.Sprintf(`{"package":{"packageName":%q,"versionRange":">=1.0.0"}}`, name)
	}
	return `{"constraints":[` + strings.Join(packages, ",") + `]}`
}

// bundles are of one package each.
type bundles map[string]*properties.Set

func sampleBundles(t *testing.T) bundles {
	list := bundles{}
	for name, more := range map[string][]properties.Property{
		"a": {{Type: properties.TypeGVK, Value: []byte(`{"group":"g.io","version":"v1","kind":"K"}`)}, {Type: properties.TypeLabel, Value: []byte(`{"label":"gold"}`)}},
		"b": nil,
	} {
		pkg := properties.Property{Type: properties.TypePackage, Value: []byte(`{"packageName":"` + name + `","version":"1.2.3"}`)}
		set, faults := properties.Decode(append(more, pkg), nil)
		require.Empty(t, faults)
		list[name] = set
	}
	return list
}

func (b bundles) that(matches func(*properties.Set) bool) (names []string) {
	for name, set := range b {
		if matches(set) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (b bundles) matching(e Expr) []string {
	return b.that(func(s *properties.Set) bool {
		verdict, _, err := Match(context.Background(), e, s, rules.Facts{Namespace: "n"})
		return verdict == rules.Yes && err == nil
	})
}

func (b bundles) Providers(api properties.GVK) []string {
	return b.that(func(s *properties.Set) bool { return s.Provides(api) })
}
func (b bundles) Labeled(label string) []string {
	return b.that(func(s *properties.Set) bool { return s.HasLabel(label) })
}
func (b bundles) Packaged(name string) []string {
	return b.that(func(s *properties.Set) bool { pkg, _ := s.Package(); return pkg.Name == name })
}

// Every kind has every facet, and its facets agree.
func TestEveryKind(t *testing.T) {
	p, index, keys := NewParser(Limits{}), sampleBundles(t), map[string]string{}
	for _, k := range kinds {
		name := k.zero.name()
		require.GreaterOrEqual(t, len(samples[name]), 2, "samples in kinds_test.go lacks %s", name)
		require.True(t, k.generic || k.property != "", "kinds in expr.go says nowhere how bundles state %s", name)
		for i, value := range samples[name] {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				e := readKind(t, p, k, value)
				assert.NotContains(t, keys, Key(e), "Key")
				keys[Key(e)] = value

				assert.Equal(t, i == 0, slices.Contains(index.matching(e), "a"), "Match")
				assert.NotEmpty(t, e.String())
				assert.NotEqual(t, e.String(), e.negation())
				assert.Equal(t, e.negation(), Not{Exprs: []Expr{e}}.String())
				checkRules(t, e, index["a"])
				checkNormalized(t, e, index)
				checkLookup(t, e, index)
			})
		}
	}
}

// readKind reads a value in all places in which the kind can be stated.
func readKind(t *testing.T, p *Parser, k kind, value string) Expr {
	var e Expr
	if k.property != "" {
		set, _ := properties.Decode([]properties.Property{{Type: k.property, Value: []byte(value)}}, nil)
		list, faults := p.ParseSet(set)
		require.Empty(t, faults)
		require.Len(t, list, 1, "properties.required lacks %s", k.property)
		e = list[0].Expr
		assert.Empty(t, e.FailureMessage())
	}
	if k.generic {
		text := fmt.Sprintf(`{"failureMessage":"why","%s":%s}`, k.zero.name(), value)
		c, err := p.Parse(0, properties.Property{Type: properties.TypeConstraint, Value: []byte(text)})
		require.NoError(t, err)
		if e != nil {
			assert.Equal(t, Key(e), Key(c.Expr))
		}
		e = c.Expr
		assert.Equal(t, "why", e.FailureMessage())
	}
	assert.IsType(t, k.zero, e)
	assert.Equal(t, "because", e.withMessage("because").FailureMessage())
	return e
}

// checkRules makes sure that an expression says so if it reads a rule, or the
// cluster: results are kept by that.
func checkRules(t *testing.T, e Expr, set *properties.Set) {
	for _, e := range []Expr{e, All{Exprs: []Expr{e}}, Any{Exprs: []Expr{e}}, Not{Exprs: []Expr{e}}} {
		verdict, _ := matcher{set: set}.match(e)
		rule, cluster := Reads(e)
		assert.Equal(t, verdict == rules.Unknown, rule, "a rule")
		assert.Equal(t, strings.Contains(Key(e), "cluster."), cluster, "a rule that reads Facts")
	}
}

// checkNormalized makes sure that the normal form of an expression, and that of its
// opposite, hold where they do.
func checkNormalized(t *testing.T, e Expr, index bundles) {
	for _, e := range []Expr{e, Not{Exprs: []Expr{e}}, Not{Exprs: []Expr{Not{Exprs: []Expr{e}}}}} {
		assert.Equal(t, index.matching(e), index.that(func(s *properties.Set) bool {
			return normalHolds(t, Normalize(e), s)
		}), "Normalize")
	}
}

func normalHolds(t *testing.T, e Expr, s *properties.Set) bool {
	holds := func(e Expr) bool { return normalHolds(t, e, s) }
	switch e := e.(type) {
	case All:
		return !slices.ContainsFunc(e.Exprs, func(e Expr) bool { return !holds(e) })
	case Any:
		return slices.ContainsFunc(e.Exprs, holds)
	case Not:
		require.Len(t, e.Exprs, 1, "one negated part")
		_, parts := e.Exprs[0].content()
		assert.Empty(t, parts, "it is simple")
		return !holds(e.Exprs[0])
	}
	return slices.Contains(bundles{"x": s}.matching(e), "x")
}

// checkLookup makes sure that no bundle is overlooked.
func checkLookup(t *testing.T, e Expr, index bundles) {
	if ids, ok := Find(index, e); ok {
		assert.Equal(t, index.matching(e), ids, "Find")
	}
	for _, e := range []Expr{e, All{Exprs: []Expr{e, e}}, Any{Exprs: []Expr{e, e}}, Not{Exprs: []Expr{e}}} {
		if ids, ok := Narrow(index, e); ok {
			assert.Subset(t, ids, index.matching(e), "Narrow")
		}
	}
}

// onePackage is an index with one list of a package.
type onePackage struct {
	bundles
	names []string
}

func (l onePackage) Packaged(string) []string { return l.names }

// However many parts are about one package, its list counts once.
func TestNarrowToOnePackage(t *testing.T) {
	index := onePackage{names: slices.Repeat([]string{"a"}, 1000)}
	for i := range index.names {
		index.names[i] = fmt.Sprintf("b%04d", i)
	}
	any := Any{Exprs: slices.Repeat([]Expr{Package{Name: "p"}}, 1000)}
	ids, ok := Narrow(index, any)
	assert.True(t, ok)
	assert.Equal(t, index.names, ids)
	assert.Less(t, cap(ids), 2*len(index.names))
}

// Every kind is registered, under a name and properties of its own.
func TestKindsAreRegistered(t *testing.T) {
	var registered, written []string
	stated := map[string]bool{}
	for _, k := range kinds {
		registered = append(registered, reflect.TypeOf(k.zero).Name())
		for _, text := range []string{"name " + k.zero.name(), k.property} {
			assert.False(t, stated[text], text)
			stated[text] = text != ""
		}
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "negation" {
				written = append(written, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(written)
	slices.Sort(registered)
	assert.Equal(t, written, registered, "kinds in expr.go has the types with a method negation")
}

// Parts gives each part the place that a fault in it has.
func TestParts(t *testing.T) {
	const value = `{"any":{"constraints":[{"cel":{"rule":"true"}},{"not":{"constraints":[{"gvk":{"version":"v1","kind":"K"}}]}}]}}`
	c, err := NewParser(Limits{}).Parse(0, properties.Property{Type: properties.TypeConstraint, Value: []byte(value)})
	require.NoError(t, err)
	var places []string
	for place, e := range Parts(c.Expr) {
		assert.True(t, strings.HasSuffix(place, e.name()))
		places = append(places, place)
	}
	assert.Equal(t, []string{"any", "any.constraints[0].cel", "any.constraints[1].not", "any.constraints[1].not.constraints[0].gvk"}, places)
	for range Parts(c.Expr) {
		break
	}
}
