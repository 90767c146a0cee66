package text

// The limits of a text, for tests.
const (
	Columns    = columns
	LeastLines = leastLines
	MoreLines  = moreLines
	MostLines  = mostLines
)

// Alternatives returns the alternatives to the recommended fix, for tests.
func Alternatives(err error) (texts []string) {
	for _, other := range adviceFor(err, Tool{}).or {
		texts = append(texts, other.text)
	}
	return texts
}

// Way lays out an alternative, for tests.
func Way(text string) string {
	return (&advice{or: []alternative{{2, text}}}).sections()[0].Lines[0].Text
}
