package result

import (
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Lift is why a choice is below its head, and what lifts it.
type Lift struct {
	// Request is the request that the choice is for, zero if it is a dependency.
	Request cluster.RequestKey
	// Bundle is the name of the choice, and Head that of its head: for a ClusterExtension that
	// keeps newer ones out itself, the newest. Why is why it is not the head.
	Bundle, Head string
	Why          Reason
	// Help has fixes with which the head is chosen or, where the choice is installed, with which
	// it is updated.
	Help Help
	// Blocked are the changes that one would try first and that do not do that: another
	// channel, a newer version, no pin.
	Blocked []Attempt
}

// Attempt is a change that does not lift a choice by itself.
type Attempt struct {
	Change Change
	// Gets is the name of what the request gets with the change alone, empty if it fails. Why
	// is why, in a line; it may be empty if Gets is another head.
	Gets, Why string
	// With is what lifts the choice together with the change, where no part of it does without;
	// nil if none was found within the limits.
	With *Fix
}
