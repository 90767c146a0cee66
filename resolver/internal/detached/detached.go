// Package detached calls functions of whoever uses package resolver, such as a
// SystemConstraint or an io.Reader, and counts those that do not return.
package detached

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

var abandoned atomic.Int64

// Abandoned is how many goroutines still work for calls that have returned.
func Abandoned() int { return int(abandoned.Load()) }

// errExited is the error of a function that did not return.
var errExited = errors.New("the goroutine was ended by what it called")

// Call calls a function on a goroutine of its own, and returns the error of ctx
// when that ends, even if the function does not return; then it counts. A panic
// of the function becomes an error, and so does runtime.Goexit.
func Call[T any](ctx context.Context, call func() T) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	var gone atomic.Bool // the first of the caller and the function has ended
	go func() {
		o := outcome{err: errExited}
		defer func() {
			if value := recover(); value != nil {
				o.err = fmt.Errorf("panic: %v", value)
			}
			done <- o
			if gone.Swap(true) {
				abandoned.Add(-1)
			}
		}()
		o.value, o.err = call(), nil
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		abandoned.Add(1)
		if gone.Swap(true) {
			abandoned.Add(-1)
		}
		return *new(T), ctx.Err()
	}
}
