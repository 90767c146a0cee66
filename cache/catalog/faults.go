package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Code is the kind of a fault or finding, for programs. Codes are stable. Package
// check lists and explains them.
type Code string

// Severity is the severity of a fault or finding, the worst first.
type Severity uint8

const (
	// Error: the catalog breaks a rule, or the head of a channel cannot be installed.
	Error Severity = iota
	// Warning: the catalog keeps the rules, but has a surprising meaning, or fails some of
	// its users.
	Warning
	// Note: the catalog is right, but may surprise. No fault is a note.
	Note
)

var severities = [...]string{"error", "warning", "note"}

func (s Severity) String() string {
	if int(s) >= len(severities) {
		return ""
	}
	return severities[s]
}

// Fault is an error in a catalog, with its place. Parts of the place that do not apply are
// empty. Scenarios write it as YAML.
type Fault struct {
	Code     Code
	Severity Severity `yaml:"-"`

	// File is the path in the catalog's tree.
	File string `yaml:",omitempty"`
	// Line and Column count from 1. They are 0 if unknown.
	Line    int    `yaml:",omitempty"`
	Column  int    `yaml:",omitempty"`
	Package string `yaml:",omitempty"`
	Channel string `yaml:",omitempty"`
	Bundle  string `yaml:",omitempty"`
	// Property is the index in the bundle's properties, -1 if the fault is about none.
	Property int
	// Path is the place inside the property or the document.
	Path string `yaml:",omitempty"`

	// Message says what is wrong and what to do.
	Message string
	// Quarantines: because of this fault, the innermost of Bundle, Channel and Package that
	// is set cannot be used, or has no order.
	Quarantines bool `yaml:",omitempty"`
}

// Error returns the place and the message in one line.
func (f Fault) Error() string {
	var place []string
	if strings.ContainsFunc(f.File, unicode.IsControl) {
		f.File = strconv.Quote(f.File) // an archive must not forge lines of a log
	}
	switch {
	case f.Line > 0 && f.File != "":
		place = append(place, fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column))
	case f.Line > 0:
		place = append(place, fmt.Sprintf("line %d:%d", f.Line, f.Column))
	case f.File != "":
		place = append(place, f.File)
	}
	for _, part := range [...]struct{ word, name string }{{"package ", f.Package}, {"channel ", f.Channel}, {"bundle ", f.Bundle}} {
		if part.name != "" {
			place = append(place, part.word+part.name)
		}
	}
	if f.Property >= 0 {
		place = append(place, fmt.Sprintf("property %d", f.Property))
	}
	if f.Path != "" {
		place = append(place, f.Path)
	}
	if len(place) == 0 {
		return f.Message
	}
	return strings.Join(place, ", ") + ": " + f.Message
}

// WithoutFile returns the fault without its place in a file, which depends on the files of
// the catalog.
func (f Fault) WithoutFile() Fault {
	f.File, f.Line, f.Column = "", 0, 0
	return f
}

// Compare orders by place, code and message.
func (f Fault) Compare(other Fault) int {
	return cmp.Or(
		strings.Compare(f.File, other.File), strings.Compare(f.Package, other.Package), strings.Compare(f.Channel, other.Channel), strings.Compare(f.Bundle, other.Bundle),
		cmp.Compare(f.Line, other.Line), cmp.Compare(f.Column, other.Column), cmp.Compare(f.Property, other.Property), strings.Compare(f.Path, other.Path),
		cmp.Compare(f.Code, other.Code), strings.Compare(f.Message, other.Message),
	)
}

// sortFaults sorts faults and removes repeats. It reuses the slice.
func sortFaults(faults []Fault) []Fault {
	slices.SortFunc(faults, Fault.Compare)
	return slices.Compact(faults)
}

// FaultsError is the error of a strict reading.
type FaultsError struct {
	// Faults are sorted by place; there is at least one.
	Faults []Fault
}

func (e *FaultsError) Error() string {
	if len(e.Faults) == 1 {
		return "the catalog has a fault: " + e.Faults[0].Error()
	}
	lines := make([]string, 0, len(e.Faults)+1)
	lines = append(lines, fmt.Sprintf("the catalog has %d faults:", len(e.Faults)))
	for _, f := range e.Faults {
		lines = append(lines, f.Error())
	}
	return strings.Join(lines, "\n  ")
}

// Unwrap returns the single faults.
func (e *FaultsError) Unwrap() []error {
	list := make([]error, len(e.Faults))
	for i, f := range e.Faults {
		list[i] = f
	}
	return list
}
