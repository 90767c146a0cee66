package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOraclePaths compares paths with all the shortest ones that the brute-force
// oracle finds.
func TestOraclePaths(t *testing.T) { comparePaths(t, *problems/3, random.Path, 900825) }

// TestOracleExtensionPaths does the same for ClusterExtensions.
func TestOracleExtensionPaths(t *testing.T) { comparePaths(t, *problems/2, random.ExtensionPath) }

func comparePaths(t *testing.T, count int, generate func(seed uint64) *random.Route, known ...uint64) {
	t.Helper()
	var about features
	paths := func(r *random.Route, limit int) ([][]string, error) {
		return oracle.Paths(r.Problem, r.Subscription, r.To, limit)
	}
	compared := eachSolved(t, count, generate, paths, func(seed uint64, r *random.Route, want [][]string) error {
		about.add(pathFeatures(r, want))
		through := func(c *oracle.Problem) *random.Route {
			return &random.Route{Problem: c, Subscription: r.Subscription, Package: r.Package, To: r.To}
		}
		return agreement(seed, r.Problem, want, func(c *oracle.Problem, limit int) ([][]string, error) {
			return paths(through(c), limit)
		}, func(c *oracle.Problem, want [][]string) string {
			return pathDisagreement(t.Context(), through(c), want)
		})
	}, known...)
	about.report(t, compared)
}

// pathFeatures tell paths by their length, and those that no catalog has alone.
func pathFeatures(r *random.Route, want [][]string) map[string]bool {
	alone := func(updates []string) bool {
		return slices.ContainsFunc(r.Problem.Catalogs, func(c oracle.Catalog) bool {
			return !slices.ContainsFunc(updates, func(name string) bool {
				return !strings.HasPrefix(name, oracle.ChannelStep) && !slices.ContainsFunc(c.Bundles, func(b oracle.Bundle) bool { return b.Name == name })
			})
		})
	}
	steps := 0
	if len(want) > 0 {
		steps = len(want[0])
	}
	return map[string]bool{
		"a path of one step": steps == 1, "a path of two steps": steps == 2, "a path of three or more": steps > 2,
		"a path over several catalogs": steps > 0 && !slices.ContainsFunc(want, alone), "several shortest paths": len(want) > 1,
		"a change of channel": changes(want) == 1, "several changes of channel": changes(want) > 1,
	}
}

// changes is how often the paths change the channel.
func changes(paths [][]string) int {
	n := 0
	for _, step := range slices.Concat(paths[:min(len(paths), 1)]...) {
		if strings.HasPrefix(step, oracle.ChannelStep) {
			n++
		}
	}
	return n
}

// pathDisagreement says how the resolver's path differs from the wanted ones.
func pathDisagreement(ctx context.Context, r *random.Route, want [][]string) string {
	in, err := asScenario(nil, r.Problem).Question(ctx)
	if err != nil {
		return err.Error()
	}
	in.Problem.Options.NoFixes = true
	request := cluster.RequestKey{Kind: cluster.KindExtension, Name: random.ExtensionName}
	if r.Problem.Extension == nil {
		request = updated(in.Problem.Cluster, in.Scopes[0].Name, r.Package)
	}
	path, err := resolver.New().Path(ctx, in.Problem, request, r.To)
	_, none := errors.AsType[*result.NoPath](err)
	_, unsatisfied := errors.AsType[*result.NotSatisfiable](err)
	_, unknown := errors.AsType[*result.InvalidInput](err)
	if err == nil && len(want) == 0 {
		return waitingDisagreement(r, path)
	}
	switch {
	case err != nil && !none && !unsatisfied && !unknown:
		return err.Error()
	case err != nil && len(want) > 0:
		return fmt.Sprintf("to %s the oracle wants %v\nthe resolver says %v", r.To, want, err)
	case err == nil && !slices.ContainsFunc(want, func(w []string) bool { return slices.Equal(w, bundlesOf(path)) }):
		return fmt.Sprintf("to %s the oracle wants %v\nthe resolver says %v", r.To, want, bundlesOf(path))
	}
	return ""
}

// waitingDisagreement says how a path that waits differs from the ones that the oracle finds once
// OLM has updated others by itself.
func waitingDisagreement(r *random.Route, path *result.Path) string {
	steps, p := path.Steps, r.Problem
	for len(steps) > 0 && len(steps[0].Awaits) > 0 {
		after, err := oracle.After(p, oracleLimit)
		if errors.Is(err, oracle.ErrTooLarge) {
			return ""
		}
		if p = after; p == nil {
			return fmt.Sprintf("nothing can be resolved, and the path waits: %v", bundlesOf(path))
		}
		steps = steps[1:]
	}
	waits := func(s result.PathStep) bool { return len(s.Awaits) > 0 }
	if len(steps) == len(path.Steps) || slices.ContainsFunc(steps, waits) {
		if slices.ContainsFunc(path.Steps, waits) {
			return "" // in between, which the oracle does not follow
		}
		return fmt.Sprintf("to %s the oracle finds no path, the resolver %v", r.To, bundlesOf(path))
	}
	want, err := oracle.Paths(p, r.Subscription, r.To, oracleLimit)
	if err == nil && !slices.ContainsFunc(want, func(w []string) bool { return slices.Equal(w, bundlesOf(&result.Path{Steps: steps})) }) {
		return fmt.Sprintf("after updates of others the oracle wants %v\nthe resolver says %v", want, bundlesOf(path))
	}
	return ""
}

// updated is the first request of a namespace that has anything of the package installed.
func updated(known *cluster.Index, namespace, pkg string) cluster.RequestKey {
	subscriptions := known.In(namespace).Subscriptions
	i := slices.IndexFunc(subscriptions, func(s cluster.Subscription) bool { return s.Package == pkg && s.InstalledCSV != "" })
	if i < 0 {
		return cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: namespace}
	}
	return subscriptions[i].Key()
}
