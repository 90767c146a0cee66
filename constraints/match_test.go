package constraints_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
)

// Parts of compound constraints, on the bundle of package foo 1.2.3.
const (
	yes   = `{"package":{"packageName":"foo","versionRange":">=1.0.0"}}`
	no    = `{"package":{"packageName":"foo","versionRange":">=2.0.0"}}`
	ruled = `{"cel":{"rule":"properties.exists(p, p.type == 'olm.gvk')"}}`
	fails = `{"cel":{"rule":"properties[0].missing == 1"}}`
)

func allOf(parts string) string  { return `{"all":{"constraints":[` + parts + `]}}` }
func anyOf(parts string) string  { return `{"any":{"constraints":[` + parts + `]}}` }
func noneOf(parts string) string { return `{"not":{"constraints":[` + parts + `]}}` }

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		name, value string
		want        rules.Verdict
	}{
		{"package", yes, rules.Yes},
		{"package out of range", no, rules.No},
		{"other package", `{"package":{"packageName":"bar","versionRange":">=1.0.0"}}`, rules.No},
		{"gvk", `{"gvk":{"group":"g.io","version":"v1","kind":"K"}}`, rules.Yes},
		{"gvk of another version", `{"gvk":{"group":"g.io","version":"v2","kind":"K"}}`, rules.No},
		{"rule", ruled, rules.Yes},
		{"rule on the cluster", `{"cel":{"rule":"cluster.namespace == 'operators'"}}`, rules.Yes},
		{"failing rule", fails, rules.Failed},

		{"all", allOf(yes + "," + ruled), rules.Yes},
		{"all, one not", allOf(ruled + "," + no), rules.No},
		{"all, one fails", allOf(fails + "," + yes), rules.Failed},
		{"all, one not and one fails", allOf(fails + "," + no), rules.No},
		{"any", anyOf(no + "," + ruled), rules.Yes},
		{"any, none", anyOf(no + "," + no), rules.No},
		{"any, one fails", anyOf(no + "," + fails), rules.Failed},
		{"any, one fails and one holds", anyOf(fails + "," + ruled), rules.Yes},
		{"not", noneOf(no), rules.Yes},
		{"not, holds", noneOf(no + "," + ruled), rules.No},
		// A rule that fails is not satisfied, so its opposite is.
		{"not, fails", noneOf(fails), rules.Yes},
		{"not not, fails", noneOf(noneOf(fails)), rules.No},
		{"deep", allOf(noneOf(no) + "," + anyOf(no+","+allOf(yes+","+ruled))), rules.Yes},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdict, _, err := constraints.Match(context.Background(), parse(t, test.value), bundle(t),
				rules.Facts{Namespace: "operators"})
			assert.Equal(t, test.want, verdict)
			if test.want == rules.Failed {
				assert.ErrorContains(t, err, "no such key: missing")
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

func TestMatchLabel(t *testing.T) {
	for label, want := range map[string]rules.Verdict{"gold": rules.Yes, "tin": rules.No} {
		verdict, _, err := constraints.Match(context.Background(), constraints.Label{Label: label}, bundle(t), rules.Facts{})
		require.NoError(t, err)
		assert.Equal(t, want, verdict)
	}
}

func TestMatchEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, value := range []string{ruled, allOf(yes + "," + ruled), anyOf(no + "," + ruled), noneOf(ruled)} {
		verdict, _, err := constraints.Match(ctx, parse(t, value), bundle(t), rules.Facts{})
		require.ErrorIs(t, err, context.Canceled, value)
		assert.Equal(t, rules.Unknown, verdict, value)
	}
	// What no rule decides needs no time.
	verdict, _, err := constraints.Match(ctx, parse(t, allOf(no+","+ruled)), bundle(t), rules.Facts{})
	require.NoError(t, err)
	assert.Equal(t, rules.No, verdict)
}

func TestMatchOfNothing(t *testing.T) {
	verdict, _, err := constraints.Match(context.Background(), nil, bundle(t), rules.Facts{})
	require.Error(t, err)
	assert.Equal(t, rules.Failed, verdict)

	verdict, _, err = constraints.Match(context.Background(), parse(t, yes), nil, rules.Facts{})
	require.NoError(t, err)
	assert.Equal(t, rules.No, verdict)

	verdict, _, err = constraints.Match(context.Background(), constraints.CEL{}, bundle(t), rules.Facts{})
	require.Error(t, err)
	assert.Equal(t, rules.Failed, verdict)
}
