package migrate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func survey(t *testing.T, view *cache.View, profile cluster.Profile) []migrate.Surveyed {
	rows, err := migrate.Survey(t.Context(), view, profile)
	require.NoError(t, err)
	return rows
}

func TestSurvey(t *testing.T) {
	s, err := cache.LoadFS(t.Context(), fstest.MapFS{"c.yaml": {Data: []byte(`
{schema: olm.package, name: a, defaultChannel: stable}
---
{schema: olm.channel, package: a, name: stable, entries: [{name: a.v2, replaces: a.v1}, {name: a.v1}]}
---
{schema: olm.channel, package: a, name: old, entries: [{name: a.v1}]}
---
{schema: olm.bundle, package: a, name: a.v1, image: i, properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]}
---
{schema: olm.bundle, package: a, name: a.v2, image: i, properties: [{type: olm.package, value: {packageName: a, version: 2.0.0}},
  {type: olm.gvk.required, value: {group: g.io, version: v1, kind: K}}, {type: olm.label.required, value: {label: l}}]}
---
{schema: olm.package, name: b, defaultChannel: stable}
---
{schema: olm.channel, package: b, name: stable, entries: [{name: b.v1}]}
---
{schema: olm.bundle, package: b, name: b.v1, image: i, properties: [{type: olm.package, value: {packageName: b, version: 1.0.0}},
  {type: olm.csv.metadata, value: {installModes: [{type: OwnNamespace, supported: true}]}}]}
`)}}, cache.Options{})
	require.NoError(t, err)
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "main"}, Snapshot: s}, {Key: catalog.Key{Name: "dead"}}})
	experimental := survey(t, view, cluster.ProfileExperimental)
	assert.Equal(t, []migrate.Surveyed{
		{
			Catalog: "main", Package: "a", Head: "a.v2", Channels: []string{"old"}, Serving: "a.v1",
			Refusals: []migrate.Refusal{{
				Kind: "dependency", Types: []string{"olm.gvk.required"},
				Message: "a.v2 requires an operator providing K (g.io/v1), and OLM v1 resolves no dependencies",
			}},
		},
		{
			Catalog: "main", Package: "b", Head: "b.v1", Channels: []string{}, Watching: true,
			Refusals: []migrate.Refusal{{
				Kind: "watchNamespace", Modes: []properties.InstallMode{properties.OwnNamespace},
				Message: "b.v1 supports OwnNamespace only, and spec.config.inline.watchNamespace is not set: set it to its namespace",
			}},
		},
	}, experimental)

	// The standard profile has no watchNamespace to set.
	want := slices.Clone(experimental)
	want[1].Watching, want[1].Refusals = false, []migrate.Refusal{{
		Kind: "watchNamespace", Modes: []properties.InstallMode{properties.OwnNamespace}, Message: "b.v1 supports OwnNamespace, not AllNamespaces, and OLM v1 installs for all namespaces only",
	}}
	for _, profile := range []cluster.Profile{"", cluster.ProfileStandard} {
		assert.Equal(t, want, survey(t, view, profile))
	}
}

// The counts and the verdicts on twenty packages are those of another program, which reads the
// blobs by itself: the entry of the default channel that no other one replaces or skips, its
// constraints and its install modes. They are the same in both profiles, as a ClusterExtension
// without configuration sets no watchNamespace.
func TestSurveyOfRealCatalogs(t *testing.T) {
	verdicts := map[string]string{
		"3scale-community-operator":                 "3scale-community-operator.v0.10.1",
		"ack-emrserverless-controller":              "ack-emrserverless-controller.v1.1.1",
		"ack-sagemaker-controller":                  "ack-sagemaker-controller.v1.9.1",
		"aws-efs-operator":                          "aws-efs-operator.v0.0.8",
		"dell-csm-operator":                         "dell-csm-operator.v1.11.3",
		"headscale-operator":                        "headscale-operator.v0.1.1",
		"korrel8r":                                  "korrel8r.v0.1.8",
		"must-gather-operator":                      "must-gather-operator.v1.1.2",
		"percona-postgresql-operator":               "percona-postgresql-operator.v3.0.0",
		"slurm-operator":                            "slurm-operator.v1.0.1-1",
		"alloydb-omni-operator":                     "alloydb-omni-operator.v1.8.0 dependency",
		"automotive-dev-operator":                   "automotive-dev-operator.v0.2.0 watchNamespace",
		"community-windows-machine-config-operator": "community-windows-machine-config-operator.v6.0.0 watchNamespace",
		"file-integrity-console-plugin":             "file-integrity-console-plugin.v0.4.1-ocp4.19 watchNamespace",
		"ibm-spectrum-scale-csi-operator":           "ibm-spectrum-scale-csi-operator.v2.6.0 watchNamespace",
		"kubedb-installer":                          "kubedb-installer.v2026.2.26 dependency",
		"microcks":                                  "microcks-operator.v1.10.0 watchNamespace",
		"openshift-node-upgrade-mutex-operator":     "openshift-node-upgrade-mutex-operator.v0.2.66 watchNamespace",
		"rabbitmq-messaging-topology-operator":      "rabbitmq-messaging-topology-operator.v1.19.3 dependency",
		"t8c":                                       "t8c-operator.v42.22.0 watchNamespace",
	}
	for _, c := range []struct {
		name                                     string
		packages, served, dependency, everywhere int
	}{
		{"community", 332, 269, 14, 51},
		{"community-v4.14", 293, 236, 13, 46},
		{"community-v4.19", 314, 254, 13, 49},
		{"raw-v4.19", 34, 28, 2, 4},
	} {
		s, err := cache.LoadFS(t.Context(), os.DirFS(testkit.Shared(t, "catalogs", c.name)), cache.Options{})
		require.NoError(t, err)
		for _, profile := range []cluster.Profile{cluster.ProfileStandard, cluster.ProfileExperimental} {
			rows := survey(t, cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: c.name}, Snapshot: s}}), profile)
			served, kinds := 0, map[string]int{}
			for _, r := range rows {
				verdict := r.Head
				for _, refusal := range r.Refusals {
					kinds[string(refusal.Kind)]++
					verdict += " " + string(refusal.Kind)
				}
				if r.Served {
					served++
				}
				assert.False(t, r.Watching && profile == cluster.ProfileStandard, "nothing can set watchNamespace: %s", r.Package)
				if want, known := verdicts[r.Package]; known && c.name == "community-v4.19" {
					assert.Equal(t, want, verdict)
				}
			}
			assert.Equal(t, []any{c.packages, c.served, map[string]int{"dependency": c.dependency, "watchNamespace": c.everywhere}}, []any{len(rows), served, kinds}, c.name)
		}
	}
}

// TestSurveyReadAgain compares the survey of every package of real catalogs with what their blobs
// say, which are read here without this library.
func TestSurveyReadAgain(t *testing.T) {
	for i, name := range []string{"community", "raw-v4.19", "community-v4.14", "community-v4.19"} {
		if !testkit.Today(i, 2) {
			continue
		}
		s, err := cache.LoadFS(t.Context(), os.DirFS(testkit.Shared(t, "catalogs", name)), cache.Options{})
		require.NoError(t, err)
		view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: name}, Snapshot: s}})
		standard, experimental := survey(t, view, cluster.ProfileStandard), survey(t, view, cluster.ProfileExperimental)
		require.Len(t, experimental, len(standard))
		judged := 0
		for i, r := range standard {
			head, refused, watching := readAgain(t, testkit.Shared(t, "catalogs", name, r.Package), r.Package)
			if head == "" {
				continue // its versions would have to be compared
			}
			judged++
			got := []string{}
			for _, refusal := range r.Refusals {
				got = append(got, string(refusal.Kind)+" "+strings.Trim(fmt.Sprint(refusal.Types, refusal.Modes), "[] "))
			}
			assert.Equal(t, []any{head, refused, len(refused) == 0, false}, []any{r.Head, got, r.Served, r.Watching}, "%s %s", name, r.Package)
			assert.Equal(t, []any{head, len(refused) == 0, watching}, []any{experimental[i].Head, experimental[i].Served, experimental[i].Watching}, "%s %s", name, r.Package)
		}
		t.Log(name, judged, "of", len(standard))
		assert.Greater(t, judged*100, len(standard)*99)
	}
}

// readAgain finds the head of a package's default channel: the only entry that no other one
// replaces or skips. It returns what OLM v1 refuses it for, and whether watchNamespace would help.
func readAgain(t *testing.T, folder, pkg string) (head string, refused []string, watching bool) {
	type blob struct {
		Schema, Name, Package, DefaultChannel string
		Entries                               []struct {
			Name, Replaces string
			Skips          []string
		}
		Properties []struct {
			Type  string
			Value any
		}
	}
	var blobs []blob
	require.NoError(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		documents := yaml.NewDecoder(bytes.NewReader(content))
		decode := json.NewDecoder(bytes.NewReader(content)).Decode
		if strings.HasSuffix(path, ".yaml") {
			decode = func(b any) error {
				var document any
				if err := documents.Decode(&document); err != nil {
					return err
				}
				text, err := json.Marshal(document)
				require.NoError(t, err)
				return json.Unmarshal(text, b)
			}
		}
		for {
			var b blob
			if err := decode(&b); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			blobs = append(blobs, b)
		}
	}))
	channel := ""
	for _, b := range blobs {
		if b.Schema == "olm.package" && b.Name == pkg {
			channel = b.DefaultChannel
		}
	}
	for _, b := range blobs {
		if b.Schema != "olm.channel" || b.Package != pkg || b.Name != channel {
			continue
		}
		below := map[string]bool{}
		for _, e := range b.Entries {
			below[e.Replaces] = true
			for _, name := range e.Skips {
				below[name] = true
			}
		}
		for _, e := range b.Entries {
			if !below[e.Name] {
				head = e.Name
			}
		}
	}
	refused = []string{}
	for _, b := range blobs {
		if b.Schema != "olm.bundle" || b.Package != pkg || b.Name != head {
			continue
		}
		var types, modes []string
		stated, services := false, false
		for _, p := range b.Properties {
			if slices.Contains([]string{"olm.gvk.required", "olm.package.required", "olm.constraint"}, p.Type) && !slices.Contains(types, p.Type) {
				types = append(types, p.Type)
			}
			if p.Type != "olm.csv.metadata" {
				continue
			}
			text, err := json.Marshal(p.Value)
			require.NoError(t, err)
			var csv struct {
				InstallModes []struct {
					Type      string
					Supported bool
				}
				ApiServiceDefinitions struct{ Owned []any }
			}
			require.NoError(t, json.Unmarshal(text, &csv))
			services = len(csv.ApiServiceDefinitions.Owned) > 0
			for _, name := range []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"} {
				for _, mode := range csv.InstallModes {
					stated = true
					if mode.Type == name && mode.Supported {
						modes = append(modes, name)
					}
				}
			}
		}
		if len(types) > 0 {
			refused = append(refused, "dependency "+strings.Join(types, " "))
		}
		if stated && !slices.Contains(modes, "AllNamespaces") {
			refused = append(refused, "watchNamespace "+strings.Join(modes, " "))
		}
		if services {
			refused = append(refused, "apiService ")
		}
		watching = len(refused) == 1 && strings.HasPrefix(refused[0], "watchNamespace") && (slices.Contains(modes, "OwnNamespace") || slices.Contains(modes, "SingleNamespace"))
	}
	return head, refused, watching
}

// Nothing is judged after the end of the context.
func TestSurveyEnds(t *testing.T) {
	snapshot, err := cache.Parse(t.Context(), []byte(chain("a", "A")), cache.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = migrate.Survey(ctx, cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "c"}, Snapshot: snapshot}}), "")
	var incomplete *result.Incomplete
	require.ErrorAs(t, err, &incomplete)
	assert.EqualError(t, err, "stopped while judging packages: context canceled")
}
