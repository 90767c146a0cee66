// Package mirror finds what a cluster without access to registries needs for its
// requests: the selection with its dependencies and, from what is installed, every
// bundle on the way there.
//
// [Find] follows the requests as the cluster does: it resolves them, carries the
// answers out, and goes on until nothing changes. Where the channel of a request leads
// no further, it continues on the shortest path through other channels. From the
// bundles that it meets, and from what is installed, it makes the smallest range of
// versions of each channel that leaves the channel whole, cuts the catalogs down to these
// ranges, reads and checks them like any others, and follows the requests again, also as
// if every hold had ended: unless every answer on the way is the same, it widens the
// ranges, and fails where even that does not help.
//
// # What a catalog cut down holds
//
// The ranges are those of an ImageSetConfiguration of oc-mirror
// (mirror.openshift.io/v2alpha1), whose documentation says of a package with channels:
//
//   - only the channels that are named stay;
//   - of a channel with minVersion and maxVersion, all bundles between these versions
//     stay, both included, whether or not they are on the shortest path of updates; its
//     head does not, unless it is one of them;
//   - defaultChannel replaces the stated one, and must if that is not named;
//   - dependencies are not followed: packages have to be named.
//
// Edges stay as they are, those to dropped entries too, which catalogs allow. An entry
// without bundle has no version: it stays if it replaces one that stays, or is replaced by
// one.
//
// What this package does not do: it fetches no image, and knows no size of any.
package mirror
