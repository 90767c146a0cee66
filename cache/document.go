package cache

import "github.com/resolvent/resolvent/properties"

// document is one document of a file, JSON or YAML, as far as any schema reads
// it. Its slices are reused for the next document.
type document struct {
	origin
	// size is how many bytes the document has.
	size int

	schema, pkg, name, image, defaultChannel string

	properties []properties.Property
	entries    []documentEntry
	problems   []problem
}

// documentEntry is an element of entries, of a channel or of deprecations.
type documentEntry struct {
	name, replaces, skipRange string
	skips                     []string

	reference struct{ schema, name string }
	message   string

	// broken: it has a problem.
	broken bool
}

// problem is a field that cannot be read.
type problem struct {
	code Code
	// field is the top-level field, and fieldOther if the whole document is meant.
	field   field
	path    string // inside the document
	message string
}

func (d *document) reset(at origin) {
	*d = document{
		origin: at, properties: d.properties[:0], entries: d.entries[:0], problems: d.problems[:0],
	}
}

// limit records that a field, or the whole document, passes a limit.
func (d *document) limit(f field, message string) {
	d.problems = append(d.problems, problem{CodeLimit, f, fieldNames[f], message})
}
