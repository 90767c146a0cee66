package advice

// The limits of a text, for tests.
const (
	Columns    = columns
	LeastLines = leastLines
	MoreLines  = moreLines
	MostLines  = mostLines
)
