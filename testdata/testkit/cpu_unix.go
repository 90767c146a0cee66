//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time that the process has spent on all its threads.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // only an invalid argument is an error
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
