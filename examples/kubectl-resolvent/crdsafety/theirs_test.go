package crdsafety_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/testkit"
)

const (
	controller = "github.com/operator-framework/operator-controller"
	preflight  = "internal/operator-controller/rukpak/preflights/crdupgradesafety"
)

// buildTheirs builds a program with operator-controller's own preflight, which is internal, in a
// copy of that package, and with the modules that it requires. The test is skipped, visibly, where one
// of them cannot be downloaded.
func buildTheirs(t *testing.T) (program, manifests string) {
	t.Helper()
	dir := t.TempDir()
	run := func(folder string, args ...string) (string, error) {
		var stderr strings.Builder
		c := exec.CommandContext(t.Context(), "go", args...)
		c.Dir, c.Stderr = folder, &stderr
		out, err := c.Output()
		if err != nil {
			err = fmt.Errorf("go %s: %w: %s", args[0], err, &stderr)
		}
		return strings.TrimSpace(string(out)), err
	}
	theirs := filepath.Join("..", "..", "olmv1") // it has their version
	if _, err := run(theirs, "mod", "download", controller); err != nil {
		t.Skipf("a module that %s needs cannot be downloaded: %v", controller, err)
	}
	module, err := run(theirs, "list", "-m", "-f", "{{.Dir}}", controller)
	require.NoError(t, err)
	read := func(from ...string) []byte {
		content, err := os.ReadFile(filepath.Join(from...))
		require.NoError(t, err)
		return content
	}
	write := func(content []byte, to ...string) {
		path := filepath.Join(append([]string{dir}, to...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, content, 0o644))
	}
	write(read(module, preflight, "crdupgradesafety.go"), preflight, "crdupgradesafety.go")
	write(read("testdata", "theirs.go.txt"), "cmd", "theirs", "main.go")
	write(read(module, "go.mod"), "go.mod")
	write(append(read("..", "go.sum"), read(module, "go.sum")...), "go.sum")
	program = filepath.Join(dir, "theirs")
	_, err = run(dir, "build", "-mod=mod", "-o", program, "./cmd/theirs")
	if err == nil {
		return program, filepath.Join(module, preflight, "testdata", "manifests")
	}
	if listed, listing := run(dir, "list", "-mod=mod", "-deps", "./cmd/theirs"); listing != nil {
		t.Skipf("a module that %s needs cannot be downloaded: %v %s", controller, listing, listed)
	}
	require.NoError(t, err)
	return "", ""
}

// pair is an update of a definition, as objects.
type pair struct {
	name     string
	Old, New map[string]any
}

func object(t testing.TB, text []byte) (object map[string]any) {
	require.NoError(t, yaml.Unmarshal(text, &object))
	return object
}

// stored adds the versions that a cluster with the definition has stored.
func stored(crd map[string]any) {
	spec, _ := crd["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	list := []any{}
	for _, v := range versions {
		if v := v.(map[string]any); v["storage"] == true {
			list = append(list, v["name"])
		}
	}
	crd["status"] = map[string]any{"storedVersions": list, "acceptedNames": spec["names"], "conditions": []any{}}
}

// randomChange changes one thing somewhere in a schema.
func randomChange(r *rand.Rand, schema map[string]any) {
	fields, _ := schema["properties"].(map[string]any)
	if len(fields) > 0 && r.IntN(4) > 0 {
		names := slices.Sorted(maps.Keys(fields))
		randomChange(r, fields[names[r.IntN(len(names))]].(map[string]any))
		return
	}
	for _, nested := range []string{"items", "additionalProperties"} {
		if child, ok := schema[nested].(map[string]any); ok && r.IntN(2) > 0 {
			randomChange(r, child)
			return
		}
	}
	pick := func(list ...any) any { return list[r.IntN(len(list))] }
	set := func(name string, value any) {
		if value == nil {
			delete(schema, name)
		} else {
			schema[name] = value
		}
	}
	small := pick(nil, 1.0, 2.0, 3.0, 4.0)
	switch name := pick("type", "description", "enum", "default", "maximum", "maxLength", "maxItems", "maxProperties", "minimum", "minLength", "minItems",
		"minProperties", "pattern", "nullable", "required", "format", "title", "oneOf", "x-kubernetes-validations", "x-kubernetes-preserve-unknown-fields",
		"additionalProperties", "items", "properties", "remove").(string); name {
	case "type":
		set(name, pick(nil, "string", "integer", "object", "array"))
	case "enum":
		set(name, pick(nil, []any{"a"}, []any{"a", "b"}, []any{"b", "a", "c"}))
	case "default":
		set(name, pick(nil, "a", 1.0, map[string]any{"b": 1.0, "a": []any{}}))
	case "pattern", "format", "title", "description":
		set(name, pick(nil, "a", "b"))
	case "nullable", "x-kubernetes-preserve-unknown-fields":
		set(name, pick(nil, true))
	case "required":
		set(name, pick(nil, []any{"a"}, []any{"b", "a"}))
	case "oneOf":
		set(name, pick(nil, []any{map[string]any{"required": []any{"a"}}}, []any{map[string]any{"required": []any{"b"}}, map[string]any{"description": "c"}}))
	case "x-kubernetes-validations":
		set(name, pick(nil, []any{map[string]any{"rule": "a"}}, []any{map[string]any{"rule": "b"}}))
	case "additionalProperties", "items":
		set(name, pick(nil, map[string]any{"type": "string"}, map[string]any{"description": "d", "properties": map[string]any{"e": map[string]any{"description": "f"}}}))
	case "properties":
		if fields == nil {
			fields = map[string]any{}
		}
		fields[pick("a", "b", "c").(string)] = map[string]any{"type": "string"}
		schema[name] = fields
	case "remove":
		for _, field := range []string{"a", "b", "c", "d"} {
			if fields[field] != nil {
				delete(fields, field)
				break
			}
		}
	default:
		set(name, small)
	}
}

// randomPair is a definition with some versions, and one with random changes.
func randomPair(t testing.TB, seed uint64) pair {
	r := rand.New(rand.NewPCG(seed, 7))
	field := "{type: object, required: [a], properties: {a: {type: string, enum: [a, b], default: a}, b: {type: integer, maximum: 3, minimum: 2}, c: {type: array, maxItems: 3, items: {type: object, properties: {d: {type: string, pattern: a}}}}, d: {type: object, additionalProperties: {type: object, properties: {e: {type: string}}}}}}"
	versions := []string{"v1 stored " + field, "v2 " + field, "v1beta1 unserved " + field}[:1+r.IntN(3)]
	p := pair{name: fmt.Sprintf("seed %d", seed), Old: object(t, []byte(definition("", versions...))), New: object(t, []byte(definition("", versions...)))}
	schemaOf := func(crd map[string]any, i int) map[string]any {
		v := crd["spec"].(map[string]any)["versions"].([]any)[i].(map[string]any)
		return v["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["properties"].(map[string]any)["spec"].(map[string]any)
	}
	for range r.IntN(3) { // what both have
		i := r.IntN(len(versions))
		at := r.Uint64()
		for _, crd := range []map[string]any{p.Old, p.New} {
			randomChange(rand.New(rand.NewPCG(at, 1)), schemaOf(crd, i))
		}
	}
	for range 1 + r.IntN(2) {
		randomChange(r, schemaOf(p.New, r.IntN(len(versions))))
	}
	spec := p.New["spec"].(map[string]any)
	switch r.IntN(12) {
	case 0:
		spec["scope"] = "Cluster"
	case 1:
		spec["conversion"] = map[string]any{"strategy": "Webhook"}
	case 2:
		if len(versions) < 2 {
			break // an API server takes none without versions
		}
		spec["versions"] = spec["versions"].([]any)[1:]
	case 3:
		v := spec["versions"].([]any)[0].(map[string]any)
		v["served"] = false
	}
	return p
}

// TestTheirs asks operator-controller's own code about every update of the shared bundles, about all
// kinds of changes, its own test data and random changes.
func TestTheirs(t *testing.T) {
	program, manifests := buildTheirs(t)
	var pairs []pair
	add := func(name string, from, to []byte) {
		pairs = append(pairs, pair{name, object(t, from), object(t, to)})
	}
	for name, k := range kinds {
		add(name, []byte(definition("", "v1 stored "+k.from)), []byte(definition("", "v1 stored "+k.to)))
	}
	for name, d := range definitions {
		if !strings.Contains(name, "webhook of") && !strings.Contains(strings.Join(d.from, ""), "v1beta1\n") && !strings.Contains(strings.Join(d.to, ""), "ClusterServiceVersion") {
			add(name, []byte(d.from[0]), []byte(d.to[0]))
		}
	}
	old, err := os.ReadFile(filepath.Join(manifests, "old-crd.json"))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(manifests, "crd-*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if strings.HasSuffix(file, "-old.json") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		from := old
		if other := strings.Replace(file, "-new.json", "-old.json", 1); other != file {
			from, err = os.ReadFile(other)
			require.NoError(t, err)
		}
		add(filepath.Base(file), from, text)
	}
	changes := testkit.Scale(200, 5000)
	for seed := range testkit.Seeds(t, changes) {
		pairs = append(pairs, randomPair(t, seed))
	}
	refused := disagree(t, program, pairs)
	t.Logf("%d updates, of which %d are refused", len(pairs), refused)
	assert.Greater(t, refused, changes/4)
	assert.Less(t, refused, len(pairs)-changes/8)

	t.Run("bundles", func(t *testing.T) {
		var pairs []pair
		for _, e := range sharedEdges(t) {
			for _, d := range e.from.Properties.Objects().Definitions {
				if next := e.to.Properties.Objects().Definition(d.Name()); next != nil {
					pairs = append(pairs, pair{fmt.Sprintf("%s to %s: %s", e.from.Name, e.to.Name, d.Name()), object(t, d.Text), object(t, next.Text)})
				}
			}
		}
		t.Logf("%d definitions, of which %d are refused", len(pairs), disagree(t, program, pairs))
	})
}

// disagree fails the test for each update of which we say something else than they do, and returns
// how many they refuse.
func disagree(t *testing.T, program string, pairs []pair) (refused int) {
	t.Helper()
	var in bytes.Buffer
	to := json.NewEncoder(&in)
	for _, p := range pairs {
		stored(p.Old)
		require.NoError(t, to.Encode(p))
	}
	c := exec.CommandContext(t.Context(), program)
	c.Stdin, c.Stderr = &in, os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, p := range pairs {
		var theirs string
		require.NoError(t, answers.Decode(&theirs))
		texts := func(crd map[string]any) *properties.Objects {
			text, err := yaml.Marshal(crd)
			require.NoError(t, err)
			return objects(t, string(text))
		}
		delete(p.Old, "status") // bundles have none
		said := judged(t, texts(p.Old), texts(p.New))
		assert.Equal(t, theirs != "", len(said) > 0, "%s: they say %q, we %q", p.name, theirs, said)
		if theirs != "" {
			refused++
		}
	}
	return refused
}
