// Package check judges catalogs for their publishers.
//
// [Run] joins the findings of a strict reading ([cache.Options]) with those that need all
// bundles together: bundles that no selection contains, and updates that lead nowhere.
// [Graph] is the update graph of a package. [Diff] reports what a change of a catalog means
// to its users, and [Comparison.Cluster] what it means to a cluster.
//
// New bundle directories are judged as parts of the catalog that they are added to
// ([cache.Checked.AddedTo]). Then only findings that they have or cause are reported.
//
// One cause is one [Finding] with all its places: a mistake that was copied from version to
// version and from channel to channel, all bundles behind one obstacle, and all that need one
// missing API. It has a code ([Codes]), its reasons as data ([Reason]) and says whom it stops
// ([Stop]); of one severity, what stops most users comes first. A [Baseline] has old findings
// by their [Identity]: only new ones are reported.
//
// A catalog of 6,466 bundles takes less than 0.1 s after reading, and 12 MB of
// temporary memory (two cores).
package check
