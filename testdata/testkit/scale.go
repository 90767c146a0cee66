package testkit

import "os"

// LongVariable is the environment variable that makes the tests long if it is
// "long": thousands of random problems, cancellations at more moments and worst
// cases of full size.
const LongVariable = "RESOLVENT_TESTS"

// Scale is how much a test does: little by default, and much where LongVariable
// says so.
func Scale(short, long int) int {
	if os.Getenv(LongVariable) == "long" {
		return long
	}
	return short
}

// Count is how many random problems a test looks at: with the race detector, which
// takes ten times as long and says the same of each, a quarter.
func Count(short, long int) int {
	if RaceEnabled {
		short = max(1, short/4)
	}
	return Scale(short, long)
}
