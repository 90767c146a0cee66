package text

// The limits of a text, for tests.
const (
	Columns    = columns
	LeastLines = Screen
	MoreLines  = moreLines
	MostLines  = Screen + mostFurther
)

// Alternatives returns the alternatives to the recommended fix, for tests.
func Alternatives(err error) (texts []string) {
	for _, other := range Of(err, nil).Or {
		texts = append(texts, other.Text)
	}
	return texts
}

// Way lays out an alternative, for tests.
func Way(text string) string {
	return (&Advice{Or: []Alternative{{Number: 2, Text: text}}}).Sections(Limits{Lines: Screen})[0].Lines[0].Text
}
