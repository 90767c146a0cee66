package command

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// failureKey is what a failure has to say, written down before it was built.
type failureKey struct {
	Command  string            `json:"command"`
	Catalogs map[string]string `json:"catalogs"` // folders of the real catalogs, by what they are given as
	// Causes are parts of their messages, one a cause.
	Causes []string `json:"causes,omitempty"`
	// First is the first change in the order of the text, WaitFor for what to wait before.
	First   *failureFix `json:"first,omitempty"`
	WaitFor string      `json:"waitFor,omitempty"`
	// Others is a part of what only others can change.
	Others string `json:"others,omitempty"`
}

// failureFix is a fix in the JSON of the program.
type failureFix struct {
	Risk    string            `json:"risk"`
	Steps   []json.RawMessage `json:"steps"`
	Then    json.RawMessage   `json:"then"`
	GivesUp []json.RawMessage `json:"givesUp,omitempty"`
}

// failureReport is what the program says about the only failure.
type failureReport struct {
	Causes []struct {
		Message string `json:"message"`
	} `json:"causes"`
	Changes []json.RawMessage `json:"changes"`
	WaitFor string            `json:"waitFor"`
	Fix     string            `json:"fix"` // of a row: for what to wait, else the first change
	Others  []struct {
		Text string `json:"text"`
	} `json:"others"`
}

// TestFailures compares what is said about failures on real catalogs with a key (the
// causes, the first change and its consequence), and the whole texts.
func TestFailures(t *testing.T) {
	indexes := t.TempDir() // they read the same catalogs
	for file, data := range testkit.Files(t, "examples", "resolvent", "testdata", "failures", "*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive := txtar.Parse(data)
			require.Len(t, archive.Files, 2)
			var key failureKey
			require.NoError(t, json.Unmarshal(archive.Files[0].Data, &key))
			manifest := filepath.Join(t.TempDir(), "cluster.yaml")
			require.NoError(t, os.WriteFile(manifest, archive.Files[1].Data, 0o600))
			args := []string{key.Command, "-f", manifest, "--index-cache", indexes}
			for _, name := range slices.Sorted(maps.Keys(key.Catalogs)) {
				args = append(args, "--catalog", name+"="+testkit.Shared(t, "catalogs", key.Catalogs[name]))
			}
			said := run(t, args...)
			compareGolden(t, strings.TrimSuffix(file, ".txtar")+".golden", said.String())
			key.check(t, reportOf(t, run(t, append(args, "-o", "json")...).stdout))
		})
	}
}

// reportOf finds the only failure, or stuck row, in a JSON output.
func reportOf(t *testing.T, text string) (found failureReport) {
	var all struct {
		Namespaces []struct{ Error *failureReport }
		Extensions []struct{ Error *failureReport } `json:"clusterExtensions"`
		Rows       []failureReport
	}
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	for _, one := range slices.Concat(all.Namespaces, all.Extensions) {
		if one.Error != nil {
			return *one.Error
		}
	}
	require.NotEmpty(t, all.Rows)
	return all.Rows[0]
}

func (key *failureKey) check(t *testing.T, report failureReport) {
	for i, part := range key.Causes {
		if assert.Greater(t, len(report.Causes), i, "a cause is missing: %s", part) {
			assert.Contains(t, report.Causes[i].Message, part)
		}
	}
	assert.Contains(t, report.WaitFor+report.Fix, key.WaitFor)
	if key.Others != "" && assert.NotEmpty(t, report.Others) {
		assert.Contains(t, report.Others[0].Text, key.Others)
	}
	if key.First == nil {
		return
	}
	var changes []failureFix
	for _, text := range report.Changes {
		var fix failureFix
		require.NoError(t, json.Unmarshal(text, &fix))
		if fix.Steps == nil { // those of one step are its own
			var step map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(text, &step))
			maps.DeleteFunc(step, func(name string, _ json.RawMessage) bool {
				return !slices.Contains([]string{"object", "field", "from", "to", "create"}, name)
			})
			one, err := json.Marshal(step)
			require.NoError(t, err)
			fix.Steps = []json.RawMessage{one}
		}
		changes = append(changes, fix)
	}
	require.NotEmpty(t, changes)
	slices.SortStableFunc(changes, func(a, b failureFix) int { return cmp.Compare(a.section(), b.section()) })
	want, err := json.Marshal(key.First)
	require.NoError(t, err)
	got, err := json.Marshal(changes[0])
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(got))
}

// section is that of the text.
func (f *failureFix) section() int {
	switch {
	case len(f.GivesUp) > 0:
		return 2
	case f.Risk == "removes" || f.Risk == "overrides":
		return 1
	}
	return 0
}
