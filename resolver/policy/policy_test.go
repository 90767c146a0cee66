package policy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/testdata/testkit"
)

const head = "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: p}\n"

func parse(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(head + text))
	require.NoError(t, err)
	return p
}

const everyField = `match: {namespaces: ["prod-*", "[^a-m]?-1"], packages: ["*", A.b_c-1], catalogs: {matchLabels: {tier: vendor}}}
candidates:
- name: patches-only
  deny: >-
    has(installed.version) &&
    minor(bundle.version) != minor(installed.version)
  message: only patch updates
  match: {packages: [etcd]}
changes:
- {name: nothing-goes, deny: 'changes.exists(c, c.kind == "remove")', severity: warn}
cases:
- {name: a, objects: cluster.yaml, catalogs: [olm/c=c], date: 2026-01-31, want: {result: resolved, installs: [a], rules: [patches-only], approvals: {n/p: wait}}}
`

func TestParse(t *testing.T) {
	p := parse(t, everyField)
	assert.Equal(t, "p", p.Name)
	require.Len(t, p.Candidates, 1)
	require.Len(t, p.Changes, 1)
	rule := p.Candidates[0]
	assert.Equal(t, "rule patches-only of policy p", rule.String())
	assert.Equal(t, "only patch updates", rule.Message)
	assert.False(t, rule.Warn)
	assert.True(t, p.Changes[0].Warn)
	assert.True(t, rule.In("prod-a"))
	assert.False(t, rule.In("dev"))
	vendor := map[string]string{"tier": "vendor", "more": "x"}
	assert.True(t, rule.About(&policy.Bundle{Bundle: catalog.BundleKey{Package: "etcd"}, Labels: vendor}))
	assert.False(t, rule.About(&policy.Bundle{Bundle: catalog.BundleKey{Package: "etcd"}}))
	assert.False(t, rule.About(&policy.Bundle{Bundle: catalog.BundleKey{Package: "other"}, Labels: vendor}))
	assert.Equal(t, []policy.Case{{Name: "a", Line: 15, Objects: "cluster.yaml", Catalogs: []string{"olm/c=c"}, Date: "2026-01-31", Want: policy.Want{
		Result: "resolved", Installs: []string{"a"}, Rules: []string{"patches-only"}, Approvals: map[string]string{"n/p": "wait"},
	}}}, p.Cases)
}

// A number is nowhere what is wanted, and the fault names the field.
func TestFieldsAreNamed(t *testing.T) {
	var document yaml.Node
	require.NoError(t, yaml.Load([]byte(head+everyField), &document))
	var each func(n *yaml.Node, at string)
	each = func(n *yaml.Node, at string) {
		for i, child := range n.Content {
			below := fmt.Sprintf("%s[%d]", at, i)
			if n.Kind == yaml.MappingNode {
				if i%2 == 0 || n.Content[i-1].Value == "apiVersion" || n.Content[i-1].Value == "kind" {
					continue
				}
				below = strings.TrimPrefix(at+"."+n.Content[i-1].Value, ".")
			}
			each(child, below)
			n.Content[i] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: "1"}
			text, err := yaml.Dump(&document)
			require.NoError(t, err)
			_, err = policy.Parse(text)
			require.ErrorContains(t, err, ": "+below+": want ")
			n.Content[i] = child
		}
	}
	each(document.Content[0], "")
}

// Every fault names its place.
func TestParseFaults(t *testing.T) {
	rules := "candidates:\n- {name: a, deny: 'true'}\n"
	for text, message := range map[string]string{
		"":                 "holds no policy",
		"# nothing\n":      "holds no policy",
		"[]":               "line 1, column 1: the policy: want fields, such as apiVersion",
		"a: [":             "line 2",
		head:               "the policy has no rule",
		head + "rules: []": `line 4, column 1: the policy: there is no field "rules"; it has apiVersion, candidates, cases, changes`,
		rules:              `want apiVersion: resolvent/v1 and kind: Policy, not "" and ""`,
		"apiVersion: resolvent/v2\nkind: Policy\n" + rules:                                                                     `not "resolvent/v2" and "Policy"`,
		"apiVersion: resolvent/v1\nkind: Policy\n" + rules:                                                                     "metadata.name is missing",
		"apiVersion: resolvent/v1\nkind: Policy\nmetadata: {nmae: p}\n":                                                        `line 3, column 12: metadata: there is no field "nmae"`,
		"apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: 1}\n":                                                        "line 3, column 18: metadata.name: want a text",
		head + rules + "- {name: a, deny: 'false'}":                                                                            "line 6, column 3: candidates[1]: there is a rule a on line 5 already",
		head + rules + "changes:\n- {name: a, deny: 'false'}":                                                                  "line 7, column 3: changes[0]: there is a rule a on line 5 already",
		head + "candidates: 1":                                                                                                 "line 4, column 13: candidates: want a list",
		head + "candidates: [{deny: 'true'}]":                                                                                  "the rule has no name",
		head + "candidates: [{name: a}]":                                                                                       "rule a has no deny",
		head + "candidates: [{name: a, name: b, deny: 'true'}]":                                                                "the field name is there twice",
		head + "candidates: [{name: a, deny: 'true', severity: maybe}]":                                                        `line 4, column 48: candidates[0].severity: "maybe": want deny or warn`,
		head + "candidates: [{name: a, deny: bundle.version}]":                                                                 "line 4, column 30: candidates[0].deny (rule a): the rule is of type string; it must be of type bool",
		head + "candidates:\n- name: a\n  deny: |\n    true &&\n    bundle.verison == ''":                                      "undefined field 'verison' (line 2, column 7)",
		head + "candidates: [{name: a, deny: 'changes.size() > 1'}]":                                                           "undeclared reference to 'changes'",
		head + "changes: [{name: a, deny: 'bundle.name == \"\"'}]":                                                             "undeclared reference to 'bundle'",
		head + rules + "match: {namespaces: ['[']}":                                                                            `match.namespaces[0]: "[" is not a pattern`,
		head + rules + "match: {namespaces: prod}":                                                                             "match.namespaces: want a list of texts",
		head + rules + "match: {namespaces: ['!prod']}":                                                                        `line 6, column 22: match.namespaces[0]: no name is like "!prod": write * for any text, and an exception in deny`,
		head + rules + "match: {namespaces: [a, '^prod-']}":                                                                    `match.namespaces[1]: no name is like "^prod-"`,
		head + rules + "match: {namespaces: [Prod]}":                                                                           `match.namespaces[0]: no name is like "Prod"`,
		head + rules + "match: {packages: ['a,b']}":                                                                            `match.packages[0]: no name is like "a,b"`,
		head + rules + "match: {packages: ['']}":                                                                               `match.packages[0]: no name is like ""`,
		head + rules + "match: {catalogs: [vendor]}":                                                                           `match.catalogs: want matchLabels; for a name write bundle.catalog.name == "..." in deny`,
		head + rules + "match: {catalogs: {name: vendor}}":                                                                     `want matchLabels; for a name write bundle.catalog.name`,
		head + rules + "cases: [{objects: [a, b]}]":                                                                            "cases[0].objects: want one text",
		head + rules + "match: {catalogs: {labels: {}}}":                                                                       `match.catalogs: there is no field "labels"; it has matchLabels`,
		head + rules + "match: {catalogs: {matchLabels: [a]}}":                                                                 "want names and values",
		head + rules + "match: {catalogs: {matchLabels: {a: b, a: c}}}":                                                        "",
		head + rules + "cases: [{objects: a}]":                                                                                 "cases[0]: a case has objects, and wants something",
		head + rules + "---\n" + head + rules:                                                                                  "a file holds one policy",
		head + "x: &a b\ny: *a\n":                                                                                              "aliases are not supported",
		head + rules + "x: " + strings.Repeat("[", 100) + strings.Repeat("]", 100):                                             "nested more than 20 levels deep",
		head + "candidates:\n\t- {name: a, deny: 'true'}\n":                                                                    "line 5",
		head + "candidates: [{name: a, deny: '" + strings.Repeat("true && ", 20_000) + "true'}]":                               "line 4, column 30: candidates[0].deny (rule a): ",
		head + rules + strings.Repeat("- {name: a, deny: 'true'}\n", 300):                                                      "there is a rule a on line 5 already",
		"- " + strings.ReplaceAll(head, "\n", "\n  ") + "\n":                                                                   "line 1, column 1: the policy: want fields",
		head + rules + "cases: [{objects: a, want: {rules: [b]}}]":                                                             "line 6: case cases[0] wants rule b, which the policy does not have",
		head + rules + "cases: [{name: a, objects: a, want: {result: denied}}, {name: a, objects: a, want: {result: denied}}]": "cases[1]: there is a case a already",
		head + "candidates: [{name: a, deny: 1}]":                                                                              "line 4, column 30: candidates[0].deny: want a text",
		head + "candidates: [a]":                                                                                               "line 4, column 14: candidates[0]: want fields, such as deny",
		// What helps stands beside it.
		head + "candidates:\n\t- {name: a}\n":                                        "line 5: found character that cannot start any token; YAML is indented with blanks, never with tabs",
		head + "candidates:\n- name: a\n  deny: bundle.deprecated ? true: false\n":   "line 6: mapping values are not allowed in this context; put a rule into 'single quotes', or on lines of its own below deny: |-",
		head + "candidates:\n- name: a\n  deny: !(\"x\" in bundle.channels)\n":       "line 6: found character '\"' that is not allowed in a YAML tag; put a rule into 'single quotes'",
		head + "candidates: [{name: \xe4}]":                                          "; save the file as UTF-8",
		"apiVersion: v1\nkind: ConfigMap\ndata: {}\n":                                `line 1, column 1: want apiVersion: resolvent/v1 and kind: Policy, not "v1" and "ConfigMap"`,
		head + "candidates:\n- name: a\n  deny:\n":                                   "line 5, column 3: candidates[0]: rule a has no deny: write what it denies in CEL",
		head + "candidates: {name: a}":                                               "candidates: want a list, with a dash before each of its members",
		head + "candidates: [{name: a, deny: 'bundel.deprecated'}]":                  "undeclared reference to 'bundel' (line 1, column 1)\n  | bundel.deprecated\n  | ^\n  | it knows bundle, cluster, installed, namespace, properties; functions are days",
		head + "candidates: [{name: a, deny: 'bundle.chanels == []'}]":               "\n  | a bundle has catalog, channels, createdAt, deprecated, image, installedAt, name, package, properties, supportEnds, version",
		head + "candidates: [{name: a, deny: 'bundle.version > 2'}]":                 "\n  | bundle.version is a version of three numbers such as 1.15.0: write ",
		head + "candidates: [{name: a, deny: 'days(bundle.createdAt) < 14'}]":        `write bundle.createdAt < "2026-01-31", days(bundle.createdAt, `,
		head + "candidates: [{name: a, deny: 'plan.foreign.size() > 0'}]":            "it knows bundle, cluster, installed, namespace, properties; functions are days, major, minor, patch, semver_compare; changes, plan are for rules below changes:",
		head + "candidates: [{name: a, deny: 'cluster.todya == \"\"'}]":              "\n  | a cluster has kubernetesVersion, labels, namespace, openshiftVersion, today",
		head + "candidates: [{name: a, deny: 'bundle.version >= \"1.15.0\"'}]":       "1.9 is above 1.15",
		head + "candidates: [{name: a, deny: 'bundle.version == \"1.15\"'}]":         `"1.15" is not a version of three numbers such as 1.15.0`,
		head + "candidates: [{name: a, deny: 'installed.version in [\"1.15\"]'}]":    `"1.15" is not a version of three numbers`,
		head + "candidates: [{name: a, deny: 'cluster.today < \"31.12.2026\"'}]":     `"31.12.2026" is not a day`,
		head + "changes: [{name: a, deny: 'plan.foregin.size() > 0'}]":               "\n  | a plan has drops, foreign, name, pinned, widens",
		head + "changes: [{name: a, deny: 'changes.all(c, c.kind == \"updated\")'}]": `"updated" is not one of install, update, downgrade, remove`,
		head + "changes: [{name: a, deny: 'bundle.deprecated'}]":                     "bundle, installed, properties are for rules below candidates:",
		head + "candidates: [{name: a, deny: 'bundle.name = \"a\"'}]":                "\n  | CEL writes == for equal, && for and",
		strings.Repeat("#", 1<<20+1):                                                 "more than the 1048576 allowed",
	} {
		_, err := policy.Parse([]byte(text))
		assert.ErrorContains(t, err, message, "%.200s", text)
	}
}

// What is hostile ends soon.
func TestParseIsBounded(t *testing.T) {
	many := func(n int, rule string) string {
		var b strings.Builder
		b.WriteString(head + "candidates:\n")
		for i := range n {
			fmt.Fprintf(&b, "- {name: r%d, deny: '%s'}\n", i, rule)
		}
		return b.String()
	}
	_, err := policy.Parse([]byte(many(200, "bundle.name == \"a\"")))
	require.NoError(t, err)
	dear := "bundle.channels.exists(a, bundle.channels.exists(b, a + b == bundle.name))" + strings.Repeat(" || bundle.name == \"x\"", 100)
	for text, message := range map[string]string{
		many(201, "true"): "a policy has at most 200 rules",
		head + "candidates: [" + strings.Repeat("{},", 60_000) + "]": "the policy is too large",
		head + "match: {" + func() string {
			var b strings.Builder
			for i := range 3000 {
				fmt.Fprintf(&b, "k%d: 1,", i)
			}
			return b.String()
		}() + "}": "the policy is too large",
		many(1, strings.Repeat("(", 300)+"true"+strings.Repeat(")", 300)): "does not compile",
	} {
		took := testkit.Took(func() {
			_, err := policy.Parse([]byte(text))
			assert.ErrorContains(t, err, message)
		})
		assert.Less(t, took, 5*time.Second)
	}
	assert.Less(t, testkit.Took(func() { _, err = policy.Parse([]byte(many(200, dear))) }), 20*time.Second)
	require.NoError(t, err)
}

// A rule has many patterns, and not even the first is compared after the end of the context.
func TestPatternsEnd(t *testing.T) {
	rules := policy.Place{}.Rules([]*policy.Policy{parse(t, "candidates:\n- {name: r, deny: 'true', match: {packages: [other]}}\n")})
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := rules.Candidate(ctx, bundle("etcd", "1.0.0"), nil)
	require.NoError(t, err)
	cancel()
	_, _, err = rules.Candidate(ctx, bundle("etcd", "1.0.0"), nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func bundle(name, version string, props ...properties.Property) *policy.Bundle {
	set, _ := properties.Decode(append(props, properties.NewProperty("olm.package", map[string]string{"packageName": name, "version": version})), nil)
	return &policy.Bundle{
		Bundle:  catalog.BundleKey{Name: name + ".v" + version, Package: name, Catalog: catalog.Key{Namespace: "olm", Name: "c"}},
		Version: semver.MustParse(version), Channels: []string{"alpha", "stable"}, Priority: 3, Labels: map[string]string{"tier": "vendor"},
		Image: "registry/" + name, Properties: set, SupportEnds: "2026-12-31", CreatedAt: "2026-01-01",
	}
}

// What rules see of a candidate.
func TestCandidateRules(t *testing.T) {
	at := policy.Place{
		Facts: rules.Facts{Namespace: "prod", OpenShiftVersion: "4.18", Labels: map[string]string{"region": "eu"}},
		Today: "2026-01-15", Labels: map[string]string{"stage": "prod"},
	}
	newer, current := bundle("etcd", "1.2.0", properties.NewProperty("tier", "gold")), bundle("etcd", "1.1.0")
	current.InstalledAt = "2025-12-31"
	for rule, denies := range map[string]bool{
		`bundle.name == "etcd.v1.2.0" && bundle.package == "etcd" && bundle.version == "1.2.0"`: true,
		`bundle.catalog.namespace == "olm" && bundle.catalog.name == "c"`:                       true,
		`bundle.catalog.priority == 3 && bundle.catalog.labels.tier == "vendor"`:                true,
		`bundle.channels == ["alpha", "stable"] && bundle.image == "registry/etcd"`:             true,
		`bundle.deprecated`:                          false,
		`bundle.supportEnds < cluster.today`:         false,
		`days(bundle.createdAt, cluster.today) < 30`: true,
		`days(installed.installedAt, cluster.today) < 30 && minor(bundle.version) > minor(installed.version)`:    true,
		`has(installed.version) && major(bundle.version) != major(installed.version)`:                            false,
		`properties.exists(p, p.type == "tier" && p.value == "gold")`:                                            true,
		`bundle.properties.exists(p, p.type == "tier") && !installed.properties.exists(p, p.type == "tier")`:     true,
		`namespace.name == "prod" && namespace.labels.stage == "prod"`:                                           true,
		`cluster.openshiftVersion == "4.18" && cluster.labels.region == "eu" && !has(cluster.kubernetesVersion)`: true,
	} {
		p := parse(t, "candidates:\n- name: r\n  deny: |-\n    "+rule)
		list, cost, err := at.Rules([]*policy.Policy{p}).Candidate(t.Context(), newer, current)
		require.NoError(t, err)
		assert.Equal(t, denies, len(list) == 1, rule)
		assert.Positive(t, cost)
	}
	none := parse(t, `candidates: [{name: r, deny: 'has(installed.name)'}]`)
	list, _, err := at.Rules([]*policy.Policy{none}).Candidate(t.Context(), newer, nil)
	require.NoError(t, err)
	assert.Empty(t, list)
}

// A rule that fails denies, and says why. So does one that only warns, as a warning.
func TestBreaches(t *testing.T) {
	p := parse(t, `
candidates:
- {name: told, deny: 'true', message: "never\n on Mondays"}
- {name: silent, deny: 'true'}
- {name: silent-warning, deny: 'true', severity: warn}
- {name: fails, deny: 'bundle.catalog.labels.nothing == "x"'}
- {name: elsewhere, deny: 'true', match: {namespaces: [dev]}}
- {name: others, deny: 'true', match: {packages: [x-*]}}
`)
	rules := policy.Place{Facts: rules.Facts{Namespace: "prod"}}.Rules([]*policy.Policy{p})
	list, _, err := rules.Candidate(t.Context(), bundle("etcd", "1.0.0"), nil)
	require.NoError(t, err)
	var texts []string
	for _, b := range list {
		texts = append(texts, b.String())
	}
	assert.Equal(t, []string{
		"never on Mondays (rule told of policy p)", "rule silent of policy p denies it", "rule silent-warning of policy p warns of it",
		`rule fails of policy p failed on line 9: no such key: nothing; ask "nothing" in bundle.catalog.labels && ... before it`,
	}, texts)
	assert.Nil(t, policy.Place{}.Rules(nil))
	assert.Nil(t, policy.Place{}.Rules([]*policy.Policy{parse(t, "match: {namespaces: [x]}\nchanges: [{name: a, deny: 'true'}]")}))

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = rules.Candidate(ended, bundle("etcd", "1.0.0"), nil)
	require.ErrorIs(t, err, context.Canceled)
}

// What rules see of an answer. One for some packages sees only their changes.
func TestChangeRules(t *testing.T) {
	changes := []policy.Change{
		{Kind: words.ChangeInstall, To: bundle("a", "1.0.0"), Requested: true},
		{Kind: words.ChangeUpdate, From: bundle("b", "1.0.0"), To: bundle("b", "2.0.0"), Dependency: true, RequiredBy: []*policy.Bundle{bundle("d", "3.0.0")}},
		{Kind: words.ChangeRemove, From: bundle("c", "1.0.0")},
	}
	plan := &policy.Plan{Name: "install-1", Widens: []string{"* of pods"}}
	for rule, denies := range map[string]bool{
		`deny: 'changes.size() == 3 && changes[0].kind == "install" && !has(changes[0].from.name)'`:                                      true,
		`deny: 'changes.exists(c, c.kind == "update" && major(c.to.version) > major(c.from.version))'`:                                   true,
		`deny: 'changes.exists(c, c.requiredBy.exists(b, b.package == "d" && b.properties.size() == 1)) && changes[0].requiredBy == []'`: true,
		`deny: 'changes.exists(c, c.requested && c.dependency)'`:                                                                         false,
		`deny: 'changes.exists(c, c.to.properties.size() == 1 && c.dependency)'`:                                                         true,
		`deny: 'plan.widens.size() > 0 && plan.name == "install-1" && plan.drops.size() == 0'`:                                           true,
		`deny: 'changes.size() == 1', match: {packages: [b]}`:                                                                            true,
		`deny: 'changes.size() == 1 && changes[0].kind == "remove"', match: {packages: [c]}`:                                             true,
		`deny: 'true', match: {packages: [d]}`:                                                                                           false,
		`deny: 'namespace.name == "n" && namespace.labels.a == "b" && cluster.today == "2026-01-31"'`:                                    true,
		`deny: 'changes[5].kind == "remove"'`:                                                                                            true, // it fails
	} {
		p := parse(t, "changes: [{name: r, "+rule+"}]")
		list, _, err := policy.Place{
			Facts: rules.Facts{Namespace: "n"}, Today: "2026-01-31", Labels: map[string]string{"a": "b"},
		}.Rules([]*policy.Policy{p}).Changes(t.Context(), changes, plan)
		require.NoError(t, err)
		if assert.Equal(t, denies, len(list) == 1, rule) && denies {
			assert.Equal(t, strings.Contains(rule, "[5]"), list[0].Err != nil, "%s: %v", rule, list[0].Err)
		}
	}
	p := parse(t, "changes: [{name: r, deny: 'plan.widens.size() + plan.pinned.size() > 0 || has(plan.name)'}]")
	list, _, err := policy.Place{}.Rules([]*policy.Policy{p}).Changes(t.Context(), changes, nil)
	require.NoError(t, err)
	assert.Empty(t, list)
}

func TestDay(t *testing.T) {
	for text, day := range map[string]string{
		"2026-01-31T10:00:00Z": "2026-01-31", "2026-01-31": "2026-01-31", "2026-01-31 10:00:00+00:00": "2026-01-31",
		"2026-1-31T10:00:00Z": "2026-01-31", "2026-1-2": "2026-01-02", "2026-01-32": "", "2026-01-31x": "", "20260131T100000Z": "",
		"": "", "yesterday at noon": "", "2026-13-01": "", "31/01/2026": "",
	} {
		var b policy.Bundle
		b.Date(&cluster.ClusterServiceVersion{Created: text})
		assert.Equal(t, day, b.InstalledAt, text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "candidates: [{name: a, deny: 'true'}]"))
	f.Add([]byte(head + "match: {catalogs: {matchLabels: {a: b}}}\nchanges:\n- name: a\n  deny: changes.size() > 1\n  severity: warn\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := policy.Parse(data)
		if err != nil {
			require.Nil(t, p)
			return
		}
		again, err := policy.Parse([]byte(p.Source))
		require.NoError(t, err)
		require.Len(t, again.Candidates, len(p.Candidates))
		require.NotEmpty(t, p.Name)
	})
}

// What may be one of several kinds is a text like any other.
func TestMixtures(t *testing.T) {
	for _, rule := range []string{
		`(has(installed.version) ? installed.version : "none") == "none"`,
		`(has(bundle.createdAt) ? bundle.createdAt : "") == ""`,
		`(has(bundle.supportEnds) ? bundle.supportEnds : "never") != "never"`,
		`[bundle.version, bundle.name].exists(x, x == "etcd.v1")`,
		`([bundle.version] + bundle.channels).exists(c, c == "stable")`,
	} {
		_, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: p}\ncandidates:\n- name: r\n  deny: '" + rule + "'\n"))
		assert.NoError(t, err, rule)
	}
	_, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: p}\ncandidates:\n- name: r\n  deny: '[bundle.version].exists(v, v < \"1\")'\n"))
	assert.ErrorContains(t, err, "major(v)")
	assert.NotContains(t, err.Error(), "has(v)")
}
