package result

import (
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
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
	Catalog catalog.Key
	// API is set where the reason is about one; without version it is a kind.
	API properties.GVK
	// Constraint is what a bundle requires.
	Constraint constraints.Expr
	// Names are the closest names to a missing one, or the versions that exist.
	Names []string
	// Detail has the other fields of the kind, if there are any, and the default
	// words.
	Detail Detail
}

// Message is one sentence for people.
func (r *Reason) Message() string { return r.words(r.subject()) }

// Phrase is the rest of the sentence, where it is about a bundle.
func (r *Reason) Phrase() string { return r.words(subject{n: 1}) }

func (r *Reason) words(s subject) string {
	if r.Detail != nil {
		return r.Detail.words(r, s)
	}
	if say, ok := plain[r.Kind]; ok {
		return say(r, s)
	}
	return ""
}

// subject is the bundle of the reason.
func (r *Reason) subject() subject {
	return subject{text: r.Bundle + words.InNamespace(r.Namespace), n: 1}
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
	// none denies of several bundles what does would state of them.
	none   string
	newest *semver.Version
	n      int
	// short leaves out what does not matter in a derivation.
	short bool
}

// does begins a sentence with a verb that agrees with the subject.
func (s subject) does(one, many string) string {
	if s.text == "" {
		return words.Verb(s.n, one, many)
	}
	return s.text + " " + words.Verb(s.n, one, many)
}

// plain words the kinds that need no Detail.
var plain = map[ReasonKind]func(r *Reason, s subject) string{
	ReasonInstalled: func(r *Reason, _ subject) string {
		return fmt.Sprintf("%s is installed%s, and no Subscription names it: it must stay", r.Bundle, words.InNamespace(r.Namespace))
	},
	ReasonDeprecated: func(_ *Reason, s subject) string {
		return s.does("is", "are") + " marked olm.deprecated by its publisher: never newly installed"
	},
	ReasonSelected: func(r *Reason, _ subject) string {
		return r.Bundle + words.InNamespace(r.Namespace) + " was chosen before"
	},
	ReasonAsked:     func(r *Reason, _ subject) string { return "if " + r.Bundle + " were selected:" },
	ReasonCommitted: func(*Reason, subject) string { return "an alternative of a constraint was decided for before" },
	ReasonPart:      func(r *Reason, _ subject) string { return "as for " + r.Constraint.String() + ":" },
	ReasonExcluded:  func(_ *Reason, s subject) string { return "that excludes " + s.text },
	ReasonUnasked:   func(*Reason, subject) string { return "no request, and nothing that is selected, asks for it" },
}

// ReasonKind says what sort of input fact or rule a Reason states.
type ReasonKind string

// The kinds of reasons that can be members of a minimal set of constraints.
const (
	ReasonSubscription  ReasonKind = "subscription"        // a Subscription and the bundles that can satisfy it
	ReasonExtension     ReasonKind = "clusterExtension"    // a ClusterExtension and the bundles that can satisfy it
	ReasonInstalled     ReasonKind = "installed"           // an installed bundle without a Subscription must stay
	ReasonDependency    ReasonKind = "dependency"          // a bundle states a constraint
	ReasonOnePackage    ReasonKind = "onePackage"          // at most one selected bundle of a package,
	ReasonOneName       ReasonKind = "oneName"             // with a name,
	ReasonOneAPI        ReasonKind = "oneAPI"              // or providing an API
	ReasonReplaces      ReasonKind = "replaces"            // an update candidate excludes the installed bundle
	ReasonDeprecated    ReasonKind = "deprecated"          // a bundle with olm.deprecated is never newly selected
	ReasonOpenShift     ReasonKind = "maxOpenShiftVersion" // the cluster's OpenShift is too new
	ReasonKubernetes    ReasonKind = "minKubeVersion"      // the cluster's Kubernetes is too old
	ReasonOperatorGroup ReasonKind = "operatorGroup"       // the namespace's OperatorGroup rules it out
	ReasonPin           ReasonKind = "pin"                 // the caller pinned the package to another bundle
	ReasonSystem        ReasonKind = "systemConstraint"    // the caller's SystemConstraint rules it out
	ReasonHold          ReasonKind = "hold"                // an installed bundle may not be updated now
	ReasonSelected      ReasonKind = "selected"            // a bundle was chosen for what comes first
	ReasonAsked         ReasonKind = "asked"               // the bundle that a WhyNot is about is to be selected
	ReasonCommitted     ReasonKind = "committed"           // an alternative was chosen for what comes first
)

// The kinds of facts that explain why something is missing. They are leaves of
// a derivation, but no members of the minimal set.
const (
	ReasonMissingPackage ReasonKind = "missingPackage"   // no visible catalog has the package
	ReasonMissingVersion ReasonKind = "missingVersion"   // no version of the package is in range
	ReasonMissingAPI     ReasonKind = "missingAPI"       // no visible bundle provides the API
	ReasonMissingLabel   ReasonKind = "missingLabel"     // no visible bundle carries the label
	ReasonNoMatch        ReasonKind = "noMatch"          // none satisfies a rule or a compound constraint
	ReasonRuleFailed     ReasonKind = "ruleFailed"       // a rule could not be evaluated on some bundles
	ReasonInvisible      ReasonKind = "invisibleCatalog" // a catalog that does not count has it
	ReasonQuarantined    ReasonKind = "quarantine"       // a catalog's fault keeps it from being used
	ReasonNotOffered     ReasonKind = "notOffered"       // a bundle would do, but no channel offers it
	ReasonProvides       ReasonKind = "provides"         // bundles provide an API, or share a name or package
	ReasonExcluded       ReasonKind = "excluded"         // bundles match what a constraint excludes
	ReasonUnknown        ReasonKind = "unknownName"      // a request names what is not there, or not usable
	ReasonPreferred      ReasonKind = "preferred"        // another bundle comes first in the order of preference
	ReasonBelowHead      ReasonKind = "belowHead"        // a bundle is below the head of its channel, for the reason of the Detail
	ReasonUnasked        ReasonKind = "unasked"          // no request or constraint leads to the bundle
)

// The kinds of inner nodes that no rule or request states.
const (
	ReasonConflict    ReasonKind = "conflict"    // the head of a derivation
	ReasonNotSelected ReasonKind = "notSelected" // the head of an answer why a bundle is not selected
	ReasonPart        ReasonKind = "part"        // a part of a compound constraint
)
