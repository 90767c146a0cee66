// Package testkit has what the tests of several packages share: the place of the real catalogs, the
// cost of a call, and how soon a call ends with its context.
package testkit
