package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/policy"
)

// TestWritten: each written policy denies what it is for, and nothing else. The manual shows it
// as it is.
func TestWritten(t *testing.T) {
	at := policy.Place{Facts: constraints.Facts{Namespace: "prod"}, Today: "2026-01-15"}
	modes := func(all bool) properties.Property {
		return properties.NewProperty("olm.csv.metadata", map[string]any{"installModes": []map[string]any{{"type": "AllNamespaces", "supported": all}}})
	}
	with := func(b *policy.Bundle, change func(*policy.Bundle)) *policy.Bundle {
		change(b)
		return b
	}
	installed := with(bundle("etcd", "1.1.1"), func(b *policy.Bundle) { b.InstalledAt = "2026-01-01" })
	longAgo := with(bundle("etcd", "1.1.1"), func(b *policy.Bundle) { b.InstalledAt = "2025-12-01" })
	type judged struct {
		bundle, installed *policy.Bundle
		denied            bool
	}
	cases := map[string][]judged{
		"patches-only": {{bundle("etcd", "1.1.2"), installed, false}, {bundle("etcd", "1.2.0"), installed, true}, {bundle("etcd", "2.1.2"), installed, true}, {bundle("etcd", "2.0.0"), nil, false}},
		"no-previews": {{bundle("etcd", "1.0.0"), nil, false}, {with(bundle("etcd", "1.0.0"), func(b *policy.Bundle) { b.Channels = []string{"alpha", "v1-beta"} }), nil, true},
			{with(bundle("etcd", "1.0.0"), func(b *policy.Bundle) { b.Channels = nil }), nil, false}},
		"vendor-catalogs": {{bundle("etcd", "1.0.0"), nil, false}, {with(bundle("etcd", "1.0.0"), func(b *policy.Bundle) { b.Labels = map[string]string{"tier": "other"} }), nil, true},
			{with(bundle("etcd", "1.0.0"), func(b *policy.Bundle) { b.Labels = nil }), nil, true}},
		"one-minor-a-month": {{bundle("etcd", "1.2.0"), installed, true}, {bundle("etcd", "1.1.2"), installed, false}, {bundle("etcd", "1.2.0"), longAgo, false}, {bundle("etcd", "1.2.0"), nil, false}},
		"no-downgrade":      {{bundle("etcd", "1.1.0"), installed, true}, {bundle("etcd", "1.1.2"), installed, false}, {bundle("etcd", "1.0.0"), nil, false}},
		"supported": {{bundle("etcd", "1.0.0"), nil, false}, {with(bundle("etcd", "1.0.0"), func(b *policy.Bundle) { b.SupportEnds = "2026-01-14" }), nil, true},
			{with(bundle("etcd", "1.0.0"), func(b *policy.Bundle) { b.SupportEnds = "" }), nil, false}},
		"all-namespaces": {{bundle("etcd", "1.0.0", modes(true)), nil, false}, {bundle("etcd", "1.0.0", modes(false)), nil, true}, {bundle("etcd", "1.0.0"), nil, false}},
		"deny-list":      {{bundle("etcd", "1.2.0"), nil, true}, {bundle("etcd", "1.2.2"), nil, false}, {bundle("miner", "1.0.0"), nil, true}},
		"a-week-old": {{bundle("etcd", "1.0.0"), nil, false}, {with(bundle("etcd", "1.0.0"), func(b *policy.Bundle) { b.CreatedAt = "2026-01-09" }), nil, true},
			{with(bundle("etcd", "1.0.0"), func(b *policy.Bundle) { b.CreatedAt = "2026-01-08" }), nil, false}},
		"no-new-rights": nil,
	}
	page, err := os.ReadFile(filepath.FromSlash("../../.github/docs/policy.md"))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.FromSlash("../../testdata/policies/*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, len(cases))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		p, err := policy.Parse(text)
		require.NoError(t, err, file)
		of, known := cases[p.Name]
		require.True(t, known && p.Name == strings.TrimSuffix(filepath.Base(file), ".yaml"), file)
		rules, _, tested := strings.Cut(string(text), "cases:\n")
		assert.True(t, tested, "%s has cases", file)
		assert.Contains(t, string(page), rules, "the page shows it")
		counting := policy.RulesAt([]*policy.Policy{p}, at)
		for i, c := range of {
			list, _, err := counting.Candidate(t.Context(), c.bundle, c.installed)
			require.NoError(t, err)
			assert.Equal(t, c.denied, len(list) > 0, "%s: case %d: %v", p.Name, i, list)
			for _, b := range list {
				require.NoError(t, b.Err, p.Name)
			}
		}
		if of == nil {
			for _, widens := range [][]string{nil, {"* of *"}} {
				list, _, err := counting.Changes(t.Context(), []policy.Change{{Kind: policy.Install, To: bundle("etcd", "1.0.0")}}, &policy.Plan{Widens: widens})
				require.NoError(t, err)
				assert.Equal(t, len(widens) > 0, len(list) > 0, p.Name)
			}
		}
	}
}
