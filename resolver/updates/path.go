// Package updates holds what is said about the updates of requests: how each of them
// stands, and the paths that lead from what is installed to other bundles. It is plain
// data.
package updates

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
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
	// Hop is the version of OpenShift before which it is taken, where it is for that, and
	// Refusal why what was installed may not run there, be it of a request that needs the step.
	Hop     string
	Refusal *result.Reason
	// After are updates of other requests of the namespace that must come before, which are
	// steps for the same Hop.
	After   []Move
	Channel string
	// Bundle is the one of the package after the step.
	Bundle     string
	Resolution *result.Resolution
}

// Move is the update of a request to a bundle.
type Move struct {
	Request cluster.RequestKey `json:"request"`
	Bundle  string             `json:"bundle"`
}

// NoPath means that no sequence of updates leads to the target.
type NoPath struct {
	Request cluster.RequestKey
	Package string
	// To is empty if any bundle will do that may run on another version of the cluster.
	From, To string
	// Fitting are the newer bundles that may run there, where To is empty.
	Fitting []string
	// Reached are the bundles that can be reached, the installed one first.
	Reached []string
	// Blocked are the updates that the rest of the namespace does not allow.
	Blocked []BlockedUpdate
	// CutOff: the search for updates of others that would let one follow ended at its limit.
	CutOff bool
	// Help is what would make a path.
	fixes.Help
}

// BlockedUpdate is an update that cannot be made, and why: in the channel of the request
// or, if Channel is set, once that is changed to it.
type BlockedUpdate struct {
	From, To, Channel string
	Err               error
}

func (e *NoPath) Error() string {
	text := fmt.Sprintf("no sequence of updates leads package %s from %s to %s: ", e.Package, e.From, cmp.Or(e.To, "one that may run there"))
	return words.Clip(strings.TrimSpace(text+e.reason()), result.MaxExplanation)
}

// reason joins the reasons in a line.
func (e *NoPath) reason() string {
	reasons := words.Mapped(e.Reasons(), func(r []string) string {
		return strings.TrimSpace(words.OneLine(r[0] + " " + strings.Join(r[1:], "; ")))
	})
	switch {
	case e.To != "" || len(e.Blocked) > 0 || e.forbidden() != "":
	case len(e.Fitting) > 0:
		reasons = append(reasons, words.Listed(e.Fitting, words.MaxNamed)+" may run there: install one anew, or remove the operator before the update")
	default:
		reasons = append(reasons, "no newer version may run there: wait for one, or remove the operator before the update")
	}
	if e.CutOff {
		reasons = append(reasons, "the search for updates of others that would let it follow ended at its limit")
	}
	return strings.Join(reasons, "; ")
}

// Reasons say why there is no path. Each begins with what it is about and, where that is not
// the reason, has the messages about it. What only the request forbids comes first.
func (e *NoPath) Reasons() [][]string {
	var list [][]string
	if own := e.forbidden(); own != "" {
		list = append(list, []string{own})
	}
	switch {
	case len(e.Blocked)+len(list) > 0:
	case len(e.Reached) > 1:
		list = append(list, []string{"updates lead only to " + words.Listed(e.Reached[1:], words.MaxNamed)})
	default:
		list = append(list, []string{"nothing in any channel updates " + e.From})
	}
	alike := map[string]int{} // in list
	to := map[int][]string{}
	for _, b := range e.Blocked {
		messages := result.Messages(b.Err)
		key := fmt.Sprintf("%q %q %q", b.From, b.Channel, messages)
		at, known := alike[key]
		if !known {
			at = len(list)
			alike[key], list = at, append(list, append([]string{""}, messages...))
		}
		to[at] = append(to[at], cmp.Or(b.To, "nothing"))
		verb := " cannot follow "
		if b.To == "" {
			verb = " can follow "
		}
		list[at][0] = words.Listed(words.Distinct(to[at]), words.MaxNamed) + verb + b.From
		if b.Channel != "" {
			list[at][0] += " in channel " + b.Channel
		}
		list[at][0] += ":"
	}
	return list
}

// forbidden says what of the request alone forbids a path, if that is the matter: the range,
// the channels, or the policy of a ClusterExtension.
func (e *NoPath) forbidden() string {
	own := func(s fixes.Step) bool {
		return cluster.RequestKind(s.Object.Kind) == e.Request.Kind && s.Object.Name == e.Request.Name &&
			slices.Contains([]fixes.Field{fixes.FieldExtensionChannels, fixes.FieldExtensionVersion, fixes.FieldExtensionPolicy}, s.Field)
	}
	for _, f := range e.Fixes {
		steps := f.Steps()
		if slices.ContainsFunc(steps, func(s fixes.Step) bool { return !own(s) }) {
			continue
		}
		var before, after []string
		for _, s := range steps {
			after = append(after, s.String())
			s.To = s.From
			before = append(before, s.String())
		}
		text := fmt.Sprintf("%s itself excludes what is on the way: %s; with %s there is a path", e.Request, strings.Join(before, " and "), strings.Join(after, " and "))
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
