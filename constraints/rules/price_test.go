package rules

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// pricing is a rule that calls a function on a, or on a and b, which are equal.
type pricing struct {
	rule string
	// operand makes a and b of about n bytes of JSON; nil if the work of the
	// function does not depend on what it is called with.
	operand func(n int) any
}

func text(n int) any   { return strings.Repeat("a", n) }
func digits(n int) any { return strings.Repeat("9", n) }
func texts(n int) any  { return slices.Repeat([]any{"abcde"}, n/8) }

func object(n int) any {
	members := make(map[string]any, n/16)
	for i := range n / 16 {
		members[fmt.Sprintf("k%06d", i)] = "abcde"
	}
	return members
}

// identifiers is a version as slow to read as its length allows, if that is a
// length that is read.
func identifiers(n int) any { return "1.0.0-a" + strings.Repeat(".a", n/2) }

// pricings has every function and operator that a rule can call.
var pricings = map[string][]pricing{
	"_&&_": {{"true && a != 1", nil}}, "_||_": {{"false || a != 1", nil}}, "!_": {{"!(a == 1)", nil}}, "_?_:_": {{"a == 1 ? true : true", nil}},
	"_==_": {{"a == b", text}, {"a == b", texts}, {"a == b", object}, {"bytes(a) == bytes(b)", text}, {"[a] == [b]", text}, {"a == 1", nil}},
	"_!=_": {{"a != b", text}, {"a != b", texts}, {"a != b", object}, {"{'k': a} != {'k': b}", text}, {"a != ''", nil}},
	"_<_":  {{"a < b", text}, {"bytes(a) < bytes(b)", text}}, "_<=_": {{"a <= b", text}}, "_>_": {{"a > b", text}}, "_>=_": {{"a >= b", text}},
	"_+_": {{"a + b != ''", text}, {"bytes(a) + b'' != b''", text}, {"a + b != 1", texts}},
	"_-_": {{"2 - 1 == 1", nil}}, "_*_": {{"2 * 1 == 2", nil}}, "_/_": {{"2 / 1 == 2", nil}}, "_%_": {{"2 % 1 == 0", nil}}, "-_": {{"-(2) != 1", nil}},
	"@in":  {{"1 in a", texts}, {"a in ['x', 'y']", text}, {"a in [b]", text}, {"a in {}", text}, {"a in [[b]]", texts}},
	"_[_]": {{"{'k': 1}[a] == 1", text}, {"[0][a == '' ? '' : a] == 1", text}, {"{'k': 1}[dyn(a)] == 1", text}, {"a[0] == ''", nil}},
	"size": {{"size(a) != 0", text}, {"size(bytes(a)) != 0", text}, {"a.size() != 0", texts}, {"a.size() != 0", object}},
	"type": {{"type(a) == string", nil}}, "dyn": {{"dyn(a) != 1", text}},
	"bool": {{"bool(a)", text}}, "bytes": {{"bytes(a) != b''", text}}, "uint": {{"uint(a) == 1u", digits}},
	"double":   {{"double(a) > 0.0", digits}, {"double(a) > 0.0", text}},
	"duration": {{"duration(a) != duration('1s')", text}, {"duration(a) != duration('1s')", digits}},
	"int":      {{"int(a) == 1", digits}, {"int(a) == 1", text}}, "timestamp": {{"timestamp(a) != timestamp('2020-01-01T00:00:00Z')", digits}},
	"string":   {{"string(bytes(a)) != ''", text}, {"string(a) != ''", text}},
	"contains": {{"a.contains(b)", text}, {"a.contains('x')", text}}, "startsWith": {{"a.startsWith(b)", text}}, "endsWith": {{"a.endsWith(b)", text}},
	"matches":       {{"a.matches('a*b')", text}, {"matches(a, '(a|aa){1,40}b')", text}, {"a.matches('x' + 'a')", text}},
	functionCompare: {{"semver_compare(a, b) == 0", text}, {"semver_compare(a, b) == 0", identifiers}}, functionInRange: {{"semver_in_range('1.0.0', a)", text}, {"semver_in_range(a, '1.0.0')", text}, {"semver_in_range(a, '1.0.0')", identifiers}},
	functionMajor: {{"semver_major(a) == 1", digits}}, functionMinor: {{"semver_minor(a) == 1", digits}},
	functionOperand: {
		{"a.all(x, true)", object}, {"a.exists(x, x == 'y')", texts}, {"a.exists_one(x, false)", texts}, {"a.map(x, 1) == []", texts},
		{"a.filter(x, false) == []", texts}, {"a.all(x, true || x == 'y')", texts}, {"{a: 1} == {}", text},
	},
	"getDate": zoned("getDate"), "getDayOfMonth": zoned("getDayOfMonth"), "getDayOfWeek": zoned("getDayOfWeek"),
	"getDayOfYear": zoned("getDayOfYear"), "getFullYear": zoned("getFullYear"), "getHours": zoned("getHours"), "getMinutes": zoned("getMinutes"),
	"getMilliseconds": zoned("getMilliseconds"), "getMonth": zoned("getMonth"), "getSeconds": zoned("getSeconds"),
}

func zoned(function string) []pricing {
	return []pricing{{fmt.Sprintf("timestamp('2020-01-01T00:00:00Z').%s(a) == 1", function), text}}
}

// unbounded returns a rule that nothing but its end ends.
func unbounded(t testing.TB, source string) *Rule {
	rule, err := NewReader(Limits{RuleCost: 1 << 60}).Rule(source)
	require.NoError(t, err, source)
	return rule
}

func (p pricing) operands(n int) []any {
	if p.operand == nil {
		return []any{map[string]any{"a": "a", "b": "a"}}
	}
	return []any{map[string]any{"a": p.operand(n), "b": p.operand(n)}}
}

// typed are operands of the types that overloads declare, of about n bytes.
var typed = map[types.Kind]func(n int) any{
	types.StringKind: text, types.TypeParamKind: text, types.DynKind: text, types.ListKind: texts, types.MapKind: object,
	types.BytesKind: func(n int) any { return []byte(strings.Repeat("a", n)) },
	types.BoolKind:  func(int) any { return true }, types.IntKind: func(int) any { return int64(0) },
	types.UintKind: func(int) any { return uint64(1) }, types.DoubleKind: func(int) any { return 1.0 },
	types.DurationKind: func(int) any { return time.Second }, types.TimestampKind: func(int) any { return time.Unix(0, 0) },
}

// constantWork are overloads that look at nothing of their operands but their type.
var constantWork = map[string]bool{overloads.TypeConvertType: true, overloads.IndexList: true}

// notCalled are older names, which a rule cannot call, and the condition of loops,
// whose nodes are paid for.
var notCalled = map[string]bool{"_in_": true, "in": true, "__not_strictly_false__": true, operators.NotStrictlyFalse: true}

// calling returns a rule that calls an overload of a function on a, or on a and b,
// and nothing else that looks at them or at the result.
func calling(function string, overload *decls.OverloadDecl) string {
	symbol, isOperator := operators.FindReverse(function)
	call := function + "(a)"
	switch binary := len(overload.ArgTypes()) == 2; {
	case function == operators.Index:
		call = "a[b]"
	case isOperator && binary:
		call = "a " + symbol + " b"
	case isOperator:
		call = symbol + "a"
	case binary && overload.IsMemberFunction():
		call = "a." + function + "(b)"
	case binary:
		call = function + "(a, b)"
	case overload.IsMemberFunction():
		call = "a." + function + "()"
	}
	return "type(" + call + ") != type(1)"
}

// TestOverloads: a rule can call every overload that is declared, and what it costs
// grows with the size of its operands. So a new one needs a price.
func TestOverloads(t *testing.T) {
	c, err := newCompiler(Limits{}.withDefaults(), NewReader(Limits{}).Range)
	require.NoError(t, err)
	const calls, size = 100, 2048
	ten := "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
	for _, name := range slices.Sorted(maps.Keys(c.functions)) {
		for _, overload := range c.functions[name].OverloadDecls() {
			if notCalled[name] || name == functionOperand || name == operators.Conditional {
				continue
			}
			rule := unbounded(t, fmt.Sprintf("[properties[0].a].all(a, [properties[0].b].all(b, %s.all(x, %[1]s.all(y, %s || true))))", ten, calling(name, overload)))
			cost := func(n int) (cost uint64, took time.Duration) {
				operands := map[string]any{"b": ""}
				for i, declared := range overload.ArgTypes() {
					require.Contains(t, typed, declared.Kind(), "%s has an operand of a new type", overload.ID())
					operands["ab"[i:i+1]] = typed[declared.Kind()](n)
				}
				start := time.Now()
				_, cost, err := rule.OnBundle(t.Context(), []any{operands}, Facts{})
				assert.NotContains(t, fmt.Sprint(err), "overload", overload.ID())
				return cost, time.Since(start)
			}
			none, _ := cost(0)
			some, took := cost(size)
			t.Logf("%-45s %5d + %6.1f a KiB, %3d ns a unit", overload.ID(), none/calls, float64(some-none)/calls/(size>>10), took.Nanoseconds()/int64(some))
			if slices.ContainsFunc(overload.ArgTypes(), hasSize) && !constantWork[overload.ID()] {
				assert.Greater(t, int(some-none), calls*size/100, overload.ID())
			}
		}
	}
}

func hasSize(operand *types.Type) bool {
	switch operand.Kind() {
	case types.StringKind, types.BytesKind, types.ListKind, types.MapKind, types.DynKind, types.TypeParamKind:
		return true
	}
	return false
}

// TestPrices: what a function costs grows at least as its operands do.
func TestPrices(t *testing.T) {
	c, err := newCompiler(Limits{}.withDefaults(), NewReader(Limits{}).Range)
	require.NoError(t, err)
	for _, name := range slices.Sorted(maps.Keys(c.functions)) {
		if notCalled[name] {
			continue
		}
		list, ok := pricings[name]
		require.True(t, ok, "%s is new: measure it with BenchmarkPrices, and give it a row", name)
		for _, p := range list {
			rule := unbounded(t, fmt.Sprintf("[properties[0].a].all(a, [properties[0].b].all(b, %s))", p.rule))
			cost := func(n int) int {
				_, cost, err := rule.OnBundle(t.Context(), p.operands(n), Facts{})
				assert.NotContains(t, fmt.Sprint(err), "overload", p.rule)
				return int(cost)
			}
			none, some, more := cost(0), cost(10_000), cost(100_000)
			t.Logf("%-20s %-50s %6d + %.3f a byte", name, p.rule, none, float64(more-none)/100_000)
			if p.operand != nil {
				assert.Greater(t, some-none, 10_000/100, p.rule)
				assert.GreaterOrEqual(t, more-none, min(10*(some-none)*99/100, maxCompared*unitsPerValue), p.rule)
			}
		}
	}
}

// What a loop with && and || costs in cel-go grows with the square of its rounds.
func TestLongLoops(t *testing.T) {
	props := []any{map[string]any{"a": slices.Repeat([]any{1.0}, 200_000)}}
	for _, body := range []string{"a.exists_one(x, false)", "a.all(x, true || x == 1.0)", "a.exists(x, x == 2.0 && x == 3.0)", "a.all(x, x == 1.0 ? true : false)"} {
		took := testkit.Took(func() {
			_, cost, err := unbounded(t, "properties.all(p, p."+body+")").OnBundle(t.Context(), props, Facts{})
			require.NoError(t, err)
			assert.Greater(t, cost, uint64(400_000), body)
		})
		assert.Less(t, took, 5*time.Second, body)
	}
}

// The message of a rule that costs too much names the limit and the operation.
func TestCostlyOperations(t *testing.T) {
	for source, operation := range map[string]string{
		"properties.all(x, properties.all(y, true))":            "a round of a loop",
		"properties[0].a == properties[0].b":                    "the operator ==",
		"properties[0].a != properties[0].b":                    "the operator !=",
		"properties[0].a + properties[0].b == ''":               "the operator +",
		"properties[0].a in [properties[0].b]":                  "an index, a key or the range of a loop",
		"properties[0].l.exists(x, x == properties[0].a)":       "the operator ==",
		"'x' in [properties[0].a]":                              "the operator in",
		"{'k': 1}[properties[0].a] == 1":                        "an index, a key or the range of a loop",
		"size(properties[0].a) > 1":                             "the function size",
		"int(properties[0].a) > 1":                              "the function int",
		"bytes(properties[0].a) == b''":                         "the function bytes",
		"properties[0].a.matches('a*b')":                        "the function matches",
		"timestamp('2020-01-01T00:00:00Z').getHours('UTC') > 1": "the function getHours",
	} {
		rule, err := NewReader(Limits{RuleCost: 500}).Rule(source)
		require.NoError(t, err)
		props := slices.Repeat([]any{map[string]any{"a": text(8000), "b": text(8000), "l": []any{text(8000)}}}, 10)
		verdict, cost, err := rule.OnBundle(t.Context(), props, Facts{})
		assert.Equal(t, Failed, verdict)
		assert.EqualError(t, err, "the rule costs more than one evaluation may: "+operation+" passes the limit RuleCost of 500", source)
		assert.Greater(t, cost, uint64(500))
	}
}

func TestLargestComparison(t *testing.T) {
	half := slices.Repeat([]any{1.0}, maxCompared/2-1) // and the list itself
	props := []any{map[string]any{"a": half, "b": half, "more": append(half, 1.0)}}
	_, err := unbounded(t, "properties[0].a == properties[0].b").Eval(t.Context(), props, Facts{})
	require.NoError(t, err)
	_, err = unbounded(t, "properties[0].a == properties[0].more").Eval(t.Context(), props, Facts{})
	assert.EqualError(t, err, "the operator ==: a value is too large to be compared: it holds more than 20000 values")
}

// What a failure quotes of a value is cut.
func TestFailuresAreShort(t *testing.T) {
	_, err := unbounded(t, "timestamp(properties[0].a) == timestamp(1)").Eval(t.Context(), pricing{operand: digits}.operands(100_000), Facts{})
	assert.Len(t, err.Error(), maxFailureShown+len("..."))
}

// probe is a list that counts how often its elements are looked at.
type probe struct {
	traits.Lister
	looked *int
}

func newProbe(n int, looked *int) probe {
	return probe{types.NewDynamicList(types.DefaultTypeAdapter, texts(8*n)), looked}
}

func (p probe) Get(index ref.Val) ref.Val { *p.looked++; return p.Lister.Get(index) }
func (p probe) Size() ref.Val             { *p.looked++; return p.Lister.Size() }
func (p probe) Add(other ref.Val) ref.Val { *p.looked++; return p.Lister.Add(other) }
func (p probe) Iterator() traits.Iterator { return probing{p.Lister.Iterator(), p.looked} }
func (p probe) Equal(other ref.Val) ref.Val {
	*p.looked += int(p.Lister.Size().(types.Int))
	return p.Lister.Equal(other)
}

func (p probe) Contains(value ref.Val) ref.Val {
	*p.looked += int(p.Lister.Size().(types.Int))
	return p.Lister.Contains(value)
}

type probing struct {
	traits.Iterator
	looked *int
}

func (p probing) Next() ref.Val { *p.looked++; return p.Iterator.Next() }

// FuzzRuleCost: no rule looks at more values than it pays for, and none costs more
// than the limit and the step that passes it.
func FuzzRuleCost(f *testing.F) {
	for _, list := range pricings {
		for _, p := range list {
			f.Add(strings.NewReplacer("a.", "properties[0].a.", "(a", "(properties[0].a", "a ", "properties[0].a ", " b", " properties[0].b").Replace(p.rule), uint8(100))
		}
	}
	for _, source := range []string{
		`properties.all(p, p.a == p.b || p.a != p.b)`, `properties[0].a.all(x, properties[0].b.all(y, x in properties[0].a))`,
		`properties.map(p, p.a).exists(x, (x + x).exists(y, y == x[0]))`, `[properties[0].a].exists(x, [x + x].exists(y, y + y == x))`,
		`properties[0].a.filter(x, x != 'y').map(x, [x, x]).size() in [1, 2]`, `{'k': properties[0].a} in [properties[0].b]`,
	} {
		f.Add(source, uint8(255))
	}
	parser := NewReader(Limits{RuleCost: 100_000})
	f.Fuzz(func(t *testing.T, source string, n uint8) {
		rule, err := parser.Rule(source)
		if err != nil {
			return
		}
		looked := 0
		_, cost, _ := rule.OnBundle(t.Context(), []any{map[string]any{"a": newProbe(int(n), &looked), "b": newProbe(int(n), &looked)}}, Facts{})
		require.LessOrEqual(t, looked, int(cost), source)
		require.Less(t, cost, uint64(100_000+maxCompared*unitsPerValue+100_000), source)
	})
}

// BenchmarkPrices measures how long a unit of cost takes, in calls of every
// function with operands of several sizes. Short calls cost ten units and more
// for the round of the loop that they are in.
func BenchmarkPrices(b *testing.B) {
	thirty := strings.Replace(fmt.Sprint(slices.Repeat([]string{"1"}, 30)), " ", ",", -1)
	for _, name := range slices.Sorted(maps.Keys(pricings)) {
		for i, p := range pricings[name] {
			rule := unbounded(b, fmt.Sprintf("[properties[0].a].all(a, [properties[0].b].all(b, %s.all(x, %[1]s.all(y, (%s) || true))))", thirty, p.rule))
			for _, n := range []int{10, 1000, 100_000} {
				b.Run(fmt.Sprintf("%s/%s/%d/%d", name, cmp.Or(strings.Map(plain, p.rule), "-"), i, n), func(b *testing.B) {
					var cost uint64
					props := p.operands(n)
					_, took := testkit.Cost(func() {
						for b.Loop() {
							_, cost, _ = rule.OnBundle(context.Background(), props, Facts{})
						}
					})
					b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/float64(cost), "ns/unit")
					b.ReportMetric(float64(cost)/900, "units/call")
				})
			}
		}
	}
}

// plain leaves out what separates the parts of a benchmark's name.
func plain(c rune) rune {
	if c == '/' || c == ' ' {
		return -1
	}
	return c
}
