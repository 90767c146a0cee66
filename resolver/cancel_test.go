package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/detached"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestCancelResolve cancels resolutions that are long in different ways: in
// evaluating rules, encoding, searching and minimising.
func TestCancelResolve(t *testing.T) {
	for shape, properties := range worstProperties() {
		t.Run(shape, func(t *testing.T) {
			size := testkit.Scale(16<<10, 30<<10)
			if shape == "an expensive rule" {
				size = worstRest + 1 // one bundle, which costs a tenth of a second
			}
			view := worstView(t, worstCatalog(size, properties))
			for request, objects := range worstRequests() {
				known := cluster.NewIndex(objects)
				t.Run(request, func(t *testing.T) {
					testkit.CancelAtRandom(t, func(ctx context.Context) error {
						// A new snapshot remembers no verdicts.
						fresh := view
						if strings.Contains(shape, "rule") {
							fresh = worstView(t, worstCatalog(size, properties))
						}
						_, err := resolver.New().Resolve(ctx, resolver.Problem{Cluster: known, Catalogs: fresh, Options: policy.Options{Partial: true}}, cluster.InNamespace("n"))
						if ctx.Err() != nil && err != nil {
							switch result.Of(err) {
							case result.ResultIncomplete:
								assert.ErrorIs(t, err, context.Canceled)
								incomplete, _ := errors.AsType[*result.Incomplete](err)
								assert.NotEmpty(t, incomplete.Phase)
							case result.ResultUnsatisfied, result.ResultInvalidInput: // it was done
							default:
								t.Errorf("%v", err)
							}
						}
						return err
					})
				})
			}
		})
	}
}

// TestDeafSystemConstraint: a function of the caller's that does not return holds
// nothing up but its own goroutine.
func TestDeafSystemConstraint(t *testing.T) {
	stuck := make(chan struct{})
	view := worstView(t, worstCatalog(6<<10, worstProperties()["nothing"]))
	problem := resolver.Problem{Cluster: cluster.NewIndex(worstRequests()["one"]), Catalogs: view}
	ctx, cancel := context.WithCancel(t.Context())
	problem.Options.SystemConstraint = func(context.Context, policy.Candidate) (bool, string) {
		cancel()
		<-stuck
		return true, ""
	}
	_, err := resolver.New().Resolve(ctx, problem, cluster.InNamespace("n"))
	incomplete, ok := errors.AsType[*result.Incomplete](err)
	require.True(t, ok, "%v", err)
	assert.ErrorIs(t, incomplete, context.Canceled)
	assert.Equal(t, 1, detached.Abandoned())
	close(stuck)
	assert.Eventually(t, func() bool { return detached.Abandoned() == 0 }, time.Minute, time.Millisecond)
}

func TestSystemConstraintPanics(t *testing.T) {
	r := resolver.New()
	view := worstView(t, worstCatalog(6<<10, worstProperties()["nothing"]))
	problem := resolver.Problem{Cluster: cluster.NewIndex(worstRequests()["one"]), Catalogs: view}
	problem.Options.SystemConstraint = func(_ context.Context, c policy.Candidate) (bool, string) {
		if c.Bundle.Name == "b2" {
			return true, ""
		}
		panic("oops")
	}
	resolution, err := r.Resolve(t.Context(), problem, cluster.InNamespace("n"))
	require.NoError(t, err)
	assert.Equal(t, "b2", resolution.Installs[0].Bundle.Name)
	problem.Cluster = cluster.NewIndex(worstRequests()["two"])
	_, err = r.Resolve(t.Context(), problem, cluster.InNamespace("n"))
	assert.Equal(t, result.ResultUnsatisfied, result.Of(err))
}

// TestLimits: a problem passes each limit at its boundary, and the error names
// it.
func TestLimits(t *testing.T) {
	view := worstView(t, worstCatalog(8<<10, worstProperties()["a rule each"]))
	snapshot := view.Catalog(catalog.Key{Namespace: "olm", Name: "worst"}).Snapshot
	known := cluster.NewIndex(worstRequests()["one"])
	resolve := func(o policy.Options) error {
		_, err := resolver.New().Resolve(t.Context(), resolver.Problem{Cluster: known, Catalogs: view, Options: o}, cluster.InNamespace("n"))
		return err
	}
	tooLarge := func(err error) string {
		if large, ok := errors.AsType[*result.TooLarge](err); ok {
			assert.Equal(t, result.ResultInvalidInput, result.Of(err))
			return large.What
		}
		return ""
	}
	assert.Equal(t, result.ResultUnsatisfied, result.Of(resolve(policy.Options{MaxCandidates: snapshot.Len()})))
	assert.Equal(t, "candidates", tooLarge(resolve(policy.Options{MaxCandidates: snapshot.Len() - 1})))
	literals := 1 + sort.Search(1<<20, func(n int) bool { return tooLarge(resolve(policy.Options{MaxLiterals: n + 1})) == "" })
	assert.Equal(t, result.ResultUnsatisfied, result.Of(resolve(policy.Options{MaxLiterals: literals})))
	assert.Equal(t, "literals", tooLarge(resolve(policy.Options{MaxLiterals: literals - 1})))

	var cost int
	for id := range catalog.ID(snapshot.Len()) {
		spent, err := snapshot.Cost(t.Context(), snapshot.Bundle(id).Constraints[0].Expr, rules.Facts{Namespace: "n"})
		require.NoError(t, err)
		cost += int(spent)
	}
	assert.Equal(t, result.ResultUnsatisfied, result.Of(resolve(policy.Options{MaxRuleCost: cost})))
	assert.Equal(t, "units of rule cost", tooLarge(resolve(policy.Options{MaxRuleCost: cost - 1})))
}

// TestPathBudget: a path is found with the least number of resolutions that it
// takes, and one less is an *Incomplete.
func TestPathBudget(t *testing.T) {
	snapshot, err := cache.LoadFS(t.Context(), generate.Versions(6), cache.Options{})
	require.NoError(t, err)
	view := longView(snapshot)
	pkg := snapshot.Package(generate.PackageName(0))
	oldest := snapshot.Bundle(pkg.Bundles[len(pkg.Bundles)-1])
	known := cluster.NewIndex(cluster.Objects{
		Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "a", Package: pkg.Name, InstalledCSV: oldest.Name}},
		CSVs:          []cluster.ClusterServiceVersion{{Namespace: "n", Name: oldest.Name, Version: oldest.Version.String()}},
	})
	find := func(budget int) (*result.Path, error) {
		problem := resolver.Problem{Cluster: known, Catalogs: view, Options: policy.Options{PathBudget: budget}}
		return resolver.New().Path(t.Context(), problem, known.In("n").Subscriptions[0].Key(), "")
	}
	const steps = 5 // one edge leads on from each bundle
	path, err := find(steps)
	require.NoError(t, err)
	assert.Len(t, path.Steps, steps)
	_, err = find(steps - 1)
	var incomplete *result.Incomplete
	require.ErrorAs(t, err, &incomplete)
	assert.EqualError(t, incomplete.Err, "the budget of resolutions is used up")
}

// TestSharedWorkOutlivesItsCaller: calls share what they read and evaluate. Where one ends while
// it does so, by its context or by a limit, the other one gets the answer that it gets alone.
func TestSharedWorkOutlivesItsCaller(t *testing.T) {
	text := worstCatalog(12<<10, worstProperties()["a rule each"])
	objects := worstRequests()["two"]
	for i := range 100 {
		objects.OperatorGroups = append(objects.OperatorGroups, cluster.OperatorGroup{Namespace: fmt.Sprint("n", i), Name: "all"})
	}
	resolve := func(ctx context.Context, r *resolver.Resolver, problem resolver.Problem) string {
		resolution, err := r.Resolve(ctx, problem, cluster.InNamespace("n"))
		return outcomeText(resolution, err)
	}
	fresh := func() (*resolver.Resolver, resolver.Problem) {
		return resolver.New(), resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: worstView(t, text)}
	}
	start := time.Now()
	alone, problem := fresh()
	want := resolve(t.Context(), alone, problem)
	whole := time.Since(start)
	moments := testkit.Scale(8, 100)
	for i := range moments {
		shared, problem := fresh()
		limited := problem
		limited.Options.MaxRuleCost = 1 + i*1000
		var calls sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(whole*time.Duration(i)/time.Duration(moments), cancel)
		calls.Go(func() { resolve(ctx, shared, problem) })
		calls.Go(func() { resolve(t.Context(), shared, limited) })
		calls.Go(func() { assert.Equal(t, want, resolve(t.Context(), shared, problem)) })
		calls.Wait()
		timer.Stop()
		cancel()
	}
}

// TestFootprintEnds cancels a call while it follows what a request can reach: what it has
// found by then is no answer.
func TestFootprintEnds(t *testing.T) {
	in := inputsOf(t, "scenarios/footprint-beside-answer")
	footprint := func(ctx context.Context, judge func()) (*outcome.Footprint, error) {
		problem := in.Problem
		problem.Options.SystemConstraint = func(context.Context, policy.Candidate) (bool, string) {
			judge()
			return true, ""
		}
		return resolver.New().Footprint(ctx, problem, in.Scopes)
	}
	calls := 0
	want, err := footprint(t.Context(), func() { calls++ })
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, want.Packages[catalog.Key{Namespace: "olm", Name: "community"}])
	for last := range calls {
		ctx, cancel := context.WithCancel(t.Context())
		calls = 0
		_, err := footprint(ctx, func() {
			if calls++; calls > last {
				cancel()
			}
		})
		cancel()
		var incomplete *result.Incomplete
		require.ErrorAs(t, err, &incomplete, "ended after %d calls", last)
	}
}

// TestFootprintOfHalfRead cancels a call while it reads what is installed: what was not read
// by then is not followed.
func TestFootprintOfHalfRead(t *testing.T) {
	objects := cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a"}}}
	for i := range 1000 {
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: fmt.Sprintf("csv%04d", i), Version: "1.0.0"})
	}
	snapshot, err := cache.LoadFS(t.Context(), generate.Versions(1), cache.Options{})
	require.NoError(t, err)
	problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: longView(snapshot)}
	scopes := []cluster.Scope{{Kind: cluster.KindSubscription, Name: "n"}}
	start := time.Now()
	_, err = resolver.New().Footprint(t.Context(), problem, scopes)
	require.NoError(t, err)
	whole := time.Since(start)
	moments := testkit.Scale(12, 50)
	for i := range moments {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(whole*time.Duration(i)/time.Duration(moments), cancel)
		_, err := resolver.New().Footprint(ctx, problem, scopes)
		timer.Stop()
		cancel()
		_, isInternal := errors.AsType[*result.Internal](err)
		require.False(t, isInternal, "%v", err)
	}
}
