package resolver_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata/testkit"
)

var update = flag.Bool("update", false, "rewrite the wanted part of the scenarios")

// TestScenarios resolves every scenario of testdata, as written and with
// everything in another order that must not matter.
func TestScenarios(t *testing.T) { runScenarios(t, "testdata/scenarios/*.txtar") }

// TestExplanations compares whole texts of failures and warnings.
func TestExplanations(t *testing.T) {
	const pattern = "testdata/explanations/*.txtar"
	runScenarios(t, pattern)
	count := 0
	for path := range testkit.Files(t, pattern) {
		count++
		failure := failureOfAny(t, strings.TrimSuffix(filepath.Base(path), ".txtar"))
		if failure == nil {
			continue
		}
		lines := strings.Split(text.All(failure), "\n")
		assert.LessOrEqual(t, len(lines), 20+8*(len(failure.Causes)-1)+8*len(failure.Uncovered), "%s: the report fits on a screen", path)
		assert.Contains(t, drawn(failure).Mermaid(), "n0", path)
		require.NoError(t, checkReport(failure), path)
	}
	assert.GreaterOrEqual(t, count, 30)
}

// failureOfAny returns the failure of a scenario's first namespace or
// ClusterExtension, if there is one.
func failureOfAny(t *testing.T, name string) *result.NotSatisfiable {
	t.Helper()
	in := inputsOf(t, "explanations/"+name)
	failure := failureOf(t.Context(), in)
	if in.Scopes[0].Extension() != "" {
		require.NotNil(t, failure)
	}
	return failure
}

func runScenarios(t *testing.T, pattern string) {
	for path, data := range testkit.Files(t, pattern) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s, err := scenario.Parse(data)
			require.NoError(t, err)
			require.NotEmpty(t, strings.TrimSpace(s.Comment), "a scenario opens with a sentence of intent")
			got, err := s.Run(t.Context())
			require.NoError(t, err)
			if *update {
				rewriteWant(t, path, data, got)
				return
			}
			assert.Equal(t, s.Want, got, s.Comment)
			for seed := range uint64(3) {
				again, err := shuffled(s, seed).Run(t.Context())
				require.NoError(t, err)
				assert.Equal(t, got, again, "in another order")
			}
		})
	}
}

// rewriteWant replaces the last file of the scenario and leaves the rest as it
// is written.
func rewriteWant(t *testing.T, path string, data []byte, want string) {
	t.Helper()
	const marker = "-- want --\n"
	before, _, _ := bytes.Cut(data, []byte("\n"+marker))
	before = bytes.TrimSuffix(before, []byte("\n"))
	text := string(before) + "\n" + marker + want
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// shuffled puts manifests, files and documents into another order.
func shuffled(s *scenario.Scenario, seed uint64) *scenario.Scenario {
	r := rand.New(rand.NewPCG(seed, 1))
	c := *s
	c.Cluster = shuffleDocuments(r, s.Cluster)
	c.Files = nil
	for _, i := range r.Perm(len(s.Files)) {
		f := s.Files[i]
		if filepath.Ext(f.Name) == ".yaml" {
			f.Data = shuffleDocuments(r, f.Data)
		}
		c.Files = append(c.Files, f)
	}
	return &c
}

// shuffleDocuments reorders the documents of a YAML text, which are separated
// by lines of three dashes.
func shuffleDocuments(r *rand.Rand, text []byte) []byte {
	docs := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n---\n")
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return []byte(strings.Join(docs, "\n---\n") + "\n")
}
