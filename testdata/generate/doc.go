// Package generate invents catalogs for tests and benchmarks. They have any size, and the shape
// of real or of extreme catalogs. Equal shapes with equal seeds have equal files, byte for
// byte.
//
// A file is written when it is opened, so that a catalog larger than memory costs nothing until
// it is read.
package generate
