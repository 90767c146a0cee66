package rules_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func TestRuleNeeds(t *testing.T) {
	for source, want := range map[string][2]string{
		`properties.exists(p, p.type == "olm.package" && p.value.packageName == "foo")`:                                    {"olm.package", "foo"},
		`properties.exists(p, ("foo" == p.value.packageName && p.value.version != "") && "olm.package" == p.type) && true`: {"olm.package", "foo"},
		`cluster.x == 1 && properties.exists(p, p.type == "a") && properties.exists(p, p.type == "b")`:                     {"b", ""},
		`properties.exists(p, p.type == "a" && p.value.packageName == "foo")`:                                              {"a", ""},
		`properties.exists(p, p.value.packageName == "foo")`:                                                               {},
		`properties.exists_one(p, p.type == "a")`:                                                                          {},
		`properties.all(p, p.type == "a")`:                                                                                 {},
		`!properties.exists(p, p.type == "a")`:                                                                             {},
		`properties.exists(p, p.type == "a") || true`:                                                                      {},
		`properties.exists(p, p.type == "a" || p.value == 1)`:                                                              {},
		`properties.exists(p, !(p.type == "a"))`:                                                                           {},
		`properties.exists(p, properties.exists(q, q.type == "a"))`:                                                        {},
		`properties.exists(p, properties[0].type == "a")`:                                                                  {},
		`properties.exists(p, p.value.type == "a")`:                                                                        {},
		`[1].exists(p, properties.exists(q, q.type == "a"))`:                                                               {},
		`properties.exists(p, p.type == "a") ? true : false`:                                                               {},
	} {
		propertyType, pkg := rule(t, source).Needs()
		assert.Equal(t, want, [2]string{propertyType, pkg}, source)
	}
}

// A comparison with olm.package that no bundle satisfies is known, wherever it stands.
func TestRuleTrap(t *testing.T) {
	const short = `the version of olm.package has three numbers, and is never equal to "1.15": write all three, as in 1.15.0, or compare with semver_compare`
	for source, want := range map[string]string{
		`properties.exists(p, p.type == "olm.package" && p.value.version == "1.15")`:                              short,
		`!properties.exists(p, "1.15" == p.value.version && p.type == "olm.package") || true`:                     short,
		`properties.exists(p, p.type == "olm.package" && p.value.version == 1.15)`:                                "the version of olm.package is a text, and never equal to 1.15",
		`properties.exists(p, p.type == "olm.package" && p.value.packageName == 7)`:                               "the packageName of olm.package is a text, and never equal to 7",
		`properties.exists(p, p.type == "olm.package" && p.value.version == "1.15.0-rc.1+b")`:                     "",
		`properties.exists(p, p.type == "olm.gvk" && p.value.version == "v1")`:                                    "",
		`properties.exists(p, p.type == "olm.package" && p.value.version != "1.15")`:                              "",
		`properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "1.15") == 0)`:           "",
		`properties.exists(p, p.type == "olm.package" && properties.exists(q, q.value.version == "v1"))`:          "",
		`properties.exists(p, p.type == "olm.package" && (p.value.version == "1.15" || p.value.release == true))`: "",
		`properties.exists(p, p.type == "olm.package" && p.value.version >= "1.9.0")`:                             `p.value.version >= "1.9.0" compares versions as text, and as text 1.10.0 is below 1.9.0: write semver_compare(p.value.version, "1.9.0") >= 0`,
		`properties.exists(p, "1.9" < p.value.version)`:                                                           `"1.9" < p.value.version compares versions as text, and as text 1.10.0 is below 1.9.0: write semver_compare("1.9", p.value.version) < 0`,
		`properties.exists(p, p.type == "olm.gvk" && p.value.version > "v1alpha1")`:                               "",
		`properties.exists(p, p.type == "a" && p.value.size > "12x")`:                                             "",
		`properties.exists(p, p.type == "olm.package" && p.value.name == "a")`:                                    "the value of olm.package has no field name: packageName is meant",
		`properties.exists(p, p.type == "olm.gvk" && p.value.plural == "a")`:                                      "the value of olm.gvk has no field plural; it has group, version, kind",
		`properties.exists(p, p.type == "olm.maxOpenShiftVersion" && p.value.x == "a")`:                           "the value of olm.maxOpenShiftVersion is a text, and has no field x",
		`properties.exists(p, p.type == "olm.package" && has(p.value.name))`:                                      "",
		`properties.exists(p, p.type == "a" && p.value.name == "a")`:                                              "",
		`properties.all(p, p.type == "olm.package" && p.value.version != "")`:                                     `properties.all(...) with p.type == "olm.package" holds for bundles only that have properties of no other type: properties.exists is meant`,
		`properties.all(p, p.type != "olm.package" || p.value.version != "")`:                                     "",
		`properties.exists(p, p.type == "olm.package" && p.value)`:                                                "the value of olm.package is not true or false: compare it",
	} {
		assert.Equal(t, want, strings.Join(rule(t, source).Traps(), "; "), source)
	}
	assert.Empty(t, (*rules.Rule)(nil).Traps())
	assert.Empty(t, (*rules.Rule)(nil).Truths())
	assert.Equal(t, []string{"certified"}, rule(t, `properties.exists(p, p.type == "certified" && p.value)`).Truths())
	assert.Empty(t, rule(t, `properties.exists(p, p.type == "certified" && p.value == true)`).Truths())
}

// TestRandomRuleNeeds: where a bundle does not state what a rule needs, evaluating it says No.
func TestRandomRuleNeeds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var write func(depth int, atoms func() string) string
	write = func(depth int, atoms func() string) string {
		if depth == 0 || r.IntN(3) == 0 {
			return atoms()
		}
		switch a, b := write(depth-1, atoms), write(depth-1, atoms); r.IntN(8) {
		case 0:
			return "!(" + a + ")"
		case 1, 2:
			return "(" + a + " || " + b + ")"
		default:
			return "(" + a + " && " + b + ")"
		}
	}
	of := func() string {
		return pick(`p.type == "olm.package"`, `"olm.package" == p.type`, `p.type == "own"`, `p.type == "olm.gvk"`, `p.value.packageName == "foo"`,
			`"bar" == p.value.packageName`, `p.value.kind == "K"`, `p.value == 1`, `semver_compare(p.value.version, "1.0.0") > 0`)
	}
	whole := func() string {
		if r.IntN(5) == 0 {
			return pick(`cluster.namespace == "n"`, `cluster.absent == "n"`, `properties.size() > 3`, `properties[9].type == "own"`)
		}
		return "properties." + pick("exists", "exists", "exists", "all", "exists_one") + "(p, " + write(3, of) + ")"
	}
	parser, lacking := newReader(), map[bool]int{}
	for range testkit.Scale(3000, 20000) {
		source := write(2, whole)
		rule, err := parser.Rule(source)
		require.NoError(t, err, source)
		own := properties.Property{Type: "own", Value: []byte(pick(`1`, `{"packageName":"foo"}`, `{"packageName":"bar","version":"1.0.0"}`))}
		props := []properties.Property{
			{Type: properties.TypePackage, Value: []byte(`{"packageName":"foo","version":"1.2.3"}`)},
			{Type: properties.TypeGVK, Value: []byte(`{"group":"g.io","version":"v1","kind":"K"}`)},
		}
		if r.IntN(2) == 0 {
			props = append(props, own)
		}
		set, _ := properties.Decode(props, nil)
		if r.IntN(4) == 0 {
			set, _ = properties.Decode([]properties.Property{{Type: "own", Value: []byte(`{"kind":"K"}`)}}, nil)
		}
		want, _ := rule.Eval(t.Context(), set.CEL(), rules.Facts{Namespace: "n"})
		got, cost, _ := constraints.Match(t.Context(), constraints.CEL{Rule: rule}, set, rules.Facts{Namespace: "n"})
		require.Equal(t, want, got, source)
		if propertyType, _ := rule.Needs(); propertyType != "" {
			lacking[cost == 0]++
		}
	}
	t.Logf("rules that need something: %v are not evaluated", lacking)
	assert.Greater(t, min(lacking[true], lacking[false]), 100)
}
