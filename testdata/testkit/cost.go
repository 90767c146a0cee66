package testkit

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Cost runs work. It returns the growth of the heap in bytes, with garbage, and the time that the
// work took. That is the smaller of wall time and CPU time of the process, because the machine may
// be busy.
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
	start, cpu := time.Now(), cpuTime()
	work()
	took = min(time.Since(start), cpuTime()-cpu)
	close(stop)
	sampler.Wait()
	return memory, took
}
