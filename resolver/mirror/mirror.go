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

// Options are those of [Find]. The zero value works.
type Options struct {
	// EveryStep also mirrors the bundles that a cluster meets which always takes the
	// update closest to what is installed.
	EveryStep bool
	// WithoutInstalled leaves out what is installed, unless it is needed otherwise.
	WithoutInstalled bool
}

// Mirror is what a cluster needs for its requests. It is immutable.
type Mirror struct {
	// Outcomes are the answers to the requests as they are now, in the order of the scopes.
	// Nothing is mirrored for one that failed.
	Outcomes []result.Outcome
	// Catalogs are those of which something is needed, by key.
	Catalogs []Catalog
}

// Catalog is what is needed of a catalog.
type Catalog struct {
	Key catalog.Key
	// Packages are sorted by name.
	Packages []Package
	// Snapshot is the catalog cut down to the channels and ranges of the packages. Beside
	// the bundles that are needed it holds those whose versions lie between.
	Snapshot *catalog.Snapshot
}

// Package is what is needed of a package.
type Package struct {
	Name string `json:"package"`
	// DefaultChannel is that of the catalog, or, if that is not needed, the first one that
	// is, by name.
	DefaultChannel string `json:"defaultChannel"`
	// Restated: it is not that of the catalog.
	Restated bool `json:"-"`
	// Channels are sorted by name.
	Channels []Channel `json:"channels"`
}

// Channel is what is needed of a channel.
type Channel struct {
	Name string `json:"channel"`
	// MinVersion and MaxVersion are the range, both included.
	MinVersion string `json:"minVersion"`
	MaxVersion string `json:"maxVersion"`
	// Bundles are those that are needed, by version; none of a channel that only keeps
	// the answers the same.
	Bundles []string `json:"bundles"`
}

// Names returns the bundles of the catalog cut down, by package and name.
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

// Image returns the image of a bundle of the catalog cut down.
func (c *Catalog) Image(of catalog.BundleKey) string {
	if b := c.Snapshot.Find(of.Package, of.Name); b != nil {
		return b.Image
	}
	return ""
}

// DifferentError means that the requests have other answers on the catalogs cut down,
// even with the packages as a whole.
type DifferentError struct {
	// Scope is whose answer it is.
	Scope cluster.Scope
	// Step counts the answers on the way from 1.
	Step int
	// Want is the answer on the catalogs as they are, Got that on those cut down.
	Want, Got string
}

func (e *DifferentError) Error() string {
	return fmt.Sprintf("%s: the catalogs cut down give another answer in step %d (%s) than the whole ones (%s); mirror the whole catalogs", e.Scope, e.Step, e.Got, e.Want)
}

// InvalidError means that a catalog cut down breaks rules that the whole one keeps.
type InvalidError struct {
	Key catalog.Key
	// Fault is the first of them.
	Fault catalog.Fault
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("catalog %s: cut down, it breaks a rule (%v); mirror the whole catalog", e.Key, e.Fault)
}

func (e *InvalidError) Unwrap() error { return e.Fault }

// NoRangeError means that no range of versions can keep what a request needs.
type NoRangeError struct {
	Key     catalog.Key
	Package string
	// Bundle is one that no channel lists; empty if a request names the package, or a
	// channel of it, and there is no bundle.
	Bundle string
}

func (e *NoRangeError) Error() string {
	subject, fault := "package "+e.Package, "a request names it, and it has no bundle there"
	if e.Bundle != "" {
		subject, fault = "bundle "+e.Bundle+" of "+subject, "no channel lists it"
	}
	return fmt.Sprintf("%s in catalog %s: %s, so that no range of versions keeps it; mirror the whole catalog", subject, e.Key, fault)
}

// Find finds what the requests of the scopes need. The error is a *DifferentError, an *InvalidError,
// a *NoRangeError, a *result.Incomplete or a *result.Internal; requests that fail are
// among the outcomes.
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
	f.installed = installedBundles(p.Cluster.Objects(), want)
	for f.extent = least; ; f.extent++ {
		m := &Mirror{Outcomes: want[0].outcomes}
		if m.Catalogs, err = f.cut(need); err == nil {
			err = f.prove(m, want)
		}
		if err == nil {
			return m, nil
		}
		_, different := errors.AsType[*DifferentError](err)
		_, invalid := errors.AsType[*InvalidError](err)
		if f.extent == whole || !different && !invalid {
			return nil, err
		}
	}
}

// prove follows the requests on the catalogs cut down.
func (f *finder) prove(m *Mirror, want []*way) error {
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

// view is that of the problem with the catalogs cut down. Those of which nothing is
// needed are empty.
func (f *finder) view(m *Mirror) *cache.View {
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
