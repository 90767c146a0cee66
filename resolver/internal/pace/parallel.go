package pace

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls do for 0 to n-1 and returns when all calls have.
func Parallel(n int, do func(i int)) {
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
