package words

import (
	"encoding/json"
	"fmt"
)

// The kinds of repairs by hand, where OLM stopped or waits. Those without steps only state what
// ends the matter.
const (
	RepairGoesOn          = "goesOn"          // OLM goes on by itself
	RepairTriesAgain      = "triesAgain"      // OLM tries again by itself, in vain until the matter is mended
	RepairDefinition      = "definition"      // OLM refuses what an update does to CustomResourceDefinition Name; version Said; range Into brings By instead
	RepairStops           = "stops"           // OLM does not go on by itself
	RepairNotReady        = "notReady"        // pods do not get ready
	RepairOwnCRD          = "ownCRD"          // a CustomResourceDefinition, Name, that the bundle itself owns is gone
	RepairNoReason        = "noReason"        // what failed states no reason
	RepairOnlyPublisher   = "onlyPublisher"   // the bundle itself is wrong
	RepairOnceMet         = "onceMet"         // OLM waits for what is missing
	RepairNewerKubernetes = "newerKubernetes" // the bundle requires Kubernetes Name
	RepairOnceUpgradeable = "onceUpgradeable" // OLM has yet to see that the operator allows its update
	RepairOnceGroupFits   = "onceGroupFits"   // OLM waits for one OperatorGroup that fits
	RepairOnceSoleOwner   = "onceSoleOwner"   // OLM waits until nobody else provides the APIs
	RepairGroupLabel      = "groupLabel"      // the same, and by label Name alone the namespace is a target of Said
	RepairOnceListed      = "onceListed"      // OLM waits until a static OperatorGroup lists the APIs
	RepairReplacesItself  = "replacesItself"  // a ClusterServiceVersion waits for itself
	RepairReplacesFailed  = "replacesFailed"  // a ClusterServiceVersion waits for Name, which failed
	RepairReplacesUnmet   = "replacesUnmet"   // a ClusterServiceVersion waits for Name, which lacks Said: versions that definitions By no longer serve, if they are set
	RepairDeployment      = "deployment"      // Deployment Name has a field that OLM cannot change
	RepairQuota           = "quota"           // ResourceQuota Name has no room, in namespace Said
	RepairNewPlan         = "newPlan"         // OLM makes a new InstallPlan once the failed one is deleted, or carries it out again
	RepairPlanAnew        = "planAnew"        // InstallPlan Waiting brings what no catalog has any more
	RepairPull            = "pull"            // an image cannot be pulled, and OLM tries again
	RepairAccount         = "account"         // ServiceAccount Name of OperatorGroup Said is missing
	RepairSelector        = "selector"        // the selector of OperatorGroup Name matches no namespace: Said
	RepairRestrictive     = "restrictive"     // a new schema does not allow resource Name: Said
	RepairConversion      = "conversion"      // the conversion webhook of definition Name, of Service Said, does not answer
	RepairPodSecurity     = "podSecurity"     // Pod Security does not admit the pod of a CatalogSource; Said remains
	RepairOneGroup        = "oneGroup"        // OLM found several OperatorGroups
	RepairUnpackAgain     = "unpackAgain"     // OLM unpacks a bundle again once the failed Job is deleted
	RepairStored          = "stored"          // versions Said of definition Name go, in which resources may be stored
	RepairStoredAhead     = "storedAhead"     // the same, and By, a bundle of another namespace, provides them
	RepairStoredOnly      = "storedOnly"      // the same, and the cluster's definition can store them in no other
	RepairRights          = "rights"          // user Name lacks the right Said
	RepairRightsThere     = "rightsThere"     // user Name has the right Said by now, and lacks no other
	RepairAllRights       = "allRights"       // user Name lacks the rights Said, and no others
)

// The commands that move the resources of a CustomResourceDefinition to another version. Names and
// versions must be plain.

func SaveResources(definition string) string {
	return fmt.Sprintf("kubectl get %s --all-namespaces --output yaml > saved-%[1]s.yaml", definition)
}

// StoreAnew writes what SaveResources saved. An empty list is an error of kubectl replace.
func StoreAnew(definition string) string {
	return fmt.Sprintf(`grep -q '^items: \[\]' saved-%s.yaml || kubectl replace --filename saved-%[1]s.yaml`, definition)
}

// CarryOutAgain does to a failed InstallPlan what OLM does once its account has other rights.
func CarryOutAgain(namespace, plan string) string {
	return fmt.Sprintf(`kubectl patch installplans.operators.coreos.com %s --namespace %s --subresource status --type merge --patch '{"status":{"phase":"Installing"}}'`, plan, namespace)
}

// SetStored leaves only these versions in status.storedVersions.
func SetStored(definition string, versions []string) string {
	text, _ := json.Marshal(versions)
	return fmt.Sprintf(`kubectl patch customresourcedefinitions.apiextensions.k8s.io %s --subresource status --type merge --patch '{"status":{"storedVersions":%s}}'`, definition, text)
}

// StoreIn has resources stored in the version at the place to instead of that at the place from.
func StoreIn(definition string, from, to int) string {
	const set = `{"op":"replace","path":"/spec/versions/%d/storage","value":%t}`
	return fmt.Sprintf(`kubectl patch customresourcedefinitions.apiextensions.k8s.io %s --type json --patch '[`+set+`,`+set+`]'`, definition, from, false, to, true)
}
