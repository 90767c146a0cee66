package resolver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// TestPinned resolves random problems again with what their answers are pinned to.
func TestPinned(t *testing.T) {
	for name, generate := range map[string]func(seed uint64) oracle.Joint{
		"subscriptions": func(seed uint64) oracle.Joint { return oracle.Joint{random.Problem(seed)} },
		"extensions":    func(seed uint64) oracle.Joint { return oracle.Joint{random.Extension(seed)} },
		"jointly":       random.Joint,
	} {
		t.Run(name, func(t *testing.T) {
			var pinned, dependencies atomic.Int64
			check := func(seed uint64) error {
				s := asScenario(nil, generate(seed)...)
				s.Options.Partial, s.Options.NoFixes = seed%2 == 0, true
				in, err := s.Question(t.Context())
				if err != nil {
					return err
				}
				was := outcomesOf(t.Context(), in)
				objects := in.Problem.Pinned(was)
				if len(objects.Subscriptions)+len(objects.ClusterExtensions) == 0 {
					return nil
				}
				pinned.Add(1)
				known := in.Problem.Cluster.Objects()
				in.Problem.Cluster = appliedTo(in.Problem.Cluster.Objects(), objects)
				if want, got := doneBy(was), doneBy(outcomesOf(t.Context(), in)); want != got {
					text, _ := s.Format()
					return fmt.Errorf("the answer was\n%sand with what it is pinned to, %+v, it is\n%s%s", want, objects, got, text)
				}
				for _, e := range objects.ClusterExtensions {
					if len(known.CSVs) > 0 || slices.ContainsFunc(known.ClusterExtensions, func(k cluster.ClusterExtension) bool { return k.Name == e.Name || k.Installed != nil }) {
						continue // what is installed may have to be updated first
					}
					dependencies.Add(1)
					r, err := resolver.New().Resolve(t.Context(), in.Problem, e.Key().Scope())
					if err != nil || !slices.ContainsFunc(r.Installs, func(i result.Install) bool {
						return i.For[0].Request == e.Key() && strings.Contains(doneBy(was), fmt.Sprintln("install", i.Bundle.Name, i.Bundle.Catalog, i.Channel, i.Replaces))
					}) {
						text, _ := s.Format()
						return fmt.Errorf("%v: the ClusterExtension for a dependency, %+v, gets %+v\n%s", err, e, r, text)
					}
				}
				return nil
			}
			eachSeed(t, *problems/2, check)
			// A catalog that the namespace does not see lists what is kept; what is kept needs a
			// bundle of its own catalog; several catalogs have the version that is kept.
			for _, seed := range []uint64{1701, 2805, 3833} {
				eachSeedFrom(t, seed, 1, check)
			}
			assert.Greater(t, pinned.Load(), int64(*problems)/15)
			assert.True(t, name != "extensions" || dependencies.Load() > 0)
		})
	}
}

func outcomesOf(ctx context.Context, in *scenario.Question) []result.Outcome {
	return resolver.New().ResolveAll(ctx, in.Problem, in.Scopes)
}

// appliedTo is the cluster with pinned objects in the place of those of the same name. What
// is installed stays.
func appliedTo(o cluster.Objects, pinned cluster.Objects) *cluster.Index {
	o.Subscriptions, o.ClusterExtensions = slices.Clone(o.Subscriptions), slices.Clone(o.ClusterExtensions)
	for _, s := range pinned.Subscriptions {
		i := slices.IndexFunc(o.Subscriptions, func(other cluster.Subscription) bool { return other.Namespace == s.Namespace && other.Name == s.Name })
		if i < 0 {
			o.Subscriptions = append(o.Subscriptions, s)
			continue
		}
		s.InstalledCSV = o.Subscriptions[i].InstalledCSV
		o.Subscriptions[i] = s
	}
	for _, e := range pinned.ClusterExtensions {
		i := slices.IndexFunc(o.ClusterExtensions, func(other cluster.ClusterExtension) bool { return other.Name == e.Name })
		if i < 0 {
			o.ClusterExtensions = append(o.ClusterExtensions, e)
			continue
		}
		e.Installed = o.ClusterExtensions[i].Installed
		o.ClusterExtensions[i] = e
	}
	return cluster.NewIndex(o)
}

// doneBy lists what answers do, in an order that does not depend on who asked first.
func doneBy(outcomes []result.Outcome) string {
	var lines []string
	for _, o := range outcomes {
		subject := o.Scope.Name
		if o.Err != nil {
			lines = append(lines, fmt.Sprintln(subject, o.Result()))
			continue
		}
		for _, i := range o.Resolution.Installs {
			lines = append(lines, fmt.Sprintln(subject, "install", i.Bundle.Name, i.Bundle.Catalog, i.Channel, i.Replaces))
		}
		for _, k := range o.Resolution.Kept {
			lines = append(lines, fmt.Sprintln(subject, "keep", k.Bundle.Name))
		}
		lines = append(lines, fmt.Sprintln(subject, "replaced", o.Resolution.Replaced, "left out", len(o.Resolution.LeftOut)))
		if len(o.Resolution.LeftOut) == 0 {
			// What only a request that is left out needs counts as unneeded once it is a
			// dependency of its own.
			lines = append(lines, fmt.Sprintln(subject, "unneeded", o.Resolution.Unneeded))
		}
	}
	slices.Sort(lines)
	return fmt.Sprint(lines)
}
