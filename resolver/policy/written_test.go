package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
)

// TestWritten: each written policy denies what it is for, and nothing else. The manual shows it
// as it is.
func TestWritten(t *testing.T) {
	at := policy.Place{Facts: rules.Facts{Namespace: "prod"}, Today: "2026-01-15"}
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
		"no-new-rights":          nil,
		"certified-dependencies": {},
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
		rules, written, tested := strings.Cut(string(text), "cases:\n")
		assert.True(t, tested, "%s has cases", file)
		assert.Contains(t, string(page), rules, "the page shows it")
		if p.Name == "patches-only" {
			waits, err := os.ReadFile(filepath.FromSlash("../../testdata/policies/cases/waits.yaml"))
			require.NoError(t, err)
			assert.Contains(t, string(page), "```yaml\ncases:\n"+written+"```", "and its cases")
			assert.Contains(t, string(page), "```yaml\n"+string(waits)+"```", "with their objects")
		}
		counting := at.Rules([]*policy.Policy{p})
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
				list, _, err := counting.Changes(t.Context(), []policy.Change{{Kind: words.ChangeInstall, To: bundle("etcd", "1.0.0")}}, &policy.Plan{Widens: widens})
				require.NoError(t, err)
				assert.Equal(t, len(widens) > 0, len(list) > 0, p.Name)
			}
		}
	}
}

// TestWishes: the rules for wishes in words, as the page has them, deny what the words forbid.
func TestWishes(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../.github/docs/policy.md"))
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(page), "## Six wishes and their rules")
	_, text, _ = strings.Cut(text, "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	p, err := policy.Parse([]byte(text))
	require.NoError(t, err)
	const kafka = "strimzi-kafka-operator"
	runs := bundle(kafka, "1.1.1")
	of := func(pkg, version, created, source string) *policy.Bundle {
		b := bundle(pkg, version)
		b.Bundle.Name, b.Bundle.Catalog.Name, b.CreatedAt = pkg+".v"+version, source, created
		return b
	}
	preview := func(pkg string, channels ...string) *policy.Bundle {
		b := of(pkg, "1.1.2", "2026-01-01", "vendor")
		b.Channels = channels
		return b
	}
	const old, young = "2026-01-01", "2026-01-02"
	const year, later = "2026-01-15", "2027-01-01"
	for _, c := range []struct {
		today     string
		namespace string
		labels    map[string]string
		bundle    *policy.Bundle
		rules     []string
	}{
		{year, "prod-1", nil, of(kafka, "1.1.2", old, "vendor"), nil},
		{year, "prod-1", nil, of(kafka, "1.2.0", old, "vendor"), []string{"kafka-patches"}},
		{year, "prod", nil, of(kafka, "2.1.1", old, "vendor"), []string{"kafka-patches", "one-minor"}},
		{year, "dev", nil, of(kafka, "1.2.0", old, "vendor"), nil},
		{year, "prod-1", nil, of("etcd", "1.2.0", old, "vendor"), nil},
		{year, "dev", nil, of("etcd", "1.2.0", old, "community-operators"), []string{"sandboxes"}},
		{year, "dev", map[string]string{"sandbox": ""}, of("etcd", "1.2.0", old, "community-operators"), nil},
		{year, "sandbox-7", nil, of("etcd", "1.2.0", old, "community-operators"), nil},
		{year, "dev", nil, of("etcd", "1.2.0", young, "vendor"), []string{"two-weeks"}},
		{year, "dev", nil, of("etcd", "1.2.0", "", "vendor"), []string{"two-weeks"}},
		{year, "dev", nil, of("scanner", "2.0.1", young, "vendor"), []string{"one-minor"}},
		{year, "dev", nil, of("scanner", "2.0.2", young, "vendor"), []string{"two-weeks", "one-minor"}},
		{year, "dev", nil, preview("etcd", "alpha", "v1-preview"), []string{"no-previews"}},
		{year, "dev", nil, preview("operator-x", "alpha", "v1-preview"), nil},
		{year, "dev", nil, preview("etcd", "alpha", "stable"), nil},
		{year, "dev", nil, preview("etcd"), nil},
		{year, "dev", nil, of("etcd", "1.2.9", old, "vendor"), nil},
		{year, "dev", nil, of("etcd", "1.3.0", old, "vendor"), []string{"one-minor"}},
		{year, "dev", nil, of("etcd", "1.0.0", old, "vendor"), nil},
		{year, "dev", nil, of("etcd", "0.9.0", old, "vendor"), nil},
		{year, "prod", nil, of(kafka, "1.2.0", young, "community-operators"), []string{"kafka-patches", "sandboxes", "two-weeks"}},
		{year, "dev", nil, of("ledger", "1.15.0", old, "vendor"), []string{"one-minor", "ledger-at-1.14"}},
		{year, "dev", nil, of("ledger", "1.14.3", old, "vendor"), []string{"one-minor"}},
		{later, "dev", nil, of("ledger", "1.15.0", old, "vendor"), []string{"one-minor"}},
	} {
		rules := policy.Place{Facts: rules.Facts{Namespace: c.namespace}, Today: c.today, Labels: c.labels}.Rules([]*policy.Policy{p})
		list, _, err := rules.Candidate(t.Context(), c.bundle, runs)
		require.NoError(t, err)
		var names []string
		for _, b := range list {
			require.NoError(t, b.Err)
			names = append(names, b.Rule.Name)
		}
		assert.Equal(t, c.rules, names, "%s in %s", c.bundle.Bundle, c.namespace)
	}
}
