package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// moodySource returns one of several snapshots, or fails, or panics, or hangs
// until it is given up.
type moodySource struct {
	snapshots []*catalog.Snapshot
	calls     atomic.Uint64
}

func (s *moodySource) Load(ctx context.Context) (*catalog.Snapshot, error) {
	n := s.calls.Add(1)
	switch n % 7 {
	case 3:
		return nil, errors.New("connection refused")
	case 5:
		panic("a source of the caller's")
	case 6:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.snapshots[n%uint64(len(s.snapshots))], nil
}

// TestStress resolves from hundreds of goroutines while catalogs are replaced,
// fail, recover and disappear: every answer is the one of the view that it was
// given.
func TestStress(t *testing.T) {
	const goroutines = 300
	rounds := testkit.Scale(4, 12)
	c := cache.New(cache.CacheOptions{MaxStale: time.Hour})
	clusters, sources := stressInputs(t)
	keys := make([]catalog.Key, 0, len(sources))
	for key, source := range sources {
		keys = append(keys, key)
		c.Set(key, cache.CatalogConfig{Source: source})
	}
	shared := resolver.New(policy.Options{Partial: true, LenientHealth: true})
	var (
		wanted   sync.Map // answers of a resolver that knows nothing else, by problem
		compared atomic.Int64
		workers  sync.WaitGroup
	)
	answer := func(r *resolver.Resolver, cluster int, view *cache.View) string {
		resolution, err := r.Resolve(t.Context(), "operators", clusters[cluster], view)
		return outcomeText(resolution, err)
	}
	for g := range goroutines {
		workers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 0))
			for range rounds {
				key := keys[random.IntN(len(keys))]
				switch random.IntN(12) {
				case 0:
					c.Set(key, cache.CatalogConfig{Source: sources[key], Priority: random.IntN(3)})
				case 1:
					c.Remove(key)
				case 2, 3:
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(3000))*time.Microsecond)
					_ = c.Refresh(ctx, key)
					cancel()
				}
				view, cluster := c.View(), random.IntN(len(clusters))
				got := answer(shared, cluster, view)
				id := fmt.Sprint(cluster, viewText(view))
				want, ok := wanted.Load(id)
				if !ok {
					want, _ = wanted.LoadOrStore(id, answer(resolver.New(policy.Options{Partial: true, LenientHealth: true}), cluster, view))
				}
				compared.Add(1)
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
	workers.Wait()
	distinct := 0
	wanted.Range(func(any, any) bool { distinct++; return true })
	t.Logf("%d goroutines, %d answers to %d problems compared", goroutines, compared.Load(), distinct)
	assert.Greater(t, distinct, 20)
}

// viewText tells views apart by what an answer depends on.
func viewText(view *cache.View) string {
	var b strings.Builder
	for c := range view.Catalogs() {
		fmt.Fprintf(&b, "%s %d %p %v %v;", c.Key, c.Priority, c.Snapshot, c.Err, c.Stale != nil)
	}
	return b.String()
}

func outcomeText(r *result.Resolution, err error) string {
	if err != nil {
		return fmt.Sprintf("%s: %v", result.Of(err), err)
	}
	var b strings.Builder
	for _, in := range r.Installs {
		fmt.Fprintln(&b, "install", in.Bundle, in.Catalog, in.Channel, in.Replaces, in.Image, in.Place, in.For)
	}
	for _, out := range r.LeftOut {
		fmt.Fprintln(&b, "left out", out.Request, out.Err)
	}
	for _, kept := range r.Kept {
		fmt.Fprintln(&b, "keep", kept.Bundle, kept.Package, kept.Version, kept.For)
	}
	for i := range r.Warnings {
		fmt.Fprintln(&b, "warning", r.Warnings[i].Kind, r.Warnings[i].Subject, r.Warnings[i].Message())
	}
	fmt.Fprintln(&b, r.Replaced, r.Unneeded, r.Approval)
	return b.String()
}

// stressInputs are clusters and sources of a few random problems, whose catalogs
// take each other's places.
func stressInputs(t *testing.T) ([]*resolver.Cluster, map[catalog.Key]*moodySource) {
	var clusters []*resolver.Cluster
	sources := map[catalog.Key]*moodySource{}
	for seed := range uint64(12) {
		in, err := asScenario(nil, random.Problem(seed)).Inputs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		clusters = append(clusters, in.Cluster)
		for c := range in.Catalogs.Catalogs() {
			key := catalog.Key{Namespace: "olm", Name: fmt.Sprintf("cat%d", len(sources)%4)}
			if sources[key] == nil {
				sources[key] = &moodySource{}
			}
			sources[key].snapshots = append(sources[key].snapshots, c.Snapshot)
		}
	}
	return clusters, sources
}
