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
	Scope cluster.Scope `json:"-"`
	// Installs are the bundles to install, in the order in which they were
	// chosen: for the requests first, then for what those need.
	Installs []Install `json:"installs"`
	// Kept are the installed bundles that stay, by name.
	Kept []Kept `json:"kept"`
	// Replaced names the installed bundles that an install replaces, sorted.
	Replaced []string `json:"replaced"`
	// Warnings are sorted by kind, subject and message.
	Warnings []Reason `json:"warnings"`
	// Refusals are why OLM v1 would not install the bundle of a ClusterExtension. Each is a
	// warning, too.
	Refusals []Reason `json:"refusals,omitempty"`
	// Approval is Manual if any Subscription of the namespace asks for it.
	Approval Approval `json:"approval"`
	// Unneeded names installed bundles that came as dependencies and that
	// nothing requires any more, sorted.
	Unneeded []string `json:"unneeded"`
	// LeftOut lists the requests that could not proceed (policy.Options.Partial).
	LeftOut []LeftOut `json:"leftOut"`
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
	Bundle  catalog.BundleKey `json:",embed,inline"`
	Version semver.Version    `json:"version"`
	Release string            `json:"release,omitempty"`
	// Channel is the one through which the obligation that selected the bundle
	// reached it.
	Channel string `json:"channel"`
	Image   string `json:"image"`
	// Replaces is the installed bundle that this one takes the place of, or, for
	// a new installation, what the catalog says.
	Replaces string `json:"replaces"`
	// For lists the obligations that the bundle satisfies: requests first, then
	// constraints of other selected bundles.
	For []Obligation `json:"for"`
	// Place is the position in the preference order of the obligation that
	// selected the bundle; 0 is the best.
	Place int `json:"place"`
	// Properties are what the bundle states.
	Properties *properties.Set `json:"-"`
}

// Obligation is a request, or a Constraint of a selected Bundle.
type Obligation struct {
	// Request is zero for a constraint.
	Request cluster.RequestKey `json:"request,omitzero"`
	// Namespace is that of Bundle where it is another one.
	Namespace  string `json:"namespace,omitempty"`
	Bundle     string `json:"bundle,omitempty"`
	Constraint string `json:"constraint,omitempty"`
}

// Kept is an installed bundle that stays.
type Kept struct {
	// Bundle has the catalog that its request takes it from, if there is one.
	Bundle  catalog.BundleKey `json:",embed,inline"`
	Version semver.Version    `json:"version"`
	For     []Obligation      `json:"for"`
	// Properties are what the bundle states.
	Properties *properties.Set `json:"-"`
}

// LeftOut is a request that a partial resolution leaves as it is.
type LeftOut struct {
	Request cluster.RequestKey
	// Err says why it cannot proceed together with the requests before it.
	Err error
}
