package testkit

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Took runs work and returns the time that it took: the smaller of wall time and CPU time of the
// process. A busy machine changes the former, and tests that run at the same time the latter.
func Took(work func()) time.Duration {
	start, cpu := time.Now(), cpuTime()
	work()
	return min(time.Since(start), cpuTime()-cpu)
}

// Cost runs work. It returns the growth of the heap in bytes, with garbage, and the time that it
// took, as [Took] does.
func Cost(work func()) (memory uint64, took time.Duration) {
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	runtime.GC()
	before := heap()
	stop := make(chan struct{})
	var sampler sync.WaitGroup
	sampler.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				if now := heap(); now > before {
					memory = max(memory, now-before)
				}
			}
		}
	})
	took = Took(work)
	close(stop)
	sampler.Wait()
	return memory, took
}
