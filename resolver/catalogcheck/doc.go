// Package catalogcheck judges catalogs for those who publish them.
//
// [Run] joins what a strict reading finds ([cache.Check]) with what only shows
// when the bundles are put together: those that no selection can contain, and
// updates that lead nowhere. [Graph] is the update graph of a package, and [Diff]
// says what a change of a catalog means to its users.
package catalogcheck
