package resolver_test

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestOracleCauses compares the causes of failures with those that deletion leaves by
// brute force.
func TestOracleCauses(t *testing.T) {
	var failed, several, grouped, shared, installed, wide atomic.Int64
	eachSeed(t, *problems*2, func(seed uint64) error {
		p := random.Problem(seed)
		q, err := asScenario(nil, p).Question(t.Context())
		if err != nil {
			return err
		}
		causes, accepted, err := resolver.FindCauses(t.Context(), resolver.New(), q.Problem, q.Scopes[:1])
		if err != nil || causes == nil {
			return err
		}
		checked, err := oracle.CheckCauses(p, causes, accepted, oracleLimit)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, writeFinding(p, seed))
		}
		if !checked {
			return nil
		}
		failed.Add(1)
		if !q.Problem.Options.BundleScope && failed.Load()%4 == 0 { // else any other bundle may satisfy a not
			wide.Add(1)
			more := q.Problem
			more.Cluster = unrelated(more.Cluster, q.Scopes[0])
			among, acceptedAmong, err := resolver.FindCauses(t.Context(), resolver.New(), more, q.Scopes[:1])
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(among, causes) || !reflect.DeepEqual(acceptedAmong, accepted) {
				return fmt.Errorf("beside what is unrelated, causes %v are %v, and accepted %v is %v\n%s", causes, among, accepted, acceptedAmong, writeFinding(p, seed))
			}
		}
		count := func(n *atomic.Int64, of func(c oracle.Cause) bool) {
			if slices.ContainsFunc(causes, of) {
				n.Add(1)
			}
		}
		if len(causes) > 1 {
			several.Add(1)
		}
		count(&grouped, func(c oracle.Cause) bool { return c.Group > 1 })
		count(&shared, func(c oracle.Cause) bool { return len(c.Requests) > 1 })
		count(&installed, func(c oracle.Cause) bool { return len(c.Requests) == 0 })
		return nil
	})
	t.Logf("%d failures, %d with several causes, %d with several groups, %d with a shared cause, %d where what is installed contradicts itself",
		failed.Load(), several.Load(), grouped.Load(), shared.Load(), installed.Load())
	for _, n := range []*atomic.Int64{&several, &grouped, &shared, &installed, &wide} {
		assert.Positive(t, n.Load())
	}
}

// TestCausesAlone: why a request is kept out does not depend on requests that have nothing to do
// with that.
func TestCausesAlone(t *testing.T) {
	shape := generate.Real(3)
	shape.Conflicts = 0.5
	view := viewOf(t, shape.FS())
	causes := 0
	for seed := range uint64(testkit.Scale(3, 100)) {
		objects := generatedCluster(t, snapshotOf(view), seed, 60, 0).Objects()
		one := objects.Subscriptions
		objects.Subscriptions = nil
		scopes := []cluster.Scope{cluster.InNamespace("a"), cluster.InNamespace("b"), cluster.InNamespace("c")}
		for _, scope := range scopes {
			objects.OperatorGroups = append(objects.OperatorGroups, cluster.OperatorGroup{Namespace: scope.Namespace(), Name: "all"})
		}
		for i, s := range one { // some packages are asked for in two namespaces
			for _, scope := range scopes[i%3 : min(i%3+1+i%2, 3)] {
				s.Namespace = scope.Namespace()
				objects.Subscriptions = append(objects.Subscriptions, s)
			}
		}
		p := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view}
		n, err := resolver.CheckCausesAlone(t.Context(), resolver.New(), p, scopes)
		require.NoError(t, err, seed)
		causes += n
	}
	assert.Positive(t, causes)
	t.Log(causes, "causes")
}

// unrelated returns the cluster with a hundred more installed bundles in a namespace, which have
// nothing to do with the others: the search for causes then has many demands.
func unrelated(c *cluster.Index, scope cluster.Scope) *cluster.Index {
	objects := c.Objects()
	objects.CSVs = slices.Clone(objects.CSVs)
	for i := range 100 {
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: scope.Namespace(), Name: fmt.Sprint("unrelated", i), Phase: "Succeeded"})
	}
	return cluster.NewIndex(objects)
}
