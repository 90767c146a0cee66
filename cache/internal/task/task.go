// Package task runs functions that may panic or never return, and spreads work over
// goroutines.
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

// Abandoned returns the number of goroutines that still run for calls of [Await] that
// have returned.
func Abandoned() int { return int(abandoned.Load()) }

// PanicError is the error of a panic.
type PanicError struct {
	// Value is the argument of panic.
	Value any
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic while reading the catalog: %v", e.Value)
}

// Unwrap returns the value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ErrExited is the error of a function that called runtime.Goexit.
var ErrExited = errors.New("the goroutine was ended by what it called")

// Recovered calls work. A panic in it becomes a *[PanicError].
func Recovered(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{value}
		}
	}()
	return work()
}

// Await runs work on a goroutine of its own, and waits for it or for the end of ctx. A
// panic becomes a *[PanicError], and runtime.Goexit [ErrExited].
func Await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	var gone atomic.Bool // the caller or the work has ended
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

// ForEach calls work for 0 to n-1 on at most workers goroutines; 0 means GOMAXPROCS. It
// stops at the first error and when ctx ends. A panic becomes a *[PanicError], because
// nobody else can recover from it on these goroutines. runtime.Goexit becomes
// [ErrExited].
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

// Sleep waits for d or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-ctx.Done()
}

// Reader reads until Ctx ends, for parsers without a context.
type Reader struct {
	Ctx  context.Context
	From io.Reader
}

func (r Reader) Read(buffer []byte) (int, error) {
	if err := r.Ctx.Err(); err != nil {
		return 0, err
	}
	return r.From.Read(buffer)
}
