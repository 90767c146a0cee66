package result

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Warning tells of something that did not prevent the answer.
type Warning struct {
	Kind WarningKind
	// Subject is what the warning is about: a bundle, package, channel, catalog
	// or namespace by name.
	Subject string
	// Detail has the other fields of the kind, if there are any, and the default
	// words.
	Detail Detail
}

// Message is one sentence for people.
func (w *Warning) Message() string {
	if w.Detail == nil {
		return words.Unbroken(strings.ReplaceAll(plainWarnings[w.Kind], "{subject}", w.Subject))
	}
	return words.Unbroken(w.Detail.words(&Reason{Subject: w.Subject}, subject{text: w.Subject, n: 1}))
}

// plainWarnings word the kinds that need no Detail.
var plainWarnings = map[WarningKind]string{
	WarnUnneeded:        "{subject} came as a dependency, and nothing requires it any more",
	WarnOpenShiftLimit:  "{subject} states an " + properties.TypeMaxOpenShift + " that cannot be read; it counts as having no limit",
	WarnNoOperatorGroup: "namespace {subject} has no OperatorGroup: OLM will not run operators there",
}

// WarningKind groups warnings for callers that treat them differently.
type WarningKind string

// The kinds of warnings.
const (
	WarnDeprecation     WarningKind = "deprecation"
	WarnBelowHead       WarningKind = "belowHead"
	WarnQuarantine      WarningKind = "quarantine"
	WarnUnneeded        WarningKind = "unneeded"
	WarnNoTargets       WarningKind = "noTargets"
	WarnOpenShiftLimit  WarningKind = "maxOpenShiftVersion"
	WarnNoOperatorGroup WarningKind = "noOperatorGroup"
	WarnCatalog         WarningKind = "catalog"
	WarnForcedChoice    WarningKind = "forcedChoice"
	WarnAPIVersions     WarningKind = "apiVersions"
	WarnDroppedVersion  WarningKind = "droppedVersion"
)

// What warnings are about.
type (
	// Deprecation: the catalog deprecates a bundle, a channel of a package or a
	// package, whichever is set first.
	Deprecation struct{ Bundle, Channel, Package, Message string }
	// BelowHead: the choice is below the head of its channel, which may not list it at all
	// (Unlisted), or below the best bundle that a Request asks for, a ClusterExtension. Why is the first of
	// the other fields that is set, if it can be seen without solving again: a Hold keeps
	// what is installed; an update goes OneStep at a time; StartingCSV asks for the
	// choice; the head, or what comes next, is Hopeless; or there is a DeadEnd. OneStep,
	// too, may lead to a head that is hopeless.
	BelowHead struct {
		Head, Channel, Package string
		Request                cluster.RequestKey
		Unlisted               bool
		Hold                   *Hold
		OneStep, StartingCSV   bool
		Hopeless               *Hopeless
		DeadEnd                *DeadEnd
	}
	// ForcedChoice: a ClusterExtension gets another bundle than the best one.
	ForcedChoice struct {
		Request cluster.RequestKey
		Best    string
		Why     *Hopeless
	}
	// CatalogFault takes something from a package that is asked for. Or it stands for
	// so many More, which are not listed.
	CatalogFault struct {
		Catalog catalog.Key
		Fault   catalog.Fault
		More    int
	}
	// CatalogLeftOut: a catalog cannot be used, which is Unhealthy or, if Unnamed is
	// set, no catalog that a Subscription names.
	CatalogLeftOut struct {
		Err                error
		Unhealthy, Unnamed bool
	}
	// NoTargets: the selector of the OperatorGroup matches no namespace.
	NoTargets struct{ Namespace string }
	// APIVersions: two namespaces provide a kind in different versions.
	APIVersions struct{ Namespace, Versions, OtherNamespace, OtherVersions string }
	// DroppedVersions: a replaced bundle provides the APIs, and nothing selected does.
	DroppedVersions struct{ APIs []properties.GVK }
)

// DeadEnd is that nothing leads on from what the Request has installed, in Channel if it
// is a Subscription. Others are the channels in which something does.
type DeadEnd struct {
	Request *Request
	Channel string
	Others  []string
}

// why continues the sentence.
func (c *BelowHead) why() string {
	switch {
	case c.Hold != nil:
		return ": its operator is not upgradeable now" + c.Hold.text()
	case c.OneStep && c.Hopeless != nil:
		return ": an update goes one step at a time, and " + c.Hopeless.text()
	case c.OneStep:
		return ": an update goes one step at a time"
	case c.StartingCSV:
		return ": startingCSV asks for it"
	case c.Hopeless != nil && c.DeadEnd != nil && len(c.DeadEnd.Others) > 0:
		return ": " + c.Hopeless.text() + c.DeadEnd.others()
	case c.Hopeless != nil:
		return ": " + c.Hopeless.text()
	case c.DeadEnd != nil:
		return ": " + c.DeadEnd.text()
	}
	return ""
}

func (d *DeadEnd) text() string {
	where := "in channel " + d.Channel
	if d.Request.Key.Kind == cluster.KindExtension {
		where = "that it asks for"
	}
	return "nothing " + where + " updates " + d.Request.Installed + d.others()
}

// others says which channels lead on.
func (d *DeadEnd) others() string {
	n := len(d.Others)
	if n == 0 {
		return ", and no other channel leads on from it"
	}
	return fmt.Sprintf("; channel%s %s %s on from it", words.Plural(n), words.Listed(d.Others, words.MaxNamed), words.Verb(n, "leads", "lead"))
}

// Hopeless is why a bundle can never be selected: its rule forbids it, or requires
// what is missing; or it is an entry of a channel that is Unusable.
type Hopeless struct {
	Rule    Reason
	Missing *Reason
}

func (h *Hopeless) text() string {
	if h.Missing == nil {
		return h.Rule.Bundle + " " + h.Rule.Phrase()
	}
	missing := *h.Missing
	if d, ok := missing.Detail.(MissingPackage); ok {
		d.Nearest = nil // it is no slip of the user's
		missing.Detail = d
	}
	return fmt.Sprintf("%s requires %s, but %s", h.Rule.Bundle, h.Rule.Constraint, missing.Message())
}

func (d Deprecation) words(*Reason, subject) string {
	what := "package " + d.Package
	switch {
	case d.Bundle != "":
		what = "bundle " + d.Bundle
	case d.Channel != "":
		what = "channel " + d.Channel + " of package " + d.Package
	}
	return what + " is deprecated: " + words.OneLine(d.Message)
}

func (d BelowHead) words(_ *Reason, s subject) string {
	switch {
	case d.Request.Name != "":
		return fmt.Sprintf("%s is below %s, the best bundle that %s asks for%s", s.text, d.Head, d.Request, d.why())
	case d.Unlisted:
		return fmt.Sprintf("%s is not in channel %s of package %s, whose head is %s%s", s.text, d.Channel, d.Package, d.Head, d.why())
	}
	return fmt.Sprintf("%s is below %s, the head of channel %s of package %s%s", s.text, d.Head, d.Channel, d.Package, d.why())
}

func (d ForcedChoice) words(_ *Reason, s subject) string {
	why := "dependencies, or what is installed, do not allow it"
	if d.Why != nil {
		why = d.Why.text()
	}
	return fmt.Sprintf("%s is taken for %s; the best would be %s, but %s", s.text, d.Request, d.Best, why)
}

func (d CatalogFault) words(_ *Reason, s subject) string {
	if d.More > 0 {
		return fmt.Sprintf("catalog %s: %d more faults of package %s", d.Catalog, d.More, s.text)
	}
	return fmt.Sprintf("catalog %s: %s", d.Catalog, d.Fault.Error())
}

func (d CatalogLeftOut) words(_ *Reason, s subject) string {
	switch {
	case d.Unhealthy:
		return fmt.Sprintf("catalog %s is left out, because it is unhealthy: %v", s.text, d.Err)
	case d.Unnamed:
		return fmt.Sprintf("catalog %s is left out: %v, and no Subscription names it", s.text, d.Err)
	}
	return fmt.Sprintf("catalog %s is left out: %v", s.text, d.Err)
}

func (d NoTargets) words(_ *Reason, s subject) string {
	return fmt.Sprintf("the selector of OperatorGroup %s in namespace %s matches no known namespace: no install mode is asked for, and OLM will not run operators there",
		s.text, d.Namespace)
}

func (d APIVersions) words(_ *Reason, s subject) string {
	return fmt.Sprintf("namespace %s provides %s as %s, and namespace %s as %s: both share one definition",
		d.Namespace, s.text, d.Versions, d.OtherNamespace, d.OtherVersions)
}

func (d DroppedVersions) words(_ *Reason, s subject) string {
	return fmt.Sprintf("%s, which is replaced, provides %s, and nothing selected does: convert any stored custom resources before the update",
		s.text, words.Listed(mapped(d.APIs, properties.GVK.Describe), words.MaxNamed))
}
