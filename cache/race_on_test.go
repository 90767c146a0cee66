//go:build race

package cache_test

// raceEnabled: the race detector makes everything slower and larger.
const raceEnabled = true
