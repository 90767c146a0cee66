//go:build race

package testkit

// RaceEnabled: the race detector is on, which makes everything slower and larger.
const RaceEnabled = true
