package result

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Resolution is the answer for one namespace or ClusterExtension.
type Resolution struct {
	// Scope is what was resolved.
	Scope cluster.Scope
	// Installs are the bundles to install, in the order in which they were
	// chosen: for the requests first, then for what those need.
	Installs []Install
	// Kept are the installed bundles that stay, by name.
	Kept []Kept
	// Replaced names the installed bundles that an install replaces, sorted.
	Replaced []string
	// Warnings are sorted by kind, subject and message.
	Warnings []Reason
	// Approval is Manual if any Subscription of the namespace asks for it.
	Approval Approval
	// Unneeded names installed bundles that came as dependencies and that
	// nothing requires any more, sorted.
	Unneeded []string
	// LeftOut lists the requests that could not proceed (policy.Options.Partial).
	LeftOut []LeftOut
}

// Approval says whether somebody must agree before anything is installed.
type Approval string

// The values of Approval.
const (
	Automatic Approval = "Automatic"
	Manual    Approval = "Manual"
)

// Install is a bundle to install.
type Install struct {
	Bundle  catalog.BundleKey
	Version semver.Version
	Release string
	// Channel is the one through which the obligation that selected the bundle
	// reached it.
	Channel string
	Image   string
	// Replaces is the installed bundle that this one takes the place of, or, for
	// a new installation, what the catalog says.
	Replaces string
	// For lists the obligations that the bundle satisfies: requests first, then
	// constraints of other selected bundles.
	For []Obligation
	// Place is the position in the preference order of the obligation that
	// selected the bundle; 0 is the best.
	Place int
	// Properties are what the bundle states.
	Properties *properties.Set
}

// Obligation is a request, or a Constraint of a selected Bundle.
type Obligation struct {
	// Request is zero for a constraint.
	Request cluster.RequestKey
	// Namespace is that of Bundle where it is another one.
	Namespace  string
	Bundle     string
	Constraint string
}

// Kept is an installed bundle that stays.
type Kept struct {
	// Bundle has the catalog that its request takes it from, if there is one.
	Bundle  catalog.BundleKey
	Version semver.Version
	For     []Obligation
	// Properties are what the bundle states.
	Properties *properties.Set
}

// LeftOut is a request that a partial resolution leaves as it is.
type LeftOut struct {
	Request cluster.RequestKey
	// Err says why it cannot proceed together with the requests before it.
	Err error
}
