//go:build !unix

package testkit

import "time"

var started = time.Now()

// cpuTime returns wall time, an upper bound for one thread.
func cpuTime() time.Duration { return time.Since(started) }
