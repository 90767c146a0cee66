package constraints_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
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
		want        constraints.Verdict
	}{
		{"package", yes, constraints.Yes},
		{"package out of range", no, constraints.No},
		{"other package", `{"package":{"packageName":"bar","versionRange":">=1.0.0"}}`, constraints.No},
		{"gvk", `{"gvk":{"group":"g.io","version":"v1","kind":"K"}}`, constraints.Yes},
		{"gvk of another version", `{"gvk":{"group":"g.io","version":"v2","kind":"K"}}`, constraints.No},
		{"rule", ruled, constraints.Yes},
		{"rule on the cluster", `{"cel":{"rule":"cluster.namespace == 'operators'"}}`, constraints.Yes},
		{"failing rule", fails, constraints.Failed},

		{"all", allOf(yes + "," + ruled), constraints.Yes},
		{"all, one not", allOf(ruled + "," + no), constraints.No},
		{"all, one fails", allOf(fails + "," + yes), constraints.Failed},
		{"all, one not and one fails", allOf(fails + "," + no), constraints.No},
		{"any", anyOf(no + "," + ruled), constraints.Yes},
		{"any, none", anyOf(no + "," + no), constraints.No},
		{"any, one fails", anyOf(no + "," + fails), constraints.Failed},
		{"any, one fails and one holds", anyOf(fails + "," + ruled), constraints.Yes},
		{"not", noneOf(no), constraints.Yes},
		{"not, holds", noneOf(no + "," + ruled), constraints.No},
		// A rule that fails is not satisfied, so its opposite is.
		{"not, fails", noneOf(fails), constraints.Yes},
		{"not not, fails", noneOf(noneOf(fails)), constraints.No},
		{"deep", allOf(noneOf(no) + "," + anyOf(no+","+allOf(yes+","+ruled))), constraints.Yes},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdict, _, err := constraints.Match(context.Background(), parse(t, test.value), bundle(t),
				constraints.Facts{Namespace: "operators"})
			assert.Equal(t, test.want, verdict)
			if test.want == constraints.Failed {
				assert.ErrorContains(t, err, "no such key: missing")
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

func TestMatchLabel(t *testing.T) {
	for label, want := range map[string]constraints.Verdict{"gold": constraints.Yes, "tin": constraints.No} {
		verdict, _, err := constraints.Match(context.Background(), constraints.Label{Label: label}, bundle(t), constraints.Facts{})
		require.NoError(t, err)
		assert.Equal(t, want, verdict)
	}
}

func TestMatchEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, value := range []string{ruled, allOf(yes + "," + ruled), anyOf(no + "," + ruled), noneOf(ruled)} {
		verdict, _, err := constraints.Match(ctx, parse(t, value), bundle(t), constraints.Facts{})
		require.ErrorIs(t, err, context.Canceled, value)
		assert.Equal(t, constraints.Unknown, verdict, value)
	}
	// What no rule decides needs no time.
	verdict, _, err := constraints.Match(ctx, parse(t, allOf(no+","+ruled)), bundle(t), constraints.Facts{})
	require.NoError(t, err)
	assert.Equal(t, constraints.No, verdict)
}

func TestMatchOfNothing(t *testing.T) {
	verdict, _, err := constraints.Match(context.Background(), nil, bundle(t), constraints.Facts{})
	require.Error(t, err)
	assert.Equal(t, constraints.Failed, verdict)

	verdict, _, err = constraints.Match(context.Background(), parse(t, yes), nil, constraints.Facts{})
	require.NoError(t, err)
	assert.Equal(t, constraints.No, verdict)

	verdict, _, err = constraints.Match(context.Background(), constraints.CEL{}, bundle(t), constraints.Facts{})
	require.Error(t, err)
	assert.Equal(t, constraints.Failed, verdict)
}
