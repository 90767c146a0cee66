package cache

import (
	"context"
	"fmt"

	"github.com/resolvent/resolvent/cache/detached"
)

// abandoned counts the goroutines that still work for a call that has returned.
var abandoned detached.Count

// Abandoned is how many goroutines of this package still work for calls that
// have returned because their contexts ended. They end by themselves within
// moments, unless they are stuck inside a file system or a [Source] of the
// caller, and then as soon as that returns.
func Abandoned() int { return abandoned.Load() }

// await runs work on a goroutine of its own and returns when ctx ends, whatever
// the work is waiting for. A panic of the work becomes a *[PanicError].
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	return detached.Call(ctx, &abandoned, func() (value T, err error) {
		err = recovered(func() (err error) {
			value, err = work()
			return err
		})
		return value, err
	})
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
