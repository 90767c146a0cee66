package inputs

import (
	"context"
	"errors"
	"time"
)

// ErrTimeout is the cause of contexts that --timeout ends.
var ErrTimeout = errors.New("the time that --timeout allows is over")

// Limited applies a timeout; 0 is none.
func Limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, ErrTimeout)
}
