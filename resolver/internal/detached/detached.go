// Package detached calls functions of the caller, such as a SystemConstraint or an io.Reader, which may
// panic or never return, and counts those that do not return in time.
package detached

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

var abandoned atomic.Int64

// Abandoned returns the number of goroutines that still run for a [Call] that has returned.
func Abandoned() int { return int(abandoned.Load()) }

// errExited is the error of a function that called runtime.Goexit.
var errExited = errors.New("the goroutine was ended by what it called")

// Call calls a function on a goroutine of its own. If ctx ends first, Call returns the
// error of ctx and [Abandoned] counts the goroutine until the function returns. A panic
// or a runtime.Goexit of the function becomes an error.
func Call[T any](ctx context.Context, call func() T) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	var gone atomic.Bool // the caller or the function has ended
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
