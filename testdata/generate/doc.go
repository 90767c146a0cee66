// Package generate is for tests and benchmarks only. It invents catalogs: of any size, with
// the shape of real ones or of none that anybody would write. The same shape
// with the same seed has the same files, to the byte.
//
// A file is written when it is opened, so that a catalog much larger than memory
// costs nothing until it is read.
package generate
