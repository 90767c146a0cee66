// Package cache reads catalogs and keeps them ready for resolution.
//
// [LoadFS] reads a file-based catalog, a tree of JSON and YAML files, into a
// [Snapshot]: typed bundles in the order in which they are preferred, with an
// inverted index for every question that resolution asks. Reading is lenient: a
// fault quarantines the smallest thing that it makes unusable and is kept, with
// its place, in [Snapshot.Faults]. [Check] is the strict reading, for a catalog's
// own tests.
//
// [Cache] holds many catalogs, each behind a [Source], refreshes them without
// holding a lock, and hands out immutable [View]s.
package cache
