package result

import (
	"fmt"
	"strconv"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Code is what a reason states. It is finer than its kind.
type Code = words.Code

// Reason is what a node of an explanation, or a member of a minimal set of constraints,
// states. It is immutable.
type Reason struct {
	code    Code
	args    *Args
	because []Reason
}

// Kind returns the kind of the reason, which callers can switch on.
func (r *Reason) Kind() ReasonKind { return ReasonKind(r.code.Kind()) }

// API returns the API that the reason is about, zero if it is not about one.
func (r *Reason) API() properties.GVK {
	switch r.code {
	case words.OneAPI, words.Provides, words.OtherVersion, words.MissingAPI, words.Quarantined:
		if len(r.args.APIs) > 0 {
			return r.args.APIs[0]
		}
	}
	return properties.GVK{}
}

// Because returns the reasons that the reason follows from.
func (r *Reason) Because() []Reason { return r.because }

// Code returns the code of the reason. A kind may have several codes.
func (r *Reason) Code() Code { return r.code }

// Key tells reasons apart by their code and what it is about.
func (r *Reason) Key() string {
	a, rule := r.Args(), ""
	if a.Constraint != nil {
		rule = constraints.Key(a.Constraint)
	}
	key := fmt.Sprintf("%s %q %q %q %q %q %q %q %q %q %q %q", r.code, a.Subject, words.Texts(a.APIs), a.Package, a.Catalog, a.Channel, a.Other, a.Has, a.Limit, a.Names, a.Said, rule)
	if a.Request != nil {
		key += " " + strconv.Quote(a.Request.Key.String())
	}
	if o := a.Owner; o != nil {
		key += fmt.Sprintf(" %q %q %t", o.Namespace, o.Name, o.Chosen)
	}
	for i := range r.because {
		key += " " + strconv.Quote(r.because[i].Key())
	}
	return key + ";"
}

// Args returns the arguments of the reason.
func (r *Reason) Args() Args { return *orZero(r.args) }

// String returns the message.
func (r Reason) String() string { return r.Message() }

// Message returns the reason as a sentence for people.
func (r *Reason) Message() string { return r.words(r.subject()) }

// Phrase returns the sentence without the bundle that it is about.
func (r *Reason) Phrase() string { return r.words(subject{n: 1}) }

func (r *Reason) words(s subject) string {
	if r.code == words.Conflict {
		return r.args.Conflict.text()
	}
	return words.Unbroken(r.sentence(s).say(string(r.code)))
}

// Names returns the names closest to a missing one, or the versions that exist.
func (r *Reason) Names() []string {
	switch r.code {
	case words.MissingPackage:
		return r.args.Names
	case words.MissingVersion:
		return words.Distinct(words.Texts(r.args.Searched.Versions))
	case words.MissingAPI:
		return words.Mapped(r.because, func(other Reason) string { return other.Message() })
	}
	return nil
}

// Unasked reports whether nothing leads to the bundle of the reason.
func (r *Reason) Unasked() bool { return r.code == words.Unasked }

// Required returns the constraint by which a bundle requires another one, nil if that is not what
// the reason states.
func (r *Reason) Required() constraints.Expr {
	if r.Kind() != words.KindDependency {
		return nil
	}
	return r.args.Constraint
}

// Rules returns the rules of policies that the reason states.
func (r *Reason) Rules() []string {
	if r.Kind() != words.KindPolicy {
		return nil
	}
	return r.args.Names
}

// MaxOpenShift returns the version of OpenShift up to which the bundle may run, empty if that is
// not what the reason states.
func (r *Reason) MaxOpenShift() string {
	if r.Kind() != words.KindOpenShift {
		return ""
	}
	return r.args.Limit
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

// ReasonKind is the sort of input fact or rule that a Reason states:
//
//   - in a minimal set: subscription, clusterExtension, installed, dependency, onePackage,
//     oneName, oneAPI, replaces, deprecated, maxOpenShiftVersion, minKubeVersion,
//     operatorGroup, pin, systemConstraint, policy, hold, selected, asked, committed
//   - why something is missing: missingPackage, missingVersion, missingAPI, missingLabel,
//     noMatch, ruleFailed, invisibleCatalog, quarantine, notOffered, provides, excluded,
//     unknownName, preferred, belowHead, unasked
//   - warnings: deprecation, belowHead, maxOpenShiftVersion, minKubeVersion, quarantine,
//     unneeded, selector, noTargets, catalog, forcedChoice, apiVersions, secondProvider,
//     watchNamespace, apiService, crd, rights, droppedVersion, policy, stated, elsewhere, chosenAnyway,
//     startingCSV
//   - what no rule or request states: conflict, notSelected, part
type ReasonKind string

// Refuses reports whether OLM would not install the subject of a warning, although it resolves.
func (r *Reason) Refuses() bool {
	switch r.code {
	case words.RefusedDependency, words.RefusedModes, words.RefusedNamespaces, words.RefusedAPIService, words.NeverInstalled,
		words.RefusedStored, words.RefusedField, words.RefusedOwned, words.RefusedRights, words.RefusedAccount:
		return true
	}
	return false
}
