package catalogcheck

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
)

// CodeUninstallable is the code of a bundle that cannot be installed on its own. The package
// comment explains all codes.
const CodeUninstallable catalog.Code = "uninstallable"

// Codes of the other findings that are no faults of [cache.Check].
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
)

// Codes of what only all bundles together show.
var ownCodes = []catalog.Code{
	CodeUninstallable, codeUnjudged, codeDeprecatedBundle, codeHeadUnreachable, codeUpdateBlocked, codeDanglingEdge,
	codeDowngrade, codeSkipsUpwards, codeHidden, codeLeftBehind, codeDroppedVersion,
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
