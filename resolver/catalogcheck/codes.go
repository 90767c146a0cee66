package catalogcheck

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Codes of the findings that are no faults of [cache.Check]. The package comment
// explains them.
const (
	CodeUninstallable    catalog.Code = "uninstallable"
	CodeUnjudged         catalog.Code = "unjudged"
	CodeDeprecatedBundle catalog.Code = "deprecatedBundle"
	CodeHeadUnreachable  catalog.Code = "headUnreachable"
	CodeUpdateBlocked    catalog.Code = "updateBlocked"
	CodeDanglingEdge     catalog.Code = "danglingEdge"
	CodeDowngrade        catalog.Code = "skipRangeDowngrade"
	CodeSkipsUpwards     catalog.Code = "skipsUpwards"
	CodeHidden           catalog.Code = "hiddenBySkips"
	CodeLeftBehind       catalog.Code = "leftBehind"
	CodeDroppedVersion   catalog.Code = "droppedVersion"
)

// Codes of what only all bundles together show.
var ownCodes = []catalog.Code{
	CodeUninstallable, CodeUnjudged, CodeDeprecatedBundle, CodeHeadUnreachable, CodeUpdateBlocked, CodeDanglingEdge,
	CodeDowngrade, CodeSkipsUpwards, CodeHidden, CodeLeftBehind, CodeDroppedVersion,
}

// Codes of faults of which a place has at most one.
var onePerPlace = []catalog.Code{
	catalog.CodeDamagedFile, catalog.CodeDuplicatePackage, catalog.CodeDuplicateChannel, catalog.CodeDuplicateBundle,
	catalog.CodeDuplicateEntry, catalog.CodeDuplicateDeprecations, catalog.CodePackageMissing, catalog.CodeDefaultChannel,
	catalog.CodePackageProperty, catalog.CodePackageMismatch, catalog.CodeVersion, catalog.CodeEntry, catalog.CodeSkipRange,
	catalog.CodeSeveralHeads, catalog.CodeNoHead, catalog.CodeCycle, catalog.CodeBundleChannel, catalog.CodeNoChannel,
	catalog.CodeNoBundle, catalog.CodeStranded, catalog.CodeImage, catalog.CodeSameVersion,
}

// Codes of faults of which a place can have several.
var severalPerPlace = []catalog.Code{
	catalog.CodeLimit, catalog.CodeSchema, catalog.CodeField, catalog.CodeProperty, catalog.CodePropertyType,
	catalog.CodeNullValue, catalog.CodeConstraint, catalog.CodeOwnedCRD, catalog.CodeName, catalog.CodeDeprecation,
	catalog.CodeTrap, catalog.CodeUndefined,
}

// Codes of faults of whole files.
var ofFiles = []catalog.Code{
	catalog.CodeSyntax, catalog.CodeUnreadableFile, catalog.CodeServiceVersion, catalog.CodeAnnotations, catalog.CodeMediaType,
}

// Codes returns the codes of all findings, sorted.
func Codes() []catalog.Code {
	return slices.Sorted(slices.Values(slices.Concat(ownCodes, onePerPlace, severalPerPlace, ofFiles)))
}
