//go:build race

package testkit

// RaceEnabled: the race detector makes everything slower and larger.
const RaceEnabled = true

// defaultMoments are fewer where each takes many times as long.
const defaultMoments = 3
