package updates

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Status is how one Subscription or ClusterExtension stands.
type Status struct {
	Request cluster.RequestKey
	Package string
	// Channel and Catalog are those that Head is of. Without a Head they are what
	// the request names.
	Channel, Catalog string
	// Installed is what the request has installed, Next what a resolution picks
	// instead now, and Head where updates lead in the end. All are names of bundles,
	// empty if there is none.
	Installed, Next, Head string
	State                 State
	// Steps is the number of updates from what is installed, or Next, to Head; 0 if they do
	// not lead there.
	Steps int
	// Why says what keeps the request from its Head, nil if nothing does. Of a Blocked
	// one it is the derivation of a minimal core.
	Why *result.Explanation
	// Err is why the namespace or the ClusterExtension cannot be resolved. Unless the state
	// is Failed, the row says how the request stands without those that cannot be satisfied.
	Err error
	// Help is what would help: the request can be satisfied, or takes a step on.
	fixes.Help
	// Support is where the minor version of what is installed stands in its lifecycle on
	// cluster.Objects.Date; nil where either is not stated.
	Support *catalog.Support
	// Target looks ahead to another version of the cluster, if one was given.
	Target *TargetStatus
}

// State says how a request stands.
type State string

// The states, of which a request has the first that applies. Stuck are those from which
// nothing moves by itself. It also is Failed, before NotInstalled, if only others of its
// namespace have a cause to fail.
const (
	Failed          State = "failed"          // the request or its namespace cannot be resolved
	Unhealthy       State = "unhealthy"       // what is installed, or an installation, failed
	PendingApproval State = "pendingApproval" // Next comes once an InstallPlan is approved
	Held            State = "held"            // the operator refuses updates
	AtDeadEnd       State = "deadEnd"         // nothing leads on from what is installed
	Blocked         State = "blocked"         // there is an update, which cannot be taken
	NotInstalled    State = "notInstalled"    // Next comes now
	UpdateAvailable State = "updateAvailable" // Next comes now
	Current         State = "current"         // at the head
)

// States are all states, in their order.
var States = []State{Failed, Unhealthy, PendingApproval, Held, AtDeadEnd, Blocked, NotInstalled, UpdateAvailable, Current}

// TargetStatus says whether what is installed may run on another version of the
// cluster, and what leads to what may.
type TargetStatus struct {
	// Refusal is what first forbids it on the way there. Updates lead to bundles that may
	// run on each version, before the cluster is updated to that: the fewest of this request,
	// with as few others as go before or along with them (of those that must move for each
	// other, rarely one update more than need be). Err says why there are none before the
	// version Blocks, and whether a limit ended the search; Until what ends that, if waiting does.
	Blocks, Until string
	// Hops are the versions on the way, as of the function Hops.
	Hops    []string
	Refusal *result.Reason
	Updates []Step
	Err     error
	// There is how the request stands on the catalogs of the target, where these are
	// known and it cannot be resolved, or is at a dead end.
	There *Status
}

// OK reports whether nothing blocks the update of the cluster: what is installed, or the
// Updates lead to, may run on each version, and can be resolved there.
func (t *TargetStatus) OK() bool {
	return t.Blocks == "" && (t.There == nil || t.There.State != Failed)
}

// Stuck reports whether nothing leads the request to its head, or the cluster to its
// target.
func (s *Status) Stuck() bool {
	return slices.Contains(States[:slices.Index(States, NotInstalled)], s.State) || s.Target != nil && !s.Target.OK()
}

// Reason says in a sentence why the request is not at its head; empty if it is.
func (s *Status) Reason() string {
	if s.Why == nil && s.Err != nil {
		return words.Clip(words.OneLine(s.failure()), result.MaxExplanation)
	}
	if s.Why == nil {
		return ""
	}
	return words.Clip(words.OneLine(s.Why.Cause()), result.MaxExplanation)
}

// failure says what the failure of the namespace means to the request.
func (s *Status) failure() string {
	unsatisfied, ok := errors.AsType[*result.NotSatisfiable](s.Err)
	if !ok || unsatisfied.Explanation == nil {
		return s.Err.Error()
	}
	cause := causeOf(unsatisfied, s.Request)
	switch {
	case cause != nil && len(cause.Explanation.Reason.Args().Conflict.Requests) > 1:
		return cause.Explanation.Text()
	case cause != nil:
		return cause.Explanation.Cause()
	case s.Request.Kind == cluster.KindExtension:
		return unsatisfied.Explanation.Cause()
	}
	var failing []string
	for _, c := range unsatisfied.Causes {
		for _, r := range c.Requests {
			failing = append(failing, r.Name)
		}
	}
	if failing = words.Distinct(failing); len(failing) == 0 {
		return "waits for what is installed in its namespace: " + s.Err.Error()
	}
	are := map[bool]string{true: "is", false: "are"}[len(failing) == 1]
	return "waits until Subscription" + words.Plural(len(failing)) + " " + words.Listed(failing, words.MaxNamed) + " of its namespace can be satisfied or " + are + " deleted"
}

// FailsItself reports whether the request fails by a cause of its own.
func (s *Status) FailsItself() bool {
	unsatisfied, ok := errors.AsType[*result.NotSatisfiable](s.Err)
	return s.State == Failed && (!ok || slices.Contains(unsatisfied.Blocking, s.Request) ||
		slices.ContainsFunc(unsatisfied.Causes, func(c result.Cause) bool { return slices.Contains(c.Requests, s.Request) }))
}

// causeOf returns the first cause that keeps a request out, else the first that the request
// takes part in, or nil.
func causeOf(e *result.NotSatisfiable, request cluster.RequestKey) *result.Cause {
	i := slices.IndexFunc(e.Causes, func(c result.Cause) bool { return slices.Contains(c.Requests, request) })
	if i < 0 {
		i = slices.IndexFunc(e.Causes, func(c result.Cause) bool {
			head := c.Explanation.Reason.Args().Conflict
			return slices.ContainsFunc(head.Requests, func(r *result.Request) bool { return r.Key == request })
		})
	}
	if i < 0 {
		return nil
	}
	return &e.Causes[i]
}

// Reason says in a sentence what is wrong at the target; empty if nothing is.
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
		parts = append(parts, "then, with the catalogs of "+cmp.Or(t.Hops[len(t.Hops)-1], "the target")+": "+t.There.Reason())
	}
	return words.Clip(words.OneLine(strings.Join(parts, "; ")), result.MaxExplanation)
}

// String says what to do in the step.
func (s Step) String() string {
	if s.Channel != "" {
		return "change to channel " + s.Channel
	}
	return s.Bundle
}

// Hops lists the versions of OpenShift that a cluster is updated to in turn, one minor after
// another: the last one is the target. Without a current one it is the only one. The error is
// that of a target below what the cluster runs.
func Hops(current, target string) ([]string, error) {
	from, err := semver.ParseTolerant(current)
	to, wrong := semver.ParseTolerant(target)
	switch {
	case target == "" || wrong != nil || current == "" || err != nil:
		return []string{target}, nil
	case to.Major < from.Major || to.Major == from.Major && to.Minor < from.Minor:
		return nil, fmt.Errorf("the target OpenShift %s is below %s, which the cluster runs", target, current)
	}
	var hops []string
	for minor := from.Minor + 1; to.Major == from.Major && minor < to.Minor; minor++ {
		hops = append(hops, fmt.Sprintf("%d.%d", to.Major, minor))
	}
	return append(hops, target), nil
}
