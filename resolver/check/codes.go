package check

import (
	"maps"

	"github.com/resolvent/resolvent/cache/catalog"
)

// CodeUninstallable is the code of a bundle that cannot be installed on its own. [Codes] has all
// codes.
const CodeUninstallable catalog.Code = "uninstallable"

// CodeUnjudged is the code of what was not judged: a bundle's requirements without a catalog that
// may have them, or rules that cost too much.
const CodeUnjudged catalog.Code = "unjudged"

// The codes of other findings that are not faults of reading.
const (
	codeDeprecatedBundle catalog.Code = "deprecatedBundle"
	codeHeadUnreachable  catalog.Code = "headUnreachable"
	codeUpdateBlocked    catalog.Code = "updateBlocked"
	codeDanglingEdge     catalog.Code = "danglingEdge"
	codeDowngrade        catalog.Code = "skipRangeDowngrade"
	codeSkipsUpwards     catalog.Code = "skipsUpwards"
	codeHidden           catalog.Code = "hiddenBySkips"
	codeLeftBehind       catalog.Code = "leftBehind"
	codeHoldsBack        catalog.Code = "holdsBack"
	codeDroppedVersion   catalog.Code = "droppedVersion"
	codeRefusedUpdate    catalog.Code = "refusedUpdate"
	codeSupportEnded     catalog.Code = "supportEnded"
	codeUnsafeUpdate     catalog.Code = "unsafeUpdate"
	codeUnreadRange      catalog.Code = "unreadSkipRange"
)

// onePerPlace are the codes of faults of which a place has at most one.
var onePerPlace = []catalog.Code{
	"damagedFile", "duplicatePackage", "duplicateChannel", "duplicateBundle",
	"duplicateEntry", "duplicateDeprecations", "duplicateLifecycles", "packageMissing", "defaultChannel",
	"packageProperty", "packageMismatch", "version", "entry", "skipRange",
	"severalHeads", "noHead", "cycle", "bundleChannel", "noChannel",
	"noBundle", "stranded", "image", "sameVersion",
}

// ofFiles are the codes of faults of whole files.
var ofFiles = []catalog.Code{
	"syntax", "unreadableFile", "clusterServiceVersion", "annotations", "mediaType", "passedOver",
}

// Codes returns all codes of findings, each with what is the matter there.
func Codes() map[catalog.Code]string { return maps.Clone(meanings) }

var meanings = map[catalog.Code]string{
	// Errors. A warning is an uninstallable bundle that is no head, and a limit that cannot be read.
	"annotations":           "a bundle directory names no package in its annotations",
	"bundleChannel":         "a bundle directory names no channel",
	"clusterServiceVersion": "a bundle directory has not exactly one ClusterServiceVersion",
	"constraint":            "a constraint cannot be read, so its bundle is not used",
	"cycle":                 "entries of a channel replace each other in a circle, so it has no order",
	"damagedFile":           "a file is damaged",
	"defaultChannel":        "the package has no default channel, or names one that does not exist",
	"deprecation":           "a deprecation of nothing that exists, or without a message",
	"duplicateBundle":       "a bundle is stated twice, and differently: neither is used",
	"duplicateChannel":      "a channel is stated twice, and differently: neither is used",
	"duplicateDeprecations": "a package has deprecations twice: neither is used",
	"duplicateEntry":        "a channel lists an entry twice, and differently",
	"duplicateLifecycles":   "a package has lifecycles twice: neither is used",
	"duplicatePackage":      "a package is stated twice, and differently: neither is used",
	"entry":                 "a channel lists a bundle that is not there",
	"field":                 "a field has the wrong form",
	"image":                 "an image is missing, or is not a reference to one",
	"installModes":          "install modes with which OLM cannot install the bundle on any cluster",
	"installStrategy":       "an install strategy with which OLM cannot install the bundle on any cluster",
	"limit":                 "a file or document exceeds a limit",
	"mediaType":             "a bundle of another form than registry+v1, which is not judged",
	"name":                  "Kubernetes refuses a name",
	"noBundle":              "a package has no bundle",
	"noChannel":             "a package has no channel, or a bundle is in none",
	"noHead":                "a channel has no head, so it has no order",
	"nullValue":             "a property has no value",
	"ownedCRD":              "a bundle directory lacks a CRD that its bundle owns",
	"packageMismatch":       "a bundle states another package than the one that it is in",
	"packageMissing":        "there is no olm.package document for a package",
	"packageProperty":       "a bundle has not exactly one olm.package property",
	"passedOver":            "a file is not read: bundle directories are beside it, or its name is not that of JSON or YAML",
	"property":              "a property or a limit cannot be read, or opm refuses its release",
	"propertyType":          "a property has no type",
	"sameVersion":           "two bundles of a package have the same version",
	"schema":                "a document has no schema, or one with which the pod of the catalog does not start",
	"severalHeads":          "a channel has several heads, so it has no order",
	"skipRange":             "a skipRange cannot be read, so it covers nothing",
	"stranded":              "no way from the head leads to this entry, or no update leads on from it",
	"syntax":                "a file is not JSON or YAML",
	"template":              "opm refuses a template, or does not render it as its author meant",
	"uninstallable":         "with what the given catalogs have, these bundles can never be installed",
	"unjudged":              "it is not known what can be installed: no catalog was given, or the rules cost too much",
	"unreadableFile":        "a file cannot be read",
	"webhook":               "a webhook with which OLM cannot install the bundle on any cluster",
	"version":               "a version is not a semantic version",

	// Warnings. A note is a deprecated bundle that is no head.
	"deprecatedBundle":   "olm.deprecated prevents new installs of these bundles",
	"headUnreachable":    "no updates lead from these bundles to the head of their channel",
	"lifecycle":          "phases of support are not in order, not contiguous, or of a version that no bundle has",
	"refusedUpdate":      "a cluster refuses the update of a CustomResourceDefinition",
	"skipRangeDowngrade": "a skipRange covers newer entries: an older bundle would update them",
	"skipsUpwards":       "an entry skips a newer one, which hides it",
	"supportEnded":       "the head of a channel is not supported any more on the day of the check",
	"trap":               "a range, constraint or number hardly means what it seems to",
	"undefined":          "OLM defines no such schema, property type or annotation: a typing error has no effect",
	"unsafeUpdate":       "OLM v1 refuses the update of a CustomResourceDefinition (only 'kubectl resolvent' judges that)",
	"updateBlocked":      "the way to the head leads through a bundle that cannot be installed",

	// Notes.
	"danglingEdge":   "replaces or skips names an entry that no channel of the package lists",
	"droppedVersion": "updates remove a version of an API in which custom resources may be stored",
	"hiddenBySkips":  "skipped entries, which only startingCSV reaches",
	"holdsBack":      "the head of a channel requires an older version of another package than any of its heads",
	"leftBehind":     "users of this channel, which is not the default, cannot change to another one",

	"unreadSkipRange": "only the ClusterServiceVersion states a skipRange, and OLM reads that of channel entries",
}
