//go:build !race

package testkit

// RaceEnabled: the race detector is off.
const RaceEnabled = false
