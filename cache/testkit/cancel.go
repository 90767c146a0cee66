package testkit

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

var moments = flag.Int("moments", 10, "how many random moments to cancel each kind of call at")

// Latency is how long a call may go on after its context has ended.
const Latency = 50 * time.Millisecond

// CancelAtRandom cancels a call at random moments of its run, and fails if it
// does not return soon after that or leaves goroutines behind. The call has to
// return the error that it came to.
func CancelAtRandom(t *testing.T, call func(ctx context.Context) error) {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	start := time.Now()
	_ = call(t.Context())
	whole := time.Since(start)
	random := rand.New(rand.NewPCG(1, 2))
	var worst time.Duration
	late, cancelled := 0, 0
	for range *moments {
		ctx, cancel := context.WithCancel(t.Context())
		var ended time.Time
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(whole)+1)), func() {
			ended = time.Now()
			cancel()
		})
		err := call(ctx)
		returned := time.Now()
		if !timer.Stop() {
			<-ctx.Done()
			if after := returned.Sub(ended); after > worst {
				worst = after
			}
			if returned.Sub(ended) > Latency {
				late++
			}
			if err != nil && ctx.Err() != nil {
				cancelled++
			}
		}
		cancel()
	}
	t.Logf("%d calls of %v, %d cut off; the latest returned %v after that", *moments, whole.Round(time.Microsecond), cancelled, worst.Round(time.Microsecond))
	// A busy machine makes calls late by a little, and the race detector by more;
	// one that does not look at its context is late by the time that it takes.
	allowed := 4 * Latency
	if RaceEnabled {
		allowed *= 10
	}
	if worst > allowed {
		t.Errorf("%d calls returned more than %v after their context ended, the latest %v", late, Latency, worst)
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after\n%s", goroutines, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}
