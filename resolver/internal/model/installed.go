package model

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// InstalledBundle is a ClusterServiceVersion that counts, or what a
// ClusterExtension has installed.
type InstalledBundle struct {
	CSV *cluster.ClusterServiceVersion
	// Properties and Constraints are what it states.
	Properties  *properties.Set
	Constraints []constraints.Constraint
	Version     semver.Version
	// Packages are that of the properties and those named by the Subscriptions
	// that installed it, sorted.
	Packages []string
	// Requested is true if a request manages the bundle; any other must stay.
	Requested bool
	// Foreign bundles are outside of what is resolved: they only own their APIs
	// and satisfy constraints.
	Foreign bool
	// Subscriptions are the indices of those that installed it.
	Subscriptions []int
	// Own is the catalog of the first of them in the Universe, or NoCatalog.
	Own    int
	groups []solver.Group
	// Condition says whether the operator refuses updates, nil if nothing does.
	Condition *cluster.Condition
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
	if b.Condition == nil || b.Condition.Status != "False" {
		return nil
	}
	return &result.Hold{Reason: b.Condition.Reason, Message: b.Condition.Message}
}

// Regroup finds the groups of an installed bundle.
func (p *Part) Regroup(b *InstalledBundle) {
	b.groups = p.Universe.Groups.Groups(b.Name(), b.Properties)
}

// AddAlias makes a catalog's entry stand for an installed bundle.
func (p *Part) AddAlias(entry, installed solver.Var) {
	if p.Aliases == nil {
		p.Aliases = make(map[solver.Var]solver.Var)
	}
	p.Aliases[entry] = installed
}

// Aliased reports whether a catalog's entry stands for an installed bundle.
func (p *Part) Aliased(v solver.Var) bool {
	_, ok := p.Aliases[v]
	return ok
}

// InstalledVar returns the number of an installed bundle.
func (p *Part) InstalledVar(i int) solver.Var { return p.Base + p.Universe.Size + solver.Var(i) }

// AsInstalled returns the installed bundle with the number v, or nil.
func (p *Part) AsInstalled(v solver.Var) *InstalledBundle {
	i := v - p.Base - p.Universe.Size
	if i < 0 {
		return nil
	}
	return &p.Installed[i]
}

// InstalledIndex returns the index of an installed bundle of the namespace by
// name, or -1.
func (p *Part) InstalledIndex(name string) int {
	// The bundles of a namespace are sorted, and each has a name.
	i, found := slices.BinarySearchFunc(p.Installed, name, func(b InstalledBundle, name string) int { return strings.Compare(b.Name(), name) })
	if !found || name == "" {
		return -1
	}
	return i
}
