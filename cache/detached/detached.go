// Package detached calls functions that need not return: those that are inside a
// function of a caller of the library, such as a cache.Source, an fs.FS, a
// SystemConstraint or an io.Reader.
package detached

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// Count counts the goroutines that still work for calls that have returned.
type Count struct{ n atomic.Int64 }

// Load returns the number.
func (c *Count) Load() int { return int(c.n.Load()) }

// errExited is the error of a function that did not return.
var errExited = errors.New("the goroutine was ended by what it called")

// Call calls a function on a goroutine of its own, and returns the error of ctx
// when that ends, even if the function does not return; then it counts. A panic
// of the function becomes an error, and so does runtime.Goexit.
func Call[T any](ctx context.Context, abandoned *Count, call func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	var state atomic.Int32 // 1 once the caller has left, 2 once the function has returned
	go func() {
		o := outcome{err: errExited}
		defer func() {
			if value := recover(); value != nil {
				o.err = fmt.Errorf("panic: %v", value)
			}
			done <- o
			if state.Swap(2) == 1 {
				abandoned.n.Add(-1)
			}
		}()
		o.value, o.err = call()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		abandoned.n.Add(1)
		if !state.CompareAndSwap(0, 1) {
			abandoned.n.Add(-1)
		}
		var zero T
		return zero, ctx.Err()
	}
}
