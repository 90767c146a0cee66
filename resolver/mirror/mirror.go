package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// Options are the options of [Find]. The zero value works.
type Options struct {
	// WithoutInstalled leaves out installed bundles that are not needed otherwise.
	WithoutInstalled bool
}

// Mirror is what a cluster needs for its requests. It is immutable.
type Mirror struct {
	// Outcomes are the answers for the cluster as it is, in the order of the scopes. Nothing
	// is mirrored for a failure.
	Outcomes []result.Outcome
	// Catalogs are the catalogs of which something is needed, sorted by key.
	Catalogs []Catalog
}

// Catalog is the needed part of a catalog.
type Catalog struct {
	Key catalog.Key
	// Packages are sorted by name.
	Packages []Package
	// Snapshot is the catalog, cut down to the channels and ranges of the packages. It has
	// the needed bundles and those with versions between them.
	Snapshot *catalog.Snapshot
}

// Package is the needed part of a package. In YAML it is one of an ImageSetConfiguration.
type Package struct {
	Name string `json:"package" yaml:"name"`
	// DefaultChannel is the default channel of the catalog or, if that is not needed, the
	// first needed one by name.
	DefaultChannel string `json:"defaultChannel" yaml:"defaultChannel,omitempty"`
	// Restated is true if DefaultChannel is not that of the catalog.
	Restated bool `json:"-" yaml:"-"`
	// Channels are sorted by name.
	Channels []Channel `json:"channels" yaml:"channels"`
}

// Channel is the needed part of a channel.
type Channel struct {
	Name string `json:"channel" yaml:"name"`
	// MinVersion and MaxVersion are the ends of the range, both included.
	MinVersion string `json:"minVersion" yaml:"minVersion"`
	MaxVersion string `json:"maxVersion" yaml:"maxVersion"`
	// Bundles are the needed bundles, sorted by version. It is empty if the channel only
	// keeps the answers the same.
	Bundles []string `json:"bundles" yaml:"-"`
}

// Names returns the bundles of the cut catalog, sorted by package and name.
func (c *Catalog) Names() []catalog.BundleKey {
	var names []catalog.BundleKey
	for id := range catalog.ID(c.Snapshot.Len()) {
		b := c.Snapshot.Bundle(id)
		names = append(names, catalog.BundleKey{Package: b.Package, Name: b.Name})
	}
	slices.SortFunc(names, func(a, b catalog.BundleKey) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
	return names
}

// Image returns the image of a bundle of the cut catalog, empty if it does not have it.
func (c *Catalog) Image(of catalog.BundleKey) string {
	if b := c.Snapshot.Find(of.Package, of.Name); b != nil {
		return b.Image
	}
	return ""
}

// differentError means that a scope has another answer on the cut catalogs, even with whole
// packages.
type differentError struct {
	// Scope is the scope whose answer differs.
	Scope cluster.Scope
	// Step is the number of the answer on the way, from 1.
	Step int
	// Want is the answer on the whole catalogs, Got that on the cut ones.
	Want, Got string
}

func (e *differentError) Error() string {
	return fmt.Sprintf("%s: the cut-down catalogs give another answer in step %d (%s) than the whole ones (%s); mirror the whole catalogs", e.Scope, e.Step, e.Got, e.Want)
}

// invalidError means that a cut catalog has a fault that the whole one does not have.
type invalidError struct {
	Key catalog.Key
	// Fault is the first such fault.
	Fault catalog.Fault
}

func (e *invalidError) Error() string {
	return fmt.Sprintf("catalog %s: once cut down, it breaks a rule (%v); mirror the whole catalog", e.Key, e.Fault)
}

func (e *invalidError) Unwrap() error { return e.Fault }

// noRangeError means that no range of versions holds what a request needs.
type noRangeError struct {
	Key     catalog.Key
	Package string
	// Bundle is a bundle that no channel lists. It is empty if the package or channel that a
	// request names has no bundle, or the channel no order.
	Bundle string
}

func (e *noRangeError) Error() string {
	subject, fault := "package "+e.Package, "a request names it, and no channel with an order has a bundle for it"
	if e.Bundle != "" {
		subject, fault = "bundle "+e.Bundle+" of "+subject, "no channel lists it"
	}
	return fmt.Sprintf("%s in catalog %s: %s, so that no range of versions keeps it; mirror the whole catalog", subject, e.Key, fault)
}

// Find finds what the requests of the scopes need. Requests that fail are among the outcomes.
// The error is a *result.Incomplete or a *result.Internal, or it says why only the whole
// catalogs will do.
func Find(ctx context.Context, p resolver.Problem, scopes []cluster.Scope, o Options) (*Mirror, error) {
	f := newFinder(ctx, p, scopes, o)
	want, err := f.follow(p.Catalogs, nil)
	if err != nil {
		return nil, err
	}
	need, err := f.needed(want)
	if err != nil {
		return nil, err
	}
	f.installed = installedBundles(f.problem.Cluster.Objects(), want)
	for f.extent = least; ; f.extent++ {
		m := &Mirror{Outcomes: want[0].outcomes}
		if m.Catalogs, err = f.cut(need); err == nil {
			err = f.prove(m, want)
		}
		if err == nil {
			return m, nil
		}
		_, different := errors.AsType[*differentError](err)
		_, invalid := errors.AsType[*invalidError](err)
		if f.extent == whole || !different && !invalid {
			return nil, err
		}
	}
}

// prove follows the requests on the cut catalogs, and returns the first difference.
func (f *followed) prove(m *Mirror, want []*walk) error {
	got, err := f.follow(f.view(m), want)
	if err != nil {
		return err
	}
	for i := range want {
		if err := want[i].compare(got[i]); err != nil {
			return err
		}
	}
	return nil
}

// view returns the view of the problem with the cut catalogs. A catalog of which nothing is
// needed is empty.
func (f *followed) view(m *Mirror) *cache.View {
	var list []cache.Catalog
	for c := range f.problem.Catalogs.Catalogs() {
		small := *c
		if c.Snapshot != nil {
			small.Snapshot = empty
		}
		for i := range m.Catalogs {
			if m.Catalogs[i].Key == c.Key {
				small.Snapshot = m.Catalogs[i].Snapshot
			}
		}
		list = append(list, small)
	}
	return cache.NewView(list)
}

var empty = catalog.NewSnapshot(catalog.Parts{})
