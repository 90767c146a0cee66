package testkit

import (
	"iter"
	"os"
	"strconv"
	"testing"
	"time"
)

// SeedVariable is the environment variable with the first seed of the random problems of a run. Without
// it each nightly run has problems of its own, and any other run has the same ones as before: a change
// is not blamed for what new problems find.
const SeedVariable = "RESOLVENT_SEED"

// seedsOfADay is how many seeds a day has. A test takes fewer.
const seedsOfADay = 1_000_000

// FirstSeed is the seed of the first random problem of each test of this run. A test that tolerates a
// share of known faults begins with 0 instead. It reads the environment in the test that asks: go test
// takes an old result for the same where a variable is read before.
func FirstSeed() uint64 {
	first, _ := seeds(os.Getenv(SeedVariable), os.Getenv(LongVariable) == "nightly", time.Now())
	return first
}

func seeds(given string, nightly bool, now time.Time) (first, today uint64) {
	today = uint64(now.Unix()) / (24 * 60 * 60)
	if seed, err := strconv.ParseUint(given, 10, 64); err == nil {
		return seed, seed / seedsOfADay
	}
	if nightly {
		return today * seedsOfADay, today
	}
	return 0, today
}

// Seeds walks the seeds of random problems. A failure says how to repeat it.
func Seeds(t testing.TB, count int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		t.Helper()
		first := FirstSeed()
		seed := first
		defer func() {
			if t.Failed() {
				t.Logf("to repeat it: %s=%d", SeedVariable, seed)
			}
		}()
		for ; seed < first+uint64(count) && yield(seed); seed++ {
		}
	}
}

// Today reports whether it is the turn of the i-th of many alike cases: each run takes every n-th, on
// each day other ones, and a longer run takes all. It is for cases of which each says the same of
// other code, and which the longer run before each submission takes.
func Today(i, n int) bool {
	_, today := seeds(os.Getenv(SeedVariable), false, time.Now())
	return os.Getenv(LongVariable) != "" || (uint64(i)+today)%uint64(n) == 0
}
