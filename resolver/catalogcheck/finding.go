package catalogcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Severity says how bad a finding is.
type Severity uint8

const (
	// Note: nothing is wrong; it may surprise.
	Note Severity = iota
	// Warning: the catalog keeps the rules, but hardly means what it says, or
	// fails some of its users.
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

// Codes of the findings that are no faults of [cache.Check].
const (
	// CodeUninstallable: bundles that no selection can contain.
	CodeUninstallable catalog.Code = "uninstallable"
	// CodeDeprecatedBundle: bundles that olm.deprecated keeps from being
	// installed anew.
	CodeDeprecatedBundle catalog.Code = "deprecatedBundle"
	// CodeHeadUnreachable: entries from which no updates lead to the head.
	CodeHeadUnreachable catalog.Code = "headUnreachable"
	// CodeUpdateBlocked: entries whose updates all lead through bundles that
	// cannot be installed.
	CodeUpdateBlocked catalog.Code = "updateBlocked"
	// CodeDanglingEdge: replaces or skips of what the channel does not list.
	CodeDanglingEdge catalog.Code = "danglingEdge"
	// CodeDowngrade: a skipRange that covers an entry nearer to the head.
	CodeDowngrade catalog.Code = "skipRangeDowngrade"
	// CodeSkipsUpwards: an entry that skips one nearer to the head.
	CodeSkipsUpwards catalog.Code = "skipsUpwards"
	// CodeHidden: entries that others skip, and that only their name leads to.
	CodeHidden catalog.Code = "hiddenBySkips"
	// CodeLeftBehind: bundles without a way into another channel, should theirs
	// disappear.
	CodeLeftBehind catalog.Code = "leftBehind"
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

	// Message says what is wrong and what to do.
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

// merge joins findings that differ only in the bundle, so that a mistake that
// was copied from version to version is told once. The place is that of the
// first.
func merge(findings []Finding, byVersion func(catalog catalog.Key, pkg, a, b string) int) []Finding {
	type sameness struct {
		severity              Severity
		code                  catalog.Code
		catalog               catalog.Key
		pkg, channel, message string
		hasBundle             bool
	}
	at := map[sameness]int{}
	var merged []Finding
	for _, f := range findings {
		key := sameness{f.Severity, f.Code, f.Catalog, f.Package, f.Channel, f.Message, len(f.Bundles) > 0}
		i, known := at[key]
		if !known || !key.hasBundle {
			at[key] = len(merged)
			f.Bundles = slices.Clip(f.Bundles) // what is appended is never the caller's
			merged = append(merged, f)
			continue
		}
		merged[i].Bundles = append(merged[i].Bundles, f.Bundles...)
	}
	for i := range merged {
		f := &merged[i]
		slices.SortFunc(f.Bundles, func(a, b string) int { return byVersion(f.Catalog, f.Package, a, b) })
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
