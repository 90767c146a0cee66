package testkit

import "os"

// LongVariable is the environment variable that makes tests long with the value "long": thousands of
// random problems, cancellations at more moments, and worst cases of full size.
const LongVariable = "RESOLVENT_TESTS"

// Scale returns short by default, and long if LongVariable says so.
func Scale(short, long int) int {
	if os.Getenv(LongVariable) == "long" {
		return long
	}
	return short
}

// Count is [Scale] for numbers of random problems. Under the race detector, which takes ten times as
// long, short becomes a quarter.
func Count(short, long int) int {
	if RaceEnabled {
		short = max(1, short/4)
	}
	return Scale(short, long)
}
