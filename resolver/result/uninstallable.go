package result

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Uninstallable is a bundle that no consistent selection contains.
type Uninstallable struct {
	Catalog catalog.Key
	Bundle  catalog.ID
	// Causes are why, each sufficient by itself; there is at least one.
	Causes []BundleCause
}

// BundleCause is a minimal reason why a bundle cannot be selected.
type BundleCause struct {
	Bundle BundleRef
	// Constraints cannot hold together with the selection of the bundle; leave
	// any one out and they can.
	Constraints []Reason
}

// Forbidden reports whether the bundle is ruled out for what it is itself, such
// as its deprecation, and returns that kind of reason.
func (c *BundleCause) Forbidden() (ReasonKind, bool) {
	if len(c.Constraints) != 1 {
		return "", false
	}
	kind := c.Constraints[0].Kind
	return kind, kind != ReasonDependency
}

// absence is a Detail that says what is missing from all catalogs given.
type absence interface{ absent(r *Reason) string }

// Absent says what no catalog has, in fewer words than an explanation, which names the
// catalogs. The reason is one that a Requires lists as missing.
func (r *Reason) Absent() string { return r.Detail.(absence).absent(r) }

// CannotHold: each part of the constraint of the reason could be satisfied, but not
// beside the bundle that states it.
type CannotHold struct{}

func (d CannotHold) words(r *Reason, _ subject) string { return d.absent(r) }

func (CannotHold) absent(r *Reason) string {
	return "it requires " + r.Constraint.String() + ", which cannot hold with it"
}

func (d MissingPackage) absent(r *Reason) string {
	return "no catalog given has package " + r.Package + leftOut(d.Faults)
}

func (d MissingVersion) absent(r *Reason) string {
	text := ""
	switch {
	case len(d.Versions) == 0:
		text = "package " + r.Package + " has no usable bundle"
	case len(d.InRange) == 0:
		text = fmt.Sprintf("no version of package %s is %s, only %s", r.Package, d.Range.Phrase(), words.VersionSpan(r.Package, d.Versions))
	default:
		text = fmt.Sprintf("no channel offers a version of package %s %s; %s would do",
			r.Package, d.Range.Phrase(), words.VersionSpan(r.Package, d.InRange))
	}
	return text + leftOut(d.Faults)
}

func (d MissingAPI) absent(r *Reason) string {
	if len(d.NotOffered) > 0 {
		return fmt.Sprintf("no channel offers a provider of the API %s; %s would do", r.API.Describe(), strings.Join(d.NotOffered, ", "))
	}
	text := "no catalog given provides the API " + r.API.Describe()
	if len(d.Others) == 0 {
		return text
	}
	return text + ", only its version " + strings.Join(words.Distinct(mapped(d.Others, func(o OtherVersion) string { return o.API.Version })), ", ")
}

func (d NoMatch) absent(r *Reason) string {
	what := r.Subject
	if r.Kind == ReasonMissingLabel {
		what = "an operator labeled " + what
	}
	if len(d.NotOffered) > 0 {
		return fmt.Sprintf("no channel offers %s; %s would do", what, strings.Join(d.NotOffered, ", "))
	}
	return "no catalog given has " + what
}
