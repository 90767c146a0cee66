//go:build !unix

package terminal

import "time"

var began = time.Now()

// processorTime is at most this.
func processorTime() time.Duration { return time.Since(began) }
