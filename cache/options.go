package cache

import (
	"github.com/resolvent/resolvent/constraints"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Options are the options of reading a catalog. The zero value works.
type Options struct {
	// Strict makes a catalog in which [Check] finds any fault of severity Error
	// fail to load, with a *catalog.FaultsError.
	Strict bool
	// Limits bound what a catalog may make the reader do.
	Limits catalog.Limits
	// Constraints bound single constraints.
	Constraints constraints.Limits
	// Workers is how many files are read at the same time; 0 stands for GOMAXPROCS.
	Workers int
}
