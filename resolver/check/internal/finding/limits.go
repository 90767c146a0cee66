package finding

// The limits of this package.
const (
	// maxBytes bounds the text that [Read] reads.
	maxBytes = 256 << 20
	// maxLine bounds a line of it in bytes.
	maxLine = 1 << 20
	// maxCircle bounds the entries of a circle that a sentence names, to what a reader takes in.
	maxCircle = 6
	// maxReasons bounds the reasons of a finding, to a screen.
	maxReasons = 20
	// maxOfOne bounds those of one identity, such as of a channel whose entries are all heads.
	maxOfOne = 8
	// maxEdges bounds the updates of a package that are judged: each pair of versions that a skipRange
	// makes is one.
	maxEdges = 10_000
)
