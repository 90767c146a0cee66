package resolver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// moodySource returns what next does, or fails, panics, ends its goroutine, or hangs
// until it is given up.
type moodySource struct {
	next  func(ctx context.Context, n uint64) (*catalog.Snapshot, error)
	calls atomic.Uint64
}

func (s *moodySource) Load(ctx context.Context) (*catalog.Snapshot, error) {
	n := s.calls.Add(1)
	switch n % 8 {
	case 3:
		return nil, errors.New("connection refused")
	case 4:
		runtime.Goexit()
	case 5:
		panic("a source of the caller's")
	case 6:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.next(ctx, n)
}

// world is a cluster with catalogs that change, and always have an answer.
type world struct {
	*scenario.Question
	shared *resolver.Resolver
	cache  *cache.Cache
	keys   []catalog.Key
	source map[catalog.Key]*moodySource
}

// answer resolves the namespace of random problems.
func (w *world) answer(ctx context.Context, r *resolver.Resolver, view *cache.View) (text string, resolved bool) {
	problem := resolver.Problem{Cluster: w.Problem.Cluster, Catalogs: view, Options: w.Problem.Options}
	resolution, err := r.Resolve(ctx, problem, cluster.InNamespace("operators"))
	return outcomeText(resolution, err), err == nil && len(resolution.Installs) > 0
}

// refresh reads a catalog until that works, each time for longer: a source may never end, and a
// slow machine takes long.
func (w *world) refresh(ctx context.Context, key catalog.Key) {
	for n := range 64 {
		attempt, cancel := context.WithTimeout(ctx, time.Duration(n+1)*10*time.Millisecond)
		err := w.cache.Refresh(attempt, key)
		cancel()
		if err == nil {
			return
		}
	}
}

func (w *world) set(key catalog.Key, priority int) {
	w.cache.Set(key, cache.CatalogConfig{Source: w.source[key], Priority: priority})
}

// worlds makes n worlds of random problems that install something: with what the
// catalogs say, and with one requirement less. With fresh, they are read anew each
// time, else they are the same few snapshots.
func worlds(t *testing.T, n int, fresh bool) (list []*world) {
	for seed := uint64(0); len(list) < n; seed++ {
		p := random.Problem(seed)
		fewer := p.Clone()
		if !random.DropRequirement(fewer, rand.New(rand.NewPCG(seed, 0))) {
			continue
		}
		var variants []*scenario.Question
		read := func(ctx context.Context, p *oracle.Problem) *scenario.Question {
			in, err := asScenario(nil, p).Question(ctx)
			if err != nil {
				return nil
			}
			return in
		}
		w := &world{source: map[catalog.Key]*moodySource{}}
		for _, p := range []*oracle.Problem{p, fewer} {
			in := read(t.Context(), p)
			w.Question = cmp.Or(w.Question, in)
			if _, resolved := w.answer(t.Context(), resolver.New(), in.Problem.Catalogs); resolved {
				variants = append(variants, in)
			}
		}
		if len(variants) < 2 || slices.ContainsFunc(slices.Collect(w.Problem.Catalogs.Catalogs()), func(c *cache.Catalog) bool { return c.Snapshot == nil }) {
			continue
		}
		w.shared, w.cache = resolver.New(), cache.New(cache.CacheOptions{MaxStale: time.Hour})
		for c := range w.Problem.Catalogs.Catalogs() {
			w.keys = append(w.keys, c.Key)
			w.source[c.Key] = &moodySource{next: func(ctx context.Context, n uint64) (*catalog.Snapshot, error) {
				in := variants[n%2]
				if fresh {
					in = read(ctx, []*oracle.Problem{p, fewer}[n%2])
				}
				if in == nil {
					return nil, ctx.Err()
				}
				return in.Problem.Catalogs.Catalog(c.Key).Snapshot, nil
			}}
			w.set(c.Key, c.Priority)
			w.refresh(t.Context(), c.Key)
		}
		list = append(list, w)
	}
	return list
}

// TestStress resolves from hundreds of goroutines while catalogs are replaced,
// fail, recover and disappear: every answer is the one of the view that it was
// given.
func TestStress(t *testing.T) {
	const goroutines = 300
	rounds := testkit.Scale(4, 12)
	worlds := worlds(t, 12, false)
	var (
		wanted             sync.Map // answers of a Resolver that knows nothing else, by problem
		compared, resolved atomic.Int64
		workers            sync.WaitGroup
	)
	for g := range goroutines {
		workers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 0))
			for range rounds {
				at := random.IntN(len(worlds))
				w := worlds[at]
				key, gone := w.keys[random.IntN(len(w.keys))], false
				switch n := random.IntN(100); {
				case n < 5:
					w.set(key, random.IntN(3))
				case n < 6:
					w.cache.Remove(key)
					gone = true
				case n < 40:
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(3000))*time.Microsecond)
					_ = w.cache.Refresh(ctx, key)
					cancel()
				}
				view := w.cache.View()
				got, ok := w.answer(t.Context(), w.shared, view)
				if ok {
					resolved.Add(1)
				}
				id := fmt.Sprint(at, viewText(view))
				want, ok := wanted.Load(id)
				if !ok {
					text, _ := w.answer(t.Context(), resolver.New(), view)
					want, _ = wanted.LoadOrStore(id, text)
				}
				compared.Add(1)
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if gone {
					w.set(key, 0)
					w.refresh(t.Context(), key)
				}
			}
		})
	}
	workers.Wait()
	distinct := 0
	wanted.Range(func(any, any) bool { distinct++; return true })
	t.Logf("%d goroutines, %d answers to %d problems compared, %d of them resolved", goroutines, compared.Load(), distinct, resolved.Load())
	assert.Greater(t, distinct, 20)
	assert.Greater(t, 2*resolved.Load(), compared.Load())
}

// TestRefreshesDoNotGrow reads catalogs again and again, with a resolution after each
// reading: memory and goroutines are the same after all of them as after a tenth.
func TestRefreshesDoNotGrow(t *testing.T) {
	refreshes := testkit.Scale(300, 10_000)
	worlds := worlds(t, 3, true)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what finalizers and pools let go
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var early uint64
	var goroutines, resolved int
	for n := range refreshes {
		w := worlds[n%len(worlds)]
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		_ = w.cache.Refresh(ctx, w.keys[n%len(w.keys)])
		cancel()
		if _, ok := w.answer(t.Context(), w.shared, w.cache.View()); ok {
			resolved++
		}
		if n == refreshes/10 {
			early, goroutines = heap(), runtime.NumGoroutine()
		}
	}
	late := heap()
	t.Logf("%d refreshes, %d resolved: %d and %d KiB, %d and %d goroutines", refreshes, resolved, early>>10, late>>10, goroutines, runtime.NumGoroutine())
	assert.Equal(t, refreshes, resolved)
	assert.Less(t, late, early+early/10+512<<10)
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines+10) // some readings are still being given up
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
		fmt.Fprintln(&b, "install", in.Bundle.Name, in.Bundle.Catalog, in.Channel, in.Replaces, in.Image, in.Place, in.For)
	}
	for _, out := range r.LeftOut {
		fmt.Fprintln(&b, "left out", out.Request, out.Err)
	}
	for _, kept := range r.Kept {
		fmt.Fprintln(&b, "keep", kept.Bundle.Name, kept.Bundle.Package, kept.Version.String(), kept.For)
	}
	for i := range r.Warnings {
		fmt.Fprintln(&b, "warning", r.Warnings[i].Kind(), r.Warnings[i].Args().Subject, r.Warnings[i].Message())
	}
	fmt.Fprintln(&b, r.Replaced, r.Unneeded, r.Approval)
	return b.String()
}
