package memo

import (
	"context"
	"sync/atomic"
)

// Once keeps one value that is computed when it is first needed. It is safe for any
// number of goroutines.
type Once struct {
	value atomic.Value
	// busy admits one at a time.
	busy chan struct{}
}

// NewOnce returns a Once without a value.
func NewOnce() *Once { return &Once{busy: make(chan struct{}, 1)} }

// Value returns what Get has computed, nil if nothing was.
func (o *Once) Value() any { return o.value.Load() }

// Get returns the value, computed by the first call that does not fail. A call whose
// context ends leaves it to the next one.
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
