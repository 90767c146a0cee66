// Package code has the codes of faults that reading, checking and unpacking a catalog
// share. Each is a catalog.Code. Package properties has the codes of single properties.
package code

// Codes of faults that every reading of a catalog finds.
const (
	Syntax                = "syntax"                // a file that is not JSON or YAML from some point on
	DamagedFile           = "damagedFile"           // a file with a syntax fault mentions the package
	UnreadableFile        = "unreadableFile"        // something in the tree that cannot be read as a file
	PassedOver            = "passedOver"            // a file of a catalog beside bundle directories
	Limit                 = "limit"                 // a limit of Limits is exceeded
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
	Archive               = "archive"               // an archive or image that cannot or must not be unpacked
	Digest                = "digest"                // a part of an image with another digest
)

// Codes of faults of bundle directories.
const (
	ServiceVersion = "clusterServiceVersion" // not exactly one ClusterServiceVersion
	Annotations    = "annotations"           // metadata/annotations.yaml is missing or names no package
	MediaType      = "mediaType"             // a bundle that is not of the media type registry+v1
	BundleChannel  = "bundleChannel"         // a bundle directory that names no channel
	OwnedCRD       = "ownedCRD"              // an owned CRD that the bundle does not contain
	Webhook        = "webhook"               // a webhook that OLM refuses
	Strategy       = "installStrategy"       // an install strategy that OLM refuses
)

// Codes of faults that only a strict reading finds (cache.Options.Strict). A catalog that
// breaks these rules can still be used.
const (
	Name         = "name"         // the name of a package or an API that Kubernetes would refuse
	NoChannel    = "noChannel"    // a package without channels, or a bundle in none of them
	NoBundle     = "noBundle"     // a package without bundles
	Stranded     = "stranded"     // an entry that no chain of replaces leads to from the head
	Image        = "image"        // a bundle without image
	InstallModes = "installModes" // an install mode that is stated twice, or none that is supported
	SameVersion  = "sameVersion"  // several bundles of a package with one version
	Deprecation  = "deprecation"  // a deprecation of something missing, or without message
	Lifecycle    = "lifecycle"    // phases that are not in order, or a version without bundle
	Template     = "template"     // opm renders no catalog from a template
	Trap         = "trap"         // a range or constraint with a surprising meaning
	Undefined    = "undefined"    // a schema or property type that begins with olm. but is not defined by OLM
)
