package task

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAwait(t *testing.T) {
	cause := errors.New("no")
	value, err := Await(t.Context(), func() (int, error) { return 7, cause })
	assert.Equal(t, 7, value)
	assert.ErrorIs(t, err, cause)

	_, err = Await(t.Context(), func() (int, error) { panic(cause) })
	assert.EqualError(t, err, "panic while reading the catalog: no")
	assert.ErrorIs(t, err, cause)

	_, err = Await(t.Context(), func() (int, error) {
		runtime.Goexit()
		return 7, nil
	})
	assert.ErrorIs(t, err, ErrExited)
	assert.Zero(t, Abandoned())
}

// What does not return is counted for as long as it does not.
func TestAwaitAbandons(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	inside, leave := make(chan struct{}), make(chan struct{})
	go func() {
		<-inside
		cancel()
	}()
	_, err := Await(ctx, func() (int, error) {
		close(inside)
		<-leave
		return 7, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, Abandoned())
	close(leave)
	require.Eventually(t, func() bool { return Abandoned() == 0 }, time.Minute, time.Millisecond)
}

// Work that ends its goroutine is not work that is done.
func TestForEachGoexit(t *testing.T) {
	for workers := range 3 {
		err := ForEach(t.Context(), 3, workers, func(_ context.Context, i int) error {
			if i == 1 {
				runtime.Goexit()
			}
			return nil
		})
		assert.ErrorIs(t, err, ErrExited, "%d workers", workers)
	}
}

func TestForEachStopsAtAPanic(t *testing.T) {
	err := ForEach(t.Context(), 3, 1, func(_ context.Context, i int) error {
		if i == 1 {
			panic("oh")
		}
		return nil
	})
	var fault *PanicError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, "oh", fault.Value)
}
