package crdsafety_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/crdsafety"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// objects are those of a bundle, as a catalog read with their texts has them.
func objects(t testing.TB, texts ...string) *properties.Objects {
	t.Helper()
	list := []properties.Property{{Type: properties.TypePackage, Value: []byte(`{"packageName":"p","version":"1.0.0"}`)}}
	for _, text := range texts {
		object, err := yaml.YAMLToJSON([]byte(text))
		require.NoError(t, err, text)
		list = append(list, properties.ObjectProperty(object))
	}
	set, faults := properties.Decode(list, &properties.Interner{Objects: true})
	require.Empty(t, faults)
	return set.Objects()
}

// definition is one with versions, of the form "NAME [served] [stored] SCHEMA", whose schema is that
// of spec. Fields before the versions are of the definition's spec.
func definition(fields string, versions ...string) string {
	text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ks.g}\nspec:\n  group: g\n  names: {kind: K, plural: ks}\n"
	if !strings.Contains(fields, "scope:") {
		text += "  scope: Namespaced\n"
	}
	if fields != "" {
		text += "  " + fields + "\n"
	}
	text += "  versions:\n"
	for _, v := range versions {
		name, schema, _ := strings.Cut(v, " ")
		served := !strings.HasPrefix(schema, "unserved ")
		schema = strings.TrimPrefix(schema, "unserved ")
		stored := strings.HasPrefix(schema, "stored ")
		schema = strings.TrimPrefix(schema, "stored ")
		text += fmt.Sprintf("  - {name: %s, served: %t, storage: %t, schema: {openAPIV3Schema: {type: object, properties: {spec: %s}}}}\n", name, served, stored, schema)
	}
	return text
}

// judged are the changes and whatever else is said of an update.
func judged(t testing.TB, from, to *properties.Objects) (said []string) {
	for _, one := range crdsafety.New().Judge(t.Context(), from, to) {
		said = append(said, one.Changes...)
		if one.Unjudged != "" {
			said = append(said, "unjudged: "+one.Unjudged)
		}
	}
	return said
}

// kind is a kind of change of a schema.
type kind struct{ from, to, want string }

// kinds are changes of the schema of spec in v1; those without words are accepted.
var kinds = map[string]kind{
	"nothing":                    {"{type: object}", "{type: object}", ""},
	"a description":              {"{type: string, description: a}", "{type: string, description: b}", ""},
	"a field added":              {"{type: object}", "{type: object, properties: {a: {type: string}}}", ""},
	"a field removed":            {"{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}", "{type: object}", "v1: spec.a is removed"},
	"a field without constraint": {"{properties: {a: {}}}", "{}", "v1: spec.a is removed"},
	"a field of items":           {"{type: array, items: {type: object, properties: {a: {type: string}}}}", "{type: array, items: {type: object}}", "v1: spec.items.a is removed"},
	"a type":                     {"{type: string}", "{type: integer}", `v1: spec: type changes from "string" to "integer"`},
	"a type of items":            {"{type: array, items: {type: string}}", "{type: array, items: {type: integer}}", `v1: spec.items: type changes from "string" to "integer"`},
	"an enum value removed":      {"{type: string, enum: [a, b]}", "{type: string, enum: [b]}", `v1: spec: its enum loses "a"`},
	"an enum value added":        {"{type: string, enum: [a]}", "{type: string, enum: [a, b]}", ""},
	"an enum added":              {"{type: string}", "{type: string, enum: [a, b]}", `v1: spec: an enum is added: "a", "b"`},
	"an enum removed":            {"{type: string, enum: [a]}", "{type: string}", "v1: spec: its enum is removed"},
	"a required field":           {"{required: [a], properties: {a: {}, b: {}}}", "{required: [b, a], properties: {a: {}, b: {}}}", "v1: spec: newly required: b"},
	"a new required field":       {"{properties: {a: {}}}", "{required: [b], properties: {a: {}, b: {type: string}}}", "v1: spec: newly required: b"},
	"no longer required":         {"{required: [a], properties: {a: {}}}", "{properties: {a: {}}}", ""},
	"a default added":            {"{type: integer}", "{type: integer, default: 3}", "v1: spec: default changes from none to 3"},
	"a default removed":          {"{type: integer, default: 3}", "{type: integer}", "v1: spec: default changes from 3 to none"},
	"a default changed":          {"{type: string, default: a}", "{type: string, default: b}", `v1: spec: default changes from "a" to "b"`},
	"a default in another order": {"{default: {a: 1, b: 2}}", "{default: {b: 2.0, a: 1}}", ""},
	"a maximum added":            {"{type: integer}", "{type: integer, maximum: 3}", "v1: spec: maximum changes from none to 3"},
	"a maximum lowered":          {"{type: integer, maximum: 4}", "{type: integer, maximum: 3}", "v1: spec: maximum changes from 4 to 3"},
	"a maximum raised":           {"{type: integer, maximum: 3}", "{type: integer, maximum: 4}", ""},
	"a maximum removed":          {"{type: integer, maximum: 3}", "{type: integer}", ""},
	"maxLength lowered":          {"{type: string, maxLength: 4}", "{type: string, maxLength: 3}", "v1: spec: maxLength changes from 4 to 3"},
	"maxItems added":             {"{type: array}", "{type: array, maxItems: 3}", "v1: spec: maxItems changes from none to 3"},
	"maxProperties lowered":      {"{maxProperties: 4}", "{maxProperties: 3}", "v1: spec: maxProperties changes from 4 to 3"},
	"a minimum raised":           {"{type: integer, minimum: 3}", "{type: integer, minimum: 4}", "v1: spec: minimum changes from 3 to 4"},
	"a minimum lowered":          {"{type: integer, minimum: 4}", "{type: integer, minimum: 3}", ""},
	"minLength added":            {"{type: string}", "{type: string, minLength: 1}", "v1: spec: minLength changes from none to 1"},
	"minItems raised":            {"{minItems: 1}", "{minItems: 2}", "v1: spec: minItems changes from 1 to 2"},
	"minProperties added":        {"{}", "{minProperties: 2}", "v1: spec: minProperties changes from none to 2"},
	"a pattern added":            {"{type: string}", "{type: string, pattern: a+}", `v1: spec: pattern changes from none to "a+"`},
	"a pattern removed":          {"{type: string, pattern: a+}", "{type: string}", `v1: spec: pattern changes from "a+" to none`},
	"nullable removed":           {"{nullable: true}", "{}", "v1: spec: nullable changes from true to none"},
	"nullable added":             {"{}", "{nullable: true}", "v1: spec: nullable changes from none to true"},
	"a format":                   {"{type: string}", "{type: string, format: date}", `v1: spec: format changes from none to "date"`},
	"a rule added":               {"{}", "{x-kubernetes-validations: [{rule: self == 1}]}", `v1: spec: x-kubernetes-validations changes from none to [{"rule":"self == 1"}]`},
	"a rule changed": {"{x-kubernetes-validations: [{rule: a}]}", "{x-kubernetes-validations: [{rule: b}, {rule: c}]}",
		`v1: spec: x-kubernetes-validations[0].rule changes from "a" to "b", x-kubernetes-validations[1] is added`},
	"values of a map": {"{additionalProperties: {type: string}}", "{additionalProperties: {type: integer}}", `v1: spec.additionalProperties: type changes from "string" to "integer"`},
	// The rule about descriptions looks at properties and items alone.
	"a description of values": {"{additionalProperties: {type: object, properties: {a: {description: b}}}}", "{additionalProperties: {type: object, properties: {a: {description: c}}}}",
		`v1: spec: additionalProperties.properties.a.description changes from "b" to "c"`},
	"an alternative":                  {"{oneOf: [{required: [a]}]}", "{oneOf: [{required: [a]}, {required: [b]}]}", "v1: spec: oneOf[1] is added"},
	"another alternative":             {"{oneOf: [{properties: {a: {maximum: 3}}}]}", "{oneOf: [{properties: {a: {maximum: 2}}}]}", "v1: spec.oneOf[0].a: maximum changes from 3 to 2"},
	"a description of an alternative": {"{oneOf: [{description: a}]}", "{oneOf: [{description: b}]}", ""},
	"unknown fields":                  {"{x-kubernetes-preserve-unknown-fields: true}", "{}", "v1: spec: x-kubernetes-preserve-unknown-fields changes from true to none"},
	"two changes": {"{type: object, properties: {b: {type: string}, a: {type: string, default: x}}}", "{type: object, properties: {a: {type: integer}}}",
		"v1: spec.a: default changes from \"x\" to none\nv1: spec.a: type changes from \"string\" to \"integer\"\nv1: spec.b is removed"},
}

func TestKinds(t *testing.T) {
	for name, test := range kinds {
		t.Run(name, func(t *testing.T) {
			from, to := definition("", "v1 stored "+test.from), definition("", "v1 stored "+test.to)
			assert.Equal(t, test.want, strings.Join(judged(t, objects(t, from), objects(t, to)), "\n"))
		})
	}
}

// definitions are changes of whole definitions.
var definitions = map[string]struct {
	from, to []string
	want     string
}{
	"scope":                       {[]string{definition("", "v1 stored {}")}, []string{definition("scope: Cluster", "v1 stored {}")}, "scope changes from Namespaced to Cluster"},
	"the stored version":          {[]string{definition("", "v1 stored {}")}, []string{definition("", "v2 stored {}")}, "version v1 is removed, in which resources are stored"},
	"another version":             {[]string{definition("", "v1 {}", "v2 stored {}")}, []string{definition("", "v2 stored {}")}, ""},
	"a version no longer served":  {[]string{definition("", "v1 stored {}")}, []string{definition("", "v1 unserved stored {}")}, ""},
	"a new version like the old":  {[]string{definition("", "v1 stored {}")}, []string{definition("", "v1 {}", "v2 stored {}")}, ""},
	"a new version with a change": {[]string{definition("", "v1 stored {properties: {a: {type: string}}}")}, []string{definition("", "v1 {properties: {a: {type: string}}}", "v2 stored {properties: {b: {}}}")}, "v1 and v2, both served without a conversion webhook: spec.a is only in the former"},
	"a type in a new version":     {[]string{definition("", "v1 stored {type: string}")}, []string{definition("", "v1 {type: string}", "v2 stored {type: integer}")}, `v1 and v2, both served without a conversion webhook: spec: type changes from "string" to "integer"`},
	"a change that was there":     {[]string{definition("", "v1 {type: string}", "v2 stored {type: integer}")}, []string{definition("", "v1 {type: string}", "v2 stored {type: integer, description: a}")}, ""},
	"required fields that were":   {[]string{definition("", "v1 {}", "v2 stored {required: [a, b, c, d, e, f]}")}, []string{definition("", "v1 {}", "v2 stored {required: [a, b, c, d, e, f], description: a}")}, ""},
	"more required fields":        {[]string{definition("", "v1 {}", "v2 stored {required: [a, b]}")}, []string{definition("", "v1 {}", "v2 stored {required: [a, b, c]}")}, "v2: spec: newly required: c\nv1 and v2, both served without a conversion webhook: spec: newly required: a, b, c"},
	"a webhook of the definition": {[]string{definition("", "v1 stored {type: string}")}, []string{definition("conversion: {strategy: Webhook}", "v1 {type: string}", "v2 stored {type: integer}")}, ""},
	"a webhook of the bundle": {[]string{definition("", "v1 stored {type: string}")}, []string{definition("", "v1 {type: string}", "v2 stored {type: integer}"),
		"kind: ClusterServiceVersion\nspec: {webhookdefinitions: [{type: ConversionWebhook, conversionCRDs: [ks.g]}]}"}, ""},
	"a webhook of another kind": {[]string{definition("", "v1 stored {type: string}")}, []string{definition("", "v1 {type: string}", "v2 stored {type: integer}"),
		"kind: ClusterServiceVersion\nspec: {webhookdefinitions: [{type: ValidatingAdmissionWebhook, conversionCRDs: [ks.g]}]}"}, `v1 and v2, both served without a conversion webhook: spec: type changes from "string" to "integer"`},
	"a definition that goes": {[]string{definition("", "v1 stored {}")}, []string{"kind: ClusterServiceVersion"}, ""},
	"an API that is gone":    {[]string{strings.Replace(definition("", "v1 stored {}"), "/v1\n", "/v1beta1\n", 1)}, []string{definition("scope: Cluster", "v1 stored {}")}, ""},
	"an update to that API":  {[]string{definition("", "v1 stored {}")}, []string{strings.Replace(definition("scope: Cluster", "v1 stored {}"), "/v1\n", "/v1beta1\n", 1)}, ""},
}

func TestDefinitions(t *testing.T) {
	for name, test := range definitions {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, strings.Join(judged(t, objects(t, test.from...), objects(t, test.to...)), "\n"))
		})
	}
}

// FuzzJudge: whatever a bundle states as a definition, a verdict comes, of which every word is legible;
// the same definition is no change; and of two updates with the same objects the verdict is the same.
func FuzzJudge(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"string"}`, `{"type":"integer"}`},
		{`{"properties":{"a":{"enum":["x","y"]}}}`, `{"properties":{"a":{"enum":["x"]}},"required":["a"]}`},
		{`{"items":{"anyOf":[{"minimum":1},{"not":{}}]}}`, `{"items":null}`},
		{`{"x-kubernetes-validations":[{"rule":"self > 1"}]}`, `{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/a"}}}`},
		{`{"default":{"a":[1e400,"\u001b"]}}`, `{"properties":{"a\n":{"type":["string"]}}}`},
	} {
		f.Add(seed[0], seed[1])
	}
	object := func(schema string) *properties.Objects {
		text := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"ks.g"},"spec":{"group":"g","scope":"Namespaced","names":{"kind":"K","plural":"ks"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + schema + `}},{"name":"v2","served":true,"schema":{"openAPIV3Schema":{"properties":{"a":` + schema + `}}}}]}}`
		set, _ := properties.Decode([]properties.Property{properties.ObjectProperty([]byte(text))}, &properties.Interner{Objects: true})
		return set.Objects()
	}
	f.Fuzz(func(t *testing.T, from, to string) {
		was, is := object(from), object(to)
		list := crdsafety.New().Judge(t.Context(), was, is)
		assert.Equal(t, list, crdsafety.New().Judge(t.Context(), was, is))
		for _, one := range list {
			for _, text := range append(one.Changes, one.Unjudged) {
				assert.True(t, utf8.ValidString(text))
				assert.NotContains(t, text, "\n")
				assert.NotContains(t, text, "\x1b")
			}
		}
		for _, one := range crdsafety.New().Judge(t.Context(), was, was) {
			for _, change := range one.Changes { // two versions that are served can contradict each other
				assert.Contains(t, change, "both served", change)
			}
		}
	})
}

// What publishers write cannot stop the judge, nor write on the terminal of who reads its words.
func TestHostile(t *testing.T) {
	nest := func(open, close string, depth int) string {
		return strings.Repeat(open, depth) + "{}" + strings.Repeat(close, depth)
	}
	many := func(n int, one func(i int) string) string {
		var all []string
		for i := range n {
			all = append(all, one(i))
		}
		return strings.Join(all, ", ")
	}
	deep := func(depth int) string { return nest("{properties: {a: ", "}}", depth) }
	wide := func(n int, schema string) string {
		return "{properties: {" + many(n, func(i int) string { return fmt.Sprintf("a%d: %s", i, schema) }) + "}}"
	}
	versions := func(n int, schema string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("v%d unserved %s", i+2, schema))
			if i < 90 {
				list[i] = strings.Replace(list[i], "unserved ", "", 1)
			}
		}
		return append(list, "v1 stored "+schema)
	}
	for name, test := range map[string]struct{ from, to, want string }{
		"deep":          {definition("", "v1 stored "+deep(1000)), definition("", "v1 stored {}"), "unjudged: the schema of version v1 nests more than 200 levels deep"},
		"deep in lists": {definition("", "v1 stored {}"), definition("", "v1 stored "+nest("{anyOf: [{not: ", "}]}", 400)), "unjudged: the schema of version v1 nests more than 200 levels deep"},
		"deep, within":  {definition("", "v1 stored "+deep(190)), definition("", "v1 stored {}"), "v1: spec.a is removed"},
		"wide":          {definition("", "v1 stored "+wide(150_000, "{}")), definition("", "v1 stored {}"), "unjudged: the schema of version v1 is too large"},
		"wide, within":  {definition("", "v1 stored "+wide(20_000, "{type: string}")), definition("", "v1 stored {type: string}"), ""},
		"huge enum":     {definition("", "v1 stored {enum: ["+many(100_000, func(i int) string { return fmt.Sprint("v", i) })+"]}"), definition("", "v1 stored {enum: [v1]}"), `v1: spec: its enum loses "v0", "v10", "v100", "v1000", "v10000" and 99994 more`},
		"many alternatives": {definition("", "v1 stored {oneOf: ["+many(2000, func(i int) string { return fmt.Sprintf("{minimum: %d}", i) })+"]}"),
			definition("", "v1 stored {oneOf: ["+many(2000, func(i int) string { return fmt.Sprintf("{maximum: %d}", i) })+"]}"), ""},
		"as many of another kind": {definition("", "v1 stored {anyOf: ["+many(60_000, func(i int) string { return fmt.Sprintf("{minimum: %d}", i) })+"]}"),
			definition("", "v1 stored {anyOf: ["+many(60_000, func(i int) string { return fmt.Sprintf("{maximum: %d}", i) })+"]}"), "unjudged: the schema of version v1 is too large"},
		"many, within": {definition("", "v1 stored {anyOf: ["+many(4_500, func(i int) string { return fmt.Sprintf("{minimum: %d}", i) })+"]}"),
			definition("", "v1 stored {anyOf: ["+many(4_500, func(i int) string { return fmt.Sprintf("{maximum: %d}", i) })+"]}"), ""},
		"rules, within": {definition("", "v1 stored {x-kubernetes-validations: ["+many(4_500, func(i int) string { return fmt.Sprintf("{rule: a%d}", i) })+"]}"),
			definition("", "v1 stored {x-kubernetes-validations: ["+many(4_500, func(i int) string { return fmt.Sprintf("{rule: b%d}", i*7) })+"]}"), ""},
		"rules below": {definition("", "v1 stored "+strings.Repeat("{additionalProperties: ", 18)+"{x-kubernetes-validations: ["+many(4_500, func(i int) string { return fmt.Sprintf("{rule: a%d}", i) })+"]}"+strings.Repeat("}", 18)),
			definition("", "v1 stored "+strings.Repeat("{additionalProperties: ", 18)+"{x-kubernetes-validations: ["+many(4_500, func(i int) string { return fmt.Sprintf("{rule: b%d}", i) })+"]}"+strings.Repeat("}", 18)), "unjudged: the schema of version v1 is too large"},
		"rules below, within": {definition("", "v1 stored "+strings.Repeat("{additionalProperties: ", 18)+"{x-kubernetes-validations: ["+many(250, func(i int) string { return fmt.Sprintf("{rule: a%d}", i) })+"]}"+strings.Repeat("}", 18)),
			definition("", "v1 stored "+strings.Repeat("{additionalProperties: ", 18)+"{x-kubernetes-validations: ["+many(250, func(i int) string { return fmt.Sprintf("{rule: b%d}", i) })+"]}"+strings.Repeat("}", 18)), ""},
		"many rules": {definition("", "v1 stored {x-kubernetes-validations: ["+many(100_000, func(i int) string { return fmt.Sprintf("{rule: a%d}", i) })+"]}"),
			definition("", "v1 stored {x-kubernetes-validations: ["+many(100_000, func(i int) string { return fmt.Sprintf("{rule: b%d}", i*7) })+"]}"), "unjudged: the schema of version v1 is too large"},
		"many required":  {definition("", "v1 stored {}"), definition("", "v1 stored {required: ["+many(200_000, func(i int) string { return fmt.Sprint("f", i) })+"]}"), ""},
		"many versions":  {definition("", "v1 stored {}"), definition("", versions(95, wide(200, "{type: string}"))...), "unjudged: it has too many versions with large schemas"},
		"a circle":       {definition("", "v1 stored {$ref: '#/definitions/a', definitions: {a: {$ref: '#/definitions/a'}}}"), definition("", "v1 stored {$ref: '#/definitions/a', definitions: {a: {$ref: '#/definitions/b'}}}"), ""},
		"no schema":      {definition("", "v1 stored {}"), "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: g, names: {kind: K, plural: ks}, versions: [{name: v1}]}", "unjudged: version v1 has no schema, so no API server accepts it"},
		"null schema":    {definition("", "v1 stored {}"), "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {scope: Namespaced, group: g, names: {kind: K, plural: ks}, versions: [{name: v1, schema: {openAPIV3Schema: null}}]}", ""},
		"a wrong field":  {definition("", "v1 stored {}"), definition("", "v1 stored {maximum: many}"), ""},
		"an escape":      {definition("", `v1 stored {properties: {"a\e[31m\n": {type: string}}}`), definition("", "v1 stored {}"), `v1: "spec.a\x1b[31m\n" is removed`},
		"a long name":    {definition("", "v1 stored {properties: {? "+strings.Repeat("é", 2000)+" : {}}}"), definition("", "v1 stored {}"), ""},
		"a long default": {definition("", "v1 stored {}"), definition("", "v1 stored {default: "+strings.Repeat("a", 1<<20)+"}"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := objects(t, test.from), objects(t, test.to)
			require.NotNil(t, from)
			var said []string
			memory, took := testkit.Cost(func() { said = judged(t, from, to) })
			if test.want != "" {
				assert.Equal(t, test.want, strings.Join(said, "\n"))
			}
			for _, words := range said {
				assert.Less(t, len(words), 1500, "%.100s", words)
				assert.NotContains(t, words, "\x1b")
				assert.NotContains(t, words, "\n")
			}
			assert.Less(t, took, 20*time.Second)
			assert.Less(t, memory, uint64(1<<30))
		})
	}
}

// A definition of 1 MB with three versions, as the largest operators have, is judged.
func TestLarge(t *testing.T) {
	object := func(i int) string {
		return fmt.Sprintf("f%d: {type: object, description: %s, properties: {g: {type: array, items: {type: object, properties: {h: {type: string}, i: {type: integer, default: %d}}}}}}", i, strings.Repeat("a", 550), i)
	}
	var fields []string
	for i := range 500 {
		fields = append(fields, object(i))
	}
	schema := "{type: object, properties: {" + strings.Join(fields, ", ") + "}}"
	from := definition("", "v1 stored "+schema, "v2 "+schema, "v3 unserved "+schema)
	to := strings.Replace(from, "default: 400}", "default: 9}", 1)
	require.Greater(t, len(from), 1_000_000)
	var said []string
	took := testkit.Took(func() { said = judged(t, objects(t, from), objects(t, to)) })
	assert.Equal(t, []string{
		"v1: spec.f400.g.items.i: default changes from 400 to 9", "v1 and v2, both served without a conversion webhook: spec.f400.g.items.i: default changes from 9 to 400",
	}, said)
	assert.Less(t, took, 20*time.Second)
}

// Equal definitions are judged once, whoever asks.
func TestMemory(t *testing.T) {
	from, to := objects(t, definition("", "v1 stored {type: string}")), objects(t, definition("", "v1 stored {type: integer}"))
	j := crdsafety.New()
	first := j.Judge(t.Context(), from, to)
	assert.Equal(t, first, j.Judge(t.Context(), from, to))
	assert.Equal(t, "ks.g", first[0].Definition)
	assert.Empty(t, j.Judge(t.Context(), to, to))
	assert.Empty(t, j.Judge(t.Context(), nil, to))
}

// edge is an update of the shared bundles.
type edge struct{ from, to *catalog.Bundle }

// sharedEdges are the updates of the shared bundles that OLM v1 may take.
func sharedEdges(t testing.TB) (list []edge) {
	s, err := cache.LoadFS(t.Context(), os.DirFS(testkit.Shared(t, "bundles")), cache.Options{Objects: true})
	require.NoError(t, err)
	for p := range s.Packages() {
		for _, to := range p.Bundles {
			for _, from := range p.Bundles {
				a, b := s.Bundle(from), s.Bundle(to)
				for _, c := range p.Channels {
					if e := c.Entry(b.Name); e != nil && e.Updates(a.Name, &a.Version) {
						list = append(list, edge{a, b})
						break
					}
				}
			}
		}
	}
	return list
}

// TestShared is the table of the page about publishing.
func TestShared(t *testing.T) {
	j := crdsafety.New()
	edges, refused := map[string]int{}, map[string][]string{}
	for _, e := range sharedEdges(t) {
		edges[e.from.Package]++
		changes, definitions := 0, 0
		for _, one := range j.Judge(t.Context(), e.from.Properties.Objects(), e.to.Properties.Objects()) {
			require.Empty(t, one.Unjudged)
			definitions++
			changes += len(one.Changes)
		}
		if changes > 0 {
			refused[e.from.Package] = append(refused[e.from.Package], fmt.Sprintf("%s to %s: %d changes of %d definitions", e.from.Version, e.to.Version, changes, definitions))
		}
	}
	assert.Equal(t, map[string]int{"etcd": 4, "rabbitmq-messaging-topology-operator": 22}, edges)
	assert.Equal(t, map[string][]string{"rabbitmq-messaging-topology-operator": {
		"1.10.3 to 1.11.0: 8 changes of 1 definitions", "1.14.1 to 1.14.2: 20 changes of 13 definitions", "1.14.2 to 1.15.0: 1 changes of 1 definitions",
	}}, refused)
}
