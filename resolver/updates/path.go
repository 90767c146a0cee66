// Package updates holds what is said about the updates of requests: how each of them
// stands, and the paths that lead from what is installed to other bundles. It is plain
// data.
package updates

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Path is a sequence of updates of one package: with the fewest changes of channel
// that lead there, and of these a shortest one.
type Path struct {
	// Request is the one that is updated, Package what it requests.
	Request cluster.RequestKey
	Package string
	// From and To are the installed bundle and the target, by name.
	From, To string
	// Steps lead from one to the other; none if the target is installed.
	Steps []Step
}

// Step is one update, or the change of the request to another Channel before
// one. When the resolution of an update has been carried out the whole namespace is in a
// consistent state, from which the next step starts; a change of channel has none.
type Step struct {
	Channel string
	// Bundle is the one of the package after the step.
	Bundle     string
	Resolution *result.Resolution
}

// NoPath means that no sequence of updates leads to the target.
type NoPath struct {
	Request cluster.RequestKey
	Package string
	// To is empty if any bundle will do that may run on another version of the cluster.
	From, To string
	// Reached are the bundles that can be reached, the installed one first.
	Reached []string
	// Blocked are the updates that the rest of the namespace does not allow.
	Blocked []BlockedUpdate
}

// BlockedUpdate is an update that cannot be made, and why: in the channel of the request
// or, if Channel is set, once that is changed to it.
type BlockedUpdate struct {
	From, To, Channel string
	Err               error
}

// String says which update cannot be made.
func (b BlockedUpdate) String() string {
	text := b.To + " cannot follow " + b.From
	if b.To == "" {
		text = "nothing can follow " + b.From
	}
	if b.Channel != "" {
		text += " in channel " + b.Channel
	}
	return text
}

func (e *NoPath) Error() string {
	text := fmt.Sprintf("no sequence of updates leads package %s from %s to %s: ", e.Package, e.From, cmp.Or(e.To, "one that may run there"))
	switch {
	case len(e.Blocked) == 0 && len(e.Reached) > 1:
		return words.Clip(text+"updates lead only to "+words.Listed(e.Reached[1:], words.MaxNamed), result.MaxExplanation)
	case len(e.Blocked) == 0:
		return text + "nothing in any channel updates " + e.From
	}
	var reasons []string
	for _, b := range e.Blocked {
		reasons = append(reasons, fmt.Sprintf("%s (%s)", b, strings.Join(result.Messages(b.Err), "; ")))
	}
	return words.Clip(text+strings.Join(reasons, "; "), result.MaxExplanation)
}

// Unwrap returns why each blocked update cannot be made.
func (e *NoPath) Unwrap() []error {
	var errs []error
	for _, b := range e.Blocked {
		errs = append(errs, b.Err)
	}
	return errs
}
