package inventory

// The limits of this package.
const (
	// maxAnnotations bounds half of the sources that a Reader caches, in bytes of text. What they
	// state takes a few times as much.
	maxAnnotations = 16 << 20
	// stateBytes is what a cached source takes whatever its length.
	stateBytes = 1 << 10
	// maxSingle bounds the single things that one permission is taken apart into. One of more
	// counts as wider: nobody writes such a one by hand.
	maxSingle = 10_000
	// maxStated bounds the conditions of a catalog's object that notReady quotes, to what a reader
	// takes in.
	maxStated = 3
)
