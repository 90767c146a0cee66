package cache

import (
	"context"
	"sync"
)

// maxResults bounds the results that a snapshot remembers; the oldest go first.
// A catalog states few rules, but clusters state any number of facts.
const maxResults = 4096

// results remembers what expressions came to. The zero value is ready.
type results struct {
	mu    sync.Mutex
	calls map[resultKey]*resultCall
	order []resultKey // oldest first
}

type resultKey struct{ expr, facts string }

// resultCall is one evaluation, running until done is closed.
type resultCall struct {
	done   chan struct{}
	result *RuleResult
	err    error
}

// get returns the remembered result or computes it. No lock is held meanwhile;
// callers of the same key wait for the first one. If that one is cut off by its
// own context, the next takes over.
func (r *results) get(ctx context.Context, key resultKey, compute func(context.Context) (*RuleResult, error)) (*RuleResult, error) {
	for {
		call, mine := r.join(key)
		if mine {
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

// join returns the call for the key, and whether the caller has to run it.
func (r *results) join(key resultKey) (call *resultCall, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if call, ok := r.calls[key]; ok {
		return call, false
	}
	if r.calls == nil {
		r.calls = map[resultKey]*resultCall{}
	}
	call = &resultCall{done: make(chan struct{})}
	r.calls[key] = call
	return call, true
}

func (r *results) run(ctx context.Context, key resultKey, call *resultCall, compute func(context.Context) (*RuleResult, error)) (*RuleResult, error) {
	call.result, call.err = compute(ctx)

	r.mu.Lock()
	if call.err != nil {
		delete(r.calls, key)
	} else {
		r.order = append(r.order, key)
		if len(r.order) > maxResults {
			delete(r.calls, r.order[0])
			r.order = append(r.order[:0:0], r.order[1:]...)
		}
	}
	r.mu.Unlock()
	close(call.done)
	return call.result, call.err
}
