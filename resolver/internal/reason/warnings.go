package reason

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Deprecation takes the bundle or the channel that is deprecated, neither if the package is.
func Deprecation(subject, pkg, bundle, channel, message string) result.Reason {
	about := About{Subject: subject, Package: pkg, Bundle: bundle}
	return state(words.Deprecation, about, result.Args{Channel: channel, Said: message})
}

func ForcedChoice(bundle string, r *result.Request, best string, because ...result.Reason) result.Reason {
	return state(words.ForcedChoice, Subject(bundle), result.Args{Request: r, Other: best}, because...)
}

// CatalogFault takes a fault, or how many there are if they are not listed.
func CatalogFault(pkg string, from catalog.Key, fault error, count int) result.Reason {
	about := About{Subject: pkg, Catalog: from}
	return state(words.CatalogFault, about, result.Args{Err: fault, Count: int32(count)})
}

// CatalogCode is a code of a catalog that cannot be used.
type CatalogCode words.Code

const (
	CatalogLeftOut   = CatalogCode(words.CatalogLeftOut)
	CatalogUnnamed   = CatalogCode(words.CatalogUnnamed)
	CatalogUnhealthy = CatalogCode(words.CatalogUnhealthy)
)

func Catalog(c CatalogCode, k catalog.Key, err error) result.Reason {
	return state(words.Code(c), Subject(k.String()), result.Args{Err: err})
}

func NoTargets(group, namespace string) result.Reason {
	return state(words.NoTargets, About{Subject: group, Namespace: namespace}, result.Args{})
}

// SelectorDropped takes the members that an API server drops.
func SelectorDropped(group, namespace string, members []string) result.Reason {
	return state(words.SelectorDropped, About{Subject: group, Namespace: namespace}, result.Args{Names: members})
}

// SecondProvider takes the kinds that another bundle provides. chosen is true if the same call has
// chosen that.
func SecondProvider(bundle string, kinds []properties.GVK, other, namespace string, chosen bool) result.Reason {
	args := result.Args{APIs: kinds, Other: other, Owner: &result.Owner{Namespace: namespace, Chosen: chosen}}
	return state(words.SecondProvider, Subject(bundle), args)
}

// APIVersions takes the versions of a kind in two namespaces.
func APIVersions(kind properties.GVK, namespace, has, other, others string) result.Reason {
	about := About{Subject: words.APIName(kind), Namespace: namespace}
	return state(words.APIVersions, about, result.Args{Has: has, Limit: others, Owner: &result.Owner{Namespace: other}})
}

func DroppedVersions(bundle string, apis []properties.GVK) result.Reason {
	return state(words.DroppedVersions, Subject(bundle), result.Args{APIs: apis})
}

// RefusedDependency takes what the bundle requires.
func RefusedDependency(bundle string, constraints []string) result.Reason {
	return state(words.RefusedDependency, Bundle(bundle, ""), result.Args{Names: constraints})
}

// RefusedModes takes the modes that the bundle supports, and the one that watchNamespace chooses,
// empty if it chooses none; watchNamespace, and what may be done with it.
func RefusedModes(bundle, supported string, chosen properties.InstallMode, watchNamespace string, ways []string) result.Reason {
	args := result.Args{Has: supported, Limit: string(chosen), Said: watchNamespace, Names: ways}
	return state(words.RefusedModes, Bundle(bundle, ""), args)
}

// RefusedNamespaces takes the modes that the bundle supports, and the one that is required.
func RefusedNamespaces(bundle, supported string, required properties.InstallMode) result.Reason {
	return state(words.RefusedNamespaces, Bundle(bundle, ""), result.Args{Has: supported, Limit: string(required)})
}

func RefusedAPIService(bundle string, apis []properties.GVK) result.Reason {
	return state(words.RefusedAPIService, Bundle(bundle, ""), result.Args{APIs: apis})
}

func RefusedStored(bundle, definition string, versions []string) result.Reason {
	return state(words.RefusedStored, Bundle(bundle, ""), result.Args{Other: definition, Names: versions})
}

func DroppedStored(bundle, definition, kind string, versions []string) result.Reason {
	return state(words.DroppedStored, Bundle(bundle, ""), result.Args{Other: definition, Said: kind, Names: versions})
}

// RefusedField takes a field with the value that the definition has, and with that of the bundle.
func RefusedField(bundle, definition, field, has, states string) result.Reason {
	return state(words.RefusedField, Bundle(bundle, ""), result.Args{Other: definition, Said: field, Has: has, Limit: states})
}

func RefusedOwned(bundle string, definitions []string) result.Reason {
	return state(words.RefusedOwned, Bundle(bundle, ""), result.Args{Names: definitions})
}

// RefusedRights takes the rights that are missing, as RefusedAccount does.
func RefusedRights(bundle, account string, missing []string) result.Reason {
	return state(words.RefusedRights, Bundle(bundle, ""), result.Args{Other: account, Names: missing})
}

func RefusedAccount(bundle, account string, missing []string) result.Reason {
	return state(words.RefusedAccount, Bundle(bundle, ""), result.Args{Other: account, Names: missing})
}

func Unneeded(bundle string) result.Reason {
	return state(words.Unneeded, Subject(bundle), result.Args{})
}

// DeniedAnswer takes the scope of the answer.
func DeniedAnswer(scope string, breach policy.Breach) result.Reason {
	return state(words.DeniedAnswer, Subject(scope), stating(breach))
}

func PolicyWarning(subject string, breach policy.Breach) result.Reason {
	return state(words.PolicyWarning, Subject(subject), stating(breach))
}

func OpenShiftLimit(bundle string, err error) result.Reason {
	return state(words.OpenShiftLimit, Subject(bundle), result.Args{Err: err})
}

func AboveLimit(bundle, limit, has string) result.Reason {
	return state(words.AboveLimit, Subject(bundle), result.Args{Limit: limit, Has: has})
}

func NeverInstalled(bundle string, err error) result.Reason {
	return state(words.NeverInstalled, Subject(bundle), result.Args{Err: err})
}
