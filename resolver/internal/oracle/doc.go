// Package oracle answers small resolution problems by brute force, to test the
// resolver against.
//
// It is written straight from the specification and shares no code with the
// resolver: a Problem is a tiny model of catalogs, installed bundles and
// Subscriptions; Solve lists every set of bundles that breaks no rule, and then
// walks the queue of obligations literally, asking that list whether a choice
// leaves an answer possible. Generate makes random problems, Reduce shrinks one
// that shows a disagreement, and Blobs and Manifests write a problem as the
// files that the real parsers read.
package oracle
