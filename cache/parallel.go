package cache

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// forEach calls work for 0 to n-1 on at most workers goroutines, 0 standing for
// GOMAXPROCS. It stops at the first error and when ctx ends. A panic is an error:
// on these goroutines nobody else could recover from it.
func forEach(ctx context.Context, n, workers int, work func(ctx context.Context, i int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(workers, n) {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := recovered(func() error { return work(ctx, i) }); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}
