package reason

import (
	"strings"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// RequestCode is the code of a request.
type RequestCode words.Code

const (
	Subscription = RequestCode(words.Subscription)
	Extension    = RequestCode(words.Extension)
	Hold         = RequestCode(words.Hold)
)

// Request states a request with the bundles that can satisfy it, or why none can. The namespace is
// empty unless several are resolved jointly.
func Request(c RequestCode, namespace string, r *result.Request, bundles []result.BundleRef, because ...result.Reason) result.Reason {
	about := requested(r)
	about.Namespace = namespace
	return state(words.Code(c), about, result.Args{Request: r, Bundles: bundles}, because...)
}

func NotUpgradeable(hold *result.Hold, because ...result.Reason) result.Reason {
	return result.New(words.NotUpgradeable, result.Args{Err: hold}, because...)
}

// Installed takes the bundle that replaces this one, empty if none does.
func Installed(about About, replacedBy string) result.Reason {
	return state(words.Installed, about, result.Args{Other: replacedBy})
}

func Stays(about About, key cluster.RequestKey) result.Reason {
	return state(words.Stays, about, result.Args{Request: &result.Request{Key: key}})
}

func StaysLeftOut(about About, key cluster.RequestKey) result.Reason {
	return state(words.StaysLeftOut, about, result.Args{Request: &result.Request{Key: key}})
}

func Selected(about About) result.Reason { return state(words.Selected, about, result.Args{}) }
func Asked(about About) result.Reason    { return state(words.Asked, about, result.Args{}) }
func Committed() result.Reason           { return result.New(words.Committed, result.Args{}) }

func Requires(about About, e constraints.Expr, because ...result.Reason) result.Reason {
	return state(words.Requires, about, result.Args{Constraint: e}, because...)
}

func RequiresAny(about About, e constraints.Expr) result.Reason {
	return state(words.RequiresAny, about, result.Args{Constraint: e})
}

func RequiresOffered(about About, e constraints.Expr, because ...result.Reason) result.Reason {
	return state(words.RequiresOffered, about, result.Args{Constraint: e}, because...)
}

func Replaces(about About, names []string) result.Reason {
	return state(words.Replaces, about, result.Args{Names: names})
}

func AlreadyInstalled(about About) result.Reason {
	return state(words.AlreadyInstalled, about, result.Args{})
}

func Deprecated(about About) result.Reason { return state(words.Deprecated, about, result.Args{}) }

// OpenShift takes the version of the cluster, empty if it does not have it yet.
func OpenShift(about About, limit, has string) result.Reason {
	return state(words.OpenShift, about, result.Args{Limit: limit, Has: has})
}

func Kubernetes(about About, least, has string) result.Reason {
	return state(words.Kubernetes, about, result.Args{Limit: least, Has: has})
}

func Lifecycle(about About, versions []string) result.Reason {
	return state(words.Lifecycle, about, result.Args{Names: versions})
}

func BlocksUpdates(about About, err error) result.Reason {
	return state(words.BlocksUpdates, about, result.Args{Err: err})
}

// Pinned takes the bundle or the version to which the package is pinned: neither stands for what is
// installed.
func Pinned(about About, bundle, version string) result.Reason {
	return state(words.Pinned, about, result.Args{Other: bundle, Limit: version})
}

func Forbidden(about About, said string) result.Reason {
	return state(words.Forbidden, about, result.Args{Said: said})
}

func Denied(about About, breaches []policy.Breach) result.Reason {
	return state(words.Denied, about, stating(breaches...))
}

// stating has what breaches of rules say, and the rules.
func stating(breaches ...policy.Breach) result.Args {
	return result.Args{
		Said:  strings.Join(words.Texts(breaches), "; "),
		Names: words.Mapped(breaches, func(b policy.Breach) string { return b.Rule.String() }),
	}
}

// OwnedBeside takes the ClusterExtension that owns the API, else the bundle.
func OwnedBeside(about About, api properties.GVK, request *result.Request, owner *result.Owner) result.Reason {
	return state(words.OwnedBeside, about, result.Args{APIs: one(api), Request: request, Owner: owner})
}

func Owned(about About, kind properties.GVK, owner result.Owner) result.Reason {
	return state(words.Owned, about, result.Args{APIs: one(kind), Owner: &owner})
}

// OtherVersions takes the versions that the bundle provides, and those of the owner, empty if it
// stands for several bundles.
func OtherVersions(about About, kind properties.GVK, has, others string, owner result.Owner) result.Reason {
	return state(words.OtherVersions, about, result.Args{APIs: one(kind), Has: has, Limit: others, Owner: &owner})
}

// WrongMode takes the mode that the OperatorGroup requires, and those that the bundle supports.
func WrongMode(about About, mode properties.InstallMode, supported string, group result.Owner) result.Reason {
	return state(words.WrongMode, about, result.Args{Limit: string(mode), Has: supported, Owner: &group})
}

func StaticGroup(about About, api properties.GVK, group result.Owner) result.Reason {
	return state(words.StaticGroup, about, result.Args{APIs: one(api), Owner: &group})
}

// TakenAPI takes the bundle that provides the API, empty if an annotation of the OperatorGroup
// states it.
func TakenAPI(about About, api properties.GVK, bundle string, group result.Owner) result.Reason {
	return state(words.TakenAPI, about, result.Args{APIs: one(api), Other: bundle, Owner: &group})
}

func SharedAPI(about About, api properties.GVK, owner result.Owner) result.Reason {
	return state(words.SharedAPI, about, result.Args{APIs: one(api), Owner: &owner})
}

func OnePackage(namespace, pkg string, inCluster bool) result.Reason {
	about := About{Namespace: namespace, Subject: pkg, Package: pkg}
	return state(words.OnePackage, about, result.Args{OneInCluster: inCluster})
}

func OneName(namespace, bundle string, inCluster bool) result.Reason {
	about := About{Namespace: namespace, Subject: bundle, Bundle: bundle}
	return state(words.OneName, about, result.Args{OneInCluster: inCluster})
}

func OneAPI(namespace string, api properties.GVK, inCluster bool) result.Reason {
	about := About{Namespace: namespace, Subject: words.APIName(api)}
	return state(words.OneAPI, about, result.Args{APIs: one(api), OneInCluster: inCluster})
}

func Provides(about About, api properties.GVK) result.Reason {
	return state(words.Provides, about, result.Args{APIs: one(api)})
}

func SamePackage(about About, pkg string) result.Reason {
	return state(words.SamePackage, about, result.Args{Other: pkg})
}

func SameName(about About, name string) result.Reason {
	return state(words.SameName, about, result.Args{Other: name})
}

func CanSatisfy(about About) result.Reason { return state(words.CanSatisfy, about, result.Args{}) }
func Excluded(about About) result.Reason   { return state(words.Excluded, about, result.Args{}) }

func Part(e constraints.Expr) result.Reason {
	return result.New(words.Part, result.Args{Constraint: e})
}

func CannotHold(e constraints.Expr) result.Reason {
	return result.New(words.CannotHold, result.Args{Constraint: e})
}

func Conflict(head *result.Conflict) result.Reason {
	return result.New(words.Conflict, result.Args{Conflict: head})
}
