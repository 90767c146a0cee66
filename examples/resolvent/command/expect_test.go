package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// expectation is a problem whose answer is compared with an earlier one.
type expectation struct {
	here, there []string // documents of catalogs
	files       int      // that here is written to
	priority    string   // of there
	cluster     string
	flags       []string
}

// theExpected has two namespaces: the app of one needs a lamp, which the second catalog
// has; the oil of the other is in both catalogs.
func theExpected() expectation {
	return expectation{
		here: []string{
			`{schema: olm.package, name: app, defaultChannel: stable}`,
			`{schema: olm.channel, package: app, name: stable, entries: [{name: app.v1}]}`,
			`{schema: olm.bundle, package: app, name: app.v1, image: app, properties: [{type: olm.package, value: {packageName: app, version: 1.0.0}},` +
				` {type: olm.gvk.required, value: {group: g, version: v1, kind: Lamp}}]}`,
			`{schema: olm.package, name: oil, defaultChannel: stable}`,
			`{schema: olm.channel, package: oil, name: stable, entries: [{name: oil.v1}]}`,
			`{schema: olm.bundle, package: oil, name: oil.v1, image: oil, properties: [{type: olm.package, value: {packageName: oil, version: 1.0.0}}]}`,
			`{schema: olm.channel, package: broken, name: stable, entries: [{name: broken.v1}]}`,
		},
		there: []string{
			`{schema: olm.package, name: lamp, defaultChannel: stable}`,
			`{schema: olm.channel, package: lamp, name: stable, entries: [{name: lamp.v1}, {name: lamp.v2, replaces: lamp.v1}]}`,
			`{schema: olm.bundle, package: lamp, name: lamp.v1, image: lamp:1, properties: [{type: olm.package, value: {packageName: lamp, version: 1.0.0}},` +
				` {type: olm.gvk, value: {group: g, version: v1, kind: Lamp}}]}`,
			`{schema: olm.bundle, package: lamp, name: lamp.v2, image: lamp:2, properties: [{type: olm.package, value: {packageName: lamp, version: 2.0.0}},` +
				` {type: olm.gvk, value: {group: g, version: v1, kind: Lamp}}, {type: olm.maxOpenShiftVersion, value: "4.18"}]}`,
			`{schema: olm.package, name: oil, defaultChannel: stable}`,
			`{schema: olm.channel, package: oil, name: stable, entries: [{name: oil.v0}]}`,
			`{schema: olm.bundle, package: oil, name: oil.v0, image: oil:0, properties: [{type: olm.package, value: {packageName: oil, version: 0.1.0}}]}`,
			`{schema: olm.package, name: torch, defaultChannel: stable}`,
			`{schema: olm.channel, package: torch, name: stable, entries: [{name: torch.v1}]}`,
			`{schema: olm.bundle, package: torch, name: torch.v1, image: torch, properties: [{type: olm.package, value: {packageName: torch, version: 1.0.0}},` +
				` {type: olm.gvk, value: {group: g, version: v1, kind: Lamp}}]}`,
		},
		files:    1,
		priority: "0",
		cluster: "kind: Subscription\nmetadata: {name: app, namespace: house}\nspec: {name: app, channel: stable}\n" +
			"---\nkind: ClusterServiceVersion\nmetadata: {name: door.v1, namespace: shed}\nspec: {version: 1.0.0}\n" +
			"---\nkind: Subscription\nmetadata: {name: oil, namespace: shed}\nspec: {name: oil, channel: stable}\n",
		flags: []string{"--openshift-version", "4.17", "--enforce-openshift-limit"},
	}
}

// args writes the catalogs and returns the command line.
func (e expectation) args(t *testing.T, more ...string) []string {
	dir := t.TempDir()
	write := func(name string, documents []string) {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(documents, "\n---\n")), 0o600))
	}
	for i := range e.files {
		size := (len(e.here) + e.files - 1) / e.files
		write("here/"+strings.Repeat("z", e.files-i)+".yaml", e.here[min(i*size, len(e.here)):min((i+1)*size, len(e.here))])
	}
	write("there/catalog.yaml", e.there)
	return slices.Concat([]string{"resolve", "-f", "-", "--catalog", "olm/here=" + dir + "/here", "--catalog", "olm/there=" + dir + "/there,priority=" + e.priority}, e.flags, more)
}

// Each kind of change has exactly its consequences, and names itself.
func TestExpect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "earlier.json")
	t.Run("earlier", func(t *testing.T) {
		e := theExpected()
		got := invoke(t, t.Context(), e.cluster, e.args(t, "-o", "json")...)
		require.Equal(t, exitResolved, got.status, got.stderr)
		require.NoError(t, os.WriteFile(file, []byte(got.stdout), 0o600))
	})
	const same = "the answer is as expected\n"
	tests := map[string]struct {
		change func(e *expectation)
		want   string
	}{
		"nothing": {func(*expectation) {}, same},
		"files and documents in another order": {func(e *expectation) {
			slices.Reverse(e.here)
			slices.Reverse(e.there)
			e.files = 3
		}, same},
		"a bundle that nothing needs": {func(e *expectation) {
			e.here = append(e.here, `{schema: olm.package, name: new, defaultChannel: stable}`,
				`{schema: olm.channel, package: new, name: stable, entries: [{name: new.v1}]}`,
				`{schema: olm.bundle, package: new, name: new.v1, image: new, properties: [{type: olm.package, value: {packageName: new, version: 1.0.0}}]}`)
		}, same},
		"a bundle that comes next": {func(e *expectation) {
			e.here[4] = `{schema: olm.channel, package: oil, name: stable, entries: [{name: oil.v1}, {name: oil.v2, replaces: oil.v1}]}`
			e.here = append(e.here, `{schema: olm.bundle, package: oil, name: oil.v2, image: oil, properties: [{type: olm.package, value: {packageName: oil, version: 2.0.0}}]}`)
		}, `namespace shed: 1 difference from what was expected

Now
  package oil: install oil.v2 from channel stable of catalog olm/here
  before: install oil.v1 from channel stable of catalog olm/here

What changed
  catalog olm/here: its content differs
`},
		"the image of a bundle": {func(e *expectation) { e.here[5] = strings.Replace(e.here[5], "image: oil", "image: ointment", 1) }, `namespace shed: 1 difference from what was expected

Now
  image of oil.v1: ointment
  before: oil

What changed
  catalog olm/here: its content differs
`},
		"a package that is gone": {func(e *expectation) { e.here = e.here[:3] }, `namespace shed: 1 difference from what was expected

Now
  package oil: install oil.v0 from channel stable of catalog olm/there
  before: install oil.v1 from channel stable of catalog olm/here

What changed
  catalog olm/here: its content differs
`},
		"priority": {func(e *expectation) { e.priority = "5" }, `namespace shed: 1 difference from what was expected

Now
  package oil: install oil.v0 from channel stable of catalog olm/there
  before: install oil.v1 from channel stable of catalog olm/here

What changed
  catalog olm/there: its priority was 0 and is 5
`},
		"request": {func(e *expectation) {
			e.cluster = strings.Replace(e.cluster, "name: oil, channel", "name: torch, channel", 1)
		}, `namespace shed: 2 differences from what was expected

Now
  package oil: nothing
  before: install oil.v1 from channel stable of catalog olm/here
  package torch: install torch.v1 from channel stable of catalog olm/there
  before: nothing

What changed
  request Subscription shed/oil: it differs
`},
		"new request": {func(e *expectation) {
			e.cluster += "---\nkind: Subscription\nmetadata: {name: torch, namespace: house}\nspec: {name: torch, channel: stable}\n"
		}, `namespace house: 2 differences from what was expected

Now
  package lamp: nothing
  before: install lamp.v2 from channel stable of catalog olm/there
  package torch: install torch.v1 from channel stable of catalog olm/there
  before: nothing

What changed
  request Subscription house/torch: it is new
`},
		"fewer namespaces": {func(e *expectation) { e.flags = append(e.flags, "--namespace", "house") }, `namespace shed: 1 difference from what was expected

Now
  result: nothing
  before: resolved

What changed
  request namespace shed: it is gone
`},
		"installed": {func(e *expectation) {
			e.cluster += "status: {installedCSV: oil.v1}\n---\nkind: ClusterServiceVersion\nmetadata: {name: oil.v1, namespace: shed}\nspec: {version: 1.0.0}\n"
		}, `namespace shed: 1 difference from what was expected

Now
  package oil: keep oil.v1
  before: install oil.v1 from channel stable of catalog olm/here

What changed
  cluster ClusterServiceVersion shed/oil.v1: it is new
  cluster Subscription shed/oil: its installed version differs
`},
		"OpenShift version": {func(e *expectation) { e.flags[1] = "4.19" }, `namespace house: 1 difference from what was expected

Now
  package lamp: install lamp.v1 from channel stable of catalog olm/there
  before: install lamp.v2 from channel stable of catalog olm/there

What changed
  cluster OpenShift version: was 4.17 and is 4.19
`},
		"choices": {func(e *expectation) { e.flags = append(e.flags, "--pin", "shed/oil") }, `namespace shed: 1 difference from what was expected

Now
  result: notSatisfiable: Subscription oil cannot be satisfied in namespace shed: both versions of oil (1.0.0 and 0.1.0) are not allowed: package oil is pinned to what is installed
  before: resolved

What changed
  request choices: other flags were given
`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := theExpected()
			tt.change(&e)
			got := invoke(t, t.Context(), e.cluster, e.args(t, "--expect", file)...)
			assert.Equal(t, tt.want, got.stdout, got.stderr)
			assert.Equal(t, tt.want != same, got.status == exitUnresolved)
		})
	}
	t.Run("as data", func(t *testing.T) {
		e := theExpected()
		e.flags[1] = "4.19"
		got := invoke(t, t.Context(), e.cluster, e.args(t, "-o", "json", "--expect", file)...)
		assert.Equal(t, exitUnresolved, got.status)
		assert.Contains(t, got.stdout, `  "differences": [
    {
      "namespace": "house",
      "parts": [
        {
          "subject": "package lamp",
          "before": "install lamp.v2 from channel stable of catalog olm/there",
          "now": "install lamp.v1 from channel stable of catalog olm/there"
        }
      ],
      "reasons": [
        {
          "changed": "cluster",
          "subject": "OpenShift version",
          "message": "was 4.17 and is 4.19"
        }
      ]
    }
  ]
`)
	})
}

// What one OperatorGroup has installed can be why another one cannot have it, whatever else
// changed.
func TestExpectAcrossGroups(t *testing.T) {
	e := theExpected()
	e.cluster += "---\nkind: OperatorGroup\nmetadata: {name: all, namespace: house}\n---\nkind: OperatorGroup\nmetadata: {name: all, namespace: shed}\n"
	file := filepath.Join(t.TempDir(), "earlier.json")
	t.Run("earlier", func(t *testing.T) {
		got := invoke(t, t.Context(), e.cluster, e.args(t, "-o", "json")...)
		require.NoError(t, os.WriteFile(file, []byte(got.stdout), 0o600))
	})
	e.cluster += `---
kind: ClusterServiceVersion
metadata: {name: lamp.v0, namespace: shed}
spec: {version: 0.1.0, customresourcedefinitions: {owned: [{name: lamps.g, version: v1, kind: Lamp}]}}
`
	e.here = append(e.here, `{schema: olm.package, name: new, defaultChannel: stable}`)
	got := invoke(t, t.Context(), e.cluster, e.args(t, "--expect", file)...)
	house, _, _ := strings.Cut(got.stdout, "namespace shed")
	assert.Contains(t, house, "result: notSatisfiable")
	assert.Contains(t, house, "cluster ClusterServiceVersion shed/lamp.v0: it is new")
}

// What is no earlier answer is refused, with the place and what to give instead.
func TestExpectRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"no JSON":        {"{\n x", "expected.json: line 2: invalid character 'x'"},
		"another type":   {`{"namespaces": [{"installs": {}}]}`, "expected.json: namespaces[0].installs: want a list, got an object"},
		"another output": {`{"rows": []}`, "expected.json: it has no inputs, so it cannot be compared"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "expected.json")
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o600))
			got := invoke(t, t.Context(), "", resolveArgs(from("install.yaml", "--expect", file), coast, island)...)
			assert.Equal(t, exitNotStarted, got.status)
			assert.Contains(t, got.stderr, tt.want)
			assert.Contains(t, got.stderr, "use a file that 'resolvent resolve -o json' wrote")
			assert.Empty(t, got.stdout)
		})
	}
}
