package scenario_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

const simple = `A Subscription takes the head of its channel.
-- cluster.yaml --
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: a, namespace: operators}
spec: {name: a, source: community, sourceNamespace: olm}
-- options.yaml --
namespaces:
- operators
-- catalogs/olm/community/catalog.yaml --
{schema: olm.package, name: a, defaultChannel: stable}
---
{schema: olm.channel, package: a, name: stable, entries: [{name: a.v1}]}
---
{schema: olm.bundle, package: a, name: a.v1, image: i/a, properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]}
-- want --
operators: resolved
  install a.v1 from olm/community, channel stable; for subscription a
`

func Example() {
	s, err := scenario.Parse([]byte(simple))
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, err := s.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(outcome)
	fmt.Println(outcome == s.Want)
	// Output:
	// operators: resolved
	//   install a.v1 from olm/community, channel stable; for subscription a
	// true
}

func TestFormatReadsBack(t *testing.T) {
	s, err := scenario.Parse([]byte(simple))
	require.NoError(t, err)
	text, err := s.Format()
	require.NoError(t, err)
	assert.Equal(t, simple, string(text))
}

func TestParseFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown file":       {"-- notes --\n", "notes: unknown file"},
		"catalog of no name": {"-- catalogs/olm/catalog.yaml --\n", "catalogs/olm/catalog.yaml: unknown file"},
		"climbing path":      {"-- catalogs/olm/a/../../x --\n", "not a clean relative path"},
		"repeated file":      {"-- want --\n-- want --\n", "want: the file is there twice"},
		"unknown option":     {"-- options.yaml --\nnamespace: x\n", "options.yaml: "},
		"wrong option type":  {"-- options.yaml --\npriorities: 3\n", "options.yaml: "},
		"too many keys":      {"-- options.yaml --\nlabels: {" + strings.Repeat("a: b,", 2001) + "}\n", "line 1: a mapping has more than the 2000 keys allowed"},
		"alias":              {"-- options.yaml --\nlabels: &a {a: b}\nunhealthy: *a\n", "line 2: aliases are not supported"},
		"wrong compound":     {"-- options.yaml --\ncompound: both\n", `compound: "both": want solution or bundle`},
		"wrong updates":      {"-- options.yaml --\nupdates: none\n", `updates: "none": want visible or named`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenario.Parse([]byte(c.text))
			var fault *scenario.Error
			require.ErrorAs(t, err, &fault)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestRunFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"broken manifest": {"-- cluster.yaml --\nkind: [\n", "cluster.yaml: "},
		"file and folder": {"-- catalogs/olm/a/x --\n-- catalogs/olm/a/x/y --\n", "olm/a: "},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := scenario.Parse([]byte(c.text))
			require.NoError(t, err)
			_, err = s.Run(t.Context())
			var fault *scenario.Error
			require.ErrorAs(t, err, &fault)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestRunStopsWithContext(t *testing.T) {
	s, err := scenario.Parse([]byte(simple))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Run(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

// What txtar cannot hold must not be lost in silence.
func TestFormatRefuses(t *testing.T) {
	for name, s := range map[string]*scenario.Scenario{
		"marker in a file":    {Files: []txtar.File{{Name: "catalogs/olm/a/x", Data: []byte("x\n-- want --\ny\n")}}},
		"marker in a comment": {Comment: "x\n-- want --\n"},
		"line break in name":  {Files: []txtar.File{{Name: "catalogs/olm/a/x\ny"}}},
		"name of no catalog":  {Files: []txtar.File{{Name: "elsewhere"}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Format()
			var fault *scenario.Error
			require.ErrorAs(t, err, &fault)
		})
	}
}

func TestAddCatalog(t *testing.T) {
	var s scenario.Scenario
	s.AddCatalog(catalog.Key{Namespace: "olm", Name: "a"}, "x/y.json", nil)
	s.AddCatalog(catalog.Key{Name: "b"}, "y.json", nil)
	assert.Equal(t, "catalogs/olm/a/x/y.json", s.Files[0].Name)
	assert.Equal(t, "clustercatalogs/b/y.json", s.Files[1].Name)
	text, err := s.Format()
	require.NoError(t, err)
	_, err = scenario.Parse(text)
	assert.NoError(t, err)
}

// FuzzParse: what parses can be written, reads back as the same scenario, and
// is written the same again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(simple))
	for _, text := range testkit.Files(f, "testdata/scenarios/c*.txtar") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := scenario.Parse(data)
		if err != nil {
			return
		}
		text, err := first.Format()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		second, err := scenario.Parse(text)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, text)
		}
		again, err := second.Format()
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
		require.Equal(t, strings.TrimSuffix(first.Want, "\n"), strings.TrimSuffix(second.Want, "\n"))
		require.Equal(t, first.Options, second.Options)
		require.Len(t, second.Files, len(first.Files))
	})
}

// A channel that is stated twice and differs is recorded as that.
func TestRecordDifferingChannel(t *testing.T) {
	text, _, _ := strings.Cut(simple, "-- want --")
	s, err := scenario.Parse([]byte(text + "---\n{schema: olm.channel, package: a, name: stable, entries: [{name: a.v1, replaces: a.v0}]}\n"))
	require.NoError(t, err)
	q, err := s.Question(t.Context())
	require.NoError(t, err)
	recorded, err := q.Record(t.Context())
	require.NoError(t, err)
	assert.Contains(t, recorded.Want, "channel stable of package a cannot be used: it is stated several times, and differently")
}

// What OLM states of a failing request is recorded, as texts quote it, and a question about a
// ClusterExtension alone stays one, whatever else the cluster has.
func TestRecordWhatTheClusterStates(t *testing.T) {
	const extension = `
status: {conditions: [{type: ResolutionFailed, status: "True", reason: ErrorPreventedResolution, message: nothing fits}]}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: e}
spec: {source: {sourceType: Catalog, catalog: {packageName: absent}}}
status: {conditions: [{type: Progressing, status: "True", reason: Retrying, message: nothing fits}]}
`
	text := strings.NewReplacer("spec: {name: a,", "spec: {name: absent,", "-- options.yaml --\nnamespaces:\n- operators\n", extension).Replace(simple)
	s, err := scenario.Parse([]byte(text))
	require.NoError(t, err)
	whole, err := s.Question(t.Context())
	require.NoError(t, err)
	for _, scopes := range [][]cluster.Scope{whole.Scopes[:1], whole.Scopes[1:], whole.Scopes} {
		q := *whole
		q.Scopes = scopes
		recorded, err := q.Record(t.Context())
		require.NoError(t, err, "%v", scopes)
		assert.Contains(t, recorded.Want, "nothing fits")
	}
}
