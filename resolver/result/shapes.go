package result

import (
	"reflect"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// codes are the codes of one row of shapes.
type codes []words.Code

// A new reason is a code with two rows: one here with its arguments, and one in the table of
// package words with its words. The words of a [Conflict], the head of an explanation, are in
// conflict.go.
//
// shapes has the kind and the arguments of each code, beside those that every code may have.
// An argument with an exclamation mark is never zero.
var shapes = []struct {
	kind  ReasonKind
	args  string
	codes codes
}{
	{words.KindOfSubscription, "because bundles count other place request!", codes{words.Subscription}},
	{words.KindOfExtension, "because bundles count other place request!", codes{words.Extension}},
	{words.KindHold, "because bundles count other place request!", codes{words.Hold}},
	{words.KindHold, "because err!", codes{words.NotUpgradeable}},
	{words.KindInstalled, "other", codes{words.Installed}},
	{words.KindInstalled, "", codes{words.AlreadyInstalled}},
	{words.KindInstalled, "request!", codes{words.Stays, words.StaysLeftOut}},
	{words.KindSelected, "", codes{words.Selected}},
	{words.KindSelected, "request!", codes{words.IsSelected, words.IsKept}},
	{words.KindAsked, "", codes{words.Asked}},
	{words.KindCommitted, "", codes{words.Committed}},
	{words.KindDependency, "because constraint! count other place", codes{words.Requires}},
	{words.KindDependency, "because constraint!", codes{words.RequiresAny, words.RequiresOffered}},
	{words.KindReplaces, "names", codes{words.Replaces}},
	{words.KindDeprecated, "", codes{words.Deprecated}},
	{words.KindOpenShift, "has limit", codes{words.OpenShift}},
	{words.KindOpenShift, "has names", codes{words.Lifecycle}},
	{words.KindOpenShift, "err!", codes{words.OpenShiftLimit}},
	{words.KindOpenShift, "has! limit!", codes{words.AboveLimit}},
	{words.KindKubernetes, "err!", codes{words.NeverInstalled}},
	{words.KindOpenShift, "err!", codes{words.BlocksUpdates}},
	{words.KindKubernetes, "has limit", codes{words.Kubernetes}},
	{words.KindPin, "limit other", codes{words.Pinned}},
	{words.KindSystem, "said", codes{words.Forbidden}},
	{words.KindPolicy, "said! names!", codes{words.Denied, words.DeniedAnswer, words.PolicyWarning}},
	{words.KindOneAPI, "apis owner request", codes{words.OwnedBeside}},
	{words.KindOneAPI, "apis owner", codes{words.Owned}},
	{words.KindOneAPI, "apis has limit owner", codes{words.OtherVersions}},
	{words.KindOneAPI, "api oneInCluster", codes{words.OneAPI}},
	{words.KindOperatorGroup, "has limit owner", codes{words.WrongMode}},
	{words.KindOperatorGroup, "apis owner", codes{words.StaticGroup, words.SharedAPI}},
	{words.KindOperatorGroup, "apis owner other", codes{words.TakenAPI}},
	{words.KindOnePackage, "oneInCluster", codes{words.OnePackage}},
	{words.KindOneName, "oneInCluster", codes{words.OneName}},
	{words.KindProvides, "api", codes{words.Provides, words.OtherVersion}},
	{words.KindProvides, "other", codes{words.SamePackage, words.SameName}},
	{words.KindExcluded, "", codes{words.CanSatisfy, words.Excluded}},
	{words.KindPart, "constraint!", codes{words.Part}},
	{"", "constraint!", codes{words.CannotHold}},
	{words.KindMissingPackage, "names searched", codes{words.MissingPackage}},
	{words.KindMissingPackage, "names request searched", codes{words.NoPackage}},
	{words.KindMissingVersion, "bundles constraint! searched", codes{words.MissingVersion}},
	{words.KindMissingVersion, "request! searched", codes{words.NoVersion}},
	{words.KindMissingVersion, "names request! searched", codes{words.NoSuccessor, words.SuccessorUnlisted, words.SuccessorGone}},
	{words.KindMissingAPI, "api because bundles has searched", codes{words.MissingAPI}},
	{words.KindMissingLabel, "bundles constraint! searched", codes{words.MissingLabel}},
	{words.KindNoMatch, "bundles constraint! searched", codes{words.NoMatch}},
	{words.KindRuleFailed, "err", codes{words.RuleFailed, words.RuleNeverHolds}},
	{words.KindNotOffered, "constraint! err!", codes{words.NotOffered}},
	{words.KindNotOffered, "constraint!", codes{words.InstalledInstead}},
	{words.KindNotOffered, "err!", codes{words.Unusable}},
	{words.KindQuarantined, "api err", codes{words.Quarantined}},
	{words.KindQuarantined, "count err", codes{words.CatalogFault}},
	{words.KindUnknown, "", codes{words.NotAskedCatalog}},
	{words.KindUnknown, "request searched", codes{words.NoCatalog}},
	{words.KindUnknown, "names request! said", codes{words.UnknownCatalog}},
	{words.KindUnknown, "names request!", codes{words.NoChannel, words.NoStartingCSV}},
	{words.KindUnknown, "err! request", codes{words.CatalogsUnhealthy}},
	{words.KindUnknown, "because request!", codes{words.NoUsableChannel}},
	{words.KindUnknown, "channel said", codes{words.BrokenChannel}},
	{words.KindUnknown, "request! searched", codes{words.LostStartingCSV, words.NoBundles}},
	{words.KindUnknown, "because! other request", codes{words.Refused}},
	{words.KindInvisible, "", codes{words.ExcludedCatalog, words.UnhealthyCatalog}},
	{words.KindInvisible, "owner", codes{words.InvisibleCatalog}},
	{words.KindInvisible, "request!", codes{words.CatalogExcluded}},
	{words.KindInvisible, "owner! request!", codes{words.CatalogInvisible}},
	{words.KindNotSelected, "request!", codes{words.NotSelected}},
	{words.KindPreferred, "because! count other place", codes{words.Preferred}},
	{words.KindPreferred, "because!", codes{words.Satisfied}},
	{words.KindPreferred, "said! limit", codes{words.SameVersion}},
	{words.KindPreferred, "limit", codes{words.HigherVersion}},
	{words.KindPreferred, "other", codes{
		words.UpdateFirst, words.NotDeprecatedFirst, words.NamedCatalogFirst, words.OwnCatalogFirst, words.PackageName,
	}},
	{words.KindPreferred, "channel! other", codes{words.DefaultChannel, words.ChannelName, words.NearerHead}},
	{words.KindPreferred, "has! limit! other!", codes{words.HigherPriority, words.OwnNamespaceFirst, words.CatalogName}},
	{words.KindUnasked, "", codes{words.Unasked}},
	{words.KindUnasked, "request!", codes{words.UpdatesHeld, words.NotInChannel, words.OtherStartingCSV}},
	{words.KindUnasked, "request! searched", codes{words.CatalogNotAsked, words.NotInChannels, words.CatalogUnselected, words.NoSuccessorOf}},
	{words.KindUnasked, "channel request!", codes{words.BelowInstalled, words.SkippedUpdate}},
	{words.KindUnasked, "because! names request!", codes{words.NoUpdate}},
	{words.KindUnasked, "err! names request!", codes{words.Unlisted}},
	{words.KindUnasked, "names request!", codes{words.OtherUpdates}},
	{words.KindUnasked, "has request! searched", codes{words.OutOfRange}},
	{words.KindUnasked, "has limit names other request! searched", codes{words.BetterCatalog}},
	{words.KindBelowHead, "because channel other request", codes{words.BelowHead}},
	{words.KindBelowHead, "because channel other", codes{words.NotListed}},
	{words.KindBelowHead, "", codes{words.OneStep, words.ByStartingCSV}},
	{words.KindBelowHead, "channel! has! other!", codes{words.ChannelEnds}},
	{words.KindBelowHead, "channel! has other! request! said!", codes{words.ChannelLeft}},
	{words.KindCatalog, "has limit! said", codes{words.CatalogImage}},
	{words.KindBelowHead, "names! request!", codes{words.KeptOut}},
	{words.KindStart, "other request!", codes{words.StartUnread, words.StartLeft}},
	{words.KindChosenAnyway, "has! limit request!", codes{words.ChosenAnyway}},
	{words.KindStated, "has names! other", codes{words.TwinPlan}},
	{words.KindStated, "names! other", codes{words.PlanDone}},
	{words.KindStated, "has limit names other request!", codes{words.InstalledGone, words.PlanLost}},
	{words.KindElsewhere, "request! said!", codes{words.UpdateElsewhere}},
	{words.KindBelowHead, "names", codes{words.Approval, words.PendingApproval}},
	{words.KindBelowHead, "has! limit names other said", codes{words.InPhase, words.HasCondition}},
	{words.KindBelowHead, "err other! said", codes{words.HeldUpdate}},
	{words.KindStated, "has! limit said", codes{
		words.StatedByOLM, words.ResolvesNow, words.FailsToo, words.PlanGone, words.CatalogsSeen, words.CatalogBroken, words.CatalogPolls, words.CatalogNotServed, words.CatalogStays,
	}},
	{words.KindBelowHead, "channel names request!", codes{words.DeadEnd}},
	{words.KindConflict, "conflict!", codes{words.Conflict}},
	{words.KindDeprecation, "channel said", codes{words.Deprecation}},
	{words.KindForcedChoice, "because other request!", codes{words.ForcedChoice}},
	{words.KindCatalog, "err", codes{words.CatalogLeftOut, words.CatalogUnnamed, words.CatalogUnhealthy}},
	{words.KindSelector, "names!", codes{words.SelectorDropped}},
	{words.KindNoTargets, "", codes{words.NoTargets}},
	{words.KindSecond, "apis! other! owner!", codes{words.SecondProvider}},
	{words.KindAPIVersions, "has limit owner!", codes{words.APIVersions}},
	{words.KindDroppedVersion, "apis", codes{words.DroppedVersions}},
	{words.KindUnneeded, "", codes{words.Unneeded}},
	{words.KindDependency, "names!", codes{words.RefusedDependency}},
	{words.KindWatchNamespace, "has limit names said", codes{words.RefusedModes}},
	{words.KindWatchNamespace, "has limit!", codes{words.RefusedNamespaces}},
	{words.KindCRD, "names! other!", codes{words.RefusedStored}},
	{words.KindCRD, "names! other! said!", codes{words.DroppedStored}},
	{words.KindCRD, "has! limit! other! said!", codes{words.RefusedField}},
	{words.KindCRD, "names!", codes{words.RefusedOwned}},
	{words.KindRights, "names! other!", codes{words.RefusedRights}},
	{words.KindRights, "names other!", codes{words.RefusedAccount}},
	{words.KindAPIService, "apis!", codes{words.RefusedAPIService}},
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

var shapeOf = func() map[words.Code]shape {
	bits, all := map[string]uint64{"because": 1 << becauseBit}, map[words.Code]shape{}
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
func fits(c words.Code, args *Args, because []Reason) bool {
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
