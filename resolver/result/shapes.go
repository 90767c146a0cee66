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
	{ReasonSubscription, "because bundles count other place request!", codes{code.Subscription}},
	{ReasonExtension, "because bundles count other place request!", codes{code.Extension}},
	{ReasonHold, "because bundles count other place request!", codes{code.Hold}},
	{ReasonHold, "because err!", codes{code.NotUpgradeable}},
	{reasonInstalled, "other", codes{code.Installed}},
	{reasonInstalled, "", codes{code.AlreadyInstalled}},
	{reasonInstalled, "request!", codes{code.Stays, code.StaysLeftOut}},
	{reasonSelected, "", codes{code.Selected}},
	{reasonSelected, "request!", codes{code.IsSelected, code.IsKept}},
	{reasonAsked, "", codes{code.Asked}},
	{reasonCommitted, "", codes{code.Committed}},
	{ReasonDependency, "because constraint! count other place", codes{code.Requires}},
	{ReasonDependency, "because constraint!", codes{code.RequiresAny, code.RequiresOffered}},
	{ReasonReplaces, "names", codes{code.Replaces}},
	{ReasonDeprecated, "", codes{code.Deprecated}},
	{reasonOpenShift, "has limit", codes{code.OpenShift}},
	{reasonOpenShift, "has names", codes{code.Lifecycle}},
	{reasonOpenShift, "err!", codes{code.OpenShiftLimit}},
	{reasonOpenShift, "has! limit!", codes{code.AboveLimit}},
	{reasonKubernetes, "err!", codes{code.NeverInstalled}},
	{reasonOpenShift, "err!", codes{code.BlocksUpdates}},
	{reasonKubernetes, "has limit", codes{code.Kubernetes}},
	{reasonPin, "limit other", codes{code.Pinned}},
	{reasonSystem, "said", codes{code.Forbidden}},
	{ReasonPolicy, "said! names!", codes{code.Denied, code.DeniedAnswer, code.PolicyWarning}},
	{ReasonOneAPI, "apis owner request", codes{code.OwnedBeside}},
	{ReasonOneAPI, "apis owner", codes{code.Owned}},
	{ReasonOneAPI, "apis has limit owner", codes{code.OtherVersions}},
	{ReasonOneAPI, "api oneInCluster", codes{code.OneAPI}},
	{ReasonOperatorGroup, "has limit owner", codes{code.WrongMode}},
	{ReasonOperatorGroup, "apis owner", codes{code.StaticGroup, code.TakenAPI, code.SharedAPI}},
	{ReasonOnePackage, "oneInCluster", codes{code.OnePackage}},
	{reasonOneName, "oneInCluster", codes{code.OneName}},
	{ReasonProvides, "api", codes{code.Provides, code.OtherVersion}},
	{ReasonProvides, "other", codes{code.SamePackage, code.SameName}},
	{ReasonExcluded, "", codes{code.CanSatisfy, code.Excluded}},
	{reasonPart, "constraint!", codes{code.Part}},
	{"", "constraint!", codes{code.CannotHold}},
	{reasonMissingPackage, "names searched", codes{code.MissingPackage}},
	{reasonMissingPackage, "names request searched", codes{code.NoPackage}},
	{reasonMissingVersion, "bundles constraint! searched", codes{code.MissingVersion}},
	{reasonMissingVersion, "request! searched", codes{code.NoVersion}},
	{reasonMissingVersion, "names request! searched", codes{code.NoSuccessor, code.SuccessorUnlisted, code.SuccessorGone}},
	{reasonMissingAPI, "api because bundles searched", codes{code.MissingAPI}},
	{reasonMissingLabel, "bundles constraint! searched", codes{code.MissingLabel}},
	{reasonNoMatch, "bundles constraint! searched", codes{code.NoMatch}},
	{reasonRuleFailed, "err", codes{code.RuleFailed, code.RuleNeverHolds}},
	{reasonNotOffered, "constraint! err!", codes{code.NotOffered}},
	{reasonNotOffered, "constraint!", codes{code.InstalledInstead}},
	{reasonNotOffered, "err!", codes{code.Unusable}},
	{reasonQuarantined, "api err", codes{code.Quarantined}},
	{reasonQuarantined, "count err", codes{code.CatalogFault}},
	{reasonUnknown, "", codes{code.NotAskedCatalog}},
	{reasonUnknown, "request searched", codes{code.NoCatalog}},
	{reasonUnknown, "names request! said", codes{code.UnknownCatalog}},
	{reasonUnknown, "names request!", codes{code.NoChannel, code.NoStartingCSV}},
	{reasonUnknown, "err! request", codes{code.CatalogsUnhealthy}},
	{reasonUnknown, "because request!", codes{code.NoUsableChannel}},
	{reasonUnknown, "channel said", codes{code.BrokenChannel}},
	{reasonUnknown, "request! searched", codes{code.LostStartingCSV, code.NoBundles}},
	{reasonUnknown, "because! other request", codes{code.Refused}},
	{reasonInvisible, "", codes{code.ExcludedCatalog, code.UnhealthyCatalog}},
	{reasonInvisible, "owner", codes{code.InvisibleCatalog}},
	{reasonInvisible, "request!", codes{code.CatalogExcluded}},
	{reasonInvisible, "owner! request!", codes{code.CatalogInvisible}},
	{reasonNotSelected, "request!", codes{code.NotSelected}},
	{reasonPreferred, "because! count other place", codes{code.Preferred}},
	{reasonPreferred, "because!", codes{code.Satisfied}},
	{reasonPreferred, "other", codes{
		code.UpdateFirst, code.NotDeprecatedFirst, code.NamedCatalogFirst, code.OwnCatalogFirst, code.PackageName, code.HigherVersion,
	}},
	{reasonPreferred, "channel! other", codes{code.DefaultChannel, code.ChannelName, code.NearerHead}},
	{reasonPreferred, "has! limit! other!", codes{code.HigherPriority, code.OwnNamespaceFirst, code.CatalogName}},
	{ReasonUnasked, "", codes{code.Unasked}},
	{ReasonUnasked, "request!", codes{code.UpdatesHeld, code.NotInChannel, code.OtherStartingCSV}},
	{ReasonUnasked, "request! searched", codes{code.CatalogNotAsked, code.NotInChannels, code.CatalogUnselected, code.NoSuccessorOf}},
	{ReasonUnasked, "channel request!", codes{code.BelowInstalled, code.SkippedUpdate}},
	{ReasonUnasked, "because! names request!", codes{code.NoUpdate}},
	{ReasonUnasked, "err! names request!", codes{code.Unlisted}},
	{ReasonUnasked, "names request!", codes{code.OtherUpdates}},
	{ReasonUnasked, "has request! searched", codes{code.OutOfRange}},
	{ReasonUnasked, "has limit names other request! searched", codes{code.BetterCatalog}},
	{reasonBelowHead, "because channel other request", codes{code.BelowHead}},
	{reasonBelowHead, "because channel other", codes{code.NotListed}},
	{reasonBelowHead, "", codes{code.OneStep, code.ByStartingCSV}},
	{reasonBelowHead, "channel! has! other!", codes{code.ChannelEnds}},
	{reasonBelowHead, "names! request!", codes{code.KeptOut}},
	{reasonBelowHead, "names", codes{code.Approval, code.PendingApproval}},
	{reasonBelowHead, "has! limit names other said", codes{code.InPhase, code.HasCondition}},
	{reasonBelowHead, "err other! said", codes{code.HeldUpdate}},
	{reasonBelowHead, "channel names request!", codes{code.DeadEnd}},
	{reasonConflict, "conflict!", codes{code.Conflict}},
	{WarnDeprecation, "channel said", codes{code.Deprecation}},
	{warnForcedChoice, "because other request!", codes{code.ForcedChoice}},
	{warnCatalog, "err", codes{code.CatalogLeftOut, code.CatalogUnnamed, code.CatalogUnhealthy}},
	{warnSelector, "names!", codes{code.SelectorDropped}},
	{warnNoTargets, "", codes{code.NoTargets}},
	{warnNoOperatorGroup, "", codes{code.NoOperatorGroup}},
	{warnAPIVersions, "has limit owner!", codes{code.APIVersions}},
	{warnDroppedVersion, "apis", codes{code.DroppedVersions}},
	{warnUnneeded, "", codes{code.Unneeded}},
	{ReasonDependency, "names!", codes{code.RefusedDependency}},
	{WarnWatchNamespace, "has limit names said", codes{code.RefusedModes}},
	{WarnWatchNamespace, "has limit!", codes{code.RefusedNamespaces}},
	{WarnAPIService, "apis!", codes{code.RefusedAPIService}},
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
