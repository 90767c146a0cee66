package model

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/result"
)

// Kind is what differs by the kind of requests. Package request has the table of all kinds. Others
// name a kind only where an object of it changes, or is the one that OLM v0 or OLM v1 alone has.
type Kind struct {
	// Span is how far the bundles of a scope reach.
	Span Span
	// Namespaced is true if a scope is a namespace: its requests share it, with the
	// ClusterServiceVersions and InstallPlans there, and several can be one problem.
	Namespaced bool
	// OnlyUpdates is true if all candidates of a request but the installed bundle are its
	// updates, and come before it.
	OnlyUpdates bool
	// Ranged is true if a request may state a range of versions.
	Ranged bool
	// Selects is true if a request selects its catalogs by their labels.
	Selects bool
	// Lenient is true if the option LenientHealth counts.
	Lenient bool
	// NeedsKube is true if OLM installs no bundle whose minKubeVersion is no version.
	NeedsKube bool
	// Code states a request.
	Code reason.RequestCode
	// Serves reports whether catalogs like this one serve the requests.
	Serves func(catalog.Key) bool
	// Visible finds the catalogs that a scope sees.
	Visible func(cluster.Scope, *Inputs) inventory.Visibility
	// Owner returns who else provides an API of a bundle and so forbids it, nil if nobody does.
	Owner func(*Part, *properties.Set) *result.Reason
	// RunsIn returns the namespace in which the bundles of a scope run.
	RunsIn func(*cluster.Index, cluster.Scope) string
	// VersionOf returns the version that the cluster states of the bundle of that name, if a
	// request has it installed; else nothing.
	VersionOf func(known *cluster.Index, request cluster.RequestKey, name string) string
	// All returns the key that stands for all requests of a scope.
	All func(cluster.Scope) cluster.RequestKey
	// Stated returns key, package and installed bundle that the objects of a scope state, in
	// order, without reading catalogs. Installed is empty for a bundle that is not there.
	Stated func(*cluster.Index, cluster.Scope) []result.Request
}
