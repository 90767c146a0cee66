package memo

import (
	"context"
	"sync/atomic"
)

// Once caches one value that is computed when it is first needed. It is safe for any
// number of goroutines.
type Once struct {
	value atomic.Value
	busy  chan struct{} // a lock that a context can interrupt
}

// NewOnce returns a Once without a value.
func NewOnce() *Once { return &Once{busy: make(chan struct{}, 1)} }

// Value returns the value that Get has computed, nil if there is none yet.
func (o *Once) Value() any { return o.value.Load() }

// Get returns the value that the first call without an error computes. The error is that
// of compute, or of a context that ends while another call computes.
func (o *Once) Get(ctx context.Context, compute func() (any, error)) (any, error) {
	if v := o.value.Load(); v != nil {
		return v, nil
	}
	select {
	case o.busy <- struct{}{}:
		defer func() { <-o.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if v := o.value.Load(); v != nil {
		return v, nil
	}
	v, err := compute()
	if err == nil {
		o.value.Store(v)
	}
	return v, err
}
