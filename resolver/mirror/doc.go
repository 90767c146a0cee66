// Package mirror finds what a cluster without access to registries needs for its requests:
// the selected bundles with their dependencies, and every bundle on the way from the
// installed ones.
//
// [Find] follows the requests as the cluster does: it resolves them, carries the answers out,
// and goes on until nothing changes. If the channel of a request leads no further, it
// continues on the shortest path through other channels. For each channel it finds the
// smallest range of versions that has these bundles and leaves the channel sound. It cuts the
// catalogs down to these ranges, and reads and checks them like any others.
//
// Then it follows the requests again on the cut catalogs, also as if every hold had ended.
// Unless every answer on the way is the same, it widens the ranges. It fails if that does not
// help.
//
// # What a cut catalog holds
//
// The ranges are those of an ImageSetConfiguration of oc-mirror
// (mirror.openshift.io/v2alpha1). Its documentation states for a package with channels:
//
//   - only named channels stay;
//   - of a channel with minVersion and maxVersion, all bundles between these versions stay,
//     both included, whether or not they are on the shortest path of updates; its head stays
//     only if it is one of them;
//   - defaultChannel replaces the stated one, and must do so if that is not named;
//   - dependencies are not followed: their packages must be named.
//
// Edges stay as they are, even those to dropped entries: catalogs allow that. An entry without
// a bundle has no version: it stays if it replaces one that stays, or is replaced by one.
//
// The package fetches no images and knows no sizes.
package mirror
