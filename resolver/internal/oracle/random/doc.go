// Package random makes random inputs for tests and benchmarks of the resolver
// only; the same seed makes the same input.
//
// Problem, Joint, Extension and Path return small problems for the brute-force
// oracle, which Reduce shrinks as long as they show a fault; Blobs and Manifests
// write them as the files that the real parsers read. State returns a cluster on
// a catalog of any size.
package random
