package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/task"
)

// CatalogConfig is the source, the priority and the labels of a catalog.
type CatalogConfig struct {
	Source   Source
	Priority int
	Labels   map[string]string
}

// CacheOptions are the options of a [Cache]. The zero value works.
type CacheOptions struct {
	// MaxStale is how long a catalog with a failing source stays healthy on its last
	// snapshot. The default is zero, because an old catalog may offer withdrawn bundles.
	MaxStale time.Duration
	// Accept, if set, judges the snapshot next before it replaces last, which is nil the
	// first time. An error keeps last. [RefuseDamaged] is an example. Accept must not call
	// the Cache.
	Accept func(last, next *catalog.Snapshot) error
	// Workers is how many catalogs Refresh reads concurrently; default 4.
	Workers int
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// Cache keeps catalogs and refreshes them. It is safe for any number of goroutines, and
// holds no lock while it reads a source.
type Cache struct {
	opts CacheOptions
	view atomic.Pointer[View]

	mu      sync.Mutex
	entries map[catalog.Key]*cacheEntry
	// published is closed when the next view is published.
	published chan struct{}
}

// cacheEntry is a catalog of a Cache. Its fields are guarded by Cache.mu.
type cacheEntry struct {
	config   CatalogConfig
	snapshot *catalog.Snapshot
	version  string // of the source when the snapshot was read
	loadedAt time.Time
	err      error // of the last attempt
	failures int   // in a row
	retryAt  time.Time
	readers  int // goroutines that read the source
	flight   *flight
}

// ErrNotLoaded is the error of a catalog that has not been read yet.
var ErrNotLoaded = errors.New("the catalog has not been read yet")

// StaleError is the error of a catalog that was read before, but whose source fails now.
type StaleError struct {
	// LoadedAt is the time of the last reading, FailedAt that of the failure.
	LoadedAt, FailedAt time.Time
	Err                error
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("the catalog cannot be read: %v; what was read %s before that is still known",
		e.Err, e.FailedAt.Sub(e.LoadedAt).Round(time.Second))
}

func (e *StaleError) Unwrap() error { return e.Err }

// New returns an empty Cache.
func New(opts CacheOptions) *Cache {
	if opts.Workers <= 0 {
		opts.Workers = 4
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	c := &Cache{opts: opts, entries: map[catalog.Key]*cacheEntry{}, published: make(chan struct{})}
	c.view.Store(NewView(nil))
	return c
}

// View returns the catalogs as they are now. It never waits for a source.
func (c *Cache) View() *View {
	if c.opts.MaxStale > 0 {
		// Catalogs of the last view may have become too old.
		c.mu.Lock()
		defer c.mu.Unlock()
		c.publish()
	}
	return c.view.Load()
}

// Set adds or changes a catalog. With the same source it keeps its snapshot. Otherwise the
// next Refresh reads it.
func (c *Cache) Set(key catalog.Key, config CatalogConfig) {
	config.Labels = maps.Clone(config.Labels)
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry, ok := c.entries[key]; ok && sameSource(entry.config.Source, config.Source) {
		entry.config = config
	} else {
		if ok {
			entry.cancelReading()
		}
		c.entries[key] = &cacheEntry{config: config, err: ErrNotLoaded}
	}
	c.publish()
}

// Remove removes a catalog, and reports whether it was there.
func (c *Cache) Remove(key catalog.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[key]
	if !ok {
		return false
	}
	entry.cancelReading()
	delete(c.entries, key)
	c.publish()
	return true
}

// Refresh reads the catalogs with the keys, or all catalogs without any key. Concurrent
// callers share one reading of a catalog. A catalog that cannot be read keeps its last
// snapshot, and the errors of these catalogs are joined in the order of keys.
func (c *Cache) Refresh(ctx context.Context, keys ...catalog.Key) error {
	if len(keys) == 0 {
		c.mu.Lock()
		keys = slices.Collect(maps.Keys(c.entries))
		c.mu.Unlock()
	}
	keys = slices.Clone(keys)
	slices.SortFunc(keys, catalog.Key.Compare)
	keys = slices.Compact(keys)
	errs := make([]error, len(keys))
	err := task.ForEach(ctx, len(keys), c.opts.Workers, func(ctx context.Context, i int) error {
		if err := c.refresh(ctx, keys[i]); err != nil {
			errs[i] = fmt.Errorf("catalog %s: %w", keys[i], err)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// publish publishes a view of the entries. The caller holds the lock.
func (c *Cache) publish() {
	catalogs := make([]Catalog, 0, len(c.entries))
	for key, entry := range c.entries {
		catalog := Catalog{
			Key: key, Priority: entry.config.Priority, Labels: entry.config.Labels,
			Snapshot: entry.snapshot, LoadedAt: entry.loadedAt, Err: c.health(entry),
			Failures: entry.failures, RetryAt: entry.retryAt,
		}
		if entry.snapshot != nil {
			catalog.Stale = entry.err
		}
		catalogs = append(catalogs, catalog)
	}
	c.view.Store(NewView(catalogs))
	close(c.published)
	c.published = make(chan struct{})
}

// health returns the error of an entry, nil while MaxStale tolerates it.
func (c *Cache) health(entry *cacheEntry) error {
	if _, ok := entry.err.(*StaleError); ok && c.opts.MaxStale > 0 && c.opts.Now().Sub(entry.loadedAt) <= c.opts.MaxStale {
		return nil
	}
	return entry.err
}

func sameSource(a, b Source) bool {
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) &&
		reflect.ValueOf(a).Comparable() && a == b
}

// RefuseDamaged is a [CacheOptions].Accept. It refuses a snapshot with unreadable files if
// the last one had none: these are signs of half a catalog.
func RefuseDamaged(last, next *catalog.Snapshot) error {
	if damage := damageOf(next); damage != nil && last != nil && damageOf(last) == nil {
		return &catalog.FaultsError{Faults: damage}
	}
	return nil
}

// damageOf returns the faults of files that cannot be read to their ends.
func damageOf(s *catalog.Snapshot) []catalog.Fault {
	var damage []catalog.Fault
	for _, f := range s.Faults() {
		if slices.Contains([]catalog.Code{code.Syntax, code.UnreadableFile}, f.Code) && f.Severity == catalog.Error {
			damage = append(damage, f)
		}
	}
	return damage
}
