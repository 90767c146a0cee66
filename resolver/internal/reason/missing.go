package reason

import (
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// MissingPackage takes the names that exist instead, as other functions do that take names.
func MissingPackage(pkg string, names []string, searched *result.Searched) result.Reason {
	return state(words.MissingPackage, Package(pkg), result.Args{Names: names, Searched: searched})
}

// MissingVersion takes the bundles in range that no channel offers.
func MissingVersion(e constraints.Package, bundles []result.BundleRef, searched *result.Searched) result.Reason {
	return state(words.MissingVersion, Package(e.Name), result.Args{Constraint: e, Bundles: bundles, Searched: searched})
}

// MissingAPI takes the bundles that provide the API, and that no channel offers. defined is what the
// cluster has of its kind; because states its other versions.
func MissingAPI(api properties.GVK, bundles []result.BundleRef, defined string, searched *result.Searched, because ...result.Reason) result.Reason {
	return state(words.MissingAPI, Subject(api.String()), result.Args{APIs: one(api), Bundles: bundles, Has: defined, Searched: searched}, because...)
}

func OtherVersion(pkg string, api properties.GVK) result.Reason {
	return state(words.OtherVersion, About{Package: pkg}, result.Args{APIs: one(api)})
}

// MissingLabel takes the bundles with the label that no channel offers.
func MissingLabel(e constraints.Label, bundles []result.BundleRef, searched *result.Searched) result.Reason {
	return state(words.MissingLabel, Subject(e.Label), result.Args{Constraint: e, Bundles: bundles, Searched: searched})
}

// NoMatch takes the bundles that satisfy the constraint, and that no channel offers.
func NoMatch(e constraints.Expr, bundles []result.BundleRef, searched *result.Searched) result.Reason {
	return state(words.NoMatch, Subject(e.String()), result.Args{Constraint: e, Bundles: bundles, Searched: searched})
}

func RuleFailed(about About, err error) result.Reason {
	return state(words.RuleFailed, about, result.Args{Err: err})
}

func RuleNeverHolds(about About, err error) result.Reason {
	return state(words.RuleNeverHolds, about, result.Args{Err: err})
}

func NotOffered(about About, e constraints.Expr, why *result.Unlisted) result.Reason {
	return state(words.NotOffered, about, result.Args{Constraint: e, Err: why})
}

func InstalledInstead(about About, e constraints.Expr) result.Reason {
	return state(words.InstalledInstead, about, result.Args{Constraint: e})
}

func Unusable(about About, why *result.Unlisted) result.Reason {
	return state(words.Unusable, about, result.Args{Err: why})
}

// Quarantined takes the API that the bundle would provide, if that is what is missing.
func Quarantined(about About, fault error, apis ...properties.GVK) result.Reason {
	return state(words.Quarantined, about, result.Args{Err: fault, APIs: apis})
}

func NotAskedCatalog(about About) result.Reason {
	return state(words.NotAskedCatalog, about, result.Args{})
}

func ExcludedCatalog(about About) result.Reason {
	return state(words.ExcludedCatalog, about, result.Args{})
}

func UnhealthyCatalog(about About) result.Reason {
	return state(words.UnhealthyCatalog, about, result.Args{})
}

// InvisibleCatalog takes the OperatorGroup that leaves the catalog out.
func InvisibleCatalog(about About, group result.Owner) result.Reason {
	return state(words.InvisibleCatalog, about, result.Args{Owner: &group})
}

func NoCatalog(r *result.Request, searched *result.Searched) result.Reason {
	return state(words.NoCatalog, requested(r), result.Args{Request: r, Searched: searched})
}

// UnknownCatalog takes what else is known of the name.
func UnknownCatalog(r *result.Request, names []string, said string) result.Reason {
	return state(words.UnknownCatalog, requested(r), result.Args{Request: r, Names: names, Said: said})
}

func CatalogExcluded(r *result.Request) result.Reason {
	return state(words.CatalogExcluded, requested(r), result.Args{Request: r})
}

// CatalogInvisible takes the OperatorGroup that leaves the catalog out.
func CatalogInvisible(r *result.Request, group result.Owner) result.Reason {
	return state(words.CatalogInvisible, requested(r), result.Args{Request: r, Owner: &group})
}

func CatalogsUnhealthy(r *result.Request, err *result.CatalogsUnhealthy) result.Reason {
	return state(words.CatalogsUnhealthy, requested(r), result.Args{Request: r, Err: err})
}

func NoPackage(r *result.Request, names []string, searched *result.Searched) result.Reason {
	return state(words.NoPackage, requested(r), result.Args{Request: r, Names: names, Searched: searched})
}

func NoChannel(r *result.Request, names []string) result.Reason {
	return state(words.NoChannel, requested(r), result.Args{Request: r, Names: names})
}

func NoUsableChannel(r *result.Request, because ...result.Reason) result.Reason {
	return state(words.NoUsableChannel, requested(r), result.Args{Request: r}, because...)
}

func BrokenChannel(pkg, channel, fault string) result.Reason {
	return state(words.BrokenChannel, About{Package: pkg}, result.Args{Channel: channel, Said: fault})
}

func NoStartingCSV(r *result.Request, names []string) result.Reason {
	return state(words.NoStartingCSV, requested(r), result.Args{Request: r, Names: names})
}

func LostStartingCSV(r *result.Request, searched *result.Searched) result.Reason {
	return state(words.LostStartingCSV, requested(r), result.Args{Request: r, Searched: searched})
}

func NoBundles(r *result.Request, searched *result.Searched) result.Reason {
	return state(words.NoBundles, requested(r), result.Args{Request: r, Searched: searched})
}

func NoVersion(r *result.Request, searched *result.Searched) result.Reason {
	return state(words.NoVersion, requested(r), result.Args{Request: r, Searched: searched})
}

// NoSuccessor takes the successors that are out of range, as the next two do.
func NoSuccessor(r *result.Request, names []string, searched *result.Searched) result.Reason {
	return state(words.NoSuccessor, requested(r), result.Args{Request: r, Names: names, Searched: searched})
}

func SuccessorUnlisted(r *result.Request, names []string, searched *result.Searched) result.Reason {
	return state(words.SuccessorUnlisted, requested(r), result.Args{Request: r, Names: names, Searched: searched})
}

func SuccessorGone(r *result.Request, names []string, searched *result.Searched) result.Reason {
	return state(words.SuccessorGone, requested(r), result.Args{Request: r, Names: names, Searched: searched})
}

func Refused(r *result.Request, bundle string, because ...result.Reason) result.Reason {
	return state(words.Refused, requested(r), result.Args{Request: r, Other: bundle}, because...)
}
