package catalog

import (
	"context"
	"sync"

	"github.com/resolvent/resolvent/cache/internal/task"
)

// What a snapshot caches is bounded in number and in bytes; the oldest go
// first. A catalog states few rules as a rule, but clusters state any number of
// facts, and a catalog could state a rule in every bundle.
const (
	maxResults     = 4096
	maxResultsSize = 64 << 20
)

// results caches what expressions came to. The zero value is ready.
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

// resultCall is one evaluation, running until done is closed.
type resultCall struct {
	done   chan struct{}
	result *ruleResult
	err    error
}

// get returns the cached result or computes it. No lock is held meanwhile;
// callers of the same key wait for the first one. If that one is canceled by its
// own context, the next takes over.
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
		select {
		case <-call.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if call.err == nil {
			return call.result, nil
		}
	}
}

func (r *results) run(ctx context.Context, key resultKey, call *resultCall, compute func(context.Context) (*ruleResult, error)) (*ruleResult, error) {
	// Others wait for the call, so it has to end whatever happens.
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

// keep notes that a result is cached, and drops the oldest beyond the
// bounds. The caller holds the lock.
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
