package result

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// Args are the arguments of a Reason, to read it by. Each code has some of them; the others are zero.
// Package internal/reason has a function for each code that takes what it has.
type Args struct {
	// Namespace is the namespace of the request, bundle or rule if several namespaces are
	// resolved jointly, or the namespace that a warning is about.
	Namespace string
	// Subject is the name of what states the fact: a Subscription, ClusterExtension, bundle,
	// package, API or catalog.
	Subject string
	// Bundle, Package, Version and Catalog identify a bundle. Version is nil if it does not
	// matter.
	Bundle  string
	Package string
	Version *semver.Version
	Catalog catalog.Key
	// APIs are the APIs that the reason is about. An API without a version is a kind.
	APIs []properties.GVK
	// Constraint is the constraint that a bundle states.
	Constraint constraints.Expr
	Request    *Request
	Channel    string
	// Names are the names that exist instead, the closest first, or those that the reason
	// lists.
	Names []string
	// Bundles are candidates, or bundles that no channel offers.
	Bundles  []BundleRef
	Searched *Searched
	Owner    *Owner
	// Err is what is wrong: a fault, an *Unlisted, a *Hold or a *CatalogsUnhealthy.
	Err error
	// Limit is what is allowed, and Has what there is: versions of the cluster or of a kind,
	// or install modes.
	Limit, Has string
	// Said is a text of others: the message of a deprecation, a policy or a fault.
	Said string
	// Other is the bundle that the reason compares its bundle with.
	Other string
	// Conflict is set at the head of a derivation.
	Conflict *Conflict
	// Place is the place of a candidate in the order of preference, from 0. Count is the
	// number of candidates, the place of Other, or the number of things not listed.
	Place, Count int32
	// OneInCluster is true for a group with one member in the cluster, not per namespace.
	OneInCluster bool
}

// Searched is where something was searched, and what exists there.
type Searched struct {
	// Catalogs are the catalogs that were searched. Namespace sees them; it is empty for a
	// ClusterExtension. Unselected is true if its selector matches no catalog.
	Catalogs   []catalog.Key
	Namespace  string
	Unselected bool
	// Versions are those that exist, sorted. Faults took away others.
	Versions []semver.Version
	Faults   []catalog.Fault
}

// Owner owns an API: it is an OperatorGroup or a bundle. Chosen is true for a bundle that the
// same call has chosen for another namespace. In a reason about invisible catalogs, Owner is
// the OperatorGroup that leaves them out, without a name if there is none.
type Owner struct {
	Namespace, Name string
	Chosen          bool
}

// New returns a reason. because are the reasons that it follows from. Only package internal/reason
// calls it, which knows the arguments of each code.
func New(c Code, args Args, because ...Reason) Reason {
	return Reason{code: c, args: &args, because: because}
}
