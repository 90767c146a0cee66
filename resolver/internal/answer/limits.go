package answer

// The limits of this package.
const (
	// fewSelected is the number of selected bundles up to which no index of them is made
	// (BenchmarkReal/one-simple: 3.8 to 3.6 KB).
	fewSelected = 16
	// manyAsked is the number of questions up to which a scan answers each, and no index is made
	// (BenchmarkReal/upgrade-ten: 50 to 33 KB).
	manyAsked = 64
	// maxFaultWarnings bounds the faults of a package in a catalog that have a warning each: a
	// broken catalog has thousands.
	maxFaultWarnings = 100
)
