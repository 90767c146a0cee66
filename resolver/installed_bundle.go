package resolver

import (
	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// installedBundle is a ClusterServiceVersion that counts.
type installedBundle struct {
	csv         *ClusterServiceVersion
	properties  *properties.Set
	constraints []constraints.Constraint
	version     semver.Version
	// packages are that of the properties and those named by the Subscriptions
	// that installed it, sorted.
	packages []string
	// requested is true if a request manages the bundle; any other must stay.
	requested bool
	// foreign bundles are outside of what is resolved: they only own their APIs
	// and meet constraints.
	foreign bool
	// subscriptions are the indices of those that installed it.
	subscriptions []int
	// own is the catalog of the first of them in the universe, or noCatalog.
	own    int
	groups []solver.Group
	// hold is set if the operator refuses updates.
	hold *Condition
}

// name is the name of the ClusterServiceVersion.
func (b *installedBundle) name() string { return b.csv.Name }

// packageName is the package that the bundle is shown with.
func (b *installedBundle) packageName() string {
	if pkg, ok := b.properties.Package(); ok {
		return pkg.Name
	}
	if len(b.packages) > 0 {
		return b.packages[0]
	}
	return ""
}

// held returns why the operator refuses updates, nil if it does not.
func (b *installedBundle) held() *result.Hold {
	if b.hold == nil || b.hold.Status != "False" {
		return nil
	}
	return &result.Hold{Reason: b.hold.Reason, Message: b.hold.Message}
}
