// Package opm holds a comparison: what operator-registry refuses, check refuses. It has tests only.
package opm
