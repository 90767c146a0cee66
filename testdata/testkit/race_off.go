//go:build !race

package testkit

// RaceEnabled: the race detector makes everything slower and larger.
const RaceEnabled = false
