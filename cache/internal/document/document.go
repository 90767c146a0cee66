package document

import (
	"github.com/resolvent/resolvent/properties"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Document is one document of a file, JSON or YAML, as far as any schema reads
// it. Its slices are reused for the next document.
type Document struct {
	Origin
	// Size is how many bytes the document has.
	Size int

	Schema, Pkg, Name, Image, DefaultChannel string

	Properties []properties.Property
	Entries    []documentEntry
	Problems   []Problem
}

// documentEntry is an element of entries, of a channel or of deprecations.
type documentEntry struct {
	Name, Replaces, SkipRange string
	Skips                     []string

	Reference struct{ Schema, Name string }
	Message   string

	// Broken: it has a problem.
	Broken bool
}

// Problem is a field that cannot be read.
type Problem struct {
	Code catalog.Code
	// Field is the top-level field, and fieldOther if the whole document is meant.
	Field   Field
	Path    string // inside the document
	Message string
}

func (d *Document) reset(at Origin) {
	*d = Document{
		Origin: at, Properties: d.Properties[:0], Entries: d.Entries[:0], Problems: d.Problems[:0],
	}
}

// Limit records that a field, or the whole document, passes a limit.
func (d *Document) Limit(f Field, message string) {
	d.Problems = append(d.Problems, Problem{catalog.CodeLimit, f, FieldNames[f], message})
}
