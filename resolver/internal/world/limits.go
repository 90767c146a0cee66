package world

// The limits of this package.
const (
	// manyAsked is the number of questions up to which a scan answers each, and no index is made
	// (BenchmarkStatus/target: 23.7 to 22.9 MB).
	manyAsked = 16
)
