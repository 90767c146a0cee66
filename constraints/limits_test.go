package constraints_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
)

// TestLimits finds, for each limit, the least value with which something can be
// read and evaluated: one less is an error that names the limit, and leaves
// nothing of it.
func TestLimits(t *testing.T) {
	const ranged = `{"package":{"packageName":"p","versionRange":">=1.0.0 <2.0.0"}}`
	for field, test := range map[string]struct {
		value string
		least int // 0 where it depends on cel-go
	}{
		"Size":          {yes, len(yes)},
		"Depth":         {nested(4), 4},
		"RangeLength":   {ranged, len(">=1.0.0 <2.0.0")},
		"RuleLength":    {`{"cel":{"rule":"1 < 2 && true"}}`, len("1 < 2 && true")},
		"RuleCalls":     {`{"cel":{"rule":"1 < 2 && 2 < 3 && 3 < 4"}}`, 3},
		"RuleRecursion": {`{"cel":{"rule":"((((((true))))))"}}`, 0},
		"RuleNodes":     {`{"cel":{"rule":"properties.exists(p, p.type == 'x')"}}`, 0},
		"RuleCost":      {`{"cel":{"rule":"properties.all(p, p.type != 'none')"}}`, 0},
		"RuleInput":     {`{"cel":{"rule":"true"}}`, 3 * 4 * 64},
		"RegexSize":     {`{"cel":{"rule":"!'a'.matches(string(size(properties)) + 'abc')"}}`, 0},
	} {
		t.Run(field, func(t *testing.T) {
			set := bundle(t)
			judge := func(limit int) error {
				var limits constraints.Limits
				switch f := reflect.ValueOf(&limits).Elem().FieldByName(field); f.Kind() {
				case reflect.Uint64:
					f.SetUint(uint64(limit))
				default:
					f.SetInt(int64(limit))
				}
				p := constraints.NewParser(limits)
				c, err := p.Parse(0, constraint(test.value))
				if err != nil {
					assert.Zero(t, c)
					return err
				}
				verdict, _, err := constraints.Match(context.Background(), c.Expr, set, rules.Facts{})
				assert.Equal(t, verdict == rules.Failed, err != nil)
				return err
			}
			least := 1
			var beyond error
			for err := judge(least); err != nil; err = judge(least) {
				beyond = err
				least++
				require.Less(t, least, 1000)
			}
			if test.least > 0 {
				assert.Equal(t, test.least, least)
			}
			assert.NoError(t, judge(least+1))
			named, ok := errors.AsType[*rules.LimitError](beyond)
			require.True(t, ok, "%v", beyond)
			assert.Equal(t, field, named.Limit)
			assert.Contains(t, beyond.Error(), named.Error())
			t.Logf("%d: %v", least-1, beyond)
		})
	}
	fields := reflect.VisibleFields(reflect.TypeFor[constraints.Limits]())
	assert.Len(t, fields, 1+10, "each limit has a row here")
}
