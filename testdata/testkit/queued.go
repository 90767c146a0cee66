package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// queuedTime returns how long the threads of the process have waited for a processor, where the
// system reports it.
func queuedTime() (sum time.Duration) {
	threads, _ := filepath.Glob("/proc/self/task/*/schedstat")
	for _, thread := range threads {
		text, _ := os.ReadFile(thread) // none of a thread that has ended
		var ran, queued int64
		if _, err := fmt.Sscan(string(text), &ran, &queued); err == nil {
			sum += time.Duration(queued)
		}
	}
	return sum
}
