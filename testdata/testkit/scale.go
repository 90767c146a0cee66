package testkit

import "os"

// LongVariable is the environment variable that makes tests longer. With the value "nightly" they take
// thousands of random problems, cancellations at more moments, and worst cases of full size. With "long"
// they take a quarter of these.
const LongVariable = "RESOLVENT_TESTS"

// Scale returns short by default, nightly if LongVariable says so, and a quarter of that, but not less
// than short, if it says "long".
func Scale(short, nightly int) int {
	switch os.Getenv(LongVariable) {
	case "nightly":
		return nightly
	case "long":
		return max(short, nightly/4)
	}
	return short
}
