package rules_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func rule(t testing.TB, source string) *rules.Rule {
	t.Helper()
	r, err := newReader().Rule(source)
	require.NoError(t, err)
	return r
}

var ruleProperties = []any{
	map[string]any{"type": "olm.package", "value": map[string]any{"packageName": "foo", "version": "1.2.3"}},
	map[string]any{"type": "tier", "value": "gold"},
	map[string]any{"type": "port", "value": 8080.0},
	map[string]any{"type": "range", "value": ">=1.0.0 <2.0.0"},
	map[string]any{"type": "list", "value": []any{"a", 1.0, nil, map[string]any{"k": true}}},
}

func TestRuleVerdicts(t *testing.T) {
	for _, test := range []struct {
		source  string
		verdict rules.Verdict
	}{
		{`properties.exists(p, p.type == "tier" && p.value == "gold")`, rules.Yes},
		{`properties.exists(p, p.type == "tier" && p.value != "gold")`, rules.No},
		{`properties.exists(p, p.type == "port" && p.value == 8080)`, rules.Yes},
		{`properties.exists(p, p.type == "port" && p.value in [80, 8080])`, rules.Yes},
		{`properties.exists(p, p.type == "list" && "a" in p.value && !("b" in p.value))`, rules.Yes},
		{`properties.exists(p, p.type == "list" && p.value == ["a", 1.0, null, {"k": true}])`, rules.Yes},
		{`properties.exists(p, p.type == "list" && p.value[3] != {"k": false})`, rules.Yes},
		{`properties.exists(p, p.type == "tier" && p.value.matches("^g.*d$"))`, rules.Yes},
		{`properties.exists(p, p.type == "tier" && matches(p.value, "silver"))`, rules.No},
		{`"k" in {"k": 1}`, rules.Yes},
		{`properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "v1.2") > 0)`, rules.Yes},
		{`semver_compare("1.0", "1.0.0") == 0`, rules.Yes},
		{`semver_compare("1.0.0-rc.1", "1.0.0") == -1`, rules.Yes},
		{`semver_compare(4.8, 4) == 1`, rules.Yes},
		{`semver_in_range("2.0.0-rc.1", ">=1.0.0 <2.0.0")`, rules.Yes},
		{`properties.exists(p, p.type == "range" && semver_in_range("v1.9", p.value))`, rules.Yes},
		{`semver_major("v4.18.3") == 4 && semver_minor("4.18") == 18`, rules.Yes},
		{`cluster.namespace == "operators"`, rules.Yes},
		{`semver_compare(cluster.kubernetesVersion, "1.30.0") >= 0`, rules.Yes},
		{`has(cluster.openshiftVersion)`, rules.No},
		{`cluster.labels.region == "eu"`, rules.Yes},
		{`"zone" in cluster.labels`, rules.No},
	} {
		verdict, err := rule(t, test.source).Eval(context.Background(), ruleProperties,
			rules.Facts{KubernetesVersion: "v1.31.2", Namespace: "operators", Labels: map[string]string{"region": "eu"}})
		require.NoError(t, err, test.source)
		assert.Equal(t, test.verdict, verdict, test.source)
	}
}

func TestRuleFailures(t *testing.T) {
	for _, test := range []struct{ source, message string }{
		{`properties[0].value.missing == 1`, "no such key: missing"},
		{`properties[99].type == "x"`, "index out of bounds: 99"},
		{`semver_compare("1.0", "one") == 0`, `"one" is not a version`},
		{`semver_compare("1.0", properties) == 0`, "a value of type list is not a version"},
		{`semver_in_range("1.0", "^1")`, `version range "^1"`},
		{`semver_in_range("1.0", "1.0.0 || || 2.0.0")`, "one side of ||"},
		{`semver_major("99999999999999999999") == 1`, "is not a version"},
		{`semver_major("18446744073709551615.0.0") == 1`, "too large a number"},
		{`cluster.openshiftVersion == "4.8"`, "no such key: openshiftVersion"},
		{`"a".matches(properties[1].type + "(")`, "missing closing )"},
		{`properties[1].value.matches("a" + "{1000}b{1000}")`, "too large"},
		{`properties[2].value in properties[2].value`, "no such overload"},
		{`[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c,
			[1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a > 0 || b + c + d + e + f > 0))))))`,
			"costs more than one evaluation may"},
	} {
		verdict, err := rule(t, test.source).Eval(context.Background(), ruleProperties, rules.Facts{})
		require.ErrorContains(t, err, test.message, test.source)
		assert.Equal(t, rules.Failed, verdict, test.source)
	}
}

func TestRuleCompileErrorShowsThePlace(t *testing.T) {
	_, err := newReader().Rule("properties.exists(p,\n\tp.type == \"a\" && q)")
	require.EqualError(t, err, `the rule does not compile: undeclared reference to 'q' (line 2, column 19)
  |  p.type == "a" && q)
  |                   ^`)

	_, err = newReader().Rule(`unknown1 && unknown2 && unknown3 && unknown4 && unknown5`)
	require.ErrorContains(t, err, "and 2 more")
}

func TestReadsCluster(t *testing.T) {
	for source, want := range map[string]bool{
		`true`: false,
		`properties.exists(p, p.type == "cluster")`:             false,
		`properties.exists(p, p.cluster == "x")`:                false,
		`has(cluster.namespace)`:                                true,
		`properties.exists(p, p.value == cluster["namespace"])`: true,
		`.cluster.namespace == "a"`:                             true,
		`size(cluster) > 0`:                                     true,
	} {
		assert.Equal(t, want, rule(t, source).ReadsCluster(), source)
		e := constraints.Not{Exprs: []constraints.Expr{constraints.Label{}, constraints.CEL{Rule: rule(t, source)}}}
		_, reads := constraints.Reads(constraints.Any{Exprs: []constraints.Expr{e}})
		assert.Equal(t, want, reads, source)
	}
}

func TestNilRule(t *testing.T) {
	var none *rules.Rule
	assert.Empty(t, none.Source())
	assert.False(t, none.ReadsCluster())
	verdict, err := none.Eval(context.Background(), nil, rules.Facts{})
	require.Error(t, err)
	assert.Equal(t, rules.Failed, verdict)
}

func TestContextEndIsNoVerdict(t *testing.T) {
	// The cost limit is out of the way, so only the context can end this.
	p := rules.NewReader(rules.Limits{RuleCost: 1 << 60})
	values := make([]any, 3000)
	for i := range values {
		values[i] = map[string]any{"type": "a", "value": 1.0}
	}
	for _, source := range []string{
		`properties.all(a, properties.all(b, properties.all(c, a.type == c.type)))`,
		// Each round compares nearly as much as one may.
		`properties.all(a, properties.all(b, properties.filter(c, true) == properties.map(c, c)))`,
		`properties.all(a, properties.all(b, properties.map(c, 1) + properties.map(c, 1) == [] || properties == properties))`,
		// The interrupted side of the || is absorbed, and the verdict still is none.
		`properties.all(a, properties.all(b, properties.all(c, a.type == c.type))) || true`,
	} {
		endless, err := p.Rule(source)
		require.NoError(t, err)
		late, _ := testkit.CancelAfter(t.Context(), 20*time.Millisecond, func(ctx context.Context) error {
			verdict, err := endless.Eval(ctx, values, rules.Facts{})
			require.ErrorIs(t, err, context.Canceled)
			assert.Equal(t, rules.Unknown, verdict)
			return err
		})
		assert.LessOrEqual(t, late, testkit.AllowedLatency())
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	verdict, err := rule(t, `true`).Eval(ctx, nil, rules.Facts{})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, rules.Unknown, verdict)
}

func TestRuleIsSafeForConcurrentUse(t *testing.T) {
	p := newReader()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				r, err := p.Rule(`properties.exists(p, p.type == "tier" && p.value.matches("go+ld"))`)
				assert.NoError(t, err)
				verdict, err := r.Eval(context.Background(), ruleProperties, rules.Facts{})
				assert.NoError(t, err)
				assert.Equal(t, rules.Yes, verdict)
			}
		})
	}
	wg.Wait()
}
