package resolver

import (
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
)

// ReasonKind says what sort of input fact or rule a Reason states.
type ReasonKind string

// The kinds of reasons.
const (
	// ReasonSubscription: a Subscription and the bundles it can be met with.
	ReasonSubscription ReasonKind = "subscription"
	// ReasonExtension: a ClusterExtension and the bundles it can be met with.
	ReasonExtension ReasonKind = "clusterExtension"
	// ReasonInstalled: an installed bundle without a Subscription must stay.
	ReasonInstalled ReasonKind = "installed"
	// ReasonDependency: a bundle states a constraint.
	ReasonDependency ReasonKind = "dependency"
	// ReasonOnePackage, ReasonOneName and ReasonOneAPI: at most one selected
	// bundle of a package, with a name, providing an API.
	ReasonOnePackage ReasonKind = "onePackage"
	ReasonOneName    ReasonKind = "oneName"
	ReasonOneAPI     ReasonKind = "oneAPI"
	// ReasonReplaces: an update candidate excludes the installed bundle.
	ReasonReplaces ReasonKind = "replaces"
	// ReasonDeprecated: a bundle with olm.deprecated is never newly selected.
	ReasonDeprecated ReasonKind = "deprecated"
	// ReasonOpenShift, ReasonKubernetes: the cluster's version rules it out.
	ReasonOpenShift  ReasonKind = "maxOpenShiftVersion"
	ReasonKubernetes ReasonKind = "minKubeVersion"
	// ReasonOperatorGroup: the namespace's OperatorGroup rules it out.
	ReasonOperatorGroup ReasonKind = "operatorGroup"
	// ReasonPin: the caller pinned the package to another bundle.
	ReasonPin ReasonKind = "pin"
	// ReasonSystem: the caller's SystemConstraint rules it out.
	ReasonSystem ReasonKind = "systemConstraint"
	// ReasonHold: an installed bundle may not be updated now.
	ReasonHold ReasonKind = "hold"
)

// Reason is one member of a minimal set of facts that cannot hold together.
// Only the fields that its kind needs are set.
type Reason struct {
	Kind ReasonKind
	// Subject names what states the fact: a Subscription, ClusterExtension,
	// bundle, package or API.
	Subject string
	// Message is one sentence for people.
	Message string
	// Bundle, Package, Version and Catalog identify a bundle.
	Bundle  string
	Package string
	Version string
	Catalog cache.Key
	// API is set for ReasonOneAPI.
	API properties.GVK
}

// NotSatisfiable means that the requests of a namespace, or a
// ClusterExtension, cannot be met.
type NotSatisfiable struct {
	Namespace string
	Extension string
	// Constraints is a minimal set that cannot hold together: leave any one out
	// and the rest can.
	Constraints []Reason
	// Explanation is the derivation for people.
	Explanation *Explanation
	// Fixes are changes of the input that were solved again and work, the
	// smallest first.
	Fixes []Fix
}

func (e *NotSatisfiable) Error() string { return e.Summary() }

// Summary is one line of at most MaxSummary bytes.
func (e *NotSatisfiable) Summary() string {
	if e.Explanation != nil {
		return e.Explanation.Summary()
	}
	messages := make([]string, len(e.Constraints))
	for i, c := range e.Constraints {
		messages[i] = c.Message
	}
	return clip(strings.Join(messages, "; "), MaxSummary)
}

// Fix is a change of the input with which resolution was found to succeed.
type Fix struct {
	// Text tells an administrator what to do.
	Text string
}
