package catalogcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Severity is how bad a finding is.
type Severity uint8

const (
	// Note: nothing is wrong, but it may surprise.
	Note Severity = iota
	// Warning: the catalog keeps the rules, but is probably not what its publisher
	// means, or fails some of its users.
	Warning
	// Error: the catalog breaks a rule, or the head of a channel cannot be
	// installed.
	Error
)

var severityNames = [...]string{"note", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// ParseSeverity reads the name of a severity.
func ParseSeverity(name string) (Severity, error) {
	i := slices.Index(severityNames[:], name)
	if i < 0 {
		return 0, fmt.Errorf("want %s", strings.Join(severityNames[:], ", "))
	}
	return Severity(i), nil
}

// Codes of the findings that are no faults of [cache.Check]. The package comment
// explains them.
const (
	CodeUninstallable    catalog.Code = "uninstallable"
	CodeUnjudged         catalog.Code = "unjudged"
	CodeDeprecatedBundle catalog.Code = "deprecatedBundle"
	CodeHeadUnreachable  catalog.Code = "headUnreachable"
	CodeUpdateBlocked    catalog.Code = "updateBlocked"
	CodeDanglingEdge     catalog.Code = "danglingEdge"
	CodeDowngrade        catalog.Code = "skipRangeDowngrade"
	CodeSkipsUpwards     catalog.Code = "skipsUpwards"
	CodeHidden           catalog.Code = "hiddenBySkips"
	CodeLeftBehind       catalog.Code = "leftBehind"
)

// Finding is something that the publisher of a catalog should know. Parts of its
// place that do not apply are empty.
type Finding struct {
	Severity Severity
	Code     catalog.Code
	Catalog  catalog.Key

	// File is the path in the catalog's tree; Line and Column count from 1, and
	// are 0 if not known.
	File             string
	Line, Column     int
	Package, Channel string
	// Bundles are those that it is true of, oldest first.
	Bundles []string
	// Property is the index in the properties of the first bundle, -1 if it is
	// not about one; Path leads to the place inside the property or document.
	Property int
	Path     string

	// Message is what is wrong and what to do.
	Message string
}

// fromFault turns a fault of a catalog into a finding.
func fromFault(key catalog.Key, f catalog.Fault) Finding {
	severity := Error
	if f.Severity == catalog.Warning {
		severity = Warning
	}
	finding := Finding{
		Severity: severity, Code: f.Code, Catalog: key,
		File: f.File, Line: f.Line, Column: f.Column, Package: f.Package, Channel: f.Channel,
		Property: f.Property, Path: f.Path, Message: f.Message,
	}
	if f.Bundle != "" {
		finding.Bundles = []string{f.Bundle}
	}
	return finding
}

// merged returns the findings in order, those joined that differ only in the
// bundle: a mistake that was copied from version to version is one finding, at the
// first place.
func (j *judged) merged() []Finding {
	type sameness struct {
		severity              Severity
		code                  catalog.Code
		pkg, channel, message string
	}
	slices.SortStableFunc(j.findings, Finding.compare)
	at := map[sameness]int{}
	var merged []Finding
	for _, f := range j.findings {
		key := sameness{f.Severity, f.Code, f.Package, f.Channel, f.Message}
		i, known := at[key]
		switch {
		case len(f.Bundles) == 0:
			merged = append(merged, f)
		case known:
			merged[i].Bundles = append(merged[i].Bundles, f.Bundles...)
		default:
			at[key] = len(merged)
			f.Bundles = slices.Clip(f.Bundles) // what is appended is never the caller's
			merged = append(merged, f)
		}
	}
	for i := range merged {
		f := &merged[i]
		slices.SortFunc(f.Bundles, func(a, b string) int { return j.byVersion(f.Package, a, b) })
		f.Bundles = slices.Compact(f.Bundles)
	}
	return merged
}

// compare orders by catalog and package, the worst first, then by place.
func (f Finding) compare(other Finding) int {
	return cmp.Or(
		f.Catalog.Compare(other.Catalog),
		strings.Compare(f.Package, other.Package),
		cmp.Compare(other.Severity, f.Severity),
		strings.Compare(f.Channel, other.Channel),
		strings.Compare(string(f.Code), string(other.Code)),
		strings.Compare(f.File, other.File),
		cmp.Compare(f.Line, other.Line),
		slices.Compare(f.Bundles, other.Bundles),
		cmp.Compare(f.Property, other.Property),
		strings.Compare(f.Path, other.Path),
		strings.Compare(f.Message, other.Message),
	)
}
