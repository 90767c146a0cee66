package detached

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCall(t *testing.T) {
	var abandoned Count
	cause := errors.New("no")
	value, err := Call(t.Context(), &abandoned, func() (int, error) { return 7, cause })
	assert.Equal(t, 7, value)
	assert.ErrorIs(t, err, cause)

	_, err = Call(t.Context(), &abandoned, func() (int, error) { panic("oh") })
	assert.EqualError(t, err, "panic: oh")

	_, err = Call(t.Context(), &abandoned, func() (int, error) {
		runtime.Goexit()
		return 7, nil
	})
	assert.ErrorIs(t, err, errExited)
	assert.Zero(t, abandoned.Load())
}

// What does not return is counted for as long as it does not.
func TestCallIsAbandoned(t *testing.T) {
	var abandoned Count
	ctx, cancel := context.WithCancel(t.Context())
	inside, leave := make(chan struct{}), make(chan struct{})
	go func() {
		<-inside
		cancel()
	}()
	_, err := Call(ctx, &abandoned, func() (int, error) {
		close(inside)
		<-leave
		return 7, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, abandoned.Load())
	close(leave)
	require.Eventually(t, func() bool { return abandoned.Load() == 0 }, time.Minute, time.Millisecond)
}
