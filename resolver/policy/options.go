// Package policy holds what a caller decides about resolutions beside the
// objects of the cluster: Options and Pins. It is plain data.
package policy

import (
	"context"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

// DefaultGlobalNamespaces hold catalogs that every namespace sees, unless
// Options say otherwise.
var DefaultGlobalNamespaces = []string{"olm", "openshift-marketplace"}

// Options are the choices of one call. The zero value is ready to use.
type Options struct {
	// BundleScope reads an olm.constraint as a predicate that one selected bundle must
	// satisfy, as OLM v0 does; otherwise it is a formula over the whole selection: a
	// different bundle may satisfy each part.
	BundleScope bool
	// NamedUpdates takes updates from the Subscription's own catalog only, as OLM v0 does;
	// otherwise from every visible one, that one first.
	NamedUpdates bool
	// SmallSteps prefers the update closest to what is installed to the one closest to
	// the head, in each channel, or of each catalog for a ClusterExtension.
	SmallSteps bool
	// GlobalNamespaces hold the catalogs that every namespace sees. Nil means
	// DefaultGlobalNamespaces; an empty slice means that there are none.
	GlobalNamespaces []string
	// ExcludeCatalogs are left out by name, in every namespace.
	ExcludeCatalogs []catalog.Key
	// LenientHealth leaves unhealthy catalogs out and fails only the requests
	// that one of them could have served, instead of the whole namespace.
	LenientHealth bool
	// Partial resolves the requests that can hold together, in their order,
	// where not all can.
	Partial bool
	// Jointly resolves the namespaces of one call as one problem: all requests hold, in
	// the order of namespace and name, or none is answered. A bundle of another namespace
	// whose OperatorGroup targets this one can satisfy its constraints: those that are
	// installed there come after its own installed ones and before its new ones, and new
	// bundles there come last. So updates that need each other succeed together. Bundles
	// of namespaces whose groups have targets in common do not provide one API, wherever
	// they are chosen.
	Jointly bool
	// RequireOperatorGroup fails a namespace without an OperatorGroup, as OLM
	// does; otherwise that is a warning, and only where groups are known at all.
	RequireOperatorGroup bool
	// SystemConstraint, where set, decides whether a bundle may be newly selected; the
	// reason is shown where it may not. Installed bundles are never judged. It is called
	// at most once per bundle and call, must be pure and may be called from many
	// goroutines. A panic in it forbids the bundle and becomes part of the reason.
	SystemConstraint func(ctx context.Context, c Candidate) (allowed bool, reason string)
	// Pins hold packages at one bundle each.
	Pins []Pin
	// SingleOwner lets a kind (group and kind, whatever the version) have one
	// owner in all namespaces of the cluster. ClusterExtensions always obey it.
	// Of other namespaces counts what they have installed, and what the same call
	// chooses for them: it takes them in their order, or Jointly all at once, and of them
	// only what it chooses.
	SingleOwner bool
	// SameVersions forbids bundles that provide a kind in other versions than
	// another namespace does, as SingleOwner does; otherwise that is a warning.
	SameVersions bool
	// RejectDependencies fails an OLM v1 request whose best bundle depends on
	// others, as OLM v1 does.
	RejectDependencies bool
	// AsOLMv1 fails an OLM v1 request whose best bundle OLM v1 would not install. It
	// implies RejectDependencies.
	AsOLMv1 bool
	// NoFixes leaves out the search for changes that would help, and with it the
	// fixes of a *NotSatisfiable and what could proceed without the requests that
	// block. Otherwise a failed call tries up to a few dozen changes, each of
	// which costs about as much as a resolution.
	NoFixes bool
	// PathBudget bounds how many resolutions Path may take, and how many steps the way
	// of a mirror; 0 means 2,000.
	PathBudget int
	// MaxCandidates bounds how many bundles one call may reach; 0 means 1,000,000, far
	// above what any real request reaches. More is an InvalidInput error.
	MaxCandidates int
	// MaxLiterals bounds the size of all clauses; 0 means 8 Mi, a hundred times what the
	// largest catalogs that are known come to, and takes some hundred MiB. More is an
	// InvalidInput error.
	MaxLiterals int
	// MaxConflicts bounds the conflicts that the SAT solver meets in one search or
	// derivation of a failure; 0 means that only the context ends one. More is an
	// Incomplete error that wraps a *solver.ConflictLimit. Unlike a deadline, it
	// does not depend on the machine or its load. No known catalog takes 1,000.
	MaxConflicts int
	// MaxRuleCost bounds what the CEL rules that one call reaches may cost
	// together, in the units of CEL, cached results included; 0 means 50,000,000: some
	// thousand rules on a large catalog, or some seconds. More is an InvalidInput error.
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

// Pin holds a package at one bundle: no other one of it is newly selected. What
// is installed may stay, pinned or not. Scenarios hold it as YAML.
type Pin struct {
	// Namespace says where the pin counts; empty means everywhere, for
	// ClusterExtensions too.
	Namespace string `yaml:",omitempty"`
	// Package is the one that is pinned.
	Package string
	// Bundle and Version say what to, by name or by semantic version. If both
	// are empty, what is installed stays, and the package is not installed anew.
	Bundle  string `yaml:",omitempty"`
	Version string `yaml:",omitempty"`
}

// Globals are the namespaces whose catalogs every namespace sees.
func (o *Options) Globals() []string {
	if o.GlobalNamespaces == nil {
		return DefaultGlobalNamespaces
	}
	return o.GlobalNamespaces
}
