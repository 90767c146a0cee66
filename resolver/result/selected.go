package result

import "fmt"

// Why a bundle is, or is not, selected.
type (
	// MustStay: the bundle is installed without a Subscription.
	MustStay struct{}
	// ChosenBefore: the bundle was chosen for what comes first.
	ChosenBefore struct{}
	// Supposed: the bundle is thought to be selected, to see what follows.
	Supposed struct{}
	// Committed: an alternative of a constraint was chosen for what comes first.
	Committed struct{}
	// Selected is the head of an answer for a bundle that is selected.
	Selected struct {
		Namespace, Extension string
		Kept                 bool
	}
	// NotSelected is the head of an answer for the subject of the reason.
	NotSelected struct{ Namespace, Extension string }
	// Chosen: a bundle is the best possible candidate of an obligation, which the
	// other fields of the reason are about. Place counts from 0; Of is the number of
	// candidates.
	Chosen struct {
		Obligation Detail
		Bundle     string
		Place, Of  int
	}
	// Preferred: of the candidates of an obligation, the bundle of the reason stands
	// before another one.
	Preferred struct {
		Obligation        Reason
		Place, OtherPlace int
		Other             string
	}
	// MetBy: the bundle of the reason meets an obligation, so it needs no other.
	MetBy struct{ Obligation Reason }
	// Unasked: neither a request nor what is selected asks for the bundle.
	Unasked struct{}
	// Unreached: a request for its package does not lead to the bundle.
	Unreached struct {
		Request *Request
		Why     NotReached
	}
)

func (MustStay) words(r *Reason, _ subject) string {
	return fmt.Sprintf("%s is installed%s, and no Subscription names it: it must stay", r.Bundle, inNamespace(r.Namespace))
}

func (ChosenBefore) words(r *Reason, _ subject) string {
	return r.Bundle + inNamespace(r.Namespace) + " was chosen before"
}

func (Supposed) words(r *Reason, _ subject) string { return "if " + r.Bundle + " were selected:" }

func (Committed) words(*Reason, subject) string {
	return "an alternative of a constraint was decided for before"
}

func (d Selected) words(r *Reason, _ subject) string {
	what := " is selected"
	if d.Kept {
		what = " is kept"
	}
	return unbroken(r.Subject + what + resolvedFor(d.Namespace, d.Extension))
}

func (d NotSelected) words(r *Reason, _ subject) string {
	return unbroken(r.Subject + " is not selected" + resolvedFor(d.Namespace, d.Extension))
}

// resolvedFor names what is resolved.
func resolvedFor(namespace, extension string) string {
	if extension != "" {
		return " for ClusterExtension " + extension
	}
	return " in namespace " + namespace
}

func (d Chosen) words(r *Reason, _ subject) string {
	text := d.Obligation.words(r, r.subject()) + ": " + d.Bundle
	switch {
	case d.Of == 1:
		text += " is the only candidate"
	case d.Place == 0:
		text += fmt.Sprintf(" is the first of %d candidates", d.Of)
	case d.Place < d.Of:
		text += fmt.Sprintf(" is the first possible of %d candidates, at place %d", d.Of, d.Place+1)
	}
	return text
}

func (d Preferred) words(r *Reason, _ subject) string {
	return fmt.Sprintf("%s: %s, at place %d of its candidates, is preferred to %s, at place %d",
		d.Obligation.Message(), r.Bundle, d.Place+1, d.Other, d.OtherPlace+1)
}

func (d MetBy) words(r *Reason, _ subject) string {
	return d.Obligation.Message() + ", which " + r.Bundle + " meets already"
}

func (Unasked) words(*Reason, subject) string {
	return "no request, and nothing that is selected, asks for it"
}

func (d Unreached) words(r *Reason, _ subject) string {
	return d.Request.text() + ", and " + d.Why.text(r.Bundle)
}

// NotReached is why a request does not lead to a bundle. Kind says which of the
// other fields count.
type NotReached struct {
	Kind    NotReachedKind
	Catalog catalogKey
	Channel string
	Version string
	// Unlisted is why no channel offers the bundle.
	Unlisted Unlisted
}

// NotReachedKind says why a request does not lead to a bundle.
type NotReachedKind uint8

// The kinds of NotReached.
const (
	// UpdatesHeld: what is installed must stay.
	UpdatesHeld NotReachedKind = iota
	// OtherCatalog: the bundle is in Catalog, and the request asks for another.
	OtherCatalog
	// OtherChannel: the channel of the request does not list the bundle.
	OtherChannel
	// OtherStartingCSV: startingCSV names another bundle.
	OtherStartingCSV
	// BelowInstalled: in Channel, the bundle stands below the installed one.
	BelowInstalled
	// SkippedUpdate: Channel skips the bundle.
	SkippedUpdate
	// NoUpdate: no edge leads from the installed bundle to this one.
	NoUpdate
	// NotListed: no channel offers the bundle, see Unlisted.
	NotListed
	// UnselectedCatalog: the selector of the request does not match Catalog.
	UnselectedCatalog
	// OutOfRange: Version is not in the range of the request.
	OutOfRange
	// OtherChannels: no channel of the request lists the bundle.
	OtherChannels
	// NotSuccessor: the bundle does not succeed the installed one.
	NotSuccessor
	// BetterCatalog: another catalog than Catalog has the best bundle.
	BetterCatalog
)

func (n NotReached) text(bundle string) string {
	switch n.Kind {
	case UpdatesHeld:
		return "so nothing else can be chosen"
	case OtherCatalog:
		return fmt.Sprintf("%s is in catalog %s", bundle, n.Catalog)
	case OtherChannel:
		return "that channel does not list " + bundle
	case OtherStartingCSV:
		return "so " + bundle + " is no candidate"
	case BelowInstalled:
		return bundle + " is no update of it: it stands below it in channel " + n.Channel
	case SkippedUpdate:
		return bundle + " is no update of it: channel " + n.Channel + " skips it"
	case NoUpdate:
		return bundle + " is no update of it: its entry neither replaces nor skips it, and has no skipRange that covers it; an update goes one step at a time"
	case UnselectedCatalog:
		return fmt.Sprintf("its selector does not match catalog %s", n.Catalog)
	case OutOfRange:
		return "version " + n.Version + " is not in range"
	case OtherChannels:
		return "none of these channels lists " + bundle
	case NotSuccessor:
		return bundle + " is no successor of it"
	case BetterCatalog:
		return fmt.Sprintf("another catalog than %s offers the best bundle", n.Catalog)
	}
	return bundle + " is not offered: " + n.Unlisted.text()
}
