//go:build !race

package testkit

// RaceEnabled: the race detector makes everything slower and larger.
const RaceEnabled = false

// defaultMoments is how many moments are tried if nothing is said.
const defaultMoments = 10
