package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// sourceFunc is a Source whose pointer identifies it.
type sourceFunc struct {
	load func(ctx context.Context) (*catalog.Snapshot, error)
}

func (s *sourceFunc) Load(ctx context.Context) (*catalog.Snapshot, error) { return s.load(ctx) }

var community = catalog.Key{Namespace: "olm", Name: "community"}

func TestCacheServesWhatWasRead(t *testing.T) {
	snapshot := parse(t, etcd)
	c := New(CacheOptions{})
	assert.Empty(t, slices.Collect(c.View().Catalogs()))

	labels := map[string]string{"a": "b"}
	c.Set(community, CatalogConfig{Source: testkit.Static(snapshot), Priority: 7, Labels: labels})
	labels["a"] = "changed"
	before := c.View()
	assert.ErrorIs(t, before.Catalog(community).Err, ErrNotLoaded)
	assert.False(t, before.Catalog(community).Healthy())

	require.NoError(t, c.Refresh(t.Context()))
	got := c.View().Catalog(community)
	assert.Same(t, snapshot, got.Snapshot)
	assert.Equal(t, 7, got.Priority)
	assert.Equal(t, map[string]string{"a": "b"}, got.Labels)
	assert.True(t, got.Healthy())
	assert.Nil(t, before.Catalog(community).Snapshot, "a view never changes")

	// What stays the same need not be read again.
	c.Set(community, CatalogConfig{Source: testkit.Static(snapshot), Priority: 8})
	assert.Equal(t, 8, c.View().Catalog(community).Priority)
	assert.True(t, c.View().Catalog(community).Healthy())
	c.Set(community, CatalogConfig{Source: failed(errors.New("x"))})
	assert.ErrorIs(t, c.View().Catalog(community).Err, ErrNotLoaded)

	assert.True(t, c.Remove(community))
	assert.False(t, c.Remove(community))
	assert.Nil(t, c.View().Catalog(community))
	assert.EqualError(t, c.Refresh(t.Context(), community), "catalog olm/community: there is no such catalog")
}

// TestEqualCatalogsAreHeldOnce: whichever is read first, and also side by side. Those with
// faults in other lines are not.
func TestEqualCatalogsAreHeldOnce(t *testing.T) {
	source := func(text string) Source {
		return &sourceFunc{func(ctx context.Context) (*catalog.Snapshot, error) { return Parse(ctx, []byte(text), Options{}) }}
	}
	for _, together := range []bool{true, false} {
		faulty := etcd + "---\n{schema: olm.bundle, package: none, name: x}\n"
		for _, test := range []struct {
			text, before string
			held         int
		}{{etcd, "", 2}, {etcd, "\n", 2}, {faulty, "", 2}, {faulty, "\n", 4}} {
			c := New(CacheOptions{})
			for i, name := range []string{"a", "b", "c"} {
				c.Set(catalog.Key{Name: name}, CatalogConfig{Source: source(strings.Repeat(test.before, i) + test.text)})
				if !together {
					require.NoError(t, c.Refresh(t.Context()))
				}
			}
			c.Set(catalog.Key{Name: "other"}, CatalogConfig{Source: source(strings.ReplaceAll(test.text, "etcd", "atcd"))})
			require.NoError(t, c.Refresh(t.Context()))
			held := map[*catalog.Snapshot]bool{}
			for of := range c.View().Catalogs() {
				require.NotNil(t, of.Snapshot)
				held[of.Snapshot] = true
			}
			assert.Len(t, held, test.held)
		}
	}
}

func TestCacheKeepsTheLastGoodSnapshot(t *testing.T) {
	for name, test := range map[string]struct {
		maxStale time.Duration
		healthy  []bool // 1 and 3 hours after the last reading that worked
	}{
		"strict":  {0, []bool{false, false}},
		"patient": {2 * time.Hour, []bool{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
			var fail error
			snapshot := parse(t, etcd)
			c := New(CacheOptions{MaxStale: test.maxStale, Now: func() time.Time { return now }})
			c.Set(community, CatalogConfig{Source: &sourceFunc{func(context.Context) (*catalog.Snapshot, error) { return snapshot, fail }}})
			require.NoError(t, c.Refresh(t.Context()))
			loaded := now

			fail = errors.New("connection refused")
			now = now.Add(time.Hour)
			assert.EqualError(t, c.Refresh(t.Context()), "catalog olm/community: connection refused")
			got := c.View().Catalog(community)
			assert.Same(t, snapshot, got.Snapshot)
			assert.Equal(t, loaded, got.LoadedAt)
			assert.EqualError(t, got.Stale, "the catalog cannot be read: connection refused; what was read 1h0m0s before that is still known")
			assert.ErrorIs(t, got.Stale, fail)
			assert.Equal(t, test.healthy[0], got.Healthy())

			now = now.Add(2 * time.Hour)
			assert.Equal(t, test.healthy[1], c.View().Catalog(community).Healthy())

			fail = nil
			require.NoError(t, c.Refresh(t.Context()))
			got = c.View().Catalog(community)
			assert.True(t, got.Healthy())
			assert.NoError(t, got.Stale)
		})
	}
}

func TestRefreshJoinsErrorsByKey(t *testing.T) {
	c := New(CacheOptions{})
	c.Set(catalog.Key{Namespace: "b", Name: "x"}, CatalogConfig{Source: failed(errors.New("second"))})
	c.Set(catalog.Key{Namespace: "a", Name: "x"}, CatalogConfig{Source: failed(errors.New("first"))})
	c.Set(catalog.Key{Namespace: "c", Name: "x"}, CatalogConfig{})
	c.Set(catalog.Key{Namespace: "d", Name: "x"}, CatalogConfig{Source: &sourceFunc{func(context.Context) (*catalog.Snapshot, error) { panic("oops") }}})
	c.Set(catalog.Key{Namespace: "", Name: "e"}, CatalogConfig{Source: &sourceFunc{func(context.Context) (*catalog.Snapshot, error) { return nil, nil }}})
	assert.EqualError(t, c.Refresh(t.Context()), "catalog e: the source returned nothing\ncatalog a/x: first\ncatalog b/x: second\n"+
		"catalog c/x: the catalog has no source\ncatalog d/x: panic while reading the catalog: oops")
}

func TestRefreshIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loads atomic.Int32
		release := make(chan struct{})
		c := New(CacheOptions{})
		c.Set(community, CatalogConfig{Source: &sourceFunc{func(ctx context.Context) (*catalog.Snapshot, error) {
			loads.Add(1)
			select {
			case <-release:
				return &catalog.Snapshot{}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}})
		first, cancel := context.WithCancel(t.Context())
		go func() { assert.ErrorIs(t, c.Refresh(first, community), context.Canceled) }()
		synctest.Wait()
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() { assert.NoError(t, c.Refresh(t.Context(), community)) })
		}
		synctest.Wait()
		cancel() // the one who started it leaves, the others still wait
		synctest.Wait()
		close(release)
		wait.Wait()
		assert.EqualValues(t, 1, loads.Load())
		assert.True(t, c.View().Catalog(community).Healthy())
	})
}

func TestRefreshReturnsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		var loads atomic.Int32
		c := New(CacheOptions{})
		c.Set(community, CatalogConfig{Source: &sourceFunc{func(context.Context) (*catalog.Snapshot, error) {
			if loads.Add(1) == 1 {
				<-stuck // deaf to its context
			}
			return &catalog.Snapshot{}, nil
		}}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.ErrorIs(t, c.Refresh(ctx, community), context.DeadlineExceeded)
		assert.NoError(t, c.Refresh(t.Context(), community), "a new call does not wait for one that was given up")
		close(stuck)
	})
}

func TestChangeWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, current := &catalog.Snapshot{}, &catalog.Snapshot{}
		release := make(chan struct{})
		c := New(CacheOptions{})
		c.Set(community, CatalogConfig{Source: &sourceFunc{func(context.Context) (*catalog.Snapshot, error) { <-release; return old, nil }}})
		go func() { assert.ErrorIs(t, c.Refresh(t.Context()), errChanged) }()
		synctest.Wait()
		c.Set(community, CatalogConfig{Source: testkit.Static(current)})
		require.NoError(t, c.Refresh(t.Context()))
		close(release)
		synctest.Wait()
		assert.Same(t, current, c.View().Catalog(community).Snapshot)
	})
}

func TestFSSourceReadsAgainOnlyWhenChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "catalog.yaml")
	require.NoError(t, os.WriteFile(path, []byte(etcd), 0o644))
	c := New(CacheOptions{})
	c.Set(community, CatalogConfig{Source: FS(os.DirFS(dir), Options{})})
	read := func() *catalog.Snapshot {
		require.NoError(t, c.Refresh(t.Context()))
		return c.View().Catalog(community).Snapshot
	}
	first := read()
	assert.Equal(t, 4, first.Len())
	assert.Same(t, first, read())

	require.NoError(t, os.WriteFile(path, nil, 0o644))
	assert.Zero(t, read().Len())
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".indexignore"), []byte("*\n"), 0o644))
	assert.Zero(t, read().Len())
}

func TestFilesWithoutTimesAreAlwaysRead(t *testing.T) {
	source := FS(files("-- a.yaml --\n"+etcd), Options{}).(Versioned)
	version, err := source.Version(t.Context())
	require.NoError(t, err)
	assert.Empty(t, version)
}

func TestNewViewSortsAndKeepsTheLast(t *testing.T) {
	v := NewView([]Catalog{{Key: catalog.Key{Namespace: "b", Name: "b"}}, {Key: catalog.Key{Namespace: "", Name: "z"}}, {Key: catalog.Key{Namespace: "b", Name: "a"}}, {Key: catalog.Key{Namespace: "b", Name: "b"}, Priority: 3}})
	var keys []string
	for c := range v.Catalogs() {
		keys = append(keys, c.Key.String())
	}
	assert.Equal(t, []string{"z", "b/a", "b/b"}, keys)
	assert.Equal(t, 3, v.Catalog(catalog.Key{Namespace: "b", Name: "b"}).Priority)
	assert.Nil(t, v.Catalog(catalog.Key{Namespace: "b", Name: "c"}))
}

// TestCacheRace is for the race detector.
func TestCacheRace(t *testing.T) {
	snapshot := parse(t, etcd)
	c := New(CacheOptions{MaxStale: time.Hour})
	keys := []catalog.Key{{Namespace: "", Name: "a"}, {Namespace: "n", Name: "b"}, {Namespace: "n", Name: "c"}}
	var wait sync.WaitGroup
	for worker := range 6 {
		wait.Go(func() {
			for i := range 50 {
				key := keys[(worker+i)%len(keys)]
				switch (worker + i) % 5 {
				case 0:
					c.Set(key, CatalogConfig{Source: testkit.Static(snapshot), Priority: i})
				case 1:
					c.Set(key, CatalogConfig{Source: &sourceFunc{func(ctx context.Context) (*catalog.Snapshot, error) {
						return LoadFS(ctx, files("-- a.yaml --\n"+etcd), Options{})
					}}})
				case 2:
					_ = c.Refresh(t.Context())
				case 3:
					c.Remove(key)
				}
				for catalog := range c.View().Catalogs() {
					if catalog.Healthy() {
						catalog.Snapshot.Named("etcd.v1")
						_, err := catalog.Snapshot.Matches(t.Context(), constraints.CEL{Rule: rule(t, `size(properties) > 1`)}, catalogFacts(i))
						assert.NoError(t, err)
					}
				}
			}
		})
	}
	wait.Wait()
}

func catalogFacts(i int) rules.Facts {
	return rules.Facts{Namespace: string(rune('a' + i%3))}
}
