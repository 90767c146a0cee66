// Package document reads the syntax of catalogs. It splits files into documents, JSON or
// YAML, and reads the fields that any schema has. Package build judges their meaning.
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

// Document is the part of one document that any schema reads. The next document reuses
// the memory of its slices.
type Document struct {
	Origin
	// Size is the length of the text in bytes.
	Size int

	Schema, Pkg, Name, Image, DefaultChannel string

	Properties []properties.Property
	Entries    []documentEntry
	// Versions is the list of a lifecycle blob, as JSON text.
	Versions []byte
	// NoImage is the path of the first related image that names none, "" if there is none.
	NoImage string
	// Whole is the complete document as JSON text, nil unless Reader.Whole wants it.
	Whole []byte

	Problems []Problem // the first ones
	problems int       // the number of all
}

// MaxName is the longest name, in bytes. Faults repeat names.
const MaxName = 1 << 10

// TooLong is the message of a name of n bytes, which are more than [MaxName].
func TooLong(n int) string {
	return fmt.Sprintf("it is %d bytes long, more than the %d allowed", n, MaxName)
}

// MaxProblems is how many problems of one document or bundle directory are listed.
const MaxProblems = 1000

// MoreProblems is the message about problems beyond MaxProblems.
var MoreProblems = fmt.Sprintf("there are more problems than the %d that are listed", MaxProblems)

// documentEntry is an element of entries in a channel or in deprecations.
type documentEntry struct {
	Name, Replaces, SkipRange string
	Skips                     []string

	Reference struct{ Schema, Name string }
	Message   string

	// Broken: the entry has a problem.
	Broken bool
}

// Problem is a field that cannot be read.
type Problem struct {
	Code catalog.Code
	// Field is the top-level field, FieldOther for the whole document.
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

// Limit records that a field, or the whole document, exceeds a limit.
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

// Undefined reports whether a schema looks like one of OLM, but is not defined by it. Those of
// templates are defined: opm makes catalogs from templates.
func Undefined(schema string) bool {
	switch schema {
	case SchemaPackage, SchemaChannel, SchemaBundle, SchemaDeprecations, "olm.catalogs", "olm.semver":
		return false
	}
	return !strings.HasPrefix(schema, "olm.template.") && properties.LooksDefined(schema, []string{SchemaPackage, SchemaChannel, SchemaBundle, SchemaDeprecations})
}

// Origin is the place of a blob.
type Origin struct {
	File         string
	Line, Column int
}

// Fault returns an error at this place.
func (o Origin) Fault(code catalog.Code, message string) catalog.Fault {
	return o.FaultIn(catalog.Fault{}, code, message)
}

// FaultIn returns a copy of a fault with this place, code and message. It is about no
// property.
func (o Origin) FaultIn(f catalog.Fault, code catalog.Code, message string) catalog.Fault {
	f.File, f.Line, f.Column, f.Property = o.File, o.Line, o.Column, -1
	f.Code, f.Message = code, message
	return f
}

// Compare orders by file, line and column.
func (o Origin) Compare(other Origin) int {
	return cmp.Or(strings.Compare(o.File, other.File), cmp.Compare(o.Line, other.Line), cmp.Compare(o.Column, other.Column))
}

// At returns the place of a type that embeds an Origin.
func (o Origin) At() Origin { return o }

// lines converts offsets to lines and columns. It is fast if the offsets ascend.
type lines struct {
	text   []byte
	offset int
	line   int // the line of offset, counted from 0
	start  int // where that line starts
}

// at returns the line and the column of an offset, counted from 1. Columns are in bytes.
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
