package catalogcheck

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
)

// CodeUninstallable is the code of a bundle that cannot be installed on its own. The package
// comment explains all codes.
const CodeUninstallable catalog.Code = "uninstallable"

// The codes of other findings that are not faults of reading.
const (
	codeUnjudged         catalog.Code = "unjudged"
	codeDeprecatedBundle catalog.Code = "deprecatedBundle"
	codeHeadUnreachable  catalog.Code = "headUnreachable"
	codeUpdateBlocked    catalog.Code = "updateBlocked"
	codeDanglingEdge     catalog.Code = "danglingEdge"
	codeDowngrade        catalog.Code = "skipRangeDowngrade"
	codeSkipsUpwards     catalog.Code = "skipsUpwards"
	codeHidden           catalog.Code = "hiddenBySkips"
	codeLeftBehind       catalog.Code = "leftBehind"
	codeDroppedVersion   catalog.Code = "droppedVersion"
	codeSupportEnded     catalog.Code = "supportEnded"
)

// ownCodes are the codes of findings that need all bundles together.
var ownCodes = []catalog.Code{
	CodeUninstallable, codeUnjudged, codeDeprecatedBundle, codeHeadUnreachable, codeUpdateBlocked, codeDanglingEdge,
	codeDowngrade, codeSkipsUpwards, codeHidden, codeLeftBehind, codeDroppedVersion, codeSupportEnded,
}

// onePerPlace are the codes of faults of which a place has at most one.
var onePerPlace = []catalog.Code{
	"damagedFile", "duplicatePackage", "duplicateChannel", "duplicateBundle",
	"duplicateEntry", "duplicateDeprecations", "duplicateLifecycles", "packageMissing", "defaultChannel",
	"packageProperty", "packageMismatch", "version", "entry", "skipRange",
	"severalHeads", "noHead", "cycle", "bundleChannel", "noChannel",
	"noBundle", "stranded", "image", "sameVersion",
}

// severalPerPlace are the codes of faults of which a place can have several.
var severalPerPlace = []catalog.Code{
	"limit", "schema", "field", "property", "propertyType",
	"nullValue", "constraint", "ownedCRD", "name", "deprecation",
	"trap", "undefined", "lifecycle", "template",
}

// ofFiles are the codes of faults of whole files.
var ofFiles = []catalog.Code{
	"syntax", "unreadableFile", "clusterServiceVersion", "annotations", "mediaType", "passedOver",
}

// Codes returns the codes of all findings, sorted.
func Codes() []catalog.Code {
	return slices.Sorted(slices.Values(slices.Concat(ownCodes, onePerPlace, severalPerPlace, ofFiles)))
}
