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

// InstalledBundle is a ClusterServiceVersion that counts, or the installed bundle of a
// ClusterExtension.
type InstalledBundle struct {
	CSV *cluster.ClusterServiceVersion
	// Properties and Constraints are what it states.
	Properties  *properties.Set
	Constraints []constraints.Constraint
	Version     semver.Version
	// Packages are the package of its properties and those of its Subscriptions, sorted.
	Packages []string
	// Requested is true if a request manages the bundle. Any other bundle must stay.
	Requested bool
	// Foreign is true for a bundle outside the scope: it owns its APIs and satisfies
	// constraints, and its own constraints do not count.
	Foreign bool
	// Subscriptions are the indices of the Subscriptions that installed it.
	Subscriptions []int
	// Own is the catalog that its first Subscription names, or that a ClusterExtension has
	// it from; else NoCatalog.
	Own    int
	groups []solver.Group
	// Condition is its condition Upgradeable, nil if none is stated.
	Condition *cluster.Condition
}

// Name returns the name of the bundle.
func (b *InstalledBundle) Name() string { return b.CSV.Name }

// PackageName returns the package that results show the bundle with, empty if none is
// known.
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

// Regroup finds the at-most-one groups of an installed bundle by its properties.
func (p *Part) Regroup(b *InstalledBundle) {
	b.groups = p.Universe.Groups.Groups(b.Name(), b.Properties)
}

// AddAlias makes a catalog's bundle an alias of an installed one.
func (p *Part) AddAlias(entry, installed solver.Var) {
	if p.Aliases == nil {
		p.Aliases = make(map[solver.Var]solver.Var)
	}
	p.Aliases[entry] = installed
}

// Aliased reports whether a catalog's bundle is an alias of an installed one.
func (p *Part) Aliased(v solver.Var) bool {
	_, ok := p.Aliases[v]
	return ok
}

// InstalledVar returns the number of an installed bundle.
func (p *Part) InstalledVar(i int) solver.Var { return p.Base + p.Universe.Size + solver.Var(i) }

// AsInstalled returns the installed bundle with the number v, nil if v is of a catalog.
func (p *Part) AsInstalled(v solver.Var) *InstalledBundle {
	i := v - p.Base - p.Universe.Size
	if i < 0 {
		return nil
	}
	return &p.Installed[i]
}

// InstalledIndex returns the index of the installed bundle of the namespace with this
// name, or -1.
func (p *Part) InstalledIndex(name string) int {
	// The bundles of a namespace are sorted, and no name is empty.
	i, found := slices.BinarySearchFunc(p.Installed, name, func(b InstalledBundle, name string) int { return strings.Compare(b.Name(), name) })
	if !found || name == "" {
		return -1
	}
	return i
}
