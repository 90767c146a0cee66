package detached

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCall(t *testing.T) {
	value, err := Call(t.Context(), func() int { return 7 })
	assert.Equal(t, 7, value)
	assert.NoError(t, err)

	_, err = Call(t.Context(), func() int { panic("oh") })
	assert.EqualError(t, err, "panic: oh")

	_, err = Call(t.Context(), func() int {
		runtime.Goexit()
		return 7
	})
	assert.ErrorIs(t, err, errExited)
	assert.Zero(t, Abandoned())
}

// What does not return is counted for as long as it does not.
func TestCallIsAbandoned(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	inside, leave := make(chan struct{}), make(chan struct{})
	go func() {
		<-inside
		cancel()
	}()
	_, err := Call(ctx, func() int {
		close(inside)
		<-leave
		return 7
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, Abandoned())
	close(leave)
	require.Eventually(t, func() bool { return Abandoned() == 0 }, time.Minute, time.Millisecond)
}
