// Package detached calls functions of whoever uses package resolver, such as a
// SystemConstraint or an io.Reader, and counts those that do not return.
package detached

import (
	"context"

	"github.com/resolvent/resolvent/cache/detached"
)

var abandoned detached.Count

// Abandoned is how many goroutines still work for calls that have returned.
func Abandoned() int { return abandoned.Load() }

// Call is detached.Call for a function without an error.
func Call[T any](ctx context.Context, call func() T) (T, error) {
	return detached.Call(ctx, &abandoned, func() (T, error) { return call(), nil })
}
