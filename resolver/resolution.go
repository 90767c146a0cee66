package resolver

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

// Resolution is the answer for one namespace or ClusterExtension. It is plain
// data; nothing in it changes after it was returned.
type Resolution struct {
	// Namespace is empty for a ClusterExtension, Extension for a namespace.
	Namespace string
	Extension string
	// Installs are the bundles to install, in the order in which they were
	// chosen: for the requests first, then for what those need.
	Installs []Install
	// Kept are the installed bundles that stay, by name.
	Kept []Kept
	// Replaced names the installed bundles that an install replaces, sorted.
	Replaced []string
	// Warnings are sorted by kind, subject and message.
	Warnings []Warning
	// Approval is Manual if any Subscription of the namespace asks for it.
	Approval Approval
	// Unneeded names installed bundles that came as dependencies and that
	// nothing requires any more, sorted.
	Unneeded []string
	// LeftOut lists the requests that could not proceed (Options.Partial).
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
	Bundle  string
	Package string
	Version string
	Release string
	// Channel is the one through which the obligation that selected the bundle
	// reached it.
	Channel string
	Catalog catalog.Key
	Image   string
	// Replaces is the installed bundle that this one takes the place of, or, for
	// a new installation, what the catalog says.
	Replaces string
	// For lists what the bundle serves: requests first, then constraints of
	// other selected bundles.
	For []Served
	// Place is the position in the preference order of the obligation that
	// selected the bundle; 0 is the best.
	Place int

	properties *properties.Set
}

// Properties returns what the annotation operatorframework.io/properties of the
// installed ClusterServiceVersion will carry. Values are shared and read-only.
func (i *Install) Properties() []properties.Property {
	if i.properties == nil {
		return nil
	}
	all := make([]properties.Property, 0, i.properties.Len())
	for _, p := range i.properties.All() {
		all = append(all, p)
	}
	return all
}

// Served is one obligation that a bundle meets: a request, or a constraint of
// another bundle.
type Served struct {
	// Subscription or Extension names a request; otherwise Bundle names the
	// selected bundle that asks, and Constraint says for what.
	Subscription string
	Extension    string
	// Namespace is that of Bundle where it is another one. In the failure of
	// several namespaces that are resolved jointly, it is that of the request.
	Namespace  string
	Bundle     string
	Constraint string
}

// Kept is an installed bundle that stays.
type Kept struct {
	Bundle  string
	Package string
	Version string
	For     []Served

	properties *properties.Set
}

// LeftOut is a request that a partial resolution leaves as it is.
type LeftOut struct {
	Request Served
	// Err says why it cannot proceed together with the requests before it.
	Err error
}

// WarningKind groups warnings for callers that treat them differently.
type WarningKind string

// The kinds of warnings.
const (
	WarnDeprecation     WarningKind = "deprecation"
	WarnBelowHead       WarningKind = "belowHead"
	WarnQuarantine      WarningKind = "quarantine"
	WarnUnneeded        WarningKind = "unneeded"
	WarnNoTargets       WarningKind = "noTargets"
	WarnOpenShiftLimit  WarningKind = "maxOpenShiftVersion"
	WarnNoOperatorGroup WarningKind = "noOperatorGroup"
	WarnCatalog         WarningKind = "catalog"
	WarnRuleFailed      WarningKind = "ruleFailed"
	WarnForcedChoice    WarningKind = "forcedChoice"
	WarnAPIVersions     WarningKind = "apiVersions"
)

// Warning tells of something that did not prevent the answer.
type Warning struct {
	Kind WarningKind
	// Subject is what the warning is about: a bundle, package, channel, catalog
	// or namespace by name.
	Subject string
	Message string
}
