package cache_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

func TestChanges(t *testing.T) {
	first, second := &catalog.Snapshot{}, &catalog.Snapshot{}
	refused := errors.New("connection refused")
	stale := func(err error, seconds int) error {
		at := time.Unix(0, 0)
		return &cache.StaleError{LoadedAt: at, FailedAt: at.Add(time.Duration(seconds) * time.Second), Err: err}
	}
	base := cache.Catalog{Key: coast, Snapshot: first, Labels: map[string]string{"a": "b"}}
	with := func(change func(c *cache.Catalog)) []cache.Catalog {
		c := base
		change(&c)
		return []cache.Catalog{c}
	}
	island := catalog.Key{Namespace: "olm", Name: "island"}
	failed := with(func(c *cache.Catalog) { c.Err = stale(refused, 1) })
	for _, test := range []struct {
		name     string
		from, to []cache.Catalog
		want     []catalog.Key
	}{
		{"nothing", []cache.Catalog{base}, []cache.Catalog{base}, nil},
		{"came", nil, []cache.Catalog{base}, []catalog.Key{coast}},
		{"went", []cache.Catalog{base}, nil, []catalog.Key{coast}},
		{"both, in order", []cache.Catalog{{Key: island}}, []cache.Catalog{base}, []catalog.Key{coast, island}},
		{"read anew", []cache.Catalog{base}, with(func(c *cache.Catalog) { c.Snapshot = second }), []catalog.Key{coast}},
		{"ranked", []cache.Catalog{base}, with(func(c *cache.Catalog) { c.Priority = 1 }), []catalog.Key{coast}},
		{"labeled", []cache.Catalog{base}, with(func(c *cache.Catalog) { c.Labels = nil }), []catalog.Key{coast}},
		{"failed", []cache.Catalog{base}, failed, []catalog.Key{coast}},
		{"recovered", failed, []cache.Catalog{base}, []catalog.Key{coast}},
		{"failed again", failed, with(func(c *cache.Catalog) { c.Err = stale(refused, 90) }), nil},
		{"failed otherwise", failed, with(func(c *cache.Catalog) { c.Err = stale(context.Canceled, 1) }), []catalog.Key{coast}},
		{"stale no more", failed, with(func(c *cache.Catalog) { c.Err = refused }), []catalog.Key{coast}},
		{"tried later", []cache.Catalog{base}, with(func(c *cache.Catalog) {
			c.LoadedAt, c.RetryAt, c.Failures, c.Stale = time.Unix(1, 0), time.Unix(2, 0), 3, refused
		}), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, cache.NewView(test.to).Changes(cache.NewView(test.from)))
		})
	}
}

// A watch sees what a resolution would, and is silent while catalogs are read
// again and again without a change.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fail atomic.Bool
		good := &catalog.Snapshot{}
		source := &source{load: func(context.Context) (*catalog.Snapshot, error) {
			if fail.Load() {
				return nil, errors.New("connection refused")
			}
			return good, nil
		}}
		c := cache.New(cache.CacheOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		var views []*cache.View
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for view := range c.Watch(ctx) {
				views = append(views, view)
			}
		}()
		synctest.Wait()
		require.Len(t, views, 1, "the view of now")
		assert.Empty(t, slices.Collect(views[0].Catalogs()))

		c.Set(coast, cache.CatalogConfig{Source: source})
		synctest.Wait()
		require.Len(t, views, 2)
		go c.Run(ctx, cache.Schedule{Interval: time.Minute, RetryMin: time.Second, RetryMax: 8 * time.Second})
		synctest.Wait()
		require.Len(t, views, 3)
		assert.True(t, views[2].Catalog(coast).Healthy())

		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, views, 3, "60 readings and no change")

		fail.Store(true)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, views, 4, "one failure, tried hundreds of times")
		assert.False(t, views[3].Catalog(coast).Healthy())
		assert.Greater(t, c.View().Catalog(coast).Failures, 100)

		fail.Store(false)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Len(t, views, 5)
		assert.True(t, views[4].Catalog(coast).Healthy())

		c.Remove(coast)
		synctest.Wait()
		require.Len(t, views, 6)
		cancel()
		<-ended
	})
}

func TestWatchEndsWithItsLoop(t *testing.T) {
	c := cache.New(cache.CacheOptions{})
	for range c.Watch(t.Context()) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range c.Watch(ctx) {
		t.Fatal("the context had ended")
	}
}
