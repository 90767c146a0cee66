// Package cache reads catalogs and keeps them ready for resolution.
//
// [LoadFS] reads a file-based catalog or a tree of registry+v1 bundle directories into a
// [catalog.Snapshot]. Reading is lenient: a fault quarantines the smallest part that it
// makes unusable. [catalog.Snapshot.Faults] lists all faults with their places.
// [Origin].LoadChecked reads strictly, for the tests of a catalog.
//
// [Cache] holds many catalogs, each behind a [Source]. It refreshes them without holding a
// lock, and returns immutable [View]s. [IndexStore] keeps snapshots in a directory, for
// processes that start often. [Open] returns the catalog that a text names. [Stream] and
// [OCILayout] are sources that are not trees of files.
//
// Data flows through the packages below internal. archive and image unpack trees of files,
// and package remote gets files over HTTP. walk finds the files, document and bundledir
// read them, and build makes the parts of a snapshot of package catalog. index keeps texts on
// disk: rendered snapshots, which document and build read again.
//
// Publishers are not trusted. [catalog.Limits] bound the cost of reading a catalog and,
// with [constraints.Limits], the cost of its rules. The work for aliases and ignore
// patterns is counted. A name has at most 1,024 bytes, and the first 1,000 problems of a
// document are listed.
package cache
