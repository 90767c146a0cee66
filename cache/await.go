package cache

import (
	"context"
	"fmt"
	"sync/atomic"
)

// abandoned counts the goroutines that still work for a call that has returned.
var abandoned atomic.Int64

// Abandoned is how many goroutines of this package still work for calls that
// have returned because their contexts ended. They end by themselves within
// moments, unless they are stuck inside a file system or a [Source] of the
// caller, and then as soon as that returns.
func Abandoned() int { return int(abandoned.Load()) }

// await runs work on a goroutine of its own and returns when ctx ends, whatever
// the work is waiting for. A panic of the work becomes a *[PanicError].
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	var state atomic.Int32 // 1 once the caller has left, 2 once the work is done
	go func() {
		var o outcome
		o.err = recovered(func() (err error) {
			o.value, err = work()
			return err
		})
		done <- o
		if state.Swap(2) == 1 {
			abandoned.Add(-1)
		}
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

// PanicError is what a panic inside a file system or a [Source] becomes.
type PanicError struct {
	// Value is what the panic was called with.
	Value any
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic while reading the catalog: %v", e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// recovered calls work; a panic in it becomes a *PanicError.
func recovered(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{value}
		}
	}()
	return work()
}
