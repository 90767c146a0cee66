package resolver

import "github.com/resolvent/resolvent/resolver/internal/detached"

// Abandoned is how many goroutines are stuck inside a function of a caller, such
// as a SystemConstraint or the reader of a manifest, although the call that they
// worked for has returned because its context ended. Each ends with the function.
func Abandoned() int { return detached.Abandoned() }
