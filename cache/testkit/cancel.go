package testkit

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

var moments = flag.Int("moments", 10, "how many random moments to cancel each kind of call at")

// Latency is how long a call may go on after its context has ended.
const Latency = 50 * time.Millisecond

// raceFactor is how much slower the race detector makes code, as its
// documentation says: 2 to 20 times.
const raceFactor = 10

// AllowedLatency is Latency, and a multiple of it under the race detector.
func AllowedLatency() time.Duration {
	if RaceEnabled {
		return raceFactor * Latency
	}
	return Latency
}

// Ending measures how much a call goes on doing once its context has ended.
//
// A machine that is busy with other things makes every call late, so that wall
// time alone says little. It is the smaller one of wall time and the CPU time
// that the process has spent: what is left to do takes the same CPU time however
// long the process has to wait for it. Collecting garbage counts, too.
type Ending struct {
	wall  time.Time
	cpu   time.Duration
	stuck *time.Timer
	// stacks are what all goroutines did when AllowedLatency had passed.
	stacks atomic.Pointer[string]
}

// Began starts to measure; it is called when the context ends.
func (e *Ending) Began() {
	e.stuck = time.AfterFunc(AllowedLatency(), func() {
		buffer := make([]byte, 1<<20)
		stacks := string(buffer[:runtime.Stack(buffer, true)])
		e.stacks.Store(&stacks)
	})
	e.wall, e.cpu = time.Now(), cpuTime()
}

// Returned ends to measure; it is called when the call has returned.
func (e *Ending) Returned() time.Duration {
	took := min(time.Since(e.wall), cpuTime()-e.cpu)
	e.stuck.Stop()
	return took
}

// Stacks are what the goroutines did while the call was late, "" if it was not.
func (e *Ending) Stacks() string {
	if stacks := e.stacks.Load(); stacks != nil {
		return *stacks
	}
	return ""
}

// CancelAtRandom cancels a call at random moments of its run, and fails if it
// goes on for longer than AllowedLatency after that, as Ending measures it, or
// leaves goroutines behind. The call has to return the error that it came to.
func CancelAtRandom(t testing.TB, call func(ctx context.Context) error) {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	start := time.Now()
	_ = call(t.Context())
	whole := time.Since(start)
	random := rand.New(rand.NewPCG(1, 2))
	var worst time.Duration
	var stacks string
	late, cancelled := 0, 0
	for range *moments {
		ctx, cancel := context.WithCancel(t.Context())
		ending := new(Ending)
		began := make(chan struct{})
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(whole)+1)), func() {
			ending.Began()
			cancel()
			close(began)
		})
		err := call(ctx)
		if !timer.Stop() {
			<-began
			took := ending.Returned()
			if took > AllowedLatency() {
				late++
			}
			if took > worst {
				worst, stacks = took, ending.Stacks()
			}
			if err != nil {
				cancelled++
			}
		}
		cancel()
	}
	t.Logf("%d calls of %v, %d cut off; the latest went on for %v", *moments, whole.Round(time.Microsecond), cancelled, worst.Round(time.Microsecond))
	if late > 0 {
		t.Errorf("%d calls went on for more than %v after their context ended, the latest for %v:\n%s", late, AllowedLatency(), worst, stacks)
	}
	NoGoroutines(t, goroutines)
}

// NoGoroutines fails if there are more goroutines than there were before, after
// some time in which they may end.
func NoGoroutines(t testing.TB, before int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}
