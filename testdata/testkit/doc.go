// Package testkit is for tests only: what those of several packages share, that is, where the real
// catalogs are, what a call costs, and how soon it ends with its context.
package testkit
