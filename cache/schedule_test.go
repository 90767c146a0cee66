package cache_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// source is a Source made of functions.
type source struct {
	load    func(ctx context.Context) (*catalog.Snapshot, error)
	version func() string
}

func (s *source) Load(ctx context.Context) (*catalog.Snapshot, error) { return s.load(ctx) }
func (s *source) Version(context.Context) (string, error) {
	if s.version == nil {
		return "", nil
	}
	return s.version(), nil
}

var coast = catalog.Key{Namespace: "olm", Name: "coast"}

func TestRunReadsAndRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := &catalog.Snapshot{}
		fault := errors.New("connection refused")
		var fail atomic.Bool
		var loads atomic.Int64
		c := cache.New(cache.CacheOptions{})
		c.Set(coast, cache.CatalogConfig{Source: &source{load: func(context.Context) (*catalog.Snapshot, error) {
			loads.Add(1)
			if fail.Load() {
				return nil, fault
			}
			return good, nil
		}}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- c.Run(ctx, cache.Schedule{Interval: time.Minute, RetryMin: time.Second, RetryMax: 8 * time.Second})
		}()
		synctest.Wait()
		held := c.View().Catalog(coast)
		assert.True(t, held.Healthy())
		assert.Equal(t, time.Now().Add(time.Minute), held.RetryAt)
		loaded := held.LoadedAt

		fail.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		for failures, wait := range []time.Duration{1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 4: 8 * time.Second, 5: 8 * time.Second} {
			if failures == 0 {
				continue
			}
			held = c.View().Catalog(coast)
			assert.Equal(t, failures, held.Failures)
			assert.Same(t, good, held.Snapshot, "the last good one is kept")
			assert.Equal(t, loaded, held.LoadedAt)
			assert.ErrorIs(t, held.Stale, fault)
			left := time.Until(held.RetryAt)
			assert.GreaterOrEqual(t, left, wait)
			assert.LessOrEqual(t, left, wait+wait/10)
			time.Sleep(left)
			synctest.Wait()
		}
		fail.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		held = c.View().Catalog(coast)
		assert.True(t, held.Healthy())
		assert.Zero(t, held.Failures)

		// One that is added later is read, one that is removed is not any more.
		other := catalog.Key{Name: "other"}
		c.Set(other, cache.CatalogConfig{Source: testkit.Static(good)})
		synctest.Wait()
		assert.True(t, c.View().Catalog(other).Healthy())
		c.Remove(coast)
		before := loads.Load()
		time.Sleep(time.Hour)
		assert.Equal(t, before, loads.Load())
		cancel()
		assert.ErrorIs(t, <-done, context.Canceled)
	})
}

// A source that hangs holds up no other, and piles up no goroutines.
func TestRunWithASourceThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		var inside atomic.Int64
		c := cache.New(cache.CacheOptions{})
		c.Set(coast, cache.CatalogConfig{Source: &source{load: func(context.Context) (*catalog.Snapshot, error) {
			inside.Add(1)
			<-stuck
			return &catalog.Snapshot{}, nil
		}}})
		other := catalog.Key{Name: "other"}
		c.Set(other, cache.CatalogConfig{Source: testkit.Static(&catalog.Snapshot{})})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx, cache.Schedule{Timeout: time.Minute}) }()
		synctest.Wait()
		assert.True(t, c.View().Catalog(other).Healthy())
		time.Sleep(90 * time.Second)
		assert.ErrorContains(t, c.View().Catalog(coast).Err, "did not answer in time")
		time.Sleep(5 * time.Hour)
		assert.EqualValues(t, 4, inside.Load())
		assert.ErrorContains(t, c.View().Catalog(coast).Err, "does not return from readings")
		close(stuck)
		time.Sleep(time.Hour)
		assert.True(t, c.View().Catalog(coast).Healthy())
		cancel()
		<-done
	})
}

// A catalog that changes while it is read is read again, and what may be a
// mixture is not used.
func TestChangesWhileReading(t *testing.T) {
	var loads, changes int
	state := 0
	s := &source{
		load: func(context.Context) (*catalog.Snapshot, error) {
			loads++
			if changes > 0 {
				changes--
				state++
			}
			return &catalog.Snapshot{}, nil
		},
		version: func() string { return string(rune('a' + state)) },
	}
	c := cache.New(cache.CacheOptions{})
	c.Set(coast, cache.CatalogConfig{Source: s})
	changes = 1
	require.NoError(t, c.Refresh(t.Context()))
	assert.Equal(t, 2, loads)
	kept := c.View().Catalog(coast).Snapshot
	require.NoError(t, c.Refresh(t.Context()))
	assert.Equal(t, 2, loads, "nothing has changed")

	state, changes = state+1, 100
	require.ErrorContains(t, c.Refresh(t.Context()), "kept changing while it was read")
	assert.Same(t, kept, c.View().Catalog(coast).Snapshot)
	changes = 0
	require.NoError(t, c.Refresh(t.Context()))
	assert.NotSame(t, kept, c.View().Catalog(coast).Snapshot)
}

func TestHalfACatalogIsRefused(t *testing.T) {
	const whole = `{"schema":"olm.package","name":"p"}{"schema":"olm.package","name":"q"}`
	text := whole
	c := cache.New(cache.CacheOptions{Accept: cache.RefuseDamaged})
	c.Set(coast, cache.CatalogConfig{Source: &source{load: func(ctx context.Context) (*catalog.Snapshot, error) {
		return cache.Parse(ctx, []byte(text), cache.Options{})
	}}})
	require.NoError(t, c.Refresh(t.Context()))
	kept := c.View().Catalog(coast).Snapshot
	text = whole[:len(whole)-10]
	assert.ErrorContains(t, c.Refresh(t.Context()), "ends in the middle")
	assert.Same(t, kept, c.View().Catalog(coast).Snapshot)
	assert.Error(t, c.View().Catalog(coast).Stale)
}
