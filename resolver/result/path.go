package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Path is a sequence of updates of one package: a shortest one among those with the fewest
// changes of channel.
type Path struct {
	// Request is the request that is updated, Package the package that it names.
	Request cluster.RequestKey
	Package string
	// From and To are the installed bundle and the target, by name.
	From, To string
	// Steps lead from one to the other; none if the target is installed.
	Steps []PathStep
	// InstallPlan is the one of the first step if it waits for approval now, else empty.
	InstallPlan string
	// Instead is the InstallPlan that waits for approval now if it does not bring the first step.
	Instead *WaitingPlan
}

// WaitingPlan is an InstallPlan that waits for approval.
type WaitingPlan struct {
	InstallPlan string   `json:"installPlan"`
	Bundles     []string `json:"bundles,omitempty"`
}

// PathStep is one update, or the change of the request to another channel before one.
type PathStep struct {
	// Hop is the version of OpenShift before which the step must be taken, if there is a
	// target. Refusal is why the bundle before it may not run there; it may be the bundle of
	// another request that needs this step.
	Hop     string
	Refusal *Reason
	// Turn is the place of the step among all of its namespace for the same Hop. In this order
	// they can be taken; those of one turn are made at once.
	Turn int
	// After are updates of other requests of the namespace that must come before. They are
	// steps for the same Hop. With are those that are made at once with this one.
	After, With []Move
	// Awaits are updates of other requests that OLM makes by itself, and nothing of this one.
	Awaits []Move
	// ByItself reports whether OLM takes the step of a Hop by itself.
	ByItself bool
	// Channel is set for a change of channel.
	Channel string
	// Bundle is the installed bundle of the request after the step.
	Bundle string
	// Resolution is the answer that makes the update, nil for a change of channel. The next
	// step starts from the consistent state after it. With a Hop it leaves out what is installed
	// and has no bearing on the update.
	Resolution *Resolution
}

// Forced reports whether the step is an update that OLM does not take by itself.
func (s PathStep) Forced() bool { return s.Channel == "" && !s.ByItself }

// Move is the update of a request to a bundle.
type Move struct {
	Request cluster.RequestKey `json:"request"`
	Bundle  string             `json:"bundle"`
}

// String returns the request and the bundle.
func (m Move) String() string { return m.Request.String() + " to " + m.Bundle }

// NoPath means that no sequence of updates leads to the target.
type NoPath struct {
	Request cluster.RequestKey
	Package string
	// To is empty if the target is any bundle that may run on another version of the
	// cluster.
	From, To string
	// Fitting are the newer bundles that may run there, if To is empty.
	Fitting []string
	// Reached are the bundles that can be reached, the installed one first.
	Reached []string
	// Blocked are the updates that the rest of the namespace does not allow.
	Blocked []BlockedUpdate
	// CutOff is true if the search for updates of other requests that come first ended at
	// its limit.
	CutOff bool
	// Help has fixes after which there is a path.
	Help
}

// BlockedUpdate is an update that cannot be made, and why. If Channel is set, it is one after
// a change to that channel.
type BlockedUpdate struct {
	From, To, Channel string
	Err               error
}

func (e *NoPath) Error() string {
	text := words.NoWay(e.Package, e.From, e.To)
	return words.Clip(strings.TrimSpace(text+e.reason()), MaxExplanation)
}

// reason returns the reasons on one line.
func (e *NoPath) reason() string {
	reasons := words.Mapped(e.Reasons(), func(r []string) string {
		return strings.TrimSpace(words.OneLine(r[0] + " " + strings.Join(r[1:], "; ")))
	})
	switch {
	case e.To != "" || len(e.Blocked) > 0 || e.forbidden() != "":
	case len(e.Fitting) > 0:
		reasons = append(reasons, words.MayRunThere(e.Fitting))
	default: // where updates lead does not matter then
		reasons = []string{words.NoneMayRun}
	}
	if e.CutOff {
		reasons = append(reasons, words.SearchCutOff)
	}
	return strings.Join(reasons, "; ")
}

// Reasons returns why there is no path. The first string of a reason is what it is about or
// the reason itself; the others are messages about it. What the request alone forbids comes
// first.
func (e *NoPath) Reasons() [][]string {
	var list [][]string
	if own := e.forbidden(); own != "" {
		list = append(list, []string{own})
	}
	switch {
	case len(e.Blocked)+len(list) > 0:
	case len(e.Reached) > 1:
		list = append(list, []string{words.LeadOnlyTo(e.Reached[1:])})
	default:
		list = append(list, []string{words.NothingUpdates(e.From)})
	}
	alike := map[string]int{} // in list
	targets := map[int][]string{}
	for _, b := range e.Blocked {
		messages := Outcome{Err: b.Err}.Messages()
		key := fmt.Sprintf("%q %q %q", b.From, b.Channel, messages)
		at, known := alike[key]
		if !known {
			at = len(list)
			alike[key], list = at, append(list, append([]string{""}, messages...))
		}
		targets[at] = append(targets[at], cmp.Or(b.To, "nothing"))
		verb := " cannot follow "
		if b.To == "" {
			verb = " can follow "
		}
		list[at][0] = words.Listed(words.Distinct(targets[at]), words.MaxNamed) + verb + b.From
		if b.Channel != "" {
			list[at][0] += " in channel " + b.Channel
		}
		list[at][0] += ":"
	}
	return list
}

// forbidden states which fields of a ClusterExtension alone forbid a path: range, channels or
// policy. It is empty if that is not the matter.
func (e *NoPath) forbidden() string {
	concerns := func(s Step) bool {
		return cluster.RequestKind(s.Object.Kind) == e.Request.Kind && s.Object.Name == e.Request.Name &&
			slices.Contains([]string{words.FieldExtensionChannels, words.FieldExtensionVersion, words.FieldExtensionPolicy}, s.Field)
	}
	for _, f := range e.Fixes {
		steps := f.Steps()
		if slices.ContainsFunc(steps, func(s Step) bool { return !concerns(s) }) {
			continue
		}
		var before, after []string
		for _, s := range steps {
			after = append(after, s.Setting())
			s.To = s.From
			before = append(before, s.Setting())
		}
		text := words.ExcludesItself(e.Request.String(), strings.Join(before, " and "), strings.Join(after, " and "))
		if n := len(f.Further); n > 0 {
			text += " of " + words.Count(n+1, "step")
		}
		return text
	}
	return ""
}

// Unwrap returns why each blocked update cannot be made.
func (e *NoPath) Unwrap() []error {
	return words.Mapped(e.Blocked, func(b BlockedUpdate) error { return b.Err })
}
