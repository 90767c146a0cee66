package result

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// What is missing, and what there is instead.
type (
	// MissingPackage: none of the catalogs has the package of the reason.
	MissingPackage struct {
		Searched Searched
		Nearest  []string
		Faults   []catalog.Fault
	}
	// MissingVersion: no version of the package that is in range is offered by a
	// channel. Versions, which are sorted, are those of all its bundles, and InRange
	// those that are not offered.
	MissingVersion struct {
		Range    versionrange.Range
		Catalogs []catalog.Key
		Versions []semver.Version
		InRange  []semver.Version
		Faults   []catalog.Fault
	}
	// MissingAPI: nothing that a channel offers provides the API of the reason. The
	// bundles NotOffered, by name, do, and Others are other versions of its kind.
	MissingAPI struct {
		Searched   Searched
		NotOffered []string
		Others     []OtherVersion
	}
	// NoMatch: nothing has the label that is the subject of the reason or, if it is
	// of that kind, satisfies a rule or, if Rule is not set, all of a compound
	// constraint. The bundles NotOffered, by name, do.
	NoMatch struct {
		Searched   Searched
		Rule       bool
		NotOffered []string
	}
	// RuleFailed: a rule cannot be evaluated on the bundle of the reason, and
	// perhaps on others.
	RuleFailed struct{ Err error }
	// NotOffered: the bundle of the reason would do, as Fit says. If Installed is set,
	// it is installed, and the installed one would not.
	NotOffered struct {
		Fit       Fit
		Installed bool
		Why       Unlisted
	}
	// Quarantined: a fault removes the bundle that would provide the API of the
	// reason or, without one, a part of the package.
	Quarantined struct{ Fault error }
	// Unusable: the entry of a channel that has the name of the reason's bundle cannot
	// be selected.
	Unusable struct{ Why Unlisted }
	// Elsewhere: a catalog that does not count has it.
	Elsewhere struct{ Why Uncounted }
)

// Fit is how a bundle satisfies what is required.
type Fit string

// The kinds of Fit, in words: FitMatch is that of a label, rule or compound constraint.
const (
	FitRange Fit = "is in range"
	FitAPI   Fit = "provides it"
	FitMatch Fit = "satisfies it"
)

// OtherVersion is another version of a missing API, and a package that provides it.
type OtherVersion struct {
	API     properties.GVK
	Package string
}

// String shows the version and the package.
func (o OtherVersion) String() string {
	return fmt.Sprintf("%s/%s (by package %s)", o.API.Group, o.API.Version, o.Package)
}

// Searched is where something was looked for. As a Detail: no catalog counts.
type Searched struct {
	// Catalogs are those that count.
	Catalogs []catalog.Key
	// Namespace is the one that sees them; empty for a ClusterExtension.
	Namespace string
	// Unselected says that there are catalogs, but the selector of the
	// ClusterExtension matches none.
	Unselected bool
}

func (d Searched) words(*Reason, subject) string {
	switch {
	case d.Namespace != "":
		return fmt.Sprintf("namespace %s sees no catalog that can be used", d.Namespace)
	case d.Unselected:
		return "no available catalog has the labels that the selector asks for"
	}
	return "there is no catalog that is available"
}

// operator begins a sentence about what no operator has, but for those not offered.
func (d Searched) operator(notOffered []string) string {
	switch {
	case len(notOffered) > 0:
		return "operator that can be chosen"
	case len(d.Catalogs) == 0:
		return "operator can be had, as " + d.words(nil, subject{}) + ", that"
	case d.Namespace == "":
		return "operator of the available catalog" + catalogs(d.Catalogs)
	}
	return "operator of the visible catalog" + catalogs(d.Catalogs)
}

// catalogs continues the word "catalog".
func catalogs(keys []catalog.Key) string {
	return words.Plural(len(keys)) + " " + words.Listed(words.Texts(keys), words.MaxNamed)
}

func (d MissingPackage) words(r *Reason, _ subject) string {
	switch keys := words.Texts(d.Searched.Catalogs); len(keys) {
	case 0:
		return fmt.Sprintf("%s, so package %s cannot be found", d.Searched.words(nil, subject{}), r.Package)
	case 1:
		return fmt.Sprintf("catalog %s has no package %s%s", keys[0], r.Package, words.Suggestion(d.Nearest))
	default:
		return fmt.Sprintf("none of the catalogs %s has package %s%s", strings.Join(keys, ", "), r.Package, words.Suggestion(d.Nearest))
	}
}

func (d MissingVersion) words(r *Reason, _ subject) string {
	if len(d.InRange) > 0 {
		return fmt.Sprintf("no version of package %s %s can be chosen from catalog%s", r.Package, d.Range.Phrase(), catalogs(d.Catalogs))
	}
	return fmt.Sprintf("no version of package %s in catalog%s is %s; %s", r.Package, catalogs(d.Catalogs), d.Range.Phrase(), words.Versions(d.Versions))
}

func (d MissingAPI) words(r *Reason, _ subject) string {
	text := fmt.Sprintf("no %s provides %s", d.Searched.operator(d.NotOffered), r.API.Describe())
	if len(d.Others) > 0 {
		text += fmt.Sprintf("; that kind is provided as %s only", words.Listed(words.Texts(d.Others), words.MaxNamed))
	}
	return text
}

func (d NoMatch) words(r *Reason, _ subject) string {
	who := d.Searched.operator(d.NotOffered)
	switch {
	case r.Kind == ReasonMissingLabel:
		return "no " + who + " carries the label " + r.Subject
	case d.Rule:
		return "no " + who + " satisfies the rule"
	}
	return "no single " + who + " satisfies all of that"
}

func (d RuleFailed) words(r *Reason, _ subject) string {
	return fmt.Sprintf("the rule cannot be evaluated on some bundles, such as %s of catalog %s, and so they do not satisfy it: %s",
		r.Bundle, r.Catalog, words.Quoted(d.Err))
}

func (d NotOffered) words(r *Reason, _ subject) string {
	why := d.Why.text()
	if d.Installed {
		why = "the installed " + r.Bundle + " counts instead"
	}
	return fmt.Sprintf("%s of catalog %s %s, but %s", r.Bundle, r.Catalog, d.Fit, why)
}

func (d Quarantined) words(r *Reason, _ subject) string {
	fault := ""
	if d.Fault != nil {
		fault = ": " + words.Quoted(d.Fault)
	}
	if r.API.Kind != "" {
		return fmt.Sprintf("%s of catalog %s would provide it, but is left out for a fault%s", r.Bundle, r.Catalog, fault)
	}
	return fmt.Sprintf("catalog %s: left out for a fault%s", r.Catalog, fault)
}

func (d Unusable) words(_ *Reason, s subject) string {
	return s.does("cannot", "cannot") + " be used: " + d.Why.Error()
}

func (d Elsewhere) words(r *Reason, _ subject) string {
	switch {
	case r.Package == "":
		return fmt.Sprintf("catalog %s has it, but %s", r.Catalog, d.Why.text())
	case r.Bundle == "":
		return fmt.Sprintf("catalog %s has package %s, but %s", r.Catalog, r.Package, d.Why.text())
	}
	return fmt.Sprintf("catalog %s has it (%s), but %s", r.Catalog, r.Bundle, d.Why.text())
}

// Uncounted is why a catalog does not count: the first that is set.
type Uncounted struct {
	// NotAsked: the request asks for others.
	NotAsked bool
	// Excluded: the caller excludes it.
	Excluded  bool
	Unhealthy bool
	// Namespace does not see it; empty for a ClusterExtension, for which it is
	// not available. Its OperatorGroup Group, if any, leaves global catalogs out.
	Namespace, Group string
}

func (u Uncounted) text() string {
	switch {
	case u.NotAsked:
		return "the request does not ask that catalog"
	case u.Excluded:
		return "the caller excludes that catalog"
	case u.Unhealthy:
		return "that catalog is unhealthy"
	case u.Namespace == "":
		return "that catalog is not available"
	case u.Group != "":
		return leavesOut(u.Group, u.Namespace)
	}
	return fmt.Sprintf("namespace %s does not see that catalog", u.Namespace)
}

// leavesOut says why a namespace sees no global catalog.
func leavesOut(group, namespace string) string {
	return fmt.Sprintf("OperatorGroup %s%s leaves global catalogs out (its annotation %s is \"true\")", group, words.InNamespace(namespace), cluster.AnnotationExcludeGlobal)
}

// Unlisted is why no channel offers a bundle: none lists it, or this one does, and
// cannot be used, skips it, or has it beside its chain of updates. Or NoBundle is
// set: the catalog has no bundle of that name, or a Quarantine takes it away.
type Unlisted struct {
	Channel    string
	Fault      string
	Skipped    bool
	NoBundle   bool
	Quarantine error
}

// Error is why an update cannot lead to the entry.
func (u Unlisted) Error() string {
	if u.Skipped && !u.NoBundle {
		return fmt.Sprintf("channel %s skips it", u.Channel)
	}
	return u.text()
}

func (u Unlisted) text() string {
	switch {
	case u.Channel == "":
		return "no channel lists it"
	case u.NoBundle && u.Quarantine != nil:
		return "its bundle is left out for a fault: " + words.Clip(u.Quarantine.Error(), maxFaults)
	case u.NoBundle:
		return fmt.Sprintf("channel %s lists it, but the catalog has no bundle of that name", u.Channel)
	case u.Skipped:
		return fmt.Sprintf("channel %s skips it; only startingCSV reaches it", u.Channel)
	case u.Fault != "":
		return fmt.Sprintf("channel %s cannot be used: %s", u.Channel, u.Fault)
	}
	return fmt.Sprintf("it is not on the chain of updates below the head of channel %s", u.Channel)
}
