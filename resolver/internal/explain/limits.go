package explain

// The limits of this package.
const (
	// maxDecided is the number of selected bundles up to which warnings state what only solving
	// again shows. Solving again costs as much as the answer did.
	maxDecided = 100
	// maxDerived bounds the causes of a failure that are derived. The others are counted.
	maxDerived = 100
	// maxKeeping bounds the contradictions that [Solved.Kept] looks at, for each better bundle:
	// each costs a core.
	maxKeeping = 20
	// maxFacts is the number of facts of one sort that a reader takes in. The others are counted.
	maxFacts = 4
	// maxNearest bounds the names that a message suggests, to what a reader takes in.
	maxNearest = 3
	// maxSplit is the number of leaves up to which needed ones are sought. An explanation of more
	// is too long to read, and the search would take longer than that for the core.
	maxSplit = 1000
	// maxConflicts bounds the causes of one bundle: each costs a core.
	maxConflicts = 3
)
