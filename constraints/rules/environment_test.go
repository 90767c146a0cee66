package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func newEnvironment(t testing.TB, limits rules.Limits) *rules.Environment {
	t.Helper()
	e, err := rules.NewEnvironment(limits,
		map[string]string{"namespace": "Ship", "ship": "Ship", "fleet": "[]Ship", "cargo": "[]any"},
		map[string]map[string]string{"Ship": {
			"name": "text", "version": "version", "afloat": "truth", "crew": "number", "built": "day", "rig": "sloop|brig", "flags": "map[]text",
		}})
	require.NoError(t, err)
	_, err = rules.NewEnvironment(limits, map[string]string{"fleet": "[]Boat"}, map[string]map[string]string{"Boat": {"rig": "txt"}})
	require.EqualError(t, err, `variable fleet: there is no type "txt"`)
	return e
}

func TestEnvironment(t *testing.T) {
	e := newEnvironment(t, rules.Limits{})
	ship := map[string]any{"name": "gull", "version": "1.2.3", "crew": 3, "flags": map[string]string{"of": "reef"}}
	variables := map[string]any{"namespace": map[string]any{"name": "namespace", "flags": map[string]string{"namespace": `"namespace`}}, "ship": ship, "fleet": []any{ship, map[string]any{}}, "cargo": []any{1.0, map[string]any{"x": 1}}}
	for source, want := range map[string]rules.Verdict{
		`ship.name == "gull" && has(ship.version)`:                                               rules.Yes,
		`has(ship.afloat) || ship.crew != 3`:                                                     rules.No,
		`major(ship.version) == 1 && minor(ship.version) == 2 && patch(ship.version) == 3`:       rules.Yes,
		`fleet.exists(s, !has(s.name)) && fleet.exists(s, has(s.flags) && s.flags.of == "reef")`: rules.Yes,
		`fleet.exists(s, has(s.flags) && "at" in s.flags)`:                                       rules.No,
		`cargo[1].x == 1`: rules.Yes,
		`days("2026-01-31", "2026-03-01") == 29 && days("2026-03-02", "2026-03-01") == -1`:                                   rules.Yes,
		`semver_in_range(ship.version, ">=1.0.0") && semver_compare(ship.version, "1.2.3") == 0`:                             rules.Yes,
		"has(namespace.name) && // namespace\n namespace . name == 'namespace' && {'a': namespace}.a.name == r\"namespace\"": rules.Yes,
		`namespace.flags["namespace"] == "\"namespace" && '\'namespace' != namespace.name`:                                   rules.Yes,
		`"""namespace""namespace""" == '''namespace"'namespace''' || namespace.name.size() == 9`:                             rules.Yes,
		`ship.afloat`:                         rules.Failed,
		`days(ship.name, "2026-03-01") == 1`:  rules.Failed,
		`Ship{name: "a"} == ship`:             rules.Failed,
		`cargo[1].y == 1`:                     rules.Failed,
		`fleet.all(s, major(s.version) == 1)`: rules.Failed,
		`major(cargo[1].y) == 1`:              rules.Failed,
	} {
		rule, err := e.Rule(source)
		require.NoError(t, err, source)
		verdict, cost, err := rule.Evaluate(t.Context(), variables)
		assert.Equal(t, want, verdict, source)
		assert.Equal(t, want == rules.Failed, err != nil, source)
		assert.Positive(t, cost)
	}
}

// What a rule misspells is found when it is compiled, with its place.
func TestEnvironmentNamesWhatItLacks(t *testing.T) {
	e := newEnvironment(t, rules.Limits{})
	for source, message := range map[string]string{
		`namespace.naem == ""`:                    "undefined field 'naem'",
		`namespace`:                               "must be of type bool",
		`ship.naem == "gull"`:                     "undefined field 'naem'",
		`fleet.exists(s, s.size > 1)`:             "undefined field 'size'",
		`properties.size() == 0`:                  "undeclared reference to 'properties'",
		`ship.name`:                               "must be of type bool",
		`ship.crew == "3"`:                        "no matching overload",
		`cluster.labels.size() == 0`:              "undeclared reference to 'cluster'",
		strings.Repeat("!(1==1)||", 301) + "true": "more than the 300 allowed",
	} {
		_, err := e.Rule(source)
		assert.ErrorContains(t, err, message, source)
	}
}

// What a rule misunderstands is refused with what it may write instead, which follows from the
// types of what it reads.
func TestEnvironmentHints(t *testing.T) {
	e := newEnvironment(t, rules.Limits{})
	for source, want := range map[string][2]string{
		`namespace.naem == ""`:                               {"undefined field 'naem'", "a ship has afloat, built, crew, flags, name, rig, version"},
		`fleet.filter(s, s.afloat).exists(s, s.size > 1)`:    {"undefined field 'size'", "a ship has afloat"},
		`ship.name.first == ""`:                              {"does not support field selection", "ship.name is a text: write ship.name =="},
		`ship.afloat == "yes"`:                               {"no matching overload", "ship.afloat is true or false: write ship.afloat or !ship.afloat"},
		`size(ship.crew) > 1`:                                {"no matching overload", "ship.crew is a number: write ship.crew > 1"},
		`namespace.flags == "x"`:                             {"no matching overload", `namespace.flags is names and values: write "a" in namespace.flags`},
		`cargo == "x"`:                                       {"no matching overload", "cargo is a list: write x in cargo"},
		`ship == {}`:                                         {"no matching overload", "ship is a ship: ask has(ship.FIELD); a ship has afloat"},
		`ship.name in "a,b"`:                                 {"no matching overload", `ship.name in ["a", "b"]`},
		`ship.built - "2026-01-31" < 3`:                      {"no matching overload", `days(ship.built, "2026-01-31") > 14`},
		`ship.version > 2`:                                   {"no matching overload", `semver_compare(ship.version, "1.15.0") < 0`},
		`fleet.map(s, s.version)[0] < "1.15.0"`:              {"1.9 is above 1.15", ""},
		`fleet.all(s, "1.15.0" >= s.version)`:                {"1.9 is above 1.15", "s.version is a version"},
		`ship.version == "latest"`:                           {`"latest" is not a version`, "!has(ship.version)"},
		`major("latest") == 1`:                               {`"latest" is not a version`, ""},
		`ship.built < "31.12.2026"`:                          {`"31.12.2026" is not a day`, `ship.built < "2026-01-31"`},
		`days("yesterday", ship.built) < 3`:                  {`"yesterday" is not a day`, "ship.built is a day"},
		`timestamp(ship.built) > timestamp(ship.built)`:      {"a day is no timestamp", "days(ship.built"},
		`fleet.exists(s, s.rig in ["brig", "schooner"])`:     {`"schooner" is not one of sloop, brig`, `write s.rig == "sloop"`},
		`(ship.afloat ? ship : namespace).rig == "schooner"`: {`"schooner" is not one of`, ""},
		`major(ship) == 1`:                                   {"a ship is not a version", "ship is a ship: ask has(ship.FIELD)"},
		`ship != null`:                                       {"nothing is null", "ask has(ship.FIELD)"},
		`ship.name.startswith("a")`:                          {"undeclared reference to 'startswith'", "CEL writes startsWith"},
		`boat.afloat`:                                        {"undeclared reference to 'boat'", "it knows cargo, fleet, namespace, ship; functions are days, "},
		`has(ship.flags["x"])`:                               {"invalid argument to has()", `has(a.b); "x" in a.labels`},
		`ship.afloat and ship.afloat`:                        {"Syntax error", "&& for and"},
		`fleet`:                                              {"must be of type bool", "fleet is a list: write"},
		`1 / 0 == 1`:                                         {"the rule always fails: division by zero", ""},
	} {
		_, err := e.Rule(source)
		require.ErrorContains(t, err, want[0], source)
		assert.ErrorContains(t, err, want[1], source)
	}
	for _, source := range []string{
		`ship.version == "1.15.0" || ship.built >= "2026-01-31" || ship.rig in ["brig"] || ship.rig.startsWith("s")`,
		`ship.name < "b" || ship.version == ship.name || [1, 2].exists(ship, ship < 2) || {"a": 1}.exists(rig, rig == "a")`,
	} {
		_, err := e.Rule(source)
		require.NoError(t, err, source)
	}
}

// What may be missing has to be asked for, and a rule that does not is told how.
func TestFailuresSayWhatToAsk(t *testing.T) {
	e := newEnvironment(t, rules.Limits{})
	variables := map[string]any{"namespace": map[string]any{}, "ship": map[string]any{"flags": map[string]string{}}, "fleet": []any{map[string]any{}}}
	for source, want := range map[string]string{
		`minor(ship.version) == 1`:                    "no such key: version; ask has(ship.version) && ... before it",
		`namespace.name == "a"`:                       "ask has(namespace.name) && ...",
		`fleet.exists(s, s.crew + 1 > 3)`:             "ask has(s.crew) && ...",
		`ship.flags.reef == "a"`:                      `ask "reef" in ship.flags && ...`,
		`ship.flags["reef"].startsWith("a")`:          `ask "reef" in ship.flags && ...`,
		`has(ship.name) || ship.crew / 0 == 1`:        "ask has(ship.crew) && ...",
		`has(ship.name) || 1 / ship.flags.size() > 0`: "division by zero",
	} {
		rule, err := e.Rule(source)
		require.NoError(t, err, source)
		_, _, err = rule.Evaluate(t.Context(), variables)
		assert.ErrorContains(t, err, want, source)
	}
}

func TestReads(t *testing.T) {
	e := newEnvironment(t, rules.Limits{})
	for _, test := range []struct {
		source             string
		name, flags, fleet bool
	}{
		{`ship.name == "a"`, true, false, false},
		{`has(ship.flags)`, false, true, false},
		{`ship in fleet`, true, true, true},
		{`[ship].exists(s, s.name == "a")`, true, true, false},
		{`size(cargo) == 1`, false, false, false},
	} {
		rule, err := e.Rule(test.source)
		require.NoError(t, err)
		assert.Equal(t, test.name, rule.Reads("ship", "name"), test.source)
		assert.Equal(t, test.flags, rule.Reads("ship", "flags"), test.source)
		assert.Equal(t, test.fleet, rule.Reads("fleet", ""), test.source)
	}
}

// The limits of constraints hold for rules of an Environment, too.
func TestEnvironmentLimits(t *testing.T) {
	e := newEnvironment(t, rules.Limits{RuleCost: 10_000, RuleInput: 100})
	rule, err := e.Rule(`cargo.all(a, cargo.all(b, cargo.all(c, a != 1 || b != c)))`)
	require.NoError(t, err)
	many := make([]any, 1000)
	for i := range many {
		many[i] = 2.0
	}
	took := testkit.Took(func() {
		verdict, _, err := rule.Evaluate(t.Context(), map[string]any{"cargo": many})
		require.ErrorContains(t, err, "costs more")
		assert.Equal(t, rules.Failed, verdict)
	})
	assert.Less(t, took, time.Second)

	set, _ := properties.Decode([]properties.Property{properties.NewProperty("x", strings.Repeat("y", 200))}, nil)
	_, cost, err := e.Properties(set)
	require.ErrorContains(t, err, "RuleInput")
	assert.Positive(t, cost)
	list, _, err := newEnvironment(t, rules.Limits{}).Properties(set)
	require.NoError(t, err)
	assert.Len(t, list, 1)
}
