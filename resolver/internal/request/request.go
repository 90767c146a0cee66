// Package request reads scopes: the installed bundles, the requests, and the bundles that
// satisfy each request. Nearly all that differs between the kinds of requests is here.
// Subscriptions (OLM v0) are in the files subscription*.go, ClusterExtensions (OLM v1) in
// extension*.go. A further kind needs a further row of the table (kind.go), a further reader
// (read.go) and a further [Object].
package request

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Request is what a user wants, with the bundles that satisfy it.
type Request struct {
	Object
	// Current is the installed bundle, as an index into Part.Installed, or -1.
	Current int
	// List holds the candidates. It may share its slices with other requests.
	List model.List
	// Fault, if set, is why there are no candidates.
	Fault *Fault
	// Looked is set for a ClusterExtension. It has the catalogs that were searched, or the
	// one whose bundles are the candidates.
	Looked []int
}

// Object is the object behind a Request. Each kind of request implements it.
type Object interface {
	Key() cluster.RequestKey
	// PackageName returns the package that the object requests.
	PackageName() string
	// Stated returns what the request states, as results show it.
	Stated(*model.Part, *Request) *result.Request
	// Takes reports whether the request names the catalog, or names none.
	Takes(catalog.Key) bool
	// NotReached returns why a catalog's bundle of the package is no candidate of the
	// request, which states what is given.
	NotReached(p *model.Part, r *Request, stated *result.Request, catalog int, b *catalog.Bundle) result.Reason
	// Head returns where updates end: the head of the channel of a Subscription, or the
	// best bundle that a ClusterExtension admits.
	Head(p *model.Part, r *Request) Head
	// Channels returns the channels that the request may name in place of its own, the
	// default one first. It is empty for a ClusterExtension that names none: that takes
	// all of them already.
	Channels(p *model.Part) []string
	// InChannel returns the request as it would be if it named only that channel.
	InChannel(name string) Object
	// UpdatesOf returns the bundles that the named bundle could be updated to, if it were
	// installed. Some of them may not be selectable.
	UpdatesOf(p *model.Part, name string, version semver.Version) []solver.Var
	// UnusableUpdates returns the entries that update the named bundle, if it were installed,
	// and are no candidates.
	UnusableUpdates(p *model.Part, name string, version semver.Version) []UnusableUpdate
	// Target returns the name of the bundle or entry with the name or version to, or of the
	// Head if to is empty. It is empty if there is none. The request has a bundle installed.
	Target(p *model.Part, r *Request, to string) string
	// Edits returns the changes to try on the object alone. narrow adds, for a
	// Subscription, those that only reduce its candidates.
	Edits(p *model.Part, r *Request, narrow bool) []Edit
	// Admits reports whether the request states a range of versions that admits this one.
	Admits(v semver.Version) bool
	// Refusals returns why OLM would not install a candidate of the request, although it
	// resolves to it.
	Refusals(p *model.Part, v solver.Var) []result.Reason
	// Generated reports whether OLM created the object for a dependency.
	Generated() bool
	// HasInstalled returns the bundle that the object states as installed, empty if none.
	HasInstalled() string
	// Meant returns the version of a package that the user most likely wants, nil if that
	// cannot be known. installed is the version installed now, nil if there is none; got
	// is the version that the request would get.
	Meant(p *model.Part, pkg string, installed *semver.Version, got semver.Version) *semver.Version
}

// Head is the name of a bundle, the index of its catalog, and the entry that leads to it, if
// any. The zero Head, without a name, stands for none.
type Head struct {
	Catalog int
	Place   catalog.Place
	Name    string
}

// FaultKind is what a request names that does not exist or cannot be used.
type FaultKind uint8

// The kinds of faults, in the order in which a reader finds them. Of several catalogs, the
// one that gets furthest decides: the highest kind wins.
const (
	FaultNoPackageName FaultKind = iota + 1
	FaultCatalog
	FaultCatalogNotVisible
	FaultCatalogExcluded
	FaultCatalogUnhealthy
	FaultPackage
	FaultChannel
	FaultChannelOrder
	FaultStartingCSV
	FaultNoBundles
	FaultVersion
	FaultNoSuccessor
	FaultRefused
)

// InCatalogs reports whether another catalog could have what is missing.
func (k FaultKind) InCatalogs() bool { return k >= FaultCatalog && k <= FaultPackage }

// Fault is why a request has no candidates.
type Fault struct {
	Kind FaultKind
	// Catalogs are the indices of the catalogs that were searched.
	Catalogs []int
	// Catalog is the name of an unknown catalog.
	Catalog string
	// Unhealthy are the catalogs that could have served the request.
	Unhealthy []result.UnhealthyCatalog
	// Bundle is the bundle that OLM v1 refuses, and Refusals are why.
	Bundle   *catalog.Bundle
	Refusals []result.Reason
	// Gone is true if no catalog has the installed bundle, Unlisted if none of the channels
	// lists it. OutOfRange names its successors outside the range.
	Gone       bool
	Unlisted   bool
	OutOfRange []string
}

// MissingCatalog reports whether the request names a catalog that is unknown or cannot be
// used, so that nobody knows what is in it.
func (f *Fault) MissingCatalog() bool {
	return f.Kind == FaultCatalog || f.Kind == FaultCatalogUnhealthy
}

// Reason returns the reason that states a request: with the bundles that can satisfy it, or why none
// can.
func Reason(p *model.Part, r *Request, bundles []result.BundleRef, because ...result.Reason) result.Reason {
	stated := r.Stated(p, r)
	c := p.Kind.Code
	if stated.Hold != nil && r.Fault == nil {
		c = reason.Hold
	}
	return reason.Request(c, p.JointNamespace(), stated, bundles, because...)
}
