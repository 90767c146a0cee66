package encode

import (
	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// InstalledBundle is a ClusterServiceVersion that counts.
type InstalledBundle struct {
	CSV         *cluster.ClusterServiceVersion
	Properties  *properties.Set
	constraints []constraints.Constraint
	Version     semver.Version
	// Packages are that of the properties and those named by the Subscriptions
	// that installed it, sorted.
	Packages []string
	// requested is true if a request manages the bundle; any other must stay.
	requested bool
	// Foreign bundles are outside of what is resolved: they only own their APIs
	// and meet constraints.
	Foreign bool
	// Subscriptions are the indices of those that installed it.
	Subscriptions []int
	// Own is the catalog of the first of them in the universe, or noCatalog.
	Own    int
	groups []solver.Group
	// hold is set if the operator refuses updates.
	hold *cluster.Condition
}

// Name is the name of the ClusterServiceVersion.
func (b *InstalledBundle) Name() string { return b.CSV.Name }

// PackageName is the package that the bundle is shown with.
func (b *InstalledBundle) PackageName() string {
	if pkg, ok := b.Properties.Package(); ok {
		return pkg.Name
	}
	if len(b.Packages) > 0 {
		return b.Packages[0]
	}
	return ""
}

// Held returns why the operator refuses updates, nil if it does not.
func (b *InstalledBundle) Held() *result.Hold {
	if b.hold == nil || b.hold.Status != "False" {
		return nil
	}
	return &result.Hold{Reason: b.hold.Reason, Message: b.hold.Message}
}
