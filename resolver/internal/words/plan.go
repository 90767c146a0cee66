package words

import (
	"fmt"
	"strings"
)

// Why an InstallPlan is not to be approved yet.

func NamespaceFails(err error) string {
	return "the namespace cannot be resolved: " + OneLine(err.Error())
}
func NamespaceNotJudged(catalogs []string) string {
	return fmt.Sprintf("the namespace is not judged, as the content of catalog%s %s was not given", Plural(len(catalogs)), Listed(catalogs, MaxNamed))
}
func BringsOther(plan string, bundles []string, instead string) string {
	return fmt.Sprintf("InstallPlan %s brings %s, but resolving the namespace now brings %s", plan, Listed(bundles, MaxNamed), instead)
}

// NotApproved says why not to approve an InstallPlan.
func NotApproved(reasons []string) string {
	return "do not approve it now: " + strings.Join(reasons, "; ")
}

// ApprovedPlan is said of an InstallPlan in phase RequiresApproval.
const ApprovedPlan = "it is approved, and OLM carries it out next"

func CarriedOutBy(plan, by string) string {
	return fmt.Sprintf("OLM carries out InstallPlan %s, which brings all that InstallPlan %s brings", by, plan)
}
func CannotBeUsed(bundle, fault string) string { return bundle + " cannot be used: " + fault }
func NoGivenCatalog(bundle string) string      { return "no given catalog has " + bundle }
func RefusesUpdates(bundle, said string) string {
	return bundle + " refuses updates: " + said
}

// What to look at before an InstallPlan is approved.

func NewMajor(version, pkg, installed string) string {
	return fmt.Sprintf("%s is a new major version of %s, of which %s is installed", version, pkg, installed)
}
func OtherPinned(request, starting, plan, bundle string) string {
	return fmt.Sprintf("Subscription %s asks for startingCSV %s, and InstallPlan %s brings %s", request, starting, plan, bundle)
}
func AskedByNone(bundle string) string {
	return "no Subscription and no dependency of the namespace asks for " + bundle
}
func MayMore(bundle, right, installed string) string {
	return fmt.Sprintf("%s may %s in the whole cluster, which %s may not", bundle, right, installed)
}
func DropsStored(bundle, version, kind string) string {
	return fmt.Sprintf("%s has no version %s of %s, in which objects may be stored: OLM refuses to install it", bundle, version, kind)
}
func ServesNoMore(bundle, version, kind string) string {
	return fmt.Sprintf("%s no longer serves version %s of %s, in which objects may be stored", bundle, version, kind)
}
func DropsUsed(bundle, api, user string) string {
	return fmt.Sprintf("%s no longer serves %s, which %s has in use", bundle, api, user)
}

// OnceThere says when an InstallPlan may be approved that needs another version of the cluster.
func OnceThere(needs string) string { return needs + ": approve it once the cluster is updated" }
func DropsRequired(bundle, api, user string) string {
	return fmt.Sprintf("%s no longer serves %s, which %s requires: update that one first, or it fails", bundle, api, user)
}

// The text of a verdict.
var BringsTheSame = "it matches what OLM would resolve today"

// What a row of status waits for before the cluster is updated.

func PhaseSucceeded(object string) string   { return object + " is in phase Succeeded" }
func Approved(plan string) string           { return plan + " is approved" }
func ApprovedOrReplaced(plan string) string { return plan + " is approved or replaced" }
func UpgradeableAgain(bundle string) string {
	return "OperatorCondition " + bundle + " is Upgradeable again"
}
func BelowHeadThen(bundle, head string) string { return bundle + " stays below the head " + head }

// Why no updates lead to a bundle, or to one that may run on another version of the cluster.

func NoWay(pkg, from, to string) string {
	if to == "" {
		to = "one that may run there"
	}
	return fmt.Sprintf("no sequence of updates leads package %s from %s to %s: ", pkg, from, to)
}
func MayRunThere(bundles []string) string {
	return Listed(bundles, MaxNamed) + " may run there: do not update the cluster, or ask the publisher for an update to that, reinstall it, or remove the operator first"
}
func LeadOnlyTo(bundles []string) string  { return "updates lead only to " + Listed(bundles, MaxNamed) }
func NothingUpdates(bundle string) string { return "nothing in any channel updates " + bundle }
func ExcludesItself(request, before, after string) string {
	return fmt.Sprintf("%s itself excludes what is on the way: %s; with %s there is a path", request, before, after)
}

var (
	NoneMayRun   = "no given catalog has a newer version that may run there: do not update the cluster, or check the catalogs of that version, ask the publisher for one, or remove the operator first"
	SearchCutOff = "the search for updates of others that would let it follow ended at its limit"
)

// What a request waits for.

func WaitsForInstalled(err error) string {
	return "waits for what is installed in its namespace: " + err.Error()
}
func WaitsForOthers(names []string) string {
	n := len(names)
	return "waits until Subscription" + Plural(n) + " " + Listed(names, MaxNamed) + " of its namespace can be satisfied or " + Verb(n, "is", "are") + " deleted"
}
func ThenThere(version, reason string) string {
	return "then, with the catalogs of " + version + ": " + reason
}
