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
	{ReasonInstalled, "", codes{code.Installed, code.AlreadyInstalled}},
	{ReasonInstalled, "request!", codes{code.Stays, code.StaysLeftOut}},
	{ReasonSelected, "", codes{code.Selected}},
	{ReasonSelected, "request!", codes{code.IsSelected, code.IsKept}},
	{reasonAsked, "", codes{code.Asked}},
	{reasonCommitted, "", codes{code.Committed}},
	{ReasonDependency, "because constraint! count other place", codes{code.Requires}},
	{ReasonDependency, "because constraint!", codes{code.RequiresAny, code.RequiresOffered}},
	{ReasonReplaces, "names", codes{code.Replaces}},
	{ReasonDeprecated, "", codes{code.Deprecated}},
	{ReasonOpenShift, "has limit", codes{code.OpenShift}},
	{ReasonOpenShift, "has names", codes{code.Lifecycle}},
	{ReasonOpenShift, "err!", codes{code.OpenShiftLimit}},
	{ReasonOpenShift, "has! limit!", codes{code.AboveLimit}},
	{ReasonKubernetes, "err!", codes{code.NeverInstalled}},
	{ReasonOpenShift, "err!", codes{code.BlocksUpdates}},
	{ReasonKubernetes, "has limit", codes{code.Kubernetes}},
	{ReasonPin, "limit other", codes{code.Pinned}},
	{ReasonSystem, "said", codes{code.Forbidden}},
	{ReasonPolicy, "said! names!", codes{code.Denied, code.DeniedAnswer, code.PolicyWarning}},
	{ReasonOneAPI, "apis owner request", codes{code.OwnedBeside}},
	{ReasonOneAPI, "apis owner", codes{code.Owned}},
	{ReasonOneAPI, "apis has limit owner", codes{code.OtherVersions}},
	{ReasonOneAPI, "api oneInCluster", codes{code.OneAPI}},
	{ReasonOperatorGroup, "has limit owner", codes{code.WrongMode}},
	{ReasonOperatorGroup, "apis owner", codes{code.StaticGroup, code.TakenAPI, code.SharedAPI}},
	{ReasonOnePackage, "oneInCluster", codes{code.OnePackage}},
	{ReasonOneName, "oneInCluster", codes{code.OneName}},
	{ReasonProvides, "api", codes{code.Provides, code.OtherVersion}},
	{ReasonProvides, "other", codes{code.SamePackage, code.SameName}},
	{ReasonExcluded, "", codes{code.CanSatisfy, code.Excluded}},
	{reasonPart, "constraint!", codes{code.Part}},
	{"", "constraint!", codes{code.CannotHold}},
	{ReasonMissingPackage, "names searched", codes{code.MissingPackage}},
	{ReasonMissingPackage, "names request searched", codes{code.NoPackage}},
	{ReasonMissingVersion, "bundles constraint! searched", codes{code.MissingVersion}},
	{ReasonMissingVersion, "request! searched", codes{code.NoVersion}},
	{ReasonMissingVersion, "names request! searched", codes{code.NoSuccessor, code.SuccessorUnlisted, code.SuccessorGone}},
	{ReasonMissingAPI, "api because bundles searched", codes{code.MissingAPI}},
	{ReasonMissingLabel, "bundles constraint! searched", codes{code.MissingLabel}},
	{ReasonNoMatch, "bundles constraint! searched", codes{code.NoMatch}},
	{ReasonRuleFailed, "err", codes{code.RuleFailed}},
	{ReasonNotOffered, "constraint! err!", codes{code.NotOffered}},
	{ReasonNotOffered, "constraint!", codes{code.InstalledInstead}},
	{ReasonNotOffered, "err!", codes{code.Unusable}},
	{ReasonQuarantined, "api err", codes{code.Quarantined}},
	{ReasonQuarantined, "count err", codes{code.CatalogFault}},
	{ReasonUnknown, "", codes{code.NotAskedCatalog}},
	{ReasonUnknown, "request searched", codes{code.NoCatalog}},
	{ReasonUnknown, "names request! said", codes{code.UnknownCatalog}},
	{ReasonUnknown, "names request!", codes{code.NoChannel, code.NoStartingCSV}},
	{ReasonUnknown, "err! request", codes{code.CatalogsUnhealthy}},
	{ReasonUnknown, "because request!", codes{code.NoUsableChannel}},
	{ReasonUnknown, "channel said", codes{code.BrokenChannel}},
	{ReasonUnknown, "request! searched", codes{code.LostStartingCSV, code.NoBundles}},
	{ReasonUnknown, "because! other request", codes{code.Refused}},
	{ReasonInvisible, "", codes{code.ExcludedCatalog, code.UnhealthyCatalog}},
	{ReasonInvisible, "owner", codes{code.InvisibleCatalog}},
	{ReasonInvisible, "request!", codes{code.CatalogExcluded}},
	{ReasonInvisible, "owner! request!", codes{code.CatalogInvisible}},
	{reasonNotSelected, "request!", codes{code.NotSelected}},
	{ReasonPreferred, "because! count other place", codes{code.Preferred}},
	{ReasonPreferred, "because!", codes{code.Satisfied}},
	{ReasonPreferred, "other", codes{
		code.UpdateFirst, code.NotDeprecatedFirst, code.NamedCatalogFirst, code.OwnCatalogFirst, code.PackageName, code.HigherVersion,
	}},
	{ReasonPreferred, "channel! other", codes{code.DefaultChannel, code.ChannelName, code.NearerHead}},
	{ReasonPreferred, "has! limit! other!", codes{code.HigherPriority, code.OwnNamespaceFirst, code.CatalogName}},
	{ReasonUnasked, "", codes{code.Unasked}},
	{ReasonUnasked, "request!", codes{code.UpdatesHeld, code.NotInChannel, code.OtherStartingCSV}},
	{ReasonUnasked, "request! searched", codes{code.CatalogNotAsked, code.NotInChannels, code.CatalogUnselected, code.NoSuccessorOf}},
	{ReasonUnasked, "channel request!", codes{code.BelowInstalled, code.SkippedUpdate}},
	{ReasonUnasked, "because! names request!", codes{code.NoUpdate}},
	{ReasonUnasked, "err! names request!", codes{code.Unlisted}},
	{ReasonUnasked, "names request!", codes{code.OtherUpdates}},
	{ReasonUnasked, "has request! searched", codes{code.OutOfRange}},
	{ReasonUnasked, "has limit names other request! searched", codes{code.BetterCatalog}},
	{ReasonBelowHead, "because channel other request", codes{code.BelowHead}},
	{ReasonBelowHead, "because channel other", codes{code.NotListed}},
	{ReasonBelowHead, "", codes{code.OneStep, code.ByStartingCSV}},
	{ReasonBelowHead, "channel! has! other!", codes{code.ChannelEnds}},
	{ReasonBelowHead, "names! request!", codes{code.KeptOut}},
	{ReasonBelowHead, "names", codes{code.Approval, code.PendingApproval}},
	{ReasonBelowHead, "because has! limit names other said", codes{code.InPhase, code.HasCondition}},
	{ReasonBelowHead, "err other! said", codes{code.HeldUpdate}},
	{ReasonBelowHead, "has limit names other said", codes{
		code.GoesOn, code.TriesAgain, code.NoReason, code.Stops, code.OnlyPublisher, code.OnceMet, code.OnceUpgradeable, code.OnceGroupFits, code.OnceSoleOwner,
		code.OnceListed, code.ReplacesItself, code.ReplacesFailed, code.NewPlan, code.PlanComes, code.UnpackAgain, code.GiveRights,
	}},
	{ReasonBelowHead, "channel names request!", codes{code.DeadEnd}},
	{reasonConflict, "conflict!", codes{code.Conflict}},
	{WarnDeprecation, "channel said", codes{code.Deprecation}},
	{WarnForcedChoice, "because other request!", codes{code.ForcedChoice}},
	{WarnCatalog, "err", codes{code.CatalogLeftOut, code.CatalogUnnamed, code.CatalogUnhealthy}},
	{WarnSelector, "names!", codes{code.SelectorDropped}},
	{WarnNoTargets, "", codes{code.NoTargets}},
	{WarnNoOperatorGroup, "", codes{code.NoOperatorGroup}},
	{WarnAPIVersions, "has limit owner!", codes{code.APIVersions}},
	{WarnDroppedVersion, "apis", codes{code.DroppedVersions}},
	{WarnUnneeded, "", codes{code.Unneeded}},
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
