package cache

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

func rule(t testing.TB, source string) *rules.Rule {
	t.Helper()
	p := constraints.NewParser(constraints.Limits{})
	r, err := p.Rule(source)
	require.NoError(t, err)
	return r
}

func TestEvaluate(t *testing.T) {
	s := parse(t, etcd)
	facts := rules.Facts{KubernetesVersion: "1.30.0"}

	for source, want := range map[string]struct {
		matches []string
		fails   []catalog.ID
	}{
		`properties.exists(p, p.type == "olm.label" && p.value.label == "storage")`: {[]string{"etcd.v3"}, nil},
		`properties[2].value.cores == 4`:                                            {[]string{"etcd.v4"}, []catalog.ID{0, 1, 3}},
	} {
		e := constraints.CEL{Rule: rule(t, source)}
		ids, err := s.Matches(t.Context(), e, facts)
		require.NoError(t, err)
		assert.Equal(t, want.matches, names(s, ids))
		var failed []catalog.ID
		for id, err := range s.Failures(t.Context(), e, facts) {
			failed = append(failed, id)
			assert.Error(t, err)
		}
		assert.Equal(t, want.fails, failed)
	}
}

func TestEvaluateCaches(t *testing.T) {
	s := parse(t, etcd)
	plain, cluster := rule(t, `size(properties) > 1`), rule(t, `cluster.namespace == "a"`)
	inA, inB := rules.Facts{Namespace: "a"}, rules.Facts{Namespace: "b"}
	evaluate := func(r *rules.Rule, f rules.Facts) []catalog.ID {
		yes, err := s.Matches(t.Context(), constraints.CEL{Rule: r}, f)
		require.NoError(t, err)
		return yes
	}
	same := func(a, b []catalog.ID, why ...any) {
		t.Helper()
		assert.Same(t, &a[0], &b[0], why...)
	}
	same(evaluate(plain, inA), evaluate(plain, inB), "a rule that reads no facts is evaluated once")
	same(evaluate(cluster, inA), evaluate(cluster, inA))
	assert.Len(t, evaluate(cluster, inA), 4)
	assert.Empty(t, evaluate(cluster, inB))
	same(evaluate(plain, inA), evaluate(rule(t, `size(properties) > 1`), inA), "equal rules share a result")
}

// ended is a context that says it has ended, and ends nobody who waits for it: so does that
// of a call that has reached a limit.
type ended struct{ context.Context }

func (ended) Err() error { return context.Canceled }

func TestNothingIsEvaluatedAfterTheEnd(t *testing.T) {
	s := parse(t, etcd)
	e := constraints.CEL{Rule: rule(t, `size(properties) > 0`)}
	_, err := s.Matches(ended{t.Context()}, e, rules.Facts{})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = s.Cost(ended{t.Context()}, e, rules.Facts{})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = s.Matches(t.Context(), e, rules.Facts{})
	require.NoError(t, err)
	ids, err := s.Matches(ended{t.Context()}, e, rules.Facts{})
	require.NoError(t, err, "what is known costs nothing")
	assert.Len(t, ids, 4)
}

// fading is a context that ends once it was asked so often.
type fading struct {
	context.Context
	left *int
}

func (f fading) Err() error {
	if *f.left--; *f.left < 0 {
		return context.Canceled
	}
	return nil
}

// Many bundles, each compared with a long list of ranges, take seconds.
func TestMatchingWithoutRulesEnds(t *testing.T) {
	const bundles = 1000
	var text strings.Builder
	text.WriteString(`{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"b0"}`)
	for i := range bundles - 1 {
		fmt.Fprintf(&text, `,{"name":"b%d","replaces":"b%d"}`, i+1, i)
	}
	text.WriteString("]}")
	for i := range bundles {
		fmt.Fprintf(&text, `{"schema":"olm.bundle","package":"p","name":"b%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%[1]d"}}]}`, i)
	}
	s := parse(t, text.String())
	set, _ := properties.Decode([]properties.Property{{Type: properties.TypeConstraint, Value: []byte(
		`{"any":{"constraints":[{"package":{"packageName":"p","versionRange":"<1.0.1"}},{"package":{"packageName":"p","versionRange":">1.0.998"}}]}}`)}}, nil)
	list, faults := constraints.NewParser(constraints.Limits{}).ParseSet(set)
	require.Empty(t, faults)
	left := 3
	_, err := s.Matches(fading{t.Context(), &left}, list[0].Expr, rules.Facts{})
	require.ErrorIs(t, err, context.Canceled)
	ids, err := s.Matches(t.Context(), list[0].Expr, rules.Facts{})
	require.NoError(t, err)
	assert.Len(t, ids, 2)
}

func TestCanceledEvaluationIsNotCached(t *testing.T) {
	s := parse(t, etcd)
	r := rule(t, `size(properties) > 0`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Matches(ctx, constraints.CEL{Rule: r}, rules.Facts{})
	assert.ErrorIs(t, err, context.Canceled)
	yes, err := s.Matches(t.Context(), constraints.CEL{Rule: r}, rules.Facts{})
	require.NoError(t, err)
	assert.Len(t, yes, 4)
}
