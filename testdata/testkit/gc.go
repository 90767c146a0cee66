package testkit

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// Tests collect garbage a quarter as often as programs: most of them live on small heaps,
// and collecting is up to half of their processor time. Benchmarks measure what users
// have, and so does [Cost].
func init() {
	benchmark := func(arg string) bool { return strings.HasPrefix(arg, "-test.bench") }
	if os.Getenv("GOGC") == "" && !slices.ContainsFunc(os.Args, benchmark) {
		debug.SetGCPercent(400)
	}
}
