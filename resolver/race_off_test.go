//go:build !race

package resolver_test

const raceEnabled = false
