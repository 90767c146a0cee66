//go:build !unix

package testkit

import "time"

var started = time.Now()

// cpuTime is not known here; wall time is an upper bound for one thread.
func cpuTime() time.Duration { return time.Since(started) }
