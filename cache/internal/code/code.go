// Package code has the words for what can be wrong with a catalog, which reading, checking
// and unpacking one share. Each is a catalog.Code. Those for a single property are in package
// properties.
package code

// Codes of the faults that reading a catalog finds.
const (
	Syntax                = "syntax"                // a file is not JSON or YAML from some point on
	DamagedFile           = "damagedFile"           // a package is mentioned in a file with a syntax fault
	UnreadableFile        = "unreadableFile"        // something in the tree that is not a file to read
	PassedOver            = "passedOver"            // a file of a catalog beside bundle directories
	Limit                 = "limit"                 // a limit of Limits is passed
	Schema                = "schema"                // a document without schema
	Field                 = "field"                 // a field is missing or has the wrong form
	DuplicatePackage      = "duplicatePackage"      // olm.package blobs of one name that differ
	DuplicateChannel      = "duplicateChannel"      // olm.channel blobs of one name that differ
	DuplicateBundle       = "duplicateBundle"       // olm.bundle blobs of one name that differ
	DuplicateEntry        = "duplicateEntry"        // entries of one name in a channel that differ
	DuplicateDeprecations = "duplicateDeprecations" // olm.deprecations blobs of one package that differ
	DuplicateLifecycles   = "duplicateLifecycles"   // several lifecycle blobs of one package
	PackageMissing        = "packageMissing"        // channels or bundles of a package without olm.package blob
	DefaultChannel        = "defaultChannel"        // no default channel, or one that does not exist
	PackageMismatch       = "packageMismatch"       // the olm.package property names another package
	Property              = "property"              // a property has the wrong form
	Constraint            = "constraint"            // a constraint that cannot be read
	Entry                 = "entry"                 // a channel entry that names no bundle of the package
	SkipRange             = "skipRange"             // a skipRange that cannot be read
	SeveralHeads          = "severalHeads"          // a channel with more than one head
	NoHead                = "noHead"                // a channel without a head
	Cycle                 = "cycle"                 // a channel whose entries replace each other in a circle
	Archive               = "archive"               // an archive or image that cannot be unpacked, or must not be
	Digest                = "digest"                // a part of an image that its digest does not describe
)

// Codes of the faults of bundle directories.
const (
	ServiceVersion = "clusterServiceVersion" // not exactly one ClusterServiceVersion
	Annotations    = "annotations"           // metadata/annotations.yaml is missing or names no package
	MediaType      = "mediaType"             // a bundle that is not of the media type registry+v1
	BundleChannel  = "bundleChannel"         // a bundle directory that names no channel
	OwnedCRD       = "ownedCRD"              // an owned CRD that the bundle does not contain
)

// Codes of the faults that only strict reading looks for (cache.Options.Strict). Reading a
// catalog can do without the rules that they stand for.
const (
	Name        = "name"        // the name of a package or an API that Kubernetes would refuse
	NoChannel   = "noChannel"   // a package without channels, or a bundle in none of them
	NoBundle    = "noBundle"    // a package without bundles
	Stranded    = "stranded"    // an entry that no chain of replaces leads to from the head
	Image       = "image"       // a bundle without image
	SameVersion = "sameVersion" // several bundles of a package with one version
	Deprecation = "deprecation" // a deprecation of nothing, or without message
	Lifecycle   = "lifecycle"   // phases that are not in order, or a version without bundle
	Trap        = "trap"        // a range or constraint that hardly means what it seems to
	Undefined   = "undefined"   // a schema or property type that begins with olm. and is none of OLM's
)
