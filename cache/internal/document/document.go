// Package document reads the syntax of catalogs: it splits files into documents,
// JSON or YAML, and takes from each what any schema has. What a document means, and
// whether that makes sense, package build judges.
package document

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/properties"
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
	// Versions are those of a lifecycle, as JSON text.
	Versions []byte
	// Whole is all of it as JSON text, if Reader.Whole wants it.
	Whole []byte

	Problems []Problem // the first of them
	problems int       // all of them
}

// MaxName is how long names may be, in bytes. They are repeated in faults.
const MaxName = 1 << 10

// MaxProblems is how many problems of one document, or of one bundle directory, are
// listed.
const MaxProblems = 1000

// MoreProblems says that there are more than MaxProblems.
var MoreProblems = fmt.Sprintf("there are more problems than the %d that are listed", MaxProblems)

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

// Report records a problem.
func (d *Document) Report(p Problem) {
	if d.problems++; d.problems == MaxProblems+1 {
		p = Problem{code.Limit, p.Field, "", MoreProblems}
	}
	if d.problems <= MaxProblems+1 {
		d.Problems = append(d.Problems, p)
	}
}

// Limit records that a field, or the whole document, passes a limit.
func (d *Document) Limit(f Field, message string) {
	d.Report(Problem{code.Limit, f, FieldNames[f], message})
}

// Schemas of the blobs that make up a catalog.
const (
	SchemaPackage      = "olm.package"
	SchemaChannel      = "olm.channel"
	SchemaBundle       = "olm.bundle"
	SchemaDeprecations = "olm.deprecations"
	SchemaLifecycles   = "io.openshift.operators.lifecycles.v1alpha1"
)

// Undefined reports whether a schema begins as those of OLM do and is none of them.
// Templates are what opm makes catalogs from.
func Undefined(schema string) bool {
	switch schema {
	case SchemaPackage, SchemaChannel, SchemaBundle, SchemaDeprecations, "olm.catalogs", "olm.semver":
		return false
	}
	return strings.HasPrefix(schema, "olm.") && !strings.HasPrefix(schema, "olm.template.")
}

// Origin is where a blob was found.
type Origin struct {
	File         string
	Line, Column int
}

// Fault returns an error at this place.
func (o Origin) Fault(code catalog.Code, message string) catalog.Fault {
	return o.FaultIn(catalog.Fault{}, code, message)
}

// FaultIn returns a fault at this place that is otherwise like another one, and not
// about a property.
func (o Origin) FaultIn(f catalog.Fault, code catalog.Code, message string) catalog.Fault {
	f.File, f.Line, f.Column, f.Property = o.File, o.Line, o.Column, -1
	f.Code, f.Message = code, message
	return f
}

// Compare orders by file, line and column.
func (o Origin) Compare(other Origin) int {
	return cmp.Or(strings.Compare(o.File, other.File), cmp.Compare(o.Line, other.Line), cmp.Compare(o.Column, other.Column))
}

// At is the place of what embeds an Origin.
func (o Origin) At() Origin { return o }

// lines finds the line and the column of offsets, fast if they ascend.
type lines struct {
	text   []byte
	offset int
	line   int // before offset, counted from 0
	start  int // of the line at offset
}

// at returns line and column, counted from 1; columns in bytes.
func (l *lines) at(offset int) (line, column int) {
	offset = min(offset, len(l.text))
	if offset < l.offset {
		l.offset, l.line, l.start = 0, 0, 0
	}
	passed := l.text[l.offset:offset]
	l.line += bytes.Count(passed, []byte{'\n'})
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		l.start = l.offset + i + 1
	}
	l.offset = offset
	return l.line + 1, offset - l.start + 1
}
