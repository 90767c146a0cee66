//go:build race

package resolver_test

// raceEnabled: the race detector makes everything slower and larger.
const raceEnabled = true
