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

var moments = flag.Int("moments", Scale(2, 10), "how many random moments to cancel each kind of call at")

// Latency is how long a call may continue after the end of its context.
const Latency = 50 * time.Millisecond

// raceFactor is how much slower the race detector makes code: 2 to 20 times by its documentation.
const raceFactor = 10

// AllowedLatency returns Latency, or a multiple of it under the race detector.
func AllowedLatency() time.Duration {
	if RaceEnabled {
		return raceFactor * Latency
	}
	return Latency
}

// A call waits if for waiting times AllowedLatency its process has a processor, or is queued for
// one, less than half of the time. On a busy machine a call that works is queued.
const (
	waiting   = 4
	idleShare = 2
)

// ending measures how long a call continues after the end of its context.
//
// It takes the smaller of wall time and CPU time of the process. A busy machine makes every call
// late in wall time, but the remaining work takes the same CPU time. Garbage collection counts,
// too. The wall time of a call that waits counts, as that takes no CPU time.
type ending struct {
	wall        time.Time
	cpu, queued time.Duration
	late        *time.Timer
	// stacks are the stacks of all goroutines after AllowedLatency.
	stacks atomic.Pointer[string]
}

func (e *ending) begin() {
	e.late = time.AfterFunc(AllowedLatency(), func() {
		buffer := make([]byte, 1<<20)
		stacks := string(buffer[:runtime.Stack(buffer, true)])
		e.stacks.Store(&stacks)
	})
	e.wall, e.cpu, e.queued = time.Now(), cpuTime(), queuedTime()
}

func (e *ending) end() time.Duration {
	wall, cpu := time.Since(e.wall), cpuTime()-e.cpu
	e.late.Stop()
	if wall > waiting*AllowedLatency() && cpu+queuedTime()-e.queued < wall/idleShare {
		return wall
	}
	return min(wall, cpu)
}

// CancelAfter cancels a call after a while. It returns how long the call continued, and its error.
// That time is 0 for a call that returned before. A late call is tried again, as in
// [CancelAtRandom], and the shortest time counts.
func CancelAfter(ctx context.Context, after time.Duration, call func(ctx context.Context) error) (time.Duration, error) {
	took, _, err := cancelAfter(ctx, after, call)
	for again := 1; took > AllowedLatency() && again < tries; again++ {
		if next, _, nextErr := cancelAfter(ctx, after, call); next < took {
			took, err = next, nextErr
		}
	}
	return took, err
}

func cancelAfter(ctx context.Context, after time.Duration, call func(ctx context.Context) error) (time.Duration, *ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e := new(ending)
	began := make(chan struct{})
	timer := time.AfterFunc(after, func() {
		e.begin()
		cancel()
		close(began)
	})
	err := call(ctx)
	if timer.Stop() {
		return 0, nil, err
	}
	<-began
	return e.end(), e, err
}

// tries is how often a call must be late at one moment to count as late.
const tries = 3

// CancelAtRandom cancels a call at random moments of its run. It fails if the call continues for
// longer than AllowedLatency, in wall time and CPU time and several times in a row. It also fails
// if goroutines remain. The call must return its error.
func CancelAtRandom(t testing.TB, call func(ctx context.Context) error) {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	start := time.Now()
	_ = call(t.Context())
	whole := time.Since(start)
	random := rand.New(rand.NewPCG(1, 2))
	var worst time.Duration
	var stacks *string
	late, cancelled := 0, 0
	for range *moments {
		moment := time.Duration(random.Int64N(int64(whole) + 1))
		took, e, err := cancelAfter(t.Context(), moment, call)
		// A call that does not check its context is late again at the same moment.
		// Collecting the garbage of other calls happens once.
		for again := 1; e != nil && took > AllowedLatency() && again < tries; again++ {
			if next, of, _ := cancelAfter(t.Context(), moment, call); of != nil && next < took {
				took, e = next, of
			}
		}
		if e == nil {
			continue // it had returned
		}
		if took > AllowedLatency() {
			late++
		}
		if took > worst {
			worst, stacks = took, e.stacks.Load()
		}
		if err != nil {
			cancelled++
		}
	}
	t.Logf("%d calls of %v, %d cut off; the latest went on for %v", *moments, whole.Round(time.Microsecond), cancelled, worst.Round(time.Microsecond))
	if late > 0 {
		t.Errorf("%d calls went on for more than %v after their context ended, the latest for %v", late, AllowedLatency(), worst)
		if stacks != nil {
			t.Log(*stacks)
		}
	}
	NoGoroutines(t, goroutines)
}

// NoGoroutines fails if there are more goroutines than before, after some time in which they may
// end.
func NoGoroutines(t testing.TB, before int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}
