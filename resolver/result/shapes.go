package result

import (
	"reflect"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/code"
)

// codes are the codes of one row of shapes.
type codes []code.Code

// shapes has the kind and the arguments of each code, beside those that every code may have.
// An argument with an exclamation mark is never zero.
var shapes = []struct {
	kind  ReasonKind
	args  string
	codes codes
}{
	{code.KindOfSubscription, "because bundles count other place request!", codes{code.Subscription}},
	{code.KindOfExtension, "because bundles count other place request!", codes{code.Extension}},
	{code.KindHold, "because bundles count other place request!", codes{code.Hold}},
	{code.KindHold, "because err!", codes{code.NotUpgradeable}},
	{code.KindInstalled, "other", codes{code.Installed}},
	{code.KindInstalled, "", codes{code.AlreadyInstalled}},
	{code.KindInstalled, "request!", codes{code.Stays, code.StaysLeftOut}},
	{code.KindSelected, "", codes{code.Selected}},
	{code.KindSelected, "request!", codes{code.IsSelected, code.IsKept}},
	{code.KindAsked, "", codes{code.Asked}},
	{code.KindCommitted, "", codes{code.Committed}},
	{code.KindDependency, "because constraint! count other place", codes{code.Requires}},
	{code.KindDependency, "because constraint!", codes{code.RequiresAny, code.RequiresOffered}},
	{code.KindReplaces, "names", codes{code.Replaces}},
	{code.KindDeprecated, "", codes{code.Deprecated}},
	{code.KindOpenShift, "has limit", codes{code.OpenShift}},
	{code.KindOpenShift, "has names", codes{code.Lifecycle}},
	{code.KindOpenShift, "err!", codes{code.OpenShiftLimit}},
	{code.KindOpenShift, "has! limit!", codes{code.AboveLimit}},
	{code.KindKubernetes, "err!", codes{code.NeverInstalled}},
	{code.KindOpenShift, "err!", codes{code.BlocksUpdates}},
	{code.KindKubernetes, "has limit", codes{code.Kubernetes}},
	{code.KindPin, "limit other", codes{code.Pinned}},
	{code.KindSystem, "said", codes{code.Forbidden}},
	{code.KindPolicy, "said! names!", codes{code.Denied, code.DeniedAnswer, code.PolicyWarning}},
	{code.KindOneAPI, "apis owner request", codes{code.OwnedBeside}},
	{code.KindOneAPI, "apis owner", codes{code.Owned}},
	{code.KindOneAPI, "apis has limit owner", codes{code.OtherVersions}},
	{code.KindOneAPI, "api oneInCluster", codes{code.OneAPI}},
	{code.KindOperatorGroup, "has limit owner", codes{code.WrongMode}},
	{code.KindOperatorGroup, "apis owner", codes{code.StaticGroup, code.TakenAPI, code.SharedAPI}},
	{code.KindOnePackage, "oneInCluster", codes{code.OnePackage}},
	{code.KindOneName, "oneInCluster", codes{code.OneName}},
	{code.KindProvides, "api", codes{code.Provides, code.OtherVersion}},
	{code.KindProvides, "other", codes{code.SamePackage, code.SameName}},
	{code.KindExcluded, "", codes{code.CanSatisfy, code.Excluded}},
	{code.KindPart, "constraint!", codes{code.Part}},
	{"", "constraint!", codes{code.CannotHold}},
	{code.KindMissingPackage, "names searched", codes{code.MissingPackage}},
	{code.KindMissingPackage, "names request searched", codes{code.NoPackage}},
	{code.KindMissingVersion, "bundles constraint! searched", codes{code.MissingVersion}},
	{code.KindMissingVersion, "request! searched", codes{code.NoVersion}},
	{code.KindMissingVersion, "names request! searched", codes{code.NoSuccessor, code.SuccessorUnlisted, code.SuccessorGone}},
	{code.KindMissingAPI, "api because bundles searched", codes{code.MissingAPI}},
	{code.KindMissingLabel, "bundles constraint! searched", codes{code.MissingLabel}},
	{code.KindNoMatch, "bundles constraint! searched", codes{code.NoMatch}},
	{code.KindRuleFailed, "err", codes{code.RuleFailed, code.RuleNeverHolds}},
	{code.KindNotOffered, "constraint! err!", codes{code.NotOffered}},
	{code.KindNotOffered, "constraint!", codes{code.InstalledInstead}},
	{code.KindNotOffered, "err!", codes{code.Unusable}},
	{code.KindQuarantined, "api err", codes{code.Quarantined}},
	{code.KindQuarantined, "count err", codes{code.CatalogFault}},
	{code.KindUnknown, "", codes{code.NotAskedCatalog}},
	{code.KindUnknown, "request searched", codes{code.NoCatalog}},
	{code.KindUnknown, "names request! said", codes{code.UnknownCatalog}},
	{code.KindUnknown, "names request!", codes{code.NoChannel, code.NoStartingCSV}},
	{code.KindUnknown, "err! request", codes{code.CatalogsUnhealthy}},
	{code.KindUnknown, "because request!", codes{code.NoUsableChannel}},
	{code.KindUnknown, "channel said", codes{code.BrokenChannel}},
	{code.KindUnknown, "request! searched", codes{code.LostStartingCSV, code.NoBundles}},
	{code.KindUnknown, "because! other request", codes{code.Refused}},
	{code.KindInvisible, "", codes{code.ExcludedCatalog, code.UnhealthyCatalog}},
	{code.KindInvisible, "owner", codes{code.InvisibleCatalog}},
	{code.KindInvisible, "request!", codes{code.CatalogExcluded}},
	{code.KindInvisible, "owner! request!", codes{code.CatalogInvisible}},
	{code.KindNotSelected, "request!", codes{code.NotSelected}},
	{code.KindPreferred, "because! count other place", codes{code.Preferred}},
	{code.KindPreferred, "because!", codes{code.Satisfied}},
	{code.KindPreferred, "other", codes{
		code.UpdateFirst, code.NotDeprecatedFirst, code.NamedCatalogFirst, code.OwnCatalogFirst, code.PackageName, code.HigherVersion,
	}},
	{code.KindPreferred, "channel! other", codes{code.DefaultChannel, code.ChannelName, code.NearerHead}},
	{code.KindPreferred, "has! limit! other!", codes{code.HigherPriority, code.OwnNamespaceFirst, code.CatalogName}},
	{code.KindUnasked, "", codes{code.Unasked}},
	{code.KindUnasked, "request!", codes{code.UpdatesHeld, code.NotInChannel, code.OtherStartingCSV}},
	{code.KindUnasked, "request! searched", codes{code.CatalogNotAsked, code.NotInChannels, code.CatalogUnselected, code.NoSuccessorOf}},
	{code.KindUnasked, "channel request!", codes{code.BelowInstalled, code.SkippedUpdate}},
	{code.KindUnasked, "because! names request!", codes{code.NoUpdate}},
	{code.KindUnasked, "err! names request!", codes{code.Unlisted}},
	{code.KindUnasked, "names request!", codes{code.OtherUpdates}},
	{code.KindUnasked, "has request! searched", codes{code.OutOfRange}},
	{code.KindUnasked, "has limit names other request! searched", codes{code.BetterCatalog}},
	{code.KindBelowHead, "because channel other request", codes{code.BelowHead}},
	{code.KindBelowHead, "because channel other", codes{code.NotListed}},
	{code.KindBelowHead, "", codes{code.OneStep, code.ByStartingCSV}},
	{code.KindBelowHead, "channel! has! other!", codes{code.ChannelEnds}},
	{code.KindBelowHead, "names! request!", codes{code.KeptOut}},
	{code.KindBelowHead, "names", codes{code.Approval, code.PendingApproval}},
	{code.KindBelowHead, "has! limit names other said", codes{code.InPhase, code.HasCondition}},
	{code.KindBelowHead, "err other! said", codes{code.HeldUpdate}},
	{code.KindBelowHead, "channel names request!", codes{code.DeadEnd}},
	{code.KindConflict, "conflict!", codes{code.Conflict}},
	{code.KindDeprecation, "channel said", codes{code.Deprecation}},
	{code.KindForcedChoice, "because other request!", codes{code.ForcedChoice}},
	{code.KindCatalog, "err", codes{code.CatalogLeftOut, code.CatalogUnnamed, code.CatalogUnhealthy}},
	{code.KindSelector, "names!", codes{code.SelectorDropped}},
	{code.KindNoTargets, "", codes{code.NoTargets}},
	{code.KindNoOperatorGroup, "", codes{code.NoOperatorGroup}},
	{code.KindAPIVersions, "has limit owner!", codes{code.APIVersions}},
	{code.KindDroppedVersion, "apis", codes{code.DroppedVersions}},
	{code.KindUnneeded, "", codes{code.Unneeded}},
	{code.KindDependency, "names!", codes{code.RefusedDependency}},
	{code.KindWatchNamespace, "has limit names said", codes{code.RefusedModes}},
	{code.KindWatchNamespace, "has limit!", codes{code.RefusedNamespaces}},
	{code.KindAPIService, "apis!", codes{code.RefusedAPIService}},
}

// shape has the arguments that a reason of a code may and must have. A bit's index is that of
// the field of Args.
type shape struct {
	kind      ReasonKind
	may, must uint64
}

// becauseBit stands for the reasons that a reason follows from, apiBit for one API that it is
// about. They are no fields of Args.
const (
	becauseBit = 63
	apiBit     = 62
)

var shapeOf = func() map[code.Code]shape {
	bits, all := map[string]uint64{"because": 1 << becauseBit}, map[code.Code]shape{}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[Args]()) {
		bits[strings.ToLower(f.Name)] = 1 << i
	}
	bits["api"] = bits["apis"] | 1<<apiBit
	for _, row := range shapes {
		of := shape{kind: row.kind}
		for _, name := range strings.Fields("namespace subject bundle package version catalog " + row.args) {
			name, needed := strings.CutSuffix(strings.ToLower(name), "!")
			if of.may |= bits[name]; needed {
				of.must |= bits[name]
			}
		}
		for _, c := range row.codes {
			all[c] = of
		}
	}
	return all
}()

// fits reports whether a reason of the code may have these arguments.
func fits(c code.Code, args *Args, because []Reason) bool {
	have, values := uint64(0), reflect.ValueOf(args).Elem()
	for i := range values.NumField() {
		if !values.Field(i).IsZero() {
			have |= 1 << i
		}
	}
	if len(because) > 0 {
		have |= 1 << becauseBit
	}
	of, known := shapeOf[c]
	return known && have&^of.may == 0 && of.must&^have == 0
}
