// Package task runs work that may panic, may not return, or can be spread over
// goroutines. It knows nothing of catalogs.
package task

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

var abandoned atomic.Int64

// Abandoned is how many goroutines still work for calls of Await that have
// returned.
func Abandoned() int { return int(abandoned.Load()) }

// PanicError is the error that a panic becomes.
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

// ErrExited is the error of a function that called runtime.Goexit.
var ErrExited = errors.New("the goroutine was ended by what it called")

// Recovered calls work; a panic in it becomes a *PanicError.
func Recovered(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{value}
		}
	}()
	return work()
}

// Await runs work on a goroutine of its own and returns when ctx ends, whatever
// the work is waiting for. A panic of the work becomes a *[PanicError], and
// runtime.Goexit an error.
func Await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	var gone atomic.Bool // of the caller and the work, the first to end
	go func() {
		o := outcome{err: ErrExited}
		defer func() {
			done <- o
			if gone.Swap(true) {
				abandoned.Add(-1)
			}
		}()
		o.err = Recovered(func() (err error) {
			o.value, err = work()
			return err
		})
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

// ForEach calls work for 0 to n-1 on at most workers goroutines, 0 standing for
// GOMAXPROCS. It stops at the first error and when ctx ends. A panic is an error, as
// on these goroutines nobody else could recover from it, and so is runtime.Goexit.
func ForEach(ctx context.Context, n, workers int, work func(ctx context.Context, i int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	group, ctx := errgroup.WithContext(ctx)
	var next, done atomic.Int64
	for range min(workers, n) {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := Recovered(func() error { return work(ctx, i) }); err != nil {
					return err
				}
				done.Add(1)
			}
		})
	}
	if err := group.Wait(); err != nil || int(done.Load()) == n {
		return err
	}
	return ErrExited
}

// Sleep waits, at most until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-ctx.Done()
}

// Reader reads until Ctx ends, for a parser that knows no context.
type Reader struct {
	Ctx  context.Context
	From io.Reader
}

func (r Reader) Read(to []byte) (int, error) {
	if err := r.Ctx.Err(); err != nil {
		return 0, err
	}
	return r.From.Read(to)
}
