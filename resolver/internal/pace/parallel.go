package pace

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls do for 0 to n-1 on up to GOMAXPROCS goroutines and returns when all calls
// have returned. A single call runs on the goroutine of the caller.
func Parallel(n int, do func(i int)) {
	if n == 1 {
		do(0)
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	done.Wait()
}
