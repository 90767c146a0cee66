package result

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// Reason is what a node of an explanation, or a member of a minimal set of
// constraints, states. Only the fields that its kind needs are set.
type Reason struct {
	Kind ReasonKind
	// Namespace is that of the request, bundle or rule, where several namespaces
	// are resolved jointly.
	Namespace string
	// Subject names what states the fact: a Subscription, ClusterExtension,
	// bundle, package, API or catalog.
	Subject string
	// Bundle, Package, Version and Catalog identify a bundle. Version is nil where
	// it does not matter.
	Bundle  string
	Package string
	Version *semver.Version
	Catalog catalogKey
	// API is set where the reason is about one; without version it is a kind.
	API properties.GVK
	// Constraint is what a bundle requires.
	Constraint constraints.Expr
	// Names are the closest names to a missing one, or the versions that exist.
	Names []string
	// Detail has the other fields of the kind, and the default words.
	Detail Detail
}

// Message is one sentence for people.
func (r *Reason) Message() string { return r.words(r.subject()) }

// phrase is the rest of the sentence, where it is about a bundle.
func (r *Reason) phrase() string { return r.words(subject{n: 1}) }

func (r *Reason) words(s subject) string {
	if r.Detail == nil {
		return ""
	}
	return r.Detail.words(r, s)
}

// subject is the bundle of the reason.
func (r *Reason) subject() subject {
	return subject{text: r.Bundle + inNamespace(r.Namespace), n: 1}
}

// Detail has what one kind of Reason or Warning states. The set of types is
// closed.
type Detail interface {
	// words makes a sentence. r has the common fields. Some sentences begin with
	// their subject; others have their own.
	words(r *Reason, s subject) string
}

// subject is what a sentence begins with: bundles, with their number, or nothing
// if only the rest of the sentence is wanted.
type subject struct {
	text string
	n    int
	// short leaves out what does not matter in a derivation.
	short bool
}

// does begins a sentence with a verb that agrees with the subject.
func (s subject) does(one, many string) string {
	if s.text == "" {
		return verb(s.n, one, many)
	}
	return s.text + " " + verb(s.n, one, many)
}

// ReasonKind says what sort of input fact or rule a Reason states.
type ReasonKind string

// The kinds of reasons that can be members of a minimal set of constraints.
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
	// ReasonSelected: a bundle was chosen earlier, for a request or obligation
	// that comes first. Only a WhyNot has it.
	ReasonSelected ReasonKind = "selected"
	// ReasonAsked: the bundle that a WhyNot is about is to be selected.
	ReasonAsked ReasonKind = "asked"
	// ReasonCommitted: an alternative of a constraint was decided for earlier.
	ReasonCommitted ReasonKind = "committed"
)

// The kinds of facts that explain why something is missing. They are leaves of
// a derivation, but no members of the minimal set.
const (
	// ReasonMissingPackage: no visible catalog has the package.
	ReasonMissingPackage ReasonKind = "missingPackage"
	// ReasonMissingVersion: the package is there, but no version in the range.
	ReasonMissingVersion ReasonKind = "missingVersion"
	// ReasonMissingAPI: no visible bundle provides the API.
	ReasonMissingAPI ReasonKind = "missingAPI"
	// ReasonMissingLabel: no visible bundle carries the label.
	ReasonMissingLabel ReasonKind = "missingLabel"
	// ReasonNoMatch: no visible bundle satisfies a rule or a compound constraint.
	ReasonNoMatch ReasonKind = "noMatch"
	// ReasonRuleFailed: a rule could not be evaluated on some bundles.
	ReasonRuleFailed ReasonKind = "ruleFailed"
	// ReasonInvisible: a catalog that the namespace does not see has it.
	ReasonInvisible ReasonKind = "invisibleCatalog"
	// ReasonQuarantined: a catalog's fault keeps it from being used.
	ReasonQuarantined ReasonKind = "quarantine"
	// ReasonNotOffered: a bundle would do, but its channels do not offer it.
	ReasonNotOffered ReasonKind = "notOffered"
	// ReasonProvides: bundles provide an API or share a name or package.
	ReasonProvides ReasonKind = "provides"
	// ReasonExcluded: bundles match what a constraint excludes.
	ReasonExcluded ReasonKind = "excluded"
	// ReasonUnknown: a request names a catalog, channel or bundle that is not
	// there, or not usable.
	ReasonUnknown ReasonKind = "unknownName"
	// ReasonPreferred: another bundle stands earlier in the order of preference.
	ReasonPreferred ReasonKind = "preferred"
	// ReasonUnasked: no request or constraint asks for the bundle.
	ReasonUnasked ReasonKind = "unasked"
)

// The kinds of inner nodes that no rule or request states.
const (
	// ReasonConflict is the head of a derivation.
	ReasonConflict ReasonKind = "conflict"
	// ReasonPart: a part of a compound constraint.
	ReasonPart ReasonKind = "part"
	// ReasonNotSelected is the head of an answer why a bundle is not selected.
	ReasonNotSelected ReasonKind = "notSelected"
)
