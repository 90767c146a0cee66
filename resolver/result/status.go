package result

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Status is the status of one Subscription or ClusterExtension.
type Status struct {
	Request cluster.RequestKey
	Package string
	// Channel and Catalog are those of Head. Without a Head they are the ones that the
	// request names, the catalog without a namespace if it names none.
	Channel string
	Catalog catalog.Key
	// Installed is the installed bundle, Next the one that a resolution now puts in its
	// place, and Head the one at which updates end. All are names, empty if there is none. As
	// long as an update that OLM has made waits, Installed is the bundle that it replaces.
	Installed, Next, Head string
	// Versions are those of Installed, Next and Head, by name, as far as they are known.
	Versions map[string]string
	State    State
	// Steps is the number of updates from Installed to Head, for a new installation with
	// that of Next; 0 if there is no way.
	Steps int
	// Why is what keeps the request from its Head, nil if nothing does. If the state is
	// Blocked, it is the derivation of a minimal core, unless the installed bundle of another
	// request stands for Next, or a policy denies the answer.
	Why *Explanation
	// Remarks are what to know of a request that is at its Head: deprecations, a default channel
	// that goes on where its own ends, newer versions that its range keeps out. For what comes
	// next, also that the namespace has no OperatorGroup that can serve it.
	Remarks []Reason
	// Err is why the namespace or the ClusterExtension cannot be resolved. Unless the state
	// is Failed or Waiting, the other fields hold for the namespace without the failing requests.
	Err error
	// Help has fixes with which the request is satisfied, or takes a step on.
	Help
	// UpdateElsewhere is an update that OLM does not take by itself, nil if there is none.
	UpdateElsewhere *UpdateElsewhere
	// Support is the support of the installed minor version on cluster.Objects.Date, nil if
	// the date or a lifecycle is missing.
	Support *catalog.Support
	// Approval is the verdict on the InstallPlan that waits for approval in the namespace, the
	// same for all its rows; nil if none waits.
	Approval *Approval
	// Target is the look ahead to another version of the cluster, nil without a target.
	Target *TargetStatus
}

// UpdateElsewhere is an update that only a catalog has that the Subscription does not name, and
// what in the Subscription would have to name it.
type UpdateElsewhere struct {
	Catalog       catalog.Key
	Bundle, Field string
}

// State is the state of a request.
type State string

// The states. A request has the first one that applies: Status takes that of what OLM states (package
// outcome) or of what resolving gives (packages explain and status), whichever comes first here. There is one exception: one whose update
// is made, and waits for its operator, has Held just before Pending. See [Status.Stuck].
const (
	StateFailed          State = "failed"          // the request cannot be resolved, by a cause of its own
	StateNotJudged       State = "notJudged"       // the content of a catalog that it takes was not given
	StateUnhealthy       State = "unhealthy"       // the installed bundle, or an installation, failed
	StatePending         State = "pending"         // a ClusterServiceVersion waits for something
	StateInstalling      State = "installing"      // a ClusterServiceVersion is being installed
	StatePendingApproval State = "pendingApproval" // Next comes once an InstallPlan is approved
	StateHeld            State = "held"            // the operator refuses updates
	StateAtDeadEnd       State = "deadEnd"         // no edge leads on from the installed bundle
	StateBlocked         State = "blocked"         // Next cannot come: other choices or a policy rule it out
	StateWaiting         State = "waiting"         // others of its namespace fail, or are updated first: it stays as it is until then
	StateNotInstalled    State = "notInstalled"    // Next comes now
	StateUpdateAvailable State = "updateAvailable" // Next comes now
	StateKept            State = "kept"            // what requires the installed bundle, and cannot move itself, fits nothing newer
	StateCurrent         State = "current"         // at the head
)

// States has all states, in their order.
var States = []State{StateFailed, StateNotJudged, StateUnhealthy, StatePending, StateInstalling, StatePendingApproval, StateHeld, StateAtDeadEnd, StateBlocked, StateWaiting, StateNotInstalled, StateUpdateAvailable, StateKept, StateCurrent}

// TargetStatus states whether the installed bundle may run on each version of the cluster on
// the way to a target, and which updates must come before.
type TargetStatus struct {
	// Blocks is the version that the cluster cannot be updated to, empty if none. Until is
	// what to wait for, if waiting ends that.
	Blocks, Until string
	// NotJudged is true if the row is NotJudged and what is installed states no limit that is
	// on the way. The other fields but Hops are then empty.
	NotJudged bool
	// Hops are the versions on the way.
	Hops []string
	// Refusal is why the installed bundle may not run on the first version that forbids it.
	Refusal *Reason
	// Updates lead to bundles that may run on each version, before the cluster is updated to
	// it. They are the fewest of this request, with as few others as possible before or along
	// with them. Where requests must move for each other, there is rarely one too many.
	Updates []PathStep
	// Err is why no updates lead past Blocks, and whether a limit ended the search.
	Err error
	// Remarks are those that each of Hops brings: what is to be known of a request that is at its
	// head then, and was not to be known before.
	Remarks map[string][]Reason
	// There is the status on the catalogs of the target, if these are known and the request
	// fails there or is at a dead end.
	There *Status
}

// OK reports whether nothing blocks the update of the cluster: the installed bundle, or the
// one that Updates lead to, may run on each version, and the request does not fail there.
func (t *TargetStatus) OK() bool {
	return t.Blocks == "" && !t.NotJudged && (t.There == nil || t.There.State == StateAtDeadEnd)
}

// Stuck reports whether the request does not get to its head by itself, or the cluster not
// to its target.
func (s *Status) Stuck() bool {
	at := slices.Index(States, s.State)
	return at >= 0 && at < slices.Index(States, StateNotInstalled) && s.State != StateInstalling || s.Target != nil && !s.Target.OK()
}

// Judged reports whether the request waits for the InstallPlan of Approval: of several of a namespace, the
// newest one is judged.
func (s *Status) Judged() bool {
	return s.State == StatePendingApproval && s.Approval != nil && s.Why != nil && s.Why.Reason.Args().Subject == "InstallPlan "+s.Approval.InstallPlan
}

// Reason returns a sentence why the request is not at its head, empty if it is.
func (s *Status) Reason() string {
	if s.Why == nil && s.Err != nil {
		return words.Clip(words.OneLine(s.failure()), MaxExplanation)
	}
	if s.Why == nil {
		return ""
	}
	return words.Clip(words.OneLine(s.Why.Cause()), MaxExplanation)
}

// BriefReason is Reason. Of what OLM states, the middle is left out where it is long.
func (s *Status) BriefReason() string {
	if s.Repair == nil {
		return s.Reason()
	}
	return words.Shortened(s.Reason(), words.MaxQuoted)
}

// Notes walks why the request is not at its head although it is not stuck, and its Remarks. The
// first string is equal for requests of which the same is to be known, the second says it. That
// one update after another leads there, or that a startingCSV was asked for, is no news.
func (s *Status) Notes() iter.Seq2[string, string] {
	return func(yield func(key, text string) bool) {
		expected := func(r Reason) bool { return r.Code() == words.OneStep || r.Code() == words.ByStartingCSV }
		if s.Why != nil && !slices.ContainsFunc(s.Why.Reason.Because(), expected) && !yield(cmp.Or(s.Why.Key(), s.Request.String()), s.Reason()) {
			return
		}
		for _, r := range s.Remarks {
			if !yield(r.Key(), words.OneLine(r.Message())) {
				return
			}
		}
	}
}

// failure returns what the failure of the namespace means to the request.
func (s *Status) failure() string {
	unsatisfied, ok := errors.AsType[*NotSatisfiable](s.Err)
	if !ok || unsatisfied.Explanation == nil {
		return s.Err.Error()
	}
	cause := causeOf(unsatisfied, s.Request)
	switch {
	case cause != nil && len(cause.Explanation.Reason.Args().Conflict.Requests) > 1:
		return cause.Explanation.Text()
	case cause != nil:
		return cause.Explanation.Cause()
	case s.Request.Scope().Alone():
		return unsatisfied.Explanation.Cause()
	}
	failing := s.WaitsFor()
	if len(failing) == 0 {
		return words.WaitsForInstalled(s.Err)
	}
	return words.WaitsForOthers(words.Mapped(failing, func(k cluster.RequestKey) string { return k.Name }))
}

// WaitsFor returns the requests that the row waits for: those that fail, or those whose updates
// come before its own. It waits for none if what is installed contradicts itself.
func (s *Status) WaitsFor() (list []cluster.RequestKey) {
	if unsatisfied, ok := errors.AsType[*NotSatisfiable](s.Err); ok && s.State == StateWaiting {
		for _, c := range unsatisfied.Causes {
			list = append(list, c.Requests...)
		}
	}
	for _, a := range s.Awaited {
		list = append(list, a.Request)
	}
	return words.Distinct(list)
}

// causeOf returns the first cause that keeps a request out, else the first that the request
// takes part in, or nil.
func causeOf(e *NotSatisfiable, request cluster.RequestKey) *Cause {
	i := slices.IndexFunc(e.Causes, func(c Cause) bool { return slices.Contains(c.Requests, request) })
	if i < 0 {
		i = slices.IndexFunc(e.Causes, func(c Cause) bool {
			head := c.Explanation.Reason.Args().Conflict
			return slices.ContainsFunc(head.Requests, func(r *Request) bool { return r.Key == request })
		})
	}
	if i < 0 {
		return nil
	}
	return &e.Causes[i]
}

// Reason returns a sentence about what is wrong on the way to the target, empty if nothing
// is.
func (t *TargetStatus) Reason() string {
	var parts []string
	if t.Refusal != nil {
		parts = append(parts, t.Refusal.Message())
	}
	if none, ok := t.Err.(*NoPath); ok {
		parts = append(parts, none.reason())
	} else if t.Err != nil {
		parts = append(parts, t.Err.Error())
	}
	if t.There != nil {
		parts = append(parts, words.ThenThere(cmp.Or(t.Hops[len(t.Hops)-1], "the target"), t.There.Reason()))
	}
	return words.Clip(words.OneLine(strings.Join(parts, "; ")), MaxExplanation)
}

// String returns what to do in the step.
func (s PathStep) String() string {
	switch {
	case s.Channel != "":
		return "set spec.channel to " + s.Channel
	case len(s.Awaits) > 0:
		return words.Failures.With("updated", 1, words.Values{"names": words.Listed(words.Texts(s.Awaits), words.MaxNamed)})
	}
	return s.Bundle
}
