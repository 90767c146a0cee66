package cache

import (
	"context"
	"errors"
	"fmt"
)

// flight is one reading of a catalog, for all who ask for it meanwhile. It ends
// early only when all of them have gone. Its waiters are guarded by
// Cache.mu.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	err     error // valid once done is closed
}

var errChanged = errors.New("the catalog was changed or removed while it was being read")

// giveUp ends the reading of a catalog whose result is not wanted any more. The
// caller holds the lock.
func (e *cacheEntry) giveUp() {
	if e.flight != nil {
		e.flight.cancel()
		e.flight = nil
	}
}

// refresh joins or starts the reading of a catalog and waits for its end.
func (c *Cache) refresh(ctx context.Context, key Key) error {
	c.mu.Lock()
	entry, ok := c.entries[key]
	if !ok {
		c.mu.Unlock()
		return errors.New("there is no such catalog")
	}
	f := entry.flight
	if f == nil {
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
			entry.giveUp() // who asks now starts anew
		}
		return ctx.Err()
	}
}

// start reads a catalog on a goroutine of its own. The caller holds the lock.
func (c *Cache) start(ctx context.Context, entry *cacheEntry) *flight {
	// The reading outlives the caller who started it if others wait for it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{done: make(chan struct{}), cancel: cancel}
	entry.flight = f
	source, version := entry.config.Source, entry.version
	go func() {
		defer cancel()
		read, err := readSource(ctx, source, version)
		c.land(entry, f, read, err)
	}()
	return f
}

// sourceRead is what a reading brought.
type sourceRead struct {
	snapshot *Snapshot // nil if the source has not changed
	version  string
}

func readSource(ctx context.Context, source Source, known string) (read sourceRead, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the source panicked: %v", p)
		}
	}()
	if source == nil {
		return read, errors.New("the catalog has no source")
	}
	// The version is asked for first: a change while reading is then seen by the
	// next refresh.
	if versioned, ok := source.(Versioned); ok {
		if read.version, err = versioned.Version(ctx); err != nil {
			return read, err
		}
		if read.version != "" && read.version == known {
			return read, nil
		}
	}
	if read.snapshot, err = source.Load(ctx); err == nil && read.snapshot == nil {
		err = errors.New("the source returned nothing")
	}
	return read, err
}

// land puts what was read in place, unless the catalog has been changed, removed
// or given up meanwhile.
func (c *Cache) land(entry *cacheEntry, f *flight, read sourceRead, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(f.done)
	if entry.flight != f {
		f.err = errChanged
		return
	}
	f.err = err
	entry.flight = nil
	now := c.opts.Now()
	switch {
	case err == nil:
		if read.snapshot != nil {
			entry.snapshot, entry.version = read.snapshot, read.version
		}
		entry.loadedAt, entry.err = now, nil
	case entry.snapshot != nil:
		entry.err = &StaleError{LoadedAt: entry.loadedAt, FailedAt: now, Err: err}
	default:
		entry.err = err
	}
	c.publish()
}
