// Package cache reads catalogs and keeps them ready for resolution.
//
// [LoadFS] reads a file-based catalog, a tree of JSON and YAML files, or a tree of
// registry+v1 bundle directories, into a [catalog.Snapshot]. Reading is lenient: a
// fault quarantines the smallest thing that it makes unusable and is kept, with
// its place, in [catalog.Snapshot.Faults]. [Origin].LoadChecked is the strict reading,
// for a catalog's own tests.
//
// [Cache] holds many catalogs, each behind a [Source], refreshes them without
// holding a lock, and hands out immutable [View]s. [IndexStore] keeps finished
// snapshots in a directory, for processes that start often. A catalog need not be a
// tree of files: [Open] finds out what a name stands for, [Stream], [Remote] and
// [OCILayout] are sources of others.
//
// What a catalog is, in package catalog, knows nothing of files. The way of the
// data leads through the packages below internal: walk finds the files, document
// and bundledir read them, and build makes a snapshot, orders channels and judges
// strictly; index keeps a snapshot on disk. What comes packed or from elsewhere,
// archive and image make a tree of files first; package remote gets files over HTTP.
//
// Publishers are not trusted, so [catalog.Limits] bound what a catalog costs to
// read, what its rules cost too (EvaluationCost, and RuleCost of [constraints.Limits]),
// and what aliases and patterns make the readers do is counted. A name has at
// most 1,024 bytes, and of one document the first 1,000 problems are listed.
package cache
