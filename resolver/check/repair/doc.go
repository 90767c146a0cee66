// Package repair finds, for a finding about a catalog, the smallest change of its files with
// which the finding is gone.
//
// A repair is tried before it is offered: the changed files are checked again. No other
// finding may appear, no bundle may disappear from the catalog or a channel, and no bundle may
// lose its way to the head of a channel. In a channel without order nobody has a way; there
// the edges that entries of bundles state are ways that a repair has to keep. What only the missing
// order hid is no new finding: an edge, a skip or a range that was stated before.
//
// Versions keep their order: no entry newly replaces one of a higher version, and no channel gets
// a head below the highest that it had. Names that nothing has need no way: an edge from one is
// kept where it can be, and never added.
//
// What is misspelt comes first, as it was meant. Of several repairs the one with the fewest
// operations of RFC 6902 counts. What may repair a finding, or why nothing does, is in the file of its
// kind.
package repair
