// Package request reads scopes: what is installed, who requests what, and which bundles
// satisfy each request. All that differs by the kind of a request is here: Subscriptions (OLM v0) in subscription.go, their updates by replaces, skips and
// skipRange in subscription_updates.go, ClusterExtensions (v1) in extension.go and beside
// it. A further kind is a further reader (read.go) and a further Object.
package request

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Request is what a user wants, with the bundles that satisfy it.
type Request struct {
	Object
	// Current is the installed bundle, as an index into Part.Installed, or -1.
	Current int
	// List may share its slices with other requests.
	List candidate.List
	// Fault says why there are no candidates, where there are none.
	Fault *Fault
	// Looked are the catalogs that the request of the whole cluster may be satisfied
	// from: those that were searched, or the one whose offers are the candidates.
	Looked []int
}

// Object is the object behind a Request. Each kind of request implements it.
type Object interface {
	// Key is that of the object, and PackageName the package that it requests.
	Key() cluster.RequestKey
	PackageName() string
	// Asked is all that the request states.
	Asked(*model.Part, *Request) *result.Request
	// NotReached says why the request does not lead to a bundle of its package
	// that a catalog has.
	NotReached(p *model.Part, r *Request, catalog int, b *catalog.Bundle) (code.Code, result.Args)
	// Head is where updates lead in the end: the head of the channel of a Subscription,
	// or the best bundle of those that a ClusterExtension asks for.
	Head(p *model.Part, r *Request) Head
	// Channels are those that the request may name in place of its own, the default
	// one first. A ClusterExtension that names none takes all as it is.
	Channels(p *model.Part) []string
	// InChannel is the request as it would be if it named that channel only.
	InChannel(name string) Object
	// UpdatesOf lists the bundles that a bundle, were it installed, could be updated to.
	// Perhaps not each of them is a candidate.
	UpdatesOf(p *model.Part, name string, version semver.Version) []solver.Var
	// Target returns the bundle or entry of a name, the bundle of a version, or the
	// Head where to is empty; empty if there is none.
	Target(p *model.Part, r *Request, to string) string
	// Edits are what may be changed about the object alone, with those that only narrow what
	// a Subscription has for candidates if they are asked for.
	Edits(p *model.Part, r *Request, narrow bool) []Edit
	// Meant is the version of a package that the request meant, which has one installed or
	// none, and would get another one; nil if that cannot be known.
	Meant(p *model.Part, pkg string, installed *semver.Version, got semver.Version) *semver.Version
}

// Head is a bundle by name, the index of its catalog, and the entry that leads to it, if
// any. The zero value, without a name, is none.
type Head struct {
	Catalog int
	Place   catalog.Place
	Name    string
}

// FaultKind says what a request names that is not there.
type FaultKind uint8

// What a request names that is not there. Of several catalogs the one that has most
// of it decides, so the order counts.
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

// InCatalogs reports whether other catalogs could have what is missing.
func (k FaultKind) InCatalogs() bool { return k >= FaultCatalog && k <= FaultPackage }

// Fault says why a request has no candidates.
type Fault struct {
	Kind FaultKind
	// Catalogs are the indices of those that were searched.
	Catalogs []int
	// Catalog is the name of the one that is not known, and Unhealthy are those
	// that could have served the request.
	Catalog   string
	Unhealthy []result.UnhealthyCatalog
	// Bundle is the one that OLM v1 refuses, and Refusals are why.
	Bundle   *catalog.Bundle
	Refusals []result.Reason
	// Of what is installed: no catalog has it (Gone), or none of the channels lists it
	// (Unlisted). OutOfRange are the names of its successors outside of the range.
	Gone       bool
	Unlisted   bool
	OutOfRange []string
}

// LacksCatalog reports whether what the request names is not known because its catalog
// cannot be used.
func (f *Fault) LacksCatalog() bool { return f.Kind == FaultCatalog || f.Kind == FaultCatalogUnhealthy }

// Reason states a request, with further arguments.
func Reason(p *model.Part, r *Request, args result.Args, because ...result.Reason) result.Reason {
	asked := r.Asked(p, r)
	c := code.Subscription
	switch {
	case asked.Key.Kind == cluster.KindExtension:
		c = code.Extension
	case asked.Hold != nil && r.Fault == nil:
		c = code.Hold
	}
	args.Namespace, args.Subject, args.Package, args.Request = p.JointNamespace(), asked.Key.Name, asked.Package, asked
	return result.New(c, args, because...)
}
