package cache

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/task"
)

// Schedule is when [Cache.Run] reads catalogs. The zero value works.
type Schedule struct {
	// Interval is the time between successful readings; default 10 minutes.
	Interval time.Duration
	// Timeout is how long one reading may take; default 5 minutes. Then it is canceled.
	Timeout time.Duration
	// RetryMin is the wait after a failed reading; default 1 second. It doubles with each
	// further failure, up to RetryMax; default 5 minutes. Up to a tenth is added at random,
	// so that not all catalogs retry at once.
	RetryMin, RetryMax time.Duration
}

func (s Schedule) withDefaults() Schedule {
	s.Interval = cmp.Or(max(s.Interval, 0), 10*time.Minute)
	s.Timeout = cmp.Or(max(s.Timeout, 0), 5*time.Minute)
	s.RetryMin = cmp.Or(max(s.RetryMin, 0), time.Second)
	s.RetryMax = cmp.Or(max(s.RetryMax, 0), 5*time.Minute)
	return s
}

// wait returns the wait after a number of failures in a row.
func (s Schedule) wait(failures int) time.Duration {
	if failures == 0 {
		return s.Interval
	}
	d := min(s.RetryMin, s.RetryMax)
	for ; failures > 1 && d < s.RetryMax; failures-- {
		d = min(2*d, s.RetryMax)
	}
	return d + rand.N(d/10+1)
}

// Run reads all catalogs again and again until ctx ends, also those that are added later.
// No catalog waits for another one. Run returns the error of ctx. It leaves no goroutine
// behind, except in a source that ignores its context.
func (c *Cache) Run(ctx context.Context, schedule Schedule) error {
	schedule = schedule.withDefaults()
	var readers sync.WaitGroup
	defer readers.Wait()
	running := map[*cacheEntry]context.CancelFunc{}
	for ctx.Err() == nil {
		entries, published := c.state()
		for entry, stop := range running {
			if _, ok := entries[entry]; !ok {
				stop()
				delete(running, entry)
			}
		}
		for entry, key := range entries {
			if running[entry] == nil {
				ctx, stop := context.WithCancel(ctx)
				running[entry] = stop
				readers.Go(func() { c.keepFresh(ctx, key, entry, schedule) })
			}
		}
		select {
		case <-ctx.Done():
		case <-published:
		}
	}
	return ctx.Err()
}

// state returns the catalogs, and a channel that is closed when the next view is published.
func (c *Cache) state() (map[*cacheEntry]catalog.Key, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := make(map[*cacheEntry]catalog.Key, len(c.entries))
	for key, entry := range c.entries {
		entries[entry] = key
	}
	return entries, c.published
}

// Watch walks views of the catalogs until ctx ends: first the current one, then each that
// has Changes against the one before. It skips views that are published faster than the
// caller takes them. That a catalog is older than [CacheOptions].MaxStale shows after the
// next attempt to read it.
func (c *Cache) Watch(ctx context.Context) iter.Seq[*View] {
	return func(yield func(*View) bool) {
		var last *View
		for ctx.Err() == nil {
			// The channel comes first, so that no view in between is missed.
			_, published := c.state()
			if view := c.view.Load(); last == nil || len(view.Changes(last)) > 0 {
				if last = view; !yield(view) {
					return
				}
			}
			select {
			case <-ctx.Done():
			case <-published:
			}
		}
	}
}

// keepFresh reads one catalog again and again until ctx ends.
func (c *Cache) keepFresh(ctx context.Context, key catalog.Key, entry *cacheEntry, schedule Schedule) {
	for ctx.Err() == nil {
		attempt, cancel := context.WithTimeoutCause(ctx, schedule.Timeout, errTimeout)
		_ = c.refresh(attempt, key)
		timedOut := attempt.Err() != nil && ctx.Err() == nil
		cancel()
		task.Sleep(ctx, c.attempted(entry, timedOut, schedule))
	}
}

// attempted records a reading that timed out, and returns the wait before the next one.
func (c *Cache) attempted(entry *cacheEntry, timedOut bool, schedule Schedule) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if timedOut {
		entry.fail(c.opts.Now(), errTimeout)
	}
	wait := schedule.wait(entry.failures)
	entry.retryAt = c.opts.Now().Add(wait)
	c.publish()
	return wait
}
