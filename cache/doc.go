// Package cache reads catalogs and keeps them ready for resolution.
//
// [LoadFS] reads a file-based catalog, a tree of JSON and YAML files, into a
// [Snapshot]: typed bundles in the order in which they are preferred, with an
// inverted index for every question that resolution asks. Reading is lenient: a
// fault quarantines the smallest thing that it makes unusable and is kept, with
// its place, in [Snapshot.Faults]. [Check] is the strict reading, for a catalog's
// own tests.
//
// [WriteIndex] and [ReadIndex] keep a finished snapshot as bytes; [IndexedFS] and
// [IndexedTree] keep those in a directory, for processes that start often.
//
// [Cache] holds many catalogs, each behind a [Source], refreshes them without
// holding a lock, and hands out immutable [View]s.
//
// # The files
//
// In an order in which they can be read; a name stands for the files that start
// with it.
//
//   - What is kept: snapshot, package, bundle, key, view, options, faults.
//   - Reading: load, walk, ignore, file, lines; document, cursor, json, yaml and
//     prune (a value, JSON or YAML), reader and blob (what schemas say), collect,
//     mentions (what a broken text is about); bundle_dir (registry+v1 bundles);
//     parallel and await.
//   - Building: unify, build, order, lost.
//   - Judging: check, checked.
//   - Indexes on disk: sealed (a file with a checksum); index (_write and _read the
//     bytes, _image a part of them, _unpack what is asked for; _key what contents
//     are found by, _record and file_status how to do without reading them;
//     _source, _store and _prune).
//   - Rules on bundles: evaluate, results.
//   - Many catalogs: cache, source, sequence, flight, schedule, accept, watch;
//     restore (for saved problems).
//
// # Limits
//
// Publishers are not trusted, so Limits bound what a catalog costs to read. What
// exceeds a limit is a fault with its place, and unusable:
//
//   - FileBytes and Documents: the file; faults name the packages it mentions.
//   - DocumentBytes, Expansion and Nodes: the document, that is, a bundle or what a
//     YAML file mentions.
//   - Entries: the channel.
//   - Depth, Properties, BundleConstraints, and the Limits of package constraints:
//     the bundle.
//   - EvaluationCost: the rule fails on the remaining bundles. constraints.Limits
//     has two more such limits, RuleCost and RegexSize: the rule fails on the
//     bundle that it is evaluated on.
package cache
