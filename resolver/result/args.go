package result

import (
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/code"
)

// Args are the arguments of a Reason. Those that its code does not have are zero.
type Args struct {
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
	// API is what the reason is about; without version it is a kind. APIs are those of
	// the bundle that it is about.
	API  properties.GVK
	APIs []properties.GVK
	// Constraint is what a bundle requires.
	Constraint constraints.Expr
	Request    *Request
	Channel    string
	// Names are those that exist instead, the closest first, or what the reason lists.
	Names []string
	// Catalogs are those that were searched, or the one that counts. Viewer is the
	// namespace that sees them, empty for a ClusterExtension; Unselected says that its
	// selector matches none.
	Catalogs   []catalog.Key
	Viewer     string
	Unselected bool
	// Bundles are candidates, or those that no channel offers.
	Bundles []BundleRef
	// Versions are those that exist, sorted.
	Versions []semver.Version
	Faults   []catalog.Fault
	Err      error
	// Limit is what is allowed, and Has what there is: versions of the cluster or of a
	// kind, or install modes.
	Limit, Has string
	// Said are words of others: the message of a deprecation, of a policy, of a fault.
	Said string
	// Other is the bundle that the one of the reason is compared with.
	Other string
	Owner Owner
	Scope cluster.Scope
	// Place is that of a candidate in the order of preference, from 0. Count is the
	// number of candidates, the place of Other, or of what is not listed.
	Place, Count int
	Unlisted     *Unlisted
	Unhealthy    []UnhealthyCatalog
	Hold         *Hold
	// Conflict heads a derivation.
	Conflict *Conflict
	// ClusterWide: a group has one member in the cluster, not in a namespace.
	ClusterWide bool
}

// Owner has an API: an OperatorGroup, or a bundle of a namespace that is installed or, if
// Chosen is set, was chosen by the same call.
type Owner struct {
	Namespace, Name string
	Chosen          bool
}

// New returns the reason of a code with its arguments, and with the reasons that it
// follows from. It panics if the code has no such arguments.
func New(c code.Code, args Args, because ...Reason) Reason {
	if !fits(c, &args, because) {
		panic(fmt.Sprintf("no reason %s has such arguments: %+v, %d", c, args, len(because)))
	}
	return Reason{
		Kind: shapes[c].kind, Namespace: args.Namespace, Subject: args.Subject, Bundle: args.Bundle, Package: args.Package,
		Version: args.Version, Catalog: args.Catalog, API: args.API, Constraint: args.Constraint,
		code: c, args: &args, because: because,
	}
}
