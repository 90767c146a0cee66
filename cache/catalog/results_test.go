package catalog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResultsAreComputedOnce(t *testing.T) {
	var r results
	var calls atomic.Int32
	release := make(chan struct{})
	compute := func(context.Context) (*ruleResult, error) {
		calls.Add(1)
		<-release
		return &ruleResult{Yes: []ID{1}}, nil
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			result, err := r.get(t.Context(), resultKey{expr: "x"}, compute)
			assert.NoError(t, err)
			assert.Equal(t, []ID{1}, result.Yes)
		})
	}
	close(release)
	wait.Wait()
	assert.EqualValues(t, 1, calls.Load())
}

func TestWaitersOutliveACutOffCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r results
		first, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := r.get(first, resultKey{expr: "x"}, func(ctx context.Context) (*ruleResult, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			assert.ErrorIs(t, err, context.Canceled)
		}()
		synctest.Wait()
		done := make(chan *ruleResult)
		go func() {
			result, err := r.get(t.Context(), resultKey{expr: "x"}, func(context.Context) (*ruleResult, error) { return &ruleResult{}, nil })
			assert.NoError(t, err)
			done <- result
		}()
		synctest.Wait()
		cancel()
		assert.NotNil(t, <-done)
	})
}

// limited is a context that has ended, as that of a call that has reached a limit, without
// saying so to those who wait.
type limited struct{ context.Context }

func (limited) Err() error { return context.Canceled }

func TestNobodyWaitsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r results
		release := make(chan struct{})
		go func() {
			_, err := r.get(t.Context(), resultKey{expr: "x"}, func(context.Context) (*ruleResult, error) {
				<-release
				return &ruleResult{}, nil
			})
			assert.NoError(t, err)
		}()
		synctest.Wait()
		_, err := r.get(limited{t.Context()}, resultKey{expr: "x"}, nil)
		assert.ErrorIs(t, err, context.Canceled)
		close(release)
		synctest.Wait()
		_, err = r.get(limited{t.Context()}, resultKey{expr: "x"}, nil)
		assert.NoError(t, err, "what is known costs nothing")
	})
}

func TestResultsAreBounded(t *testing.T) {
	var r results
	for i := range maxResults + 10 {
		_, err := r.get(t.Context(), resultKey{expr: string(rune(i))}, func(context.Context) (*ruleResult, error) { return &ruleResult{}, nil })
		require.NoError(t, err)
	}
	assert.Len(t, r.calls, maxResults)
	assert.Len(t, r.order, maxResults)

	_, err := r.get(t.Context(), resultKey{expr: "failing"}, func(context.Context) (*ruleResult, error) { return nil, errors.New("no") })
	assert.EqualError(t, err, "no")
	assert.Len(t, r.calls, maxResults)
}
