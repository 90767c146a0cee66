package testkit

import (
	"flag"
	"testing"
)

// Fuzzing reports whether this program looks for new inputs, and does not only run its seeds.
func Fuzzing() bool { return flag.Lookup("test.fuzz").Value.String() != "" }

// LookFurther makes the fuzzer look for new inputs instead of shortening each interesting one, which
// takes a minute for some kilobytes. A flag of the command line goes before it.
func LookFurther(f *testing.F) {
	f.Helper()
	if minimize := flag.Lookup("test.fuzzminimizetime"); minimize.Value.String() == minimize.DefValue {
		if err := minimize.Value.Set("1x"); err != nil {
			f.Fatal(err)
		}
	}
}
