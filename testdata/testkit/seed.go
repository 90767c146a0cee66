package testkit

import (
	"iter"
	"os"
	"strconv"
	"testing"
	"time"
)

// SeedVariable is the environment variable with the first seed of the random problems of a run. Without
// it each day has problems of its own.
const SeedVariable = "RESOLVENT_SEED"

// seedsOfADay is how many seeds a day has. A test takes fewer.
const seedsOfADay = 1_000_000

// FirstSeed is the seed of the first random problem of each test of this run. A test that tolerates a
// share of known faults begins with 0 instead.
var FirstSeed = func() uint64 {
	if seed, err := strconv.ParseUint(os.Getenv(SeedVariable), 10, 64); err == nil {
		return seed
	}
	return uint64(time.Now().Unix()) / (24 * 60 * 60) * seedsOfADay
}()

// Seeds walks the seeds of random problems. A failure says how to repeat it.
func Seeds(t testing.TB, count int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		t.Helper()
		seed := FirstSeed
		defer func() {
			if t.Failed() {
				t.Logf("to repeat it: %s=%d", SeedVariable, seed)
			}
		}()
		for ; seed < FirstSeed+uint64(count) && yield(seed); seed++ {
		}
	}
}

// Today reports whether it is the turn of the i-th of many alike cases: each run takes every n-th, on
// each day other ones, and a longer run takes all. It is for cases that others cover in part.
func Today(i, n int) bool {
	return os.Getenv(LongVariable) != "" || (uint64(i)+FirstSeed/seedsOfADay)%uint64(n) == 0
}
