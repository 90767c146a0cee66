package result

import (
	"fmt"
	"strconv"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/text"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Reason is what a node of an explanation, or a member of a minimal set of constraints,
// states. It is immutable. [New] returns one.
type Reason struct {
	code    code.Code
	args    *Args
	because []Reason
}

// Kind returns the kind of the reason, which callers can switch on.
func (r *Reason) Kind() ReasonKind { return shapeOf[r.code].kind }

// API returns the API that the reason is about, zero if it is not about one.
func (r *Reason) API() properties.GVK {
	if shapeOf[r.code].may&(1<<apiBit) == 0 || len(r.args.APIs) == 0 {
		return properties.GVK{}
	}
	return r.args.APIs[0]
}

// Because returns the reasons that the reason follows from.
func (r *Reason) Because() []Reason { return r.because }

// Code returns the code of the reason. A kind may have several codes.
func (r *Reason) Code() code.Code { return r.code }

// Key tells reasons apart by their code and what it is about.
func (r *Reason) Key() string {
	a, rule := r.Args(), ""
	if a.Constraint != nil {
		rule = constraints.Key(a.Constraint)
	}
	key := fmt.Sprintf("%s %q %q %q %q %q %q %q %q %q", r.code, a.Subject, a.Package, a.Catalog, a.Channel, a.Other, a.Has, a.Names, a.Said, rule)
	if a.Request != nil {
		key += " " + strconv.Quote(a.Request.Key.String())
	}
	for i := range r.because {
		key += " " + strconv.Quote(r.because[i].Key())
	}
	return key + ";"
}

// Args returns the arguments of the reason.
func (r *Reason) Args() Args { return *orZero(r.args) }

// Message returns the reason as a sentence for people.
func (r *Reason) Message() string { return r.words(r.subject()) }

// Phrase returns the sentence without the bundle that it is about.
func (r *Reason) Phrase() string { return r.words(subject{n: 1}) }

func (r *Reason) words(s subject) string {
	if r.code == code.Conflict {
		return r.args.Conflict.text()
	}
	return words.Unbroken(text.English.Say(string(r.code), r.sentence(s)))
}

// Names returns the names closest to a missing one, or the versions that exist.
func (r *Reason) Names() []string {
	switch r.code {
	case code.MissingPackage:
		return r.args.Names
	case code.MissingVersion:
		return words.Distinct(words.Texts(r.args.Searched.Versions))
	case code.MissingAPI:
		return words.Mapped(r.because, func(other Reason) string { return other.Message() })
	}
	return nil
}

// subject returns the bundle of the reason.
func (r *Reason) subject() subject {
	return subject{text: r.Args().Bundle + words.InNamespace(r.Args().Namespace), n: 1}
}

// subject is what a sentence begins with: n bundles, or no text for a [Reason.Phrase].
type subject struct {
	text string
	// none begins the negated sentence about several bundles: "neither A nor B".
	none   string
	newest *semver.Version
	n      int
	// short leaves out what does not matter in a derivation.
	short bool
}

// closest returns the version of the reason's bundle, which of several comes closest to what
// is required.
func (s subject) closest(r *Reason) string {
	version := r.args.Version
	if s.newest != nil && version.EQ(*s.newest) {
		return "the newest, " + version.String() + ","
	}
	return version.String()
}

// ReasonKind is the sort of input fact or rule that a Reason states. Those without an exported
// constant are:
//
//   - in a minimal set: installed, oneName, maxOpenShiftVersion, minKubeVersion, pin,
//     systemConstraint, selected, asked, committed
//   - why something is missing: missingPackage, missingVersion, missingAPI, missingLabel,
//     noMatch, ruleFailed, invisibleCatalog, quarantine, notOffered, unknownName, preferred,
//     belowHead
//   - warnings: belowHead, maxOpenShiftVersion, quarantine, unneeded, selector, noTargets,
//     noOperatorGroup, catalog, forcedChoice, apiVersions, droppedVersion
//   - what no rule or request states: conflict, notSelected, part
type ReasonKind string

// The kinds of reasons that can be members of a minimal set of constraints.
const (
	ReasonSubscription  ReasonKind = "subscription"        // a Subscription and the bundles that can satisfy it
	ReasonExtension     ReasonKind = "clusterExtension"    // a ClusterExtension and the bundles that can satisfy it
	reasonInstalled     ReasonKind = "installed"           // an installed bundle without a Subscription must stay
	ReasonDependency    ReasonKind = "dependency"          // a bundle states a constraint
	ReasonOnePackage    ReasonKind = "onePackage"          // at most one selected bundle of a package,
	reasonOneName       ReasonKind = "oneName"             // with a name,
	ReasonOneAPI        ReasonKind = "oneAPI"              // or providing an API
	ReasonReplaces      ReasonKind = "replaces"            // an update candidate excludes the installed bundle
	ReasonDeprecated    ReasonKind = "deprecated"          // a bundle with olm.deprecated is never newly selected
	reasonOpenShift     ReasonKind = "maxOpenShiftVersion" // the cluster's OpenShift is too new
	reasonKubernetes    ReasonKind = "minKubeVersion"      // the cluster's Kubernetes is too old
	ReasonOperatorGroup ReasonKind = "operatorGroup"       // the namespace's OperatorGroup rules it out
	reasonPin           ReasonKind = "pin"                 // the caller pinned the package to another bundle
	reasonSystem        ReasonKind = "systemConstraint"    // the caller's SystemConstraint rules it out
	ReasonPolicy        ReasonKind = "policy"              // a rule of a policy denies it, or warns of it
	ReasonHold          ReasonKind = "hold"                // an installed bundle may not be updated now
	reasonSelected      ReasonKind = "selected"            // a bundle was chosen for what comes first
	reasonAsked         ReasonKind = "asked"               // the bundle that a WhyNot is about is to be selected
	reasonCommitted     ReasonKind = "committed"           // an alternative was chosen for what comes first
)

// The kinds of facts that explain why something is missing. They are leaves of a derivation,
// but not members of the minimal set.
const (
	reasonMissingPackage ReasonKind = "missingPackage"   // no visible catalog has the package
	reasonMissingVersion ReasonKind = "missingVersion"   // no version of the package is in range
	reasonMissingAPI     ReasonKind = "missingAPI"       // no visible bundle provides the API
	reasonMissingLabel   ReasonKind = "missingLabel"     // no visible bundle carries the label
	reasonNoMatch        ReasonKind = "noMatch"          // none satisfies a rule or a compound constraint
	reasonRuleFailed     ReasonKind = "ruleFailed"       // a rule could not be evaluated on some bundles
	reasonInvisible      ReasonKind = "invisibleCatalog" // a catalog that does not count has it
	reasonQuarantined    ReasonKind = "quarantine"       // a catalog's fault keeps it from being used
	reasonNotOffered     ReasonKind = "notOffered"       // a bundle would do, but no channel offers it
	ReasonProvides       ReasonKind = "provides"         // bundles provide an API, or share a name or package
	ReasonExcluded       ReasonKind = "excluded"         // bundles match what a constraint excludes
	reasonUnknown        ReasonKind = "unknownName"      // a request names something that does not exist or cannot be used
	reasonPreferred      ReasonKind = "preferred"        // another bundle comes first in the order of preference
	reasonBelowHead      ReasonKind = "belowHead"        // a bundle is below the head of its channel
	ReasonUnasked        ReasonKind = "unasked"          // no request or constraint leads to the bundle
)

// The kinds of warnings. Some warnings have a kind of reasons: reasonBelowHead,
// reasonOpenShift and reasonQuarantined.
const (
	WarnDeprecation     ReasonKind = "deprecation"     // the catalog deprecates a bundle, a channel or a package
	warnUnneeded        ReasonKind = "unneeded"        // nothing requires what came as a dependency
	warnSelector        ReasonKind = "selector"        // the selector of the OperatorGroup has members that an API server drops
	warnNoTargets       ReasonKind = "noTargets"       // the selector of the OperatorGroup matches no namespace
	warnNoOperatorGroup ReasonKind = "noOperatorGroup" // the namespace has no OperatorGroup
	warnCatalog         ReasonKind = "catalog"         // a catalog cannot be used
	warnForcedChoice    ReasonKind = "forcedChoice"    // a ClusterExtension gets another bundle than the best one
	warnAPIVersions     ReasonKind = "apiVersions"     // two namespaces provide a kind in different versions
	WarnWatchNamespace  ReasonKind = "watchNamespace"  // OLM v1 refuses the bundle for its install modes,
	WarnAPIService      ReasonKind = "apiService"      // or for an API service that it owns
	warnDroppedVersion  ReasonKind = "droppedVersion"  // a replaced bundle provides APIs, and nothing selected does
)

// The kinds of inner nodes that no rule or request states.
const (
	reasonConflict    ReasonKind = "conflict"    // the head of a derivation
	reasonNotSelected ReasonKind = "notSelected" // the head of an answer why a bundle is not selected
	reasonPart        ReasonKind = "part"        // a part of a compound constraint
)
