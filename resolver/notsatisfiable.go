package resolver

import (
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

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

// Reason is an input fact. Only the fields that its kind needs are set.
type Reason struct {
	Kind ReasonKind
	// Namespace is that of the request, bundle or rule, where several namespaces
	// are resolved jointly.
	Namespace string
	// Subject names what states the fact: a Subscription, ClusterExtension,
	// bundle, package, API or catalog.
	Subject string
	// Message is one sentence for people.
	Message string
	// Bundle, Package, Version and Catalog identify a bundle.
	Bundle  string
	Package string
	Version string
	Catalog catalog.Key
	// API is set for ReasonOneAPI, ReasonMissingAPI and ReasonProvides.
	API properties.GVK
	// Constraint is what a ReasonDependency asks for, in words, and
	// FailureMessage what its author wants users to read.
	Constraint     string
	FailureMessage string
	// Names are the nearest names of a missing one, or the versions that exist.
	Names []string
}

// NotSatisfiable means that the requests of a namespace, or a
// ClusterExtension, cannot be met.
type NotSatisfiable struct {
	// Namespace is what was resolved; of several that were resolved jointly, all
	// names, joined by commas.
	Namespace string
	Extension string
	// Constraints is a minimal set that cannot hold together: leave any one out
	// and the rest can.
	Constraints []Reason
	// Explanation is the derivation for people.
	Explanation *Explanation
	// Fixes are changes of the input that were solved again and work, the
	// smallest first. Empty if Options.NoFixes is set or none was found.
	Fixes []Fix
	// Blocking are the requests that would have to be left out for the others
	// to proceed, and Proceeding those others, as Options.Partial does. Both
	// are empty if not even leaving requests out helps.
	Blocking   []Served
	Proceeding []Served

	printer Printer
	// searched is set if fixes were looked for.
	searched bool
}

// Error is the head of the explanation as one line of at most MaxExplanation
// bytes.
func (e *NotSatisfiable) Error() string {
	if e.Explanation != nil {
		return e.Explanation.line(MaxExplanation)
	}
	messages := make([]string, len(e.Constraints))
	for i, c := range e.Constraints {
		messages[i] = c.Message
	}
	return clip(strings.Join(messages, "; "), MaxExplanation)
}

// Summary is Error shortened to at most MaxSummary bytes.
func (e *NotSatisfiable) Summary() string { return clip(e.Error(), MaxSummary) }

// Report is the whole text for people: the derivation, and what would help. It
// has at most MaxExplanation bytes, and comes from Options.Printer.
func (e *NotSatisfiable) Report() string {
	if e.printer != nil {
		return clip(e.printer.Print(e), MaxExplanation)
	}
	return TreePrinter{}.Print(e)
}

// Fix is a change of the input with which resolution was found to succeed.
type Fix struct {
	Kind FixKind
	// Namespace is that of the subject, where several namespaces are resolved
	// jointly.
	Namespace string
	// Subject names what to change: a Subscription, ClusterServiceVersion,
	// catalog or other object.
	Subject string
	// Value is what to set, where the kind needs one.
	Value string
	// Text tells an administrator what to do.
	Text string
	// More are further changes that have to be made together with this one.
	More []Fix
}

// FixKind says what a Fix changes.
type FixKind string

// The kinds of fixes.
const (
	// FixRename corrects a name in a request: package, catalog, channel or
	// startingCSV.
	FixRename FixKind = "rename"
	// FixChannel and FixStartingCSV change these fields of a request; an empty
	// value removes the field.
	FixChannel     FixKind = "channel"
	FixStartingCSV FixKind = "startingCSV"
	// FixCatalog takes a request from another catalog; of a ClusterExtension, its
	// selector then names the catalog.
	FixCatalog FixKind = "catalog"
	// FixSelector removes the catalog selector of a ClusterExtension.
	FixSelector FixKind = "selector"
	// FixVersion changes the version range of a ClusterExtension.
	FixVersion FixKind = "version"
	// FixPolicy changes the upgrade policy of a ClusterExtension.
	FixPolicy FixKind = "upgradePolicy"
	// FixHold removes an OperatorCondition's hold.
	FixHold FixKind = "hold"
	// FixVisible makes a known catalog visible to the namespace.
	FixVisible FixKind = "visibleCatalog"
	// FixAllow lets the caller's policy allow a bundle.
	FixAllow FixKind = "allow"
	// FixGroup changes the targets of the OperatorGroup.
	FixGroup FixKind = "operatorGroup"
	// FixCluster updates the cluster itself.
	FixCluster FixKind = "clusterVersion"
	// FixDeleteCSV deletes an installed bundle that no Subscription manages.
	FixDeleteCSV FixKind = "deleteCSV"
	// FixDrop deletes a request, with what it has installed.
	FixDrop FixKind = "drop"
)
