package request

// The limits of this package.
const (
	// maxSlip is the largest edit distance between a name and its misspelling, one for a name of
	// at most shortName letters: with more, names that have nothing in common are suggested.
	maxSlip   = 2
	shortName = 4
	// MaxName is the longest name that Kubernetes allows, in bytes. Comparing two names takes time
	// in proportion to the product of their lengths.
	MaxName = 253
	// maxVersionRange is OLM v1's limit on the length of a ClusterExtension's version, in bytes.
	maxVersionRange = 64
	// stepsPerCSV is the number of steps to read a ClusterServiceVersion, some 30 us.
	stepsPerCSV = 16
	// maxNeeds bounds the single things that an account may miss: nobody writes that many by hand.
	maxNeeds = 4000
	// entriesAtOnce is the number of entries, each with a skipRange, that count as one step.
	entriesAtOnce = 16
)
