package olmv1_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resolvent/resolvent/examples/olmv1"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

const controller = "github.com/operator-framework/operator-controller"

// buildInside builds a program inside a copy of operator-controller, whose internal
// packages it imports, with the versions of this module. The test is skipped, visibly,
// where a module that it needs cannot be downloaded.
func buildInside(t *testing.T, name string, source []byte) (path string) {
	t.Helper()
	dir := t.TempDir()
	listed, err := run(t, "list", "-m", "-f", "{{.Dir}}", controller)
	require.NoError(t, err)
	module := strings.TrimSpace(listed)
	for _, part := range []string{"api", "internal"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(module, part))))
	}
	// What applies manifests needs many modules, and the tests only those manifests.
	applies, err := filepath.Glob(filepath.Join(dir, "internal/operator-controller/applier/*.go"))
	require.NoError(t, err)
	for _, path := range applies {
		if filepath.Base(path) != "provider.go" {
			require.NoError(t, os.Remove(path))
		}
	}
	read := func(from ...string) []byte {
		content, err := os.ReadFile(filepath.Join(from...))
		require.NoError(t, err)
		return content
	}
	main := filepath.Join(dir, "cmd", name)
	require.NoError(t, os.MkdirAll(main, 0o755))
	for path, content := range map[string][]byte{
		filepath.Join(main, "main.go"): source,
		filepath.Join(dir, "go.mod"):   read(module, "go.mod"),
		filepath.Join(dir, "with.mod"): fmt.Appendf(read("go.mod"), "\nreplace %s => %s\n", controller, dir),
		filepath.Join(dir, "with.sum"): append(read("go.sum"), read(module, "go.sum")...),
	} {
		require.NoError(t, os.WriteFile(path, content, 0o644))
	}
	args := []string{"-mod=mod", "-modfile=" + filepath.Join(dir, "with.mod"), controller + "/cmd/" + name}
	if _, err := run(t, append([]string{"list", "-deps"}, args...)...); err != nil && !strings.Contains(err.Error(), controller) {
		t.Skipf("a module that %s needs cannot be downloaded: %v", controller, err)
	}
	path = filepath.Join(dir, "bin")
	_, err = run(t, append([]string{"build", "-o", path}, args...)...)
	require.NoError(t, err)
	return path
}

func run(t *testing.T, args ...string) (string, error) {
	var stderr strings.Builder
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w: %s", args[0], err, &stderr)
	}
	return string(out), err
}

// TestWiring compiles the README's wiring against the controller's types.
func TestWiring(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, wiring, _ := strings.Cut(string(readme), "```go\n")
	wiring, _, _ = strings.Cut(wiring, "```")
	require.Contains(t, wiring, "olmv1.New")
	buildInside(t, "wiring", []byte(`package main

import (
	"context"

	"github.com/resolvent/resolvent/examples/olmv1"
	"github.com/resolvent/resolvent/resolver/policy"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ocv1 "`+controller+`/api/v1"
	catalogclient "`+controller+`/internal/operator-controller/catalogmetadata/client"
	"`+controller+`/internal/operator-controller/resolve"
)

func wired(cl client.Client, catalogClient *catalogclient.Client) resolve.Resolver {
`+wiring+`
	return resolver
}

func main() { wired(nil, nil) }
`))
}

// theirs is operator-controller's own code, in a process of its own.
type theirs[Request, Answer any] struct {
	in  *json.Encoder
	out *json.Decoder
}

// request and answer are those of the program in testdata/theirs.go.txt.
type request struct {
	Catalogs  []*theirCatalog
	Extension *ocv1.ClusterExtension
	Installed *ocv1.BundleMetadata
	GatesOff  bool
}

type theirCatalog struct {
	Catalog ocv1.ClusterCatalog
	Content *declcfg.DeclarativeConfig
	Err     string
}

type answer struct {
	Bundle           *declcfg.Bundle
	Version, Release string
	Deprecation      *declcfg.Deprecation
	Err              string
}

// startTheirs starts the program of that name in testdata.
func startTheirs[Request, Answer any](t *testing.T, name string) *theirs[Request, Answer] {
	t.Helper()
	source, err := os.ReadFile("testdata/" + name + ".go.txt")
	require.NoError(t, err)
	c := exec.Command(buildInside(t, name, source))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		rest, err := io.ReadAll(out)
		assert.NoError(t, err)
		assert.Empty(t, strings.TrimSpace(string(rest)))
		assert.NoError(t, c.Wait())
	})
	return &theirs[Request, Answer]{json.NewEncoder(in), json.NewDecoder(out)}
}

func (p *theirs[Request, Answer]) ask(t *testing.T, r Request) (a Answer) {
	t.Helper()
	require.NoError(t, p.in.Encode(r))
	require.NoError(t, p.out.Decode(&a))
	return a
}

func (a answer) String() string {
	if a.Bundle == nil {
		return a.Err
	}
	return fmt.Sprintf("%s %s %s, deprecation %s", a.Bundle.Name, a.Version, a.Release, text(a.Deprecation))
}

// verdict reads the text of their error, which has no type.
func (a *answer) verdict() result.Result {
	switch {
	case a.Err == "":
		return result.Resolved
	case strings.Contains(a.Err, "in multiple catalogs with the same priority"):
		return result.ResultAmbiguous
	case strings.Contains(a.Err, "error getting package"):
		return result.ResultUnhealthy
	case strings.Contains(a.Err, "is invalid:"):
		return result.ResultInvalidInput
	}
	return result.ResultUnsatisfied
}

// realCatalogs are the shared ones, by package.
func realCatalogs(t *testing.T) (names []string, list []map[string]*declcfg.DeclarativeConfig) {
	names = []string{"community", "community-v4.14", "community-v4.19", "raw-v4.19"}
	for _, name := range names {
		content, err := declcfg.LoadFS(t.Context(), os.DirFS(testkit.Shared(t, "catalogs", name)))
		require.NoError(t, err)
		packages := map[string]*declcfg.DeclarativeConfig{}
		of := func(pkg string) *declcfg.DeclarativeConfig {
			if packages[pkg] == nil {
				packages[pkg] = &declcfg.DeclarativeConfig{}
			}
			return packages[pkg]
		}
		for _, p := range content.Packages {
			of(p.Name).Packages = []declcfg.Package{p}
		}
		for _, c := range content.Channels {
			of(c.Package).Channels = append(of(c.Package).Channels, c)
		}
		for _, b := range content.Bundles {
			of(b.Package).Bundles = append(of(b.Package).Bundles, b)
		}
		list = append(list, packages)
	}
	return names, list
}

// random makes requests.
type random struct {
	*rand.Rand
	catalogs []map[string]*declcfg.DeclarativeConfig
	packages []string
}

func newRandom(catalogs []map[string]*declcfg.DeclarativeConfig, seed uint64) *random {
	all := map[string]bool{}
	for _, c := range catalogs {
		for pkg := range c {
			all[pkg] = true
		}
	}
	return &random{rand.New(rand.NewPCG(seed, 26)), catalogs, slices.Sorted(maps.Keys(all))}
}

func (r *random) chance(p float64) bool { return r.Float64() < p }

func pick[T any](r *random, from ...T) T { return from[r.IntN(len(from))] }

// request asks for a package of one to three catalogs.
func (r *random) request() *request {
	pkg := pick(r, r.packages...)
	var has []int
	for i, c := range r.catalogs {
		if c[pkg] != nil {
			has = append(has, i)
		}
	}
	var q request
	var bundles []declcfg.Bundle
	channels := []string{"no-such-channel"}
	for n := range 1 + r.IntN(3) {
		from := pick(r, has...)
		if r.chance(0.1) {
			from = r.IntN(len(r.catalogs))
		}
		c := r.catalog(fmt.Sprint("catalog", n), r.catalogs[from][pkg])
		q.Catalogs = append(q.Catalogs, c)
		bundles = append(bundles, c.Content.Bundles...)
		for _, channel := range c.Content.Channels {
			channels = append(channels, channel.Name)
		}
	}
	filter := ocv1.CatalogFilter{PackageName: pkg, Selector: r.selector()}
	if r.chance(0.4) {
		for range 1 + r.IntN(2) {
			filter.Channels = append(filter.Channels, pick(r, channels...))
		}
	}
	if r.chance(0.3) {
		filter.UpgradeConstraintPolicy = ocv1.UpgradeConstraintPolicySelfCertified
	}
	if len(bundles) > 0 {
		if r.chance(0.5) {
			filter.Version = r.versionRange(bundles)
		}
		if r.chance(0.7) {
			q.Installed = installed(pick(r, bundles...))
		}
	}
	q.Extension = asks(filter)
	return &q
}

// catalog is what a ClusterCatalog has of a package, with some of its bundles deprecated
// or released again. Each bundle states which catalog it is from.
func (r *random) catalog(name string, from *declcfg.DeclarativeConfig) *theirCatalog {
	c := theirCatalog{Content: &declcfg.DeclarativeConfig{}, Catalog: ocv1.ClusterCatalog{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"olm.operatorframework.io/metadata.name": name, "tier": pick(r, "a", "b")}},
		Spec:       ocv1.ClusterCatalogSpec{Priority: int32(r.IntN(3) - 1)},
	}}
	if r.chance(0.05) {
		c.Catalog.Spec.AvailabilityMode = ocv1.AvailabilityModeUnavailable
	}
	if r.chance(0.03) {
		c.Err = "it is not being served"
	}
	if from == nil {
		return &c
	}
	c.Content.Packages, c.Content.Channels, c.Content.Bundles = from.Packages, from.Channels, slices.Clone(from.Bundles)
	deprecates, releases := r.chance(0.4), r.chance(0.1)
	d := declcfg.Deprecation{Schema: declcfg.SchemaDeprecation, Package: from.Packages[0].Name}
	for i := range c.Content.Bundles {
		b := &c.Content.Bundles[i]
		b.Properties = append(slices.Clone(b.Properties), property.Property{Type: "from", Value: json.RawMessage(`"` + name + `"`)})
		if deprecates && r.chance(0.3) {
			d.Entries = append(d.Entries, declcfg.DeprecationEntry{Reference: declcfg.PackageScopedReference{Schema: declcfg.SchemaBundle, Name: b.Name}, Message: "use another"})
		}
		at := slices.IndexFunc(b.Properties, func(p property.Property) bool { return p.Type == property.TypePackage })
		if releases && r.chance(0.3) && !bytes.Contains(b.Properties[at].Value, []byte("+")) {
			b.Properties[at].Value = bytes.Replace(b.Properties[at].Value, []byte("{"), []byte(`{"release":"`+pick(r, "1", "2.rc", "")+`",`), 1)
		}
	}
	if len(d.Entries) > 0 {
		c.Content.Deprecations = []declcfg.Deprecation{d}
	}
	return &c
}

func (r *random) selector() *metav1.LabelSelector {
	switch r.IntN(8) {
	case 0:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"tier": pick(r, "a", "b", "c")}}
	case 1:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"olm.operatorframework.io/metadata.name": "catalog0"}}
	case 2:
		e := metav1.LabelSelectorRequirement{Key: pick(r, "tier", "other"), Operator: pick(r, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)}
		if r.chance(0.6) {
			e.Operator, e.Values = pick(r, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn), []string{"a"}
		}
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{e}}
	case 3:
		return &metav1.LabelSelector{}
	}
	return nil
}

func (r *random) versionRange(bundles []declcfg.Bundle) string {
	version := func() semver.Version {
		v, _ := semver.Parse(installed(pick(r, bundles...)).Version)
		return v
	}
	a, b := version(), version()
	return pick(r, a.String(), fmt.Sprintf("%d.x", a.Major), fmt.Sprintf("%d.%d", a.Major, a.Minor), "~"+a.String(), "^"+a.String(), ">="+a.String(), "<"+a.String(),
		">"+a.String()+" <="+b.String(), ">="+a.String()+", <"+b.String(), a.String()+" || "+b.String(), "!="+a.String(), a.String()+" - "+b.String(), "*", "one", ">="+a.String()+"-0")
}

// installed is what OLM v1 notes of a bundle that it installs.
func installed(b declcfg.Bundle) *ocv1.BundleMetadata {
	for _, p := range b.Properties {
		if p.Type == property.TypePackage {
			var stated struct {
				Version string
				Release *string
			}
			_ = json.Unmarshal(p.Value, &stated)
			return &ocv1.BundleMetadata{Name: b.Name, Version: stated.Version, Release: stated.Release}
		}
	}
	return &ocv1.BundleMetadata{Name: b.Name}
}

func (q *request) ours(t *testing.T) (a answer, err error) {
	var given []*offered
	for _, c := range q.Catalogs {
		o := &offered{ClusterCatalog: c.Catalog, content: c.Content}
		if c.Err != "" {
			o.err = errors.New(c.Err)
		}
		given = append(given, o)
	}
	profile := cluster.ProfileExperimental
	if q.GatesOff {
		profile = cluster.ProfileStandard
	}
	bundle, version, deprecation, err := olmv1.New(catalogs(given...), policy.Options{NoFixes: true, OLMv1: profile}).Resolve(t.Context(), q.Extension, q.Installed)
	if err != nil {
		return answer{Err: err.Error()}, err
	}
	return answer{bundle, version.Version.String(), version.Release.String(), deprecation, ""}, nil
}

type difference struct {
	what string
	is   func(q *request, ours, theirs answer) bool
}

// differences are the only ones that there may be.
var differences = []difference{
	{"theirs is the deprecation of another catalog", func(q *request, ours, theirs answer) bool {
		if ours.Err != "" || theirs.Err != "" {
			return false
		}
		from := ours.Bundle.Properties[len(ours.Bundle.Properties)-1].Value
		c := q.Catalogs[slices.IndexFunc(q.Catalogs, func(c *theirCatalog) bool { return text(c.Catalog.Name) == string(from) })]
		own := append(c.Content.Deprecations, declcfg.Deprecation{})[0]
		right := ours.Deprecation == nil && len(c.Content.Deprecations) == 0 || text(ours.Deprecation) == text(own)
		ours.Deprecation = theirs.Deprecation
		return right && text(ours) == text(theirs)
	}},
	{"only here install modes and API services count", func(_ *request, ours, theirs answer) bool {
		return theirs.Err == "" && strings.Contains(ours.Err, "OLM v1 refuses its best bundle "+theirs.Bundle.Name+", ") &&
			regexp.MustCompile("owns the API service|watchNamespace|not AllNamespaces").MatchString(ours.Err)
	}},
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestTheirOwn compares every answer with operator-controller's own resolver, with its feature
// gates on and off.
func TestTheirOwn(t *testing.T) {
	_, real := realCatalogs(t)
	process := startTheirs[*request, answer](t, "theirs")
	verdicts, known := map[result.Result]int{}, map[string]int{}
	released, before := 0, ""
	for seed := range uint64(testkit.Scale(800, 40_000)) {
		q := newRandom(real, seed/2).request()
		q.GatesOff = seed%2 == 1
		theirs := process.ask(t, q)
		ours, err := q.ours(t)
		if before != "" && q.GatesOff && before != text(theirs) {
			released++
		}
		before = text(theirs)
		verdicts[theirs.verdict()]++
		if result.Of(err) == theirs.verdict() && (err != nil || text(ours) == text(theirs)) {
			continue
		}
		if i := slices.IndexFunc(differences, func(d difference) bool { return d.is(q, ours, theirs) }); i >= 0 {
			known[differences[i].what]++
			continue
		}
		t.Errorf("seed %d: %s with %s installed\nours:   %s\ntheirs: %s", seed, text(q.Extension.Spec.Source.Catalog), text(q.Installed), ours, theirs)
	}
	t.Log(verdicts, known, released)
	assert.Positive(t, released, "the gate of releases decides some requests")
	for _, v := range []result.Result{result.Resolved, result.ResultAmbiguous, result.ResultUnhealthy, result.ResultInvalidInput, result.ResultUnsatisfied} {
		assert.Positive(t, verdicts[v], v)
	}
}
