// Package testkit is what the tests of several packages share: where the real
// catalogs are, what a call costs, and how soon it ends with its context.
package testkit
