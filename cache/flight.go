package cache

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/task"
)

// flight is one reading of a catalog, shared by concurrent callers. It is canceled only when
// all of them have gone. Cache.mu guards waiters.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	err     error // valid after done is closed
}

var errChanged = errors.New("the catalog was changed or removed while it was being read")

// cancelReading cancels the current reading of a catalog, if there is one. The caller holds
// the lock.
func (e *cacheEntry) cancelReading() {
	if e.flight != nil {
		e.flight.cancel()
		e.flight = nil
	}
}

// refresh joins or starts a reading of a catalog, and waits for its end.
func (c *Cache) refresh(ctx context.Context, key catalog.Key) error {
	c.mu.Lock()
	entry, ok := c.entries[key]
	if !ok {
		c.mu.Unlock()
		return errors.New("there is no such catalog")
	}
	f := entry.flight
	if f == nil {
		if entry.readers >= maxReaders {
			entry.fail(c.opts.Now(), errStuck)
			c.publish()
			c.mu.Unlock()
			return errStuck
		}
		f = c.start(ctx, entry)
	}
	f.waiters++
	c.mu.Unlock()

	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.waiters--; f.waiters == 0 && entry.flight == f {
			entry.cancelReading() // the next caller starts another one
		}
		return ctx.Err()
	}
}

// start reads a catalog on a goroutine of its own. The caller holds the lock.
func (c *Cache) start(ctx context.Context, entry *cacheEntry) *flight {
	// The reading outlives its first caller if others wait for it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{done: make(chan struct{}), cancel: cancel}
	entry.flight = f
	source, version, last := entry.config.Source, entry.version, entry.snapshot
	entry.readers++
	go func() {
		defer cancel()
		var read sourceRead
		err := task.ErrExited // remains if the source ends the goroutine
		defer func() { c.land(entry, f, read, err) }()
		err = task.Recovered(func() (err error) {
			read, err = readSource(ctx, source, version)
			if err == nil && read.snapshot != nil && c.opts.Accept != nil {
				err = c.opts.Accept(last, read.snapshot)
			}
			if err == nil && read.snapshot != nil {
				err = c.compare(ctx, entry, read.snapshot)
			}
			return err
		})
	}()
	return f
}

// maxReaders is how many readings may run in one source, where canceled ones may be stuck.
// Another one would only join them.
const maxReaders = 4

// errStuck is the error of a source with maxReaders readings.
var errStuck = errors.New("the source does not return from readings that were given up")

// fail records a failed reading. The caller holds the lock.
func (e *cacheEntry) fail(now time.Time, err error) {
	e.failures++
	if e.snapshot != nil {
		err = &StaleError{LoadedAt: e.loadedAt, FailedAt: now, Err: err}
	}
	e.err = err
}

// land publishes the result of a reading, unless the catalog was changed or removed, or the
// reading canceled.
func (c *Cache) land(entry *cacheEntry, f *flight, read sourceRead, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(f.done)
	entry.readers--
	if entry.flight != f {
		f.err = errChanged
		return
	}
	f.err = err
	entry.flight = nil
	now := c.opts.Now()
	if err != nil {
		entry.fail(now, err)
	} else {
		if read.snapshot != nil {
			entry.snapshot, entry.version = c.shared(entry, read.snapshot), read.version
		}
		entry.loadedAt, entry.err, entry.failures = now, nil, 0
	}
	c.publish()
}

// compare prepares a snapshot and those that may be equal for shared, which must not take long.
func (c *Cache) compare(ctx context.Context, entry *cacheEntry, s *catalog.Snapshot) error {
	list := []*catalog.Snapshot{s}
	c.mu.Lock()
	alone := len(c.entries) == 1
	for _, e := range c.entries {
		if e != entry && mayEqual(e.snapshot, s) {
			list = append(list, e.snapshot)
		}
	}
	c.mu.Unlock()
	for i := 0; i < len(list) && !alone; i++ {
		if _, err := list[i].Content(ctx); err != nil {
			return err
		}
	}
	return nil
}

// shared returns the snapshot of another catalog if that is equal: one catalog under several
// names, or of several clusters, is held once. The caller holds the lock.
func (c *Cache) shared(of *cacheEntry, s *catalog.Snapshot) *catalog.Snapshot {
	for _, e := range c.entries {
		if e != of && mayEqual(e.snapshot, s) && known(e.snapshot) == known(s) && known(s) != "" {
			return e.snapshot
		}
	}
	return s
}

// mayEqual reports whether comparing two snapshots is worth while. Faults must be in equal files:
// they name them.
func mayEqual(a, b *catalog.Snapshot) bool {
	return a != nil && a != b && a.Len() == b.Len() && slices.Equal(a.Faults(), b.Faults())
}

// known returns the digest of a snapshot if it was made already, else nothing.
func known(s *catalog.Snapshot) string {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	content, _ := s.Content(ended)
	return content
}
