// Package policy holds the decisions of a caller that no object of the cluster states:
// Options, Pins and Policies. It is data: only the rules of a Policy are programs, which
// [Parse] compiles and [Rules] evaluates. Rules about candidates are judged before an answer is
// found, rules about changes after it: a denied answer is not replaced by another one.
package policy

import (
	"context"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

var defaultGlobals = []string{"olm", "openshift-marketplace"}

// Options are the choices of one call. The zero value is ready to use.
type Options struct {
	// BundleScope lets one selected bundle satisfy an olm.constraint as a whole, as OLM v0
	// does. Otherwise different selected bundles may satisfy its parts.
	BundleScope bool
	// NamedUpdates takes updates only from the catalog that the Subscription names, as OLM
	// v0 does. Otherwise they come from every visible catalog, that one first. Status and
	// Approvals always do that.
	NamedUpdates bool
	// GlobalNamespaces are the namespaces whose catalogs every namespace sees. Nil means
	// olm and openshift-marketplace; an empty slice means none.
	GlobalNamespaces []string
	// ExcludeCatalogs are the keys of catalogs that no request sees.
	ExcludeCatalogs []catalog.Key
	// LenientHealth leaves unhealthy catalogs out and fails only the requests that one of
	// them could have served. Otherwise the whole namespace fails.
	LenientHealth bool
	// Partial resolves the requests that can hold together, in their order, if not all can.
	Partial bool
	// Jointly resolves the namespaces of one call as one problem: all requests hold, in the
	// order of namespace and name, or none does. So updates that need each other succeed
	// together. A constraint can be satisfied by a bundle of another namespace whose
	// OperatorGroup targets this one. Preferred are the own installed bundles, then
	// those installed there, then own new ones, then new ones there. Namespaces whose groups
	// share a target do not get two bundles that provide one API.
	Jointly bool
	// SystemConstraint, if set, decides whether a bundle may be newly selected; the reason
	// is shown if it may not. It does not judge installed bundles. It is called at most once
	// per bundle and call, must be pure, and may be called from many goroutines. A panic in
	// it forbids the bundle and becomes part of the reason.
	SystemConstraint func(ctx context.Context, c Candidate) (allowed bool, reason string)
	// Policies are files of rules that people wrote. A rule about candidates forbids bundles
	// as SystemConstraint does, or warns of those that are chosen. A rule about changes
	// judges each answer: one that it denies is a *result.Denied.
	Policies []*Policy
	// Exceptions are bundles that no rule about candidates judges.
	Exceptions []Exception
	// Pins restrict packages to one bundle each.
	Pins []Pin
	// SingleOwner lets a kind (group and kind, whatever the version) have one owner in all
	// namespaces of the cluster. ClusterExtensions always obey it. In another namespace the
	// installed bundles count, and those that the same call chooses for it. The call takes
	// namespaces in their order; Jointly it takes them at once, and only what it chooses
	// for them counts.
	SingleOwner bool
	// SameVersions forbids bundles that provide a kind in other versions than another
	// namespace does; namespaces count as for SingleOwner. Otherwise that is a warning.
	SameVersions bool
	// RejectDependencies fails a ClusterExtension whose best bundle requires others, as OLM
	// v1 does.
	RejectDependencies bool
	// OLMv1 is the profile of OLM v1 by whose rules bundles are refused. Empty means the one of
	// cluster.Objects, else the standard one.
	OLMv1 cluster.Profile
	// AsOLMv1 fails a ClusterExtension whose best bundle OLM v1 would not install. It
	// implies RejectDependencies.
	AsOLMv1 bool
	// EnforceOpenShiftLimit forbids new bundles whose olm.maxOpenShiftVersion is below the
	// OpenShift of the cluster. OLM installs them, and they are a warning otherwise.
	EnforceOpenShiftLimit bool
	// NoFixes leaves out the search for fixes, and with it Blocking and Proceeding of a
	// *result.NotSatisfiable. Otherwise a failed call tries changes, mostly 1 to 20 for a
	// group of causes and at most some 500, each of which takes about one resolution.
	NoFixes bool
	// PathBudget bounds the resolutions of Path, and the steps on the way of a mirror; 0
	// means 2,000.
	PathBudget int
	// MaxCandidates bounds the bundles that one call reaches; 0 means 1,000,000, far above
	// any real request. More is an InvalidInput error.
	MaxCandidates int
	// MaxLiterals bounds the size of all clauses; 0 means 8 Mi, some hundred MiB and a
	// hundred times what the largest known catalogs take. More is an InvalidInput error.
	MaxLiterals int
	// MaxConflicts bounds the conflicts of the SAT solver in one search or derivation of a
	// failure; 0 means no bound. More is an Incomplete error that wraps a
	// *solver.ConflictLimit. Unlike a deadline, it does not depend on the machine or its
	// load. No known catalog takes 1,000.
	MaxConflicts int
	// MaxRuleCost bounds the cost of all CEL rules that one call reaches, in the units of
	// CEL, cached results included; 0 means 50,000,000: some thousand rules on a large
	// catalog, or some seconds. More is an InvalidInput error.
	MaxRuleCost int
}

// Candidate is a bundle as Options.SystemConstraint sees it.
type Candidate struct {
	Namespace string
	Bundle    catalog.BundleKey
	Version   semver.Version
	// Properties are shared and immutable.
	Properties *properties.Set
}

// Exception lets a bundle be selected whatever policies say of it. Namespace is empty for
// ClusterExtensions.
type Exception struct{ Namespace, Bundle string }

// Pin restricts a package to one bundle: no other bundle of it is newly selected. Installed
// bundles may stay, pinned or not. Scenarios write it as YAML.
type Pin struct {
	// Namespace is where the pin counts; empty means everywhere, for ClusterExtensions too.
	Namespace string `yaml:",omitempty"`
	// Package is the name of the pinned package.
	Package string
	// Bundle and Version are the name and the semantic version that are admitted. If both
	// are empty, no bundle of the package is newly selected.
	Bundle  string `yaml:",omitempty"`
	Version string `yaml:",omitempty"`
}

// Globals returns the namespaces whose catalogs every namespace sees.
func (o *Options) Globals() []string {
	if o.GlobalNamespaces == nil {
		return defaultGlobals
	}
	return o.GlobalNamespaces
}

// Budget returns the number of resolutions that the search for a path may take.
func (o *Options) Budget() int {
	if o.PathBudget > 0 {
		return o.PathBudget
	}
	return 2_000
}
