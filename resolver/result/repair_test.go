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
	const unpacks = "OLM unpacks again at once; otherwise about five minutes after the Job ends, or as annotation operatorframework.io/bundle-unpack-min-retry-interval of the OperatorGroup says. A new Subscription alone fails again"
	for want, r := range map[string]result.Repair{
		"give u the rights that it lacks for all of this, and no others (the fix creates roles with just these): get pods in namespace n; create nodes in the whole cluster | delete InstallPlan p in namespace one > OLM makes a new InstallPlan": {Kind: words.RepairAllRights, Object: request, Name: "u", Said: "get pods in namespace n; create nodes in the whole cluster", Plan: "p"},
		"> nothing to do: OLM continues by itself": {Kind: words.RepairGoesOn},
		"fix what OLM reports; the events and pods of its namespace show more (kubectl get events,pods --namespace one) > OLM continues by itself":                                          {Kind: words.RepairTriesAgain, Object: csv, Namespace: "one"},
		"fix what OLM reports; the events and pods of its namespace show more > OLM continues by itself":                                                                                    {Kind: words.RepairTriesAgain, Object: csv, Namespace: "$(reboot)"},
		"fix what OLM reports > OLM continues by itself ! do not delete ClusterExtension red for this: that also deletes its CustomResourceDefinitions, and with them all custom resources": {Kind: words.RepairTriesAgain, Object: result.Object{Kind: words.ObjectExtension, Name: "red"}},
		"check the publisher's notes for what becomes of it, and whether custom resources of reds.x use what the message names | if none does: save all of them, set spec.install.preflight.crdUpgradeSafety.enforcement of ClusterExtension red to None, and remove that after the update | if one does: convert it first, or keep spec.source.catalog.version of ClusterExtension red below that version > OLM updates red by itself; until then what is installed keeps running, and nothing is urgent ! do not delete ClusterExtension red for this: that also deletes its CustomResourceDefinitions, and with them all custom resources": {Kind: words.RepairDefinition, Name: "reds.x", Object: result.Object{Kind: words.ObjectExtension, Name: "red"}},
		"delete InstallPlan p in namespace one: OLM may make no other one while it waits > OLM makes a new InstallPlan once the namespace can be resolved": {Kind: words.RepairPlanAnew, Object: request, Waiting: "p"},
		"> OLM does not recover from that by itself": {Kind: words.RepairStops},
		"find the reason in the events of its Deployments and the logs of its pods (kubectl get events,pods --namespace one), and fix that > OLM continues by itself": {Kind: words.RepairNoReason, Object: csv, Namespace: "one"},
		"> u lacked the right to create a.b at the cluster scope, but it has that right now; OLM tries again by itself":                                               {Kind: words.RepairRightsThere, Object: request, Name: "u", Said: "create a.b at the cluster scope"},
		"> only its publisher can fix that": {Kind: words.RepairOnlyPublisher},
		"find out why its pods do not get ready, from their events and logs (kubectl get deployments,pods,events --namespace one), and fix that > OLM continues by itself":                                                                                            {Kind: words.RepairNotReady, Object: csv, Namespace: "one"},
		"find out who deleted X x.y, which red.v2 owns itself: no update and no catalog brings it back | create it again from the bundle of red.v2, or from a backup; its custom resources went with it, and come from a backup only > OLM continues by itself":       {Kind: words.RepairOwnCRD, Object: csv, Name: "X x.y"},
		"fix what OLM reports | let OLM carry InstallPlan p out again: kubectl patch installplans.operators.coreos.com p --namespace one --subresource status --type merge --patch '{\"status\":{\"phase\":\"Installing\"}}' > OLM carries the InstallPlan out again": {Kind: words.RepairNewPlan, Object: request, Plan: "p", Again: true},
		"provide what is missing: status.requirementStatus of ClusterServiceVersion red.v2 lists it > OLM continues by itself":                                                                                                                                        {Kind: words.RepairOnceMet, Object: csv},
		"update the cluster to Kubernetes 1.29.0 or later, which red.v2 requires > OLM continues by itself; change nothing in OLM; until then what is installed keeps running":                                                                                        {Kind: words.RepairNewerKubernetes, Object: csv, Name: "1.29.0"},
		"> OLM continues once the operator that it replaces is upgradeable": {Kind: words.RepairOnceUpgradeable},
		"> red.v1 is upgradeable now: OLM continues by itself":              {Kind: words.RepairOnceUpgradeable, Name: "red.v1"},
		"give the namespace one OperatorGroup whose target namespaces its install modes support > OLM continues by itself ! the other operators of the namespace use the same OperatorGroup, and fail if it does not fit them": {Kind: words.RepairOnceGroupFits},
		"> OLM continues once no other operator that it meets provides its APIs":                                                                                {Kind: words.RepairOnceSoleOwner},
		"list its APIs in annotation olm.providedAPIs of the static OperatorGroup > OLM continues by itself":                                                    {Kind: words.RepairOnceListed},
		"> it replaces itself (spec.replaces), and so never leaves that phase; only its publisher can fix that":                                                 {Kind: words.RepairReplacesItself},
		"find out why ClusterServiceVersion red.v1, which it replaces, is in phase Failed: NotGood: it broke, and fix that > OLM continues with both by itself": {Kind: words.RepairReplacesFailed, Name: "red.v1", Said: "NotGood:\n  it broke"},
		"find out why ClusterServiceVersion red.v1, which it replaces, is in phase Failed, and fix that > OLM continues with both by itself":                    {Kind: words.RepairReplacesFailed, Name: "red.v1"},
		"list the OperatorGroups of namespace one, and delete all but the one that its operators need > OLM continues by itself":                                {Kind: words.RepairOneGroup, Object: request},
		"fix what OLM reports | delete InstallPlan p in namespace one > OLM makes a new InstallPlan":                                                            {Kind: words.RepairNewPlan, Object: request, Plan: "p"},
		"fix what OLM reports | delete that InstallPlan: OLM does not carry it out again > OLM makes a new InstallPlan":                                         {Kind: words.RepairNewPlan, Object: request},
		"find out who made that Deployment: if Helm or GitOps manages it, stop that first (its CustomResourceDefinitions must stay), or it comes back | save and delete the Deployment that the message names > OLM creates it again, as red.v2 defines it, and continues by itself ! its pods do not run in between; custom resources and their definitions stay":                                                                                               {Kind: words.RepairDeployment, Object: csv, Namespace: "one", Name: "x; reboot"},
		"find out who made that Deployment: if Helm or GitOps manages it, stop that first (its CustomResourceDefinitions must stay), or it comes back | save it: kubectl get deployments.apps --namespace one x --output yaml > saved-x.yaml | delete it: kubectl delete deployments.apps --namespace one x > OLM creates it again, as red.v2 defines it, and continues by itself ! its pods do not run in between; custom resources and their definitions stay": {Kind: words.RepairDeployment, Object: csv, Namespace: "one", Name: "x"},
		"find out why the Job failed, in the catalog's namespace: its events and pods | fix the cause, such as an image that cannot be pulled, a pull secret, a proxy or a quota | delete the Job (label operatorframework.io/bundle-unpack-ref) and its ConfigMap in the catalog's namespace > " + unpacks:                                                                                                                                                      {Kind: words.RepairUnpackAgain, Object: request},
		"do not approve InstallPlan q in namespace one yet | find out why the Job failed, in namespace olm: its events and pods (kubectl get jobs,pods,events --namespace olm) | fix the cause, such as an image that cannot be pulled, a pull secret, a proxy or a quota | delete the Job (label operatorframework.io/bundle-unpack-ref) and its ConfigMap in namespace olm | look at InstallPlan q again: OLM may have made another one > " + unpacks:          {Kind: words.RepairUnpackAgain, Object: request, Namespace: "olm", Waiting: "q"},
		"give u the right to create a.b at the cluster scope, and no other | delete InstallPlan p in namespace one > OLM makes a new InstallPlan; it may then report the next missing right ! an account with few rights (spec.serviceAccountName of an OperatorGroup) exists to prevent just that: grant only what the message names, only to that account":                                                                                                     {Kind: words.RepairRights, Object: request, Name: "u", Said: "create a.b at the cluster scope", Plan: "p"},
		"fix what OLM reports | let OLM carry InstallPlan p;reboot in namespace one out again: set its status.phase to Installing (kubectl patch --subresource status) > OLM carries the InstallPlan out again":                                                                                                                                                                                                                                                  {Kind: words.RepairNewPlan, Object: request, Plan: "p;reboot", Again: true},
		"save its resources: kubectl get a.b --all-namespaces --output yaml > saved-a.b.yaml | store new ones in version v1: M | rewrite them, if there are any, so that all are stored in v1: grep -q '^items: \\[\\]' saved-a.b.yaml || kubectl replace --filename saved-a.b.yaml | once that has ended without an error, and not before, remove v1alpha1 from status.storedVersions: kubectl patch customresourcedefinitions.apiextensions.k8s.io a.b --subresource status --type merge --patch '{\"status\":{\"storedVersions\":[\"v1\"]}}' > OLM takes the update ! a resource that is still stored in v1alpha1 can no longer be read once the version is gone": {
			Kind: words.RepairStored, Name: "a.b", Said: "v1alpha1", Into: "v1", Moves: "M", Keep: []string{"v1"},
		},
		"save all resources of a.b;reboot | rewrite them all, unchanged (kubectl get, then kubectl replace), so that all are stored in that version | once that has ended without an error, and not before, remove v1 from status.storedVersions of a.b;reboot (kubectl patch --subresource status) | delete InstallPlan p in namespace one > OLM makes a new InstallPlan, which then takes the update ! a resource that is still stored in v1 can no longer be read once the version is gone": {
			Kind: words.RepairStored, Object: request, Name: "a.b;reboot", Said: "v1", Into: "v2", Moves: "M", Keep: []string{"v2"}, Plan: "p",
		},
		"do not approve the update: a.b can store its resources in v1 only; ask the publisher for a version in between that has v1 and a newer one > what is installed keeps running": {Kind: words.RepairStoredOnly, Name: "a.b", Said: "v1"},
	} {
		got := strings.TrimSpace(strings.Join(r.Steps(), " | ") + " > " + strings.Join(append([]string{r.Then()}, r.Careful()...), " ! "))
		assert.Equal(t, want, got)
	}
}
