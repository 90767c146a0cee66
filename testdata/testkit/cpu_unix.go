//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of all threads of the process.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // only an invalid argument is an error
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
