package testkit

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// Tests collect garbage a tenth as often as programs, as long as they take less than a gigabyte:
// most of them live on small heaps, and collecting is up to half of their processor time.
// Benchmarks measure what users have, and so does [Cost].
func init() {
	benchmark := func(arg string) bool { return strings.HasPrefix(arg, "-test.bench") }
	if os.Getenv("GOGC") == "" && !slices.ContainsFunc(os.Args, benchmark) {
		debug.SetGCPercent(1000)
		debug.SetMemoryLimit(1 << 30)
	}
}
