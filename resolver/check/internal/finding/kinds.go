package finding

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
)

// CodeUnjudged is the code of what was not judged.
const CodeUnjudged catalog.Code = "unjudged"

// kinds lists the kinds of findings. Those of which there is nothing to tell but what they mean, and
// why only the author can repair them, are rows of [plain].
var kinds = slices.Concat([]Kind{
	severalHeadsKind,
	strandedKind,
	danglingEdgeKind,
	skipsUpwardsKind,
	skipRangeDowngradeKind,
	replacesDowngradeKind,
	hiddenBySkipsKind,
	entryKind,
	noChannelKind,
	defaultChannelKind,
	sameVersionKind,
	leftBehindKind,
	droppedVersionKind,
	refusedUpdateKind,
	supportEndedKind,
	unreadSkipRangeKind,
	skipRangeKind,
	schemaKind,
	fieldKind,
	deprecationKind,
	templateKind,
	holdsBackKind,
	unsafeUpdateKind,
}, noHeadKinds, unreachableKinds, duplicateKinds, packagePropertyKinds, propertyKinds, uninstallableKinds, plain)

var plain = []Kind{
	{Code: "annotations", Meaning: "a bundle directory names no package in its annotations", cause: byFile, None: "the bundle's annotations must be written"},
	{Code: "bundleChannel", Meaning: "a bundle directory names no channel", cause: byPlace, None: "only its author knows the bundle's channels"},
	{Code: "clusterServiceVersion", Meaning: "a bundle directory has not exactly one ClusterServiceVersion", cause: byFile, None: "the bundle's ClusterServiceVersion must be written"},
	{Code: "damagedFile", Meaning: "a file is damaged", cause: byPlace, None: "the file cannot be read"},
	{Code: "image", Meaning: "an image is missing, or is not a reference to one", cause: byPlace, None: "only its author knows the image"},
	{Code: "installModes", Meaning: "install modes with which OLM cannot install the bundle on any cluster", None: "only its author knows which namespaces the operator can watch"},
	{Code: "installStrategy", Meaning: "an install strategy with which OLM cannot install the bundle on any cluster", None: "only its author knows the operator's deployments"},
	{Code: "limit", Meaning: "a file or document exceeds a limit", None: "what is too large must be made smaller by its author"},
	{Code: "mediaType", Meaning: "a bundle of another form than registry+v1, which is not judged", cause: byFile, None: "a bundle of another media type is not judged"},
	{Code: "name", Meaning: "Kubernetes refuses a name", None: "whoever uses the name must choose the new one"},
	{Code: "noBundle", Meaning: "a package has no bundle", cause: byPlace, None: "add the bundle, or remove the package"},
	{Code: "ownedCRD", Meaning: "a bundle directory lacks a CRD that its bundle owns", None: "add the CustomResourceDefinition"},
	{Code: "packageMissing", Meaning: "there is no olm.package document for a package", cause: byPlace, Candidates: misspeltOnly, None: "only its author knows the package's default channel"},
	{Code: "passedOver", Meaning: "a file is not read: bundle directories are beside it, or its name is not that of JSON or YAML", cause: byFile, None: "the files must be moved"},
	{Code: "syntax", Meaning: "a file is not JSON or YAML", cause: byFile, None: "the file cannot be read"},
	{Code: CodeUnjudged, Meaning: "it is not known what can be installed: no catalog was given, or the rules cost too much", None: "the limits of the check ended it"},
	{Code: "unreadableFile", Meaning: "a file cannot be read", cause: byFile, None: "the file cannot be read"},
	{Code: "webhook", Meaning: "a webhook with which OLM cannot install the bundle on any cluster", None: "only its author knows what the operator's webhooks and install modes are for"},
	{Code: "lifecycle", Meaning: "phases of support are not in order, not contiguous, or of a version that no bundle has", None: "only their author knows when the phases begin and end"},
}
