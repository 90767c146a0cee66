package catalog

import (
	"context"
	"sync"

	"github.com/resolvent/resolvent/cache/internal/task"
)

// Bounds of the results that a snapshot caches, in number and in bytes. The oldest go first.
// Most catalogs have few rules, but a catalog may have one per bundle, and clusters any
// number of facts.
const (
	maxResults     = 4096
	maxResultsSize = 64 << 20
)

// results caches the results of expressions. The zero value is ready.
type results struct {
	mu    sync.Mutex
	calls map[resultKey]*resultCall
	order []cachedResult // oldest first
	size  int            // of all of them, in bytes
}

type cachedResult struct {
	key  resultKey
	size int
}

type resultKey struct{ expr, facts string }

// resultCall is one evaluation. It runs until done is closed.
type resultCall struct {
	done   chan struct{}
	result *ruleResult
	err    error
}

// get returns the cached result or computes it, without holding a lock. Other callers with
// the key wait for the first one. If that fails or is canceled, the next one computes.
func (r *results) get(ctx context.Context, key resultKey, compute func(context.Context) (*ruleResult, error)) (*ruleResult, error) {
	for {
		r.mu.Lock()
		call, known := r.calls[key]
		if !known {
			if r.calls == nil {
				r.calls = map[resultKey]*resultCall{}
			}
			call = &resultCall{done: make(chan struct{})}
			r.calls[key] = call
		}
		r.mu.Unlock()
		if !known {
			return r.run(ctx, key, call, compute)
		}
		if err := call.wait(ctx); err != nil {
			return nil, err
		}
		if call.err == nil {
			return call.result, nil
		}
	}
}

// wait waits for the end of the evaluation, or returns the error of ctx. A context can have
// ended without saying so to those who wait.
func (c *resultCall) wait(ctx context.Context) error {
	select {
	case <-c.done:
		return nil
	default:
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *results) run(ctx context.Context, key resultKey, call *resultCall, compute func(context.Context) (*ruleResult, error)) (*ruleResult, error) {
	// Others wait for the call, so it must also end on a panic.
	call.err = task.Recovered(func() (err error) {
		call.result, err = compute(ctx)
		return err
	})
	r.mu.Lock()
	if call.err != nil {
		delete(r.calls, key)
	} else {
		r.keep(key, 4*len(call.result.Yes)+24*len(call.result.Failed)) // about its bytes
	}
	r.mu.Unlock()
	close(call.done)
	return call.result, call.err
}

// keep records a cached result, and drops the oldest ones beyond the bounds. The caller
// holds the lock.
func (r *results) keep(key resultKey, size int) {
	r.order = append(r.order, cachedResult{key, size})
	r.size += size
	for len(r.order) > 1 && (len(r.order) > maxResults || r.size > maxResultsSize) {
		delete(r.calls, r.order[0].key)
		r.size -= r.order[0].size
		r.order[0] = cachedResult{}
		r.order = r.order[1:]
	}
}
