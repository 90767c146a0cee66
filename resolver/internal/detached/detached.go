// Package detached calls functions that need not return: those of a caller of the
// library, such as a SystemConstraint or an io.Reader.
package detached

import (
	"context"
	"fmt"
	"sync/atomic"
)

// abandoned counts the goroutines whose call has returned without them.
var abandoned atomic.Int64

// Abandoned is how many goroutines still work for calls that have returned.
func Abandoned() int { return int(abandoned.Load()) }

// Call calls a function on a goroutine of its own, and returns the error of ctx
// when that ends, even if the function does not return. A panic of the function
// becomes an error.
func Call[T any](ctx context.Context, call func() T) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	var state atomic.Int32 // 1 once the caller has left, 2 once the function has returned
	go func() {
		var o outcome
		defer func() {
			if value := recover(); value != nil {
				o.err = fmt.Errorf("panic: %v", value)
			}
			done <- o
			if state.Swap(2) == 1 {
				abandoned.Add(-1)
			}
		}()
		o.value = call()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		abandoned.Add(1)
		if !state.CompareAndSwap(0, 1) {
			abandoned.Add(-1)
		}
		var zero T
		return zero, ctx.Err()
	}
}
