package cause

// The limits of this package.
const (
	// maxOfRequest bounds the causes of one request: each costs a core, and nobody mends more at once.
	maxOfRequest = 3
	// maxOfInstalled bounds the causes between installed bundles: each costs a core.
	maxOfInstalled = 100
	// minDivided is the number of demands from which a problem is divided into components
	// (BenchmarkExplain/fifty-and-unsat/core: 1.6 to 0.5 MB against dividing each).
	minDivided = 64
)
