package result_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

func TestRepairs(t *testing.T) {
	csv := result.Object{Kind: words.ObjectCSV, Namespace: "one", Name: "red.v2"}
	request := result.Object{Kind: words.ObjectSubscription, Namespace: "one", Name: "red"}
	const unpacks = "OLM unpacks again at once; else some five minutes after the Job's end, or as annotation operatorframework.io/bundle-unpack-min-retry-interval of the OperatorGroup says. A new Subscription alone fails again"
	for want, r := range map[string]result.Repair{
		"> nothing is to be done: OLM goes on by itself": {Kind: words.RepairGoesOn},
		"mend what it states; the events and pods of its namespace say more (kubectl get events,pods --namespace one) > OLM goes on by itself":                                    {Kind: words.RepairTriesAgain, Object: csv, Namespace: "one"},
		"mend what it states; the events and pods of its namespace say more > OLM goes on by itself":                                                                              {Kind: words.RepairTriesAgain, Object: csv, Namespace: "$(reboot)"},
		"mend what it states > OLM goes on by itself ! do not delete ClusterExtension red for this: its CustomResourceDefinitions go with it, and with them all custom resources": {Kind: words.RepairTriesAgain, Object: result.Object{Kind: words.ObjectExtension, Name: "red"}},
		"see in the publisher's notes what becomes of it, and whether custom resources of reds.x use what the message names | where none does: save all of them, set spec.install.preflight.crdUpgradeSafety.enforcement of ClusterExtension red to None, and remove that after the update | where one does: convert it first, or keep spec.source.catalog.version of ClusterExtension red below that version > OLM updates red by itself; until then what is installed keeps running, and nothing is urgent ! do not delete ClusterExtension red for this: its CustomResourceDefinitions go with it, and with them all custom resources": {Kind: words.RepairDefinition, Name: "reds.x", Object: result.Object{Kind: words.ObjectExtension, Name: "red"}},
		"> OLM does not go on from that by itself": {Kind: words.RepairStops},
		"see why in the events of its Deployments and the logs of its pods (kubectl get events,pods --namespace one), and mend that > OLM goes on by itself": {Kind: words.RepairNoReason, Object: csv, Namespace: "one"},
		"> only its publisher can mend that": {Kind: words.RepairOnlyPublisher},
		"see why its pods do not get ready, in their events and logs (kubectl get deployments,pods,events --namespace one), and mend that > OLM goes on by itself":                                                                                                                                                                                                                                                                                                     {Kind: words.RepairNotReady, Object: csv, Namespace: "one"},
		"see who deleted X x.y, which red.v2 owns itself: no update and no catalog brings it back | create it again from the bundle of red.v2, or from a backup; its custom resources went with it, and come from a backup only > OLM goes on by itself":                                                                                                                                                                                                               {Kind: words.RepairOwnCRD, Object: csv, Name: "X x.y"},
		"mend what it states | save what is deleted: kubectl get --namespace one clusterserviceversions.operators.coreos.com/red.v2 subscriptions.operators.coreos.com/red --output yaml > saved-red.v2.yaml | delete ClusterServiceVersion red.v2 and Subscription red in namespace one, then create the Subscription as it was: as long as red.v2 is there, OLM makes no new InstallPlan; custom resources and their definitions stay > OLM makes a new InstallPlan": {Kind: words.RepairNewPlan, Object: request, Plan: "p", Made: "red.v2", Request: "red"},
		"provide what is not met: status.requirementStatus of ClusterServiceVersion red.v2 lists it > OLM goes on by itself":                                                                                                                                                                                                                                                                                                                                           {Kind: words.RepairOnceMet, Object: csv},
		"> OLM goes on once the operator that it replaces is upgradeable": {Kind: words.RepairOnceUpgradeable},
		"> red.v1 is upgradeable now: OLM goes on by itself":              {Kind: words.RepairOnceUpgradeable, Name: "red.v1"},
		"give the namespace one OperatorGroup whose target namespaces its install modes support > OLM goes on by itself ! the other operators of the namespace are served by the same OperatorGroup, and fail if it does not fit them": {Kind: words.RepairOnceGroupFits},
		"> OLM goes on once no other operator that it meets provides its APIs":                                                                            {Kind: words.RepairOnceSoleOwner},
		"list its APIs in annotation olm.providedAPIs of the static OperatorGroup > OLM goes on by itself":                                                {Kind: words.RepairOnceListed},
		"> it replaces itself (spec.replaces), and so never leaves that phase; only its publisher can mend that":                                          {Kind: words.RepairReplacesItself},
		"see why ClusterServiceVersion red.v1, which it replaces, is in phase Failed: NotGood: it broke, and mend that > OLM goes on with both by itself": {Kind: words.RepairReplacesFailed, Name: "red.v1", Said: "NotGood:\n  it broke"},
		"see why ClusterServiceVersion red.v1, which it replaces, is in phase Failed, and mend that > OLM goes on with both by itself":                    {Kind: words.RepairReplacesFailed, Name: "red.v1"},
		"see which OperatorGroups namespace one has, and delete all but the one that its operators need > OLM goes on by itself":                          {Kind: words.RepairOneGroup, Object: request},
		"mend what it states | delete InstallPlan p in namespace one > OLM makes a new InstallPlan":                                                       {Kind: words.RepairNewPlan, Object: request, Plan: "p"},
		"mend what it states | delete that InstallPlan: OLM does not carry it out again > OLM makes a new InstallPlan":                                    {Kind: words.RepairNewPlan, Object: request},
		"see who made that Deployment: where Helm or GitOps has it, end that first (its CustomResourceDefinitions must stay), else it comes back | save and delete the Deployment that the message names > OLM makes it again, as red.v2 has it, and goes on by itself ! its pods do not run in between; custom resources and their definitions stay":                                                                                               {Kind: words.RepairDeployment, Object: csv, Namespace: "one", Name: "x; reboot"},
		"see who made that Deployment: where Helm or GitOps has it, end that first (its CustomResourceDefinitions must stay), else it comes back | save it: kubectl get deployments.apps --namespace one x --output yaml > saved-x.yaml | delete it: kubectl delete deployments.apps --namespace one x > OLM makes it again, as red.v2 has it, and goes on by itself ! its pods do not run in between; custom resources and their definitions stay": {Kind: words.RepairDeployment, Object: csv, Namespace: "one", Name: "x"},
		"see why the Job failed, in the catalog's namespace: its events and pods | mend that, such as an image that cannot be pulled, a pull secret, a proxy or a quota | delete the Job (label operatorframework.io/bundle-unpack-ref) and its ConfigMap in the catalog's namespace > " + unpacks:                                                                                                                                                  {Kind: words.RepairUnpackAgain, Object: request},
		"do not approve InstallPlan q in namespace one yet | see why the Job failed, in namespace olm: its events and pods (kubectl get jobs,pods,events --namespace olm) | mend that, such as an image that cannot be pulled, a pull secret, a proxy or a quota | delete the Job (label operatorframework.io/bundle-unpack-ref) and its ConfigMap in namespace olm | look at InstallPlan q again: OLM may have made another one > " + unpacks:      {Kind: words.RepairUnpackAgain, Object: request, Namespace: "olm", Waiting: "q"},
		"give u the right to create a.b at the cluster scope, and no other | delete InstallPlan p in namespace one > OLM makes a new InstallPlan; the next right that is missing may be stated then ! an account of few rights (spec.serviceAccountName of an OperatorGroup) is there to prevent just that: grant only what the message names, to that account, and nowhere else":                                                                   {Kind: words.RepairRights, Object: request, Name: "u", Said: "create a.b at the cluster scope", Plan: "p"},
		"mend what it states | save what is deleted (kubectl get with --output yaml) | delete ClusterServiceVersion red.v2;reboot and Subscription red in namespace one, then create the Subscription as it was: as long as red.v2;reboot is there, OLM makes no new InstallPlan; custom resources and their definitions stay > OLM makes a new InstallPlan":                                                                                        {Kind: words.RepairNewPlan, Object: request, Plan: "p", Made: "red.v2;reboot", Request: "red"},
	} {
		got := strings.TrimSpace(strings.Join(r.Steps(), " | ") + " > " + strings.Join(append([]string{r.Then()}, r.Careful()...), " ! "))
		assert.Equal(t, want, got)
	}
}
