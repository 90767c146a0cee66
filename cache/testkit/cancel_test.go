package testkit

import (
	"context"
	"testing"
	"time"
)

func TestWaitingCounts(t *testing.T) {
	took, _ := CancelAfter(t.Context(), time.Millisecond, func(context.Context) error {
		time.Sleep(waiting*AllowedLatency() + AllowedLatency())
		return nil
	})
	if took <= AllowedLatency() {
		t.Errorf("a call that sleeps on ends after %v", took)
	}
}
