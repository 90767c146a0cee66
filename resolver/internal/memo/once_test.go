package memo

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// TestOnceAndTwoCalls: whichever of two calls is canceled, the other one gets the value.
func TestOnceAndTwoCalls(t *testing.T) {
	for gone, name := range []string{"the one that computes", "the one that waits"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				once, release := NewOnce(), make(chan struct{})
				var errs [2]error
				var values [2]any
				var cancels [2]context.CancelFunc
				for i := range cancels {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					cancels[i] = cancel
					go func() {
						values[i], errs[i] = once.Get(ctx, func() (any, error) {
							select {
							case <-release:
								return "value", nil
							case <-ctx.Done():
								return nil, ctx.Err()
							}
						})
					}()
					synctest.Wait()
				}
				stays := 1 - gone
				cancels[gone]()
				synctest.Wait()
				assert.ErrorIs(t, errs[gone], context.Canceled)
				assert.Nil(t, values[stays], "it is not ready")
				close(release)
				synctest.Wait()
				assert.NoError(t, errs[stays])
				assert.Equal(t, "value", values[stays])
				assert.Equal(t, "value", once.Value())
			})
		})
	}
}

func TestOnceKeepsNoErrors(t *testing.T) {
	once := NewOnce()
	_, err := once.Get(t.Context(), func() (any, error) { return nil, errors.New("failed") })
	assert.EqualError(t, err, "failed")
	assert.Nil(t, once.Value())
	value, err := once.Get(t.Context(), func() (any, error) { return 5, nil })
	assert.NoError(t, err)
	assert.Equal(t, 5, value)
}
