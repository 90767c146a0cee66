package result

import (
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/code"
)

// Args are the arguments of a Reason. Those that its code does not have are zero.
type Args struct {
	// Namespace is that of the request, bundle or rule, where several namespaces
	// are resolved jointly, or what a warning is about.
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
	// APIs are what the reason is about, or what its bundle provides. One without version is
	// a kind.
	APIs []properties.GVK
	// Constraint is what a bundle requires.
	Constraint constraints.Expr
	Request    *Request
	Channel    string
	// Names are those that exist instead, the closest first, or what the reason lists.
	Names []string
	// Bundles are candidates, or those that no channel offers.
	Bundles  []BundleRef
	Searched *Searched
	Owner    *Owner
	// Err is what is wrong: a fault, an *Unlisted, a *Hold, or *CatalogsUnhealthy.
	Err error
	// Limit is what is allowed, and Has what there is: versions of the cluster or of a
	// kind, or install modes.
	Limit, Has string
	// Said are words of others: the message of a deprecation, of a policy, of a fault.
	Said string
	// Other is the bundle that the one of the reason is compared with.
	Other string
	// Conflict heads a derivation.
	Conflict *Conflict
	// Place is that of a candidate in the order of preference, from 0. Count is the
	// number of candidates, the place of Other, or of what is not listed.
	Place, Count int32
	// ClusterWide: a group has one member in the cluster, not in a namespace.
	ClusterWide bool
}

// Searched is where something was looked for, and what there is.
type Searched struct {
	// Catalogs are those that count. Namespace is the one that sees them, empty for a
	// ClusterExtension; Unselected says that its selector matches none.
	Catalogs   []catalog.Key
	Namespace  string
	Unselected bool
	// Versions are those that exist, sorted, and Faults what took others away.
	Versions []semver.Version
	Faults   []catalog.Fault
}

// Owner has an API: an OperatorGroup, or a bundle of a namespace that is installed or, if
// Chosen is set, was chosen by the same call. Or it is an OperatorGroup that leaves catalogs
// out, without a name if the namespace does not see them anyway.
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
	return Reason{code: c, args: &args, because: because}
}
