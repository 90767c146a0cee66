package result

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Why a bundle is, or is not, selected.
type (
	// Selected heads the answer for the subject of the reason: the bundle is
	// selected, kept or, if that is the kind of the reason, not selected.
	Selected struct {
		Scope cluster.Scope
		Kept  bool
	}
	// Chosen: a bundle is the best possible candidate of an obligation, which the
	// other fields of the reason are about. Place counts from 0; Of is the number of
	// candidates. A nil Obligation is one that the kind of the reason says.
	Chosen struct {
		Obligation Detail
		Bundle     string
		Place, Of  int
	}
	// Preferred: of the candidates of an obligation, the bundle of the reason stands
	// before an Other. Without one: it satisfies the obligation, which needs no other.
	Preferred struct {
		Obligation        Reason
		Place, OtherPlace int
		Other             string
	}
	// Unreached: a request for its package does not lead to the bundle.
	Unreached struct {
		Request *Request
		Why     NotReached
	}
)

func (d Selected) words(r *Reason, _ subject) string {
	text := r.Subject + " is selected"
	switch {
	case r.Kind == ReasonNotSelected:
		text = r.Subject + " is not selected"
	case d.Kept:
		text = r.Subject + " is kept"
	}
	if d.Scope.Kind == cluster.KindExtension {
		return words.Unbroken(text + " for " + d.Scope.String())
	}
	return words.Unbroken(text + words.InNamespace(d.Scope.Namespace()))
}

func (d Chosen) words(r *Reason, _ subject) string {
	obligation := *r
	obligation.Detail = d.Obligation
	text := obligation.Message() + ": " + d.Bundle
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
	if d.Other == "" {
		return d.Obligation.Message() + ", which " + r.Bundle + " satisfies already"
	}
	return fmt.Sprintf("%s: %s, at place %d of its candidates, is preferred to %s, at place %d",
		d.Obligation.Message(), r.Bundle, d.Place+1, d.Other, d.OtherPlace+1)
}

func (d Unreached) words(r *Reason, _ subject) string {
	return d.Request.text() + ", and " + d.Why.text(r.Bundle)
}

// NotReached is why a request does not lead to a bundle. Kind says which of the
// other fields count.
type NotReached struct {
	Kind     NotReachedKind
	Catalog  catalog.Key
	Channel  string
	Channels []string // through which updates come
	Version  string
	Unlisted Unlisted
	// Next is why what is installed cannot even be updated to what comes next, and
	// DeadEnd that nothing comes next.
	Next    *Hopeless
	DeadEnd *DeadEnd
}

// NotReachedKind says why a request does not lead to a bundle.
type NotReachedKind uint8

// The kinds of NotReached.
const (
	UpdatesHeld       NotReachedKind = iota // what is installed must stay
	OtherCatalog                            // the request asks for another catalog than Catalog
	OtherChannel                            // its channel does not list the bundle
	OtherChannels                           // none of its channels does
	OtherStartingCSV                        // its startingCSV names another bundle
	BelowInstalled                          // in Channel, the bundle stands below the installed one
	SkippedUpdate                           // Channel skips the bundle
	NoUpdate                                // no edge leads from the installed bundle to this one
	NotListed                               // no channel offers the bundle, see Unlisted
	OtherUpdates                            // the bundle is in none of Channels
	UnselectedCatalog                       // its selector does not match Catalog
	OutOfRange                              // Version is not in its range
	NotSuccessor                            // the bundle does not succeed the installed one
	BetterCatalog                           // another catalog than Catalog has the best bundle
)

var notReached = [...]string{
	UpdatesHeld:       "so nothing else can be chosen",
	OtherCatalog:      "{bundle} is in catalog {catalog}",
	OtherChannel:      "that channel does not list {bundle}",
	OtherChannels:     "none of these channels lists {bundle}",
	OtherStartingCSV:  "so {bundle} is no candidate",
	BelowInstalled:    "{bundle} is no update of it: it stands below it in channel {channel}",
	SkippedUpdate:     "{bundle} is no update of it: channel {channel} skips it",
	NoUpdate:          "{bundle} is no update of it: its entry neither replaces nor skips it, and has no skipRange that covers it",
	NotListed:         "{bundle} is not offered: {unlisted}",
	OtherUpdates:      "{bundle} is no update of it: it is not in channel {channels}, through which updates come",
	UnselectedCatalog: "its selector does not match catalog {catalog}",
	OutOfRange:        "version {version} is not in range",
	NotSuccessor:      "{bundle} is no successor of it",
	BetterCatalog:     "another catalog than {catalog} offers the best bundle",
}

func (n NotReached) text(bundle string) string {
	text := strings.NewReplacer("{bundle}", bundle, "{catalog}", n.Catalog.String(), "{channel}", n.Channel, "{channels}", strings.Join(n.Channels, " or "),
		"{version}", n.Version, "{unlisted}", n.Unlisted.text()).Replace(notReached[n.Kind])
	switch {
	case n.Next != nil:
		text += "; an update goes one step at a time, and " + n.Next.text()
	case n.DeadEnd != nil:
		text += "; " + n.DeadEnd.text()
	case n.Kind == NoUpdate:
		text += "; an update goes one step at a time"
	}
	return text
}
