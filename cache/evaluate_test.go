package cache

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
)

func rule(t testing.TB, source string) *constraints.Rule {
	t.Helper()
	p := constraints.NewParser(constraints.Limits{})
	r, err := p.Rule(source)
	require.NoError(t, err)
	return r
}

func TestEvaluate(t *testing.T) {
	s := parse(t, etcd)
	facts := constraints.Facts{KubernetesVersion: "1.30.0"}

	labeled, err := s.Evaluate(t.Context(), rule(t, `properties.exists(p, p.type == "olm.label" && p.value.label == "storage")`), facts)
	require.NoError(t, err)
	assert.Equal(t, []string{"etcd.v3"}, names(s, labeled.Yes))
	assert.Empty(t, labeled.Failed)

	failing, err := s.Evaluate(t.Context(), rule(t, `properties[2].value.cores == 4`), facts)
	require.NoError(t, err)
	assert.Equal(t, []string{"etcd.v4"}, names(s, failing.Yes))
	var failed []catalog.ID
	for _, f := range failing.Failed {
		failed = append(failed, f.ID)
		assert.Error(t, f.Err)
	}
	assert.Equal(t, []catalog.ID{0, 1, 3}, failed)
}

func TestEvaluateRemembers(t *testing.T) {
	s := parse(t, etcd)
	plain, cluster := rule(t, `size(properties) > 1`), rule(t, `cluster.namespace == "a"`)
	inA, inB := constraints.Facts{Namespace: "a"}, constraints.Facts{Namespace: "b"}
	evaluate := func(r *constraints.Rule, f constraints.Facts) *catalog.RuleResult {
		result, err := s.Evaluate(t.Context(), r, f)
		require.NoError(t, err)
		return result
	}
	assert.Same(t, evaluate(plain, inA), evaluate(plain, inB), "a rule that reads no facts is evaluated once")
	assert.Same(t, evaluate(cluster, inA), evaluate(cluster, inA))
	assert.Len(t, evaluate(cluster, inA).Yes, 4)
	assert.Empty(t, evaluate(cluster, inB).Yes)
	assert.Same(t, evaluate(plain, inA), evaluate(rule(t, `size(properties) > 1`), inA), "equal rules share a result")
}

func TestEvaluateCutOffIsNotRemembered(t *testing.T) {
	s := parse(t, etcd)
	r := rule(t, `size(properties) > 0`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Evaluate(ctx, r, constraints.Facts{})
	assert.ErrorIs(t, err, context.Canceled)
	result, err := s.Evaluate(t.Context(), r, constraints.Facts{})
	require.NoError(t, err)
	assert.Len(t, result.Yes, 4)
}
