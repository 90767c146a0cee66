package opm_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/pkg/lib/config"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/testdata/testkit"
)

type object = map[string]any

// sound returns the documents of a catalog that opm accepts.
func sound(r *rand.Rand) (docs []object) {
	docs = append(docs, object{"schema": "olm.package", "name": "p", "defaultChannel": "s"})
	var names []any
	count := 1 + r.IntN(5)
	for i := range count {
		name, version := fmt.Sprintf("p.v1.%d.0", i), fmt.Sprintf("1.%d.0", i)
		names = append(names, name)
		docs = append(docs, object{"schema": "olm.bundle", "package": "p", "name": name, "image": "registry.example/p:" + version,
			"relatedImages": []any{object{"name": "operator", "image": "registry.example/o:" + version}},
			"properties": []any{
				object{"type": "olm.package", "value": object{"packageName": "p", "version": version}},
				object{"type": "olm.gvk", "value": object{"group": "g.example", "version": "v1", "kind": "K"}},
				object{"type": "olm.package.required", "value": object{"packageName": "p", "versionRange": ">=0.1.0"}},
				object{"type": "olm.csv.metadata", "value": object{"annotations": object{"a": "b"}, "keywords": []any{"k"}}},
				object{"type": "olm.bundle.object", "value": object{"data": "e30="}},
			}})
	}
	for _, channel := range []string{"s", "t"}[:1+r.IntN(2)] {
		var entries []any
		for i, name := range names {
			e := object{"name": name}
			if i > 0 {
				e["replaces"] = names[i-1]
				if r.IntN(3) == 0 {
					e["skipRange"] = fmt.Sprintf(">=1.0.0 <1.%d.0", i)
				}
				if r.IntN(4) == 0 {
					e["skips"] = []any{"p.v0.9.0"}
				}
			}
			entries = append(entries, e)
		}
		docs = append(docs, object{"schema": "olm.channel", "package": "p", "name": channel, "entries": entries})
	}
	if r.IntN(2) == 0 {
		docs = append(docs, object{"schema": "olm.deprecations", "package": "p", "entries": []any{
			object{"reference": object{"schema": "olm.bundle", "name": names[0]}, "message": "old"},
			object{"reference": object{"schema": "olm.channel", "name": "s"}, "message": "old"},
			object{"reference": object{"schema": "olm.package"}, "message": "old"},
		}})
	}
	return docs
}

// values are what a place of a document may hold instead.
var values = []any{nil, "", "x", "X_y", "p.v1.0.0", "p.v1.1.0", "a b", "p/", "v1.0.0", "1.0.0", "01.0.0", "1.0.0+1", ">=1 <2", "olm.bundle", "olm.channel", "s", 1, 1.5, true,
	[]any{}, []any{""}, []any{"x"}, object{}, object{"a": 1}, "registry.example/p@sha256:0123456789abcdef0123456789abcdef", "http://registry.example/p", "e30", "IMAGE", strings.Repeat("a", 64), "é"}

// broken changes one place of the documents, and says which.
func broken(r *rand.Rand, docs []object) string {
	type place struct {
		path  string
		set   func(v any)
		drop  func()
		twice func()
	}
	var places []place
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		switch v := v.(type) {
		case object:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				at := path + "." + key
				places = append(places, place{at, func(x any) { v[key] = x }, func() { delete(v, key) }, func() { v[strings.ToUpper(key)] = v[key] }})
				walk(at, v[key], func(x any) { v[key] = x })
			}
		case []any:
			for i := range v {
				at := fmt.Sprintf("%s[%d]", path, i)
				places = append(places, place{at, func(x any) { v[i] = x }, func() { set(slices.Delete(slices.Clone(v), i, i+1)) }, func() { set(append(slices.Clone(v), v[i])) }})
				walk(at, v[i], func(x any) { v[i] = x })
			}
		}
	}
	for i, d := range docs {
		walk(fmt.Sprintf("%d %v", i, d["schema"]), d, nil)
	}
	p := places[r.IntN(len(places))]
	switch r.IntN(5) {
	case 0:
		p.drop()
		return p.path + " dropped"
	case 1:
		p.twice()
		return p.path + " twice"
	}
	v := values[r.IntN(len(values))]
	p.set(v)
	return fmt.Sprintf("%s = %#v", p.path, v)
}

func text(docs []object) string {
	var lines []string
	for _, d := range docs {
		line, _ := json.Marshal(d)
		lines = append(lines, string(line))
	}
	return strings.Join(lines, "\n") + "\n"
}

// errorsOf returns the codes of the errors of check, without that of bundles that need others, which
// operator-registry does not judge.
func errorsOf(t *testing.T, files fstest.MapFS) map[catalog.Code]bool {
	read, err := cache.FS(files, cache.Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	report, err := check.Run(t.Context(), []check.Catalog{{Key: catalog.Key{Name: "c"}, Checked: read}}, check.Options{})
	require.NoError(t, err)
	codes := map[catalog.Code]bool{}
	for _, f := range report.Findings {
		if f.Severity == catalog.Error && f.Code != check.CodeUninstallable {
			codes[f.Code] = true
		}
	}
	return codes
}

// unread reports whether opm refuses a part of a bundle's ClusterServiceVersion that resolution
// passes over: texts for people in olm.csv.metadata, and the manifests in olm.bundle.object.
func unread(err error) bool {
	for _, part := range []string{"CSVMetadata.keywords", "BundleObject", "as bundle object", "convert bundle object"} {
		if strings.Contains(err.Error(), part) {
			return true
		}
	}
	return false
}

// tally counts catalogs by who refuses them, and fails where only operator-registry does.
type tally struct {
	broken, both, none, more, unseen, pods int
}

func (c *tally) add(t *testing.T, what string, files fstest.MapFS) {
	t.Helper()
	c.broken++
	theirs := config.Validate(t.Context(), files)
	if theirs == nil {
		if theirs = serve(t, files); theirs != nil {
			c.pods++
		}
	}
	switch ours := errorsOf(t, files); {
	case theirs == nil && len(ours) == 0:
		c.none++
	case theirs == nil:
		c.more++
	case len(ours) > 0:
		c.both++
	case unread(theirs):
		c.unseen++
	default:
		assert.Fail(t, "check passes what operator-registry refuses", "%s: %v", what, theirs)
	}
}

func (c *tally) log(t *testing.T) {
	t.Logf("of %d catalogs %d are refused by both (%d by the pod alone), %d by none, %d by check alone, %d by opm alone in what resolution does not read",
		c.broken, c.both, c.pods, c.none, c.more, c.unseen)
}

// Whatever opm or the pod of a catalog refuses, check does.
func TestRefusals(t *testing.T) {
	c := tally{}
	for seed := range testkit.Scale(2000, 20000) {
		r := rand.New(rand.NewPCG(uint64(seed), 61))
		docs := sound(r)
		what := broken(r, docs)
		if r.IntN(8) == 0 {
			docs = append(docs, docs[r.IntN(len(docs))])
			what += ", a document twice"
		}
		c.add(t, fmt.Sprintf("seed %d: %s\n%s", seed, what, text(docs)), fstest.MapFS{"c.json": {Data: []byte(text(docs))}})
	}
	c.log(t)
}

// So it does on the packages of the shared catalogs, as they are and broken in one place.
func TestRefusalsOfPublished(t *testing.T) {
	packages, err := filepath.Glob(filepath.Join(testkit.Shared(t, "catalogs"), "community*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	c := tally{}
	step := len(packages) / testkit.Scale(len(packages)/5, len(packages))
	for i := 0; i < len(packages); i += step {
		dir := packages[i]
		read, err := declcfg.LoadFS(t.Context(), os.DirFS(dir))
		if err != nil { // no folder of a package
			continue
		}
		var docs []object
		for _, blobs := range []any{read.Packages, read.Channels, read.Bundles, read.Deprecations} {
			var some []object
			data, err := json.Marshal(blobs)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &some))
			docs = append(docs, some...)
		}
		r := rand.New(rand.NewPCG(uint64(i), 62))
		c.add(t, dir, fstest.MapFS{"c.json": {Data: []byte(text(docs))}})
		what := broken(r, docs)
		c.add(t, dir+": "+what, fstest.MapFS{"c.json": {Data: []byte(text(docs))}})
	}
	c.log(t)
}
