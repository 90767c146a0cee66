package cache

import (
	"context"
	"errors"
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
			entry.snapshot, entry.version = read.snapshot, read.version
		}
		entry.loadedAt, entry.err, entry.failures = now, nil, 0
	}
	c.publish()
}
