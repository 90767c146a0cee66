package words

// The kinds of cautions against a fix.
const (
	CautionHeld        = "held"        // Names refuse updates
	CautionForward     = "forward"     // OLM moves on from Names, which failed
	CautionTargets     = "targets"     // Names, if any is installed, then watch more namespaces, as Said
	CautionNarrowed    = "narrowed"    // Names then watch other or fewer namespaces
	CautionFails       = "fails"       // OLM fails Names, which lack the install mode Said
	CautionRegrouped   = "regrouped"   // Names then belong to another OperatorGroup
	CautionUnused      = "unused"      // no Subscription names the CatalogSources Names
	CautionUnusedGroup = "unusedGroup" // no operator belongs to the OperatorGroups Names
	CautionMadeAgain   = "madeAgain"   // OpenShift makes the default CatalogSources Names again
	CautionCatalogs    = "catalogs"    // every Subscription sees the global catalogs
	CautionOffered     = "offered"     // every ClusterExtension sees the catalogs Names
	CautionWithdrawn   = "withdrawn"   // no ClusterExtension sees the catalogs Names
	CautionPreferred   = "preferred"   // every ClusterExtension prefers the catalogs Names
	CautionUncertain   = "uncertain"   // updates of Names, or of a ClusterExtension, that the publisher does not support
	CautionMajor       = "major"       // Names are of a major version above what was meant
	CautionDowngraded  = "downgraded"  // an older version of the packages Names is installed
	CautionReinstall   = "reinstall"   // the operators Names are removed, and installed anew
	CautionBelowHead   = "belowHead"   // updates from Names do not reach the head, which Said is
	CautionKept        = "kept"        // because of the objects Names a bundle stays below the head, as Said
	CautionPrerelease  = "prerelease"  // Names are prereleases
	CautionChannel     = "channel"     // Names are channels of versions that are not finished
	CautionUnprovided  = "unprovided"  // nobody manages custom resources of the kinds Names
	CautionRunsAlone   = "runsAlone"   // Names stay installed, and no Subscription manages them
	CautionSecond      = "second"      // Names run in other namespaces already, and share their custom resource definitions
	CautionRunsOn      = "runsOn"      // Names run under OLM v0, and a ClusterExtension cannot have them
	CautionServes      = "serves"      // Names have installed what a request asks for, for its namespace as well
	CautionStored      = "stored"      // resources of CustomResourceDefinition Said must not be stored in versions Names any more
	CautionRights      = "rights"      // only somebody with all rights of the roles can create them; Said are the widest
	CautionDeletes     = "deletes"     // ClusterExtensions take their custom resources along
)

// The fields that steps of a fix change.
const (
	FieldPackage           = "spec.name"
	FieldChannel           = "spec.channel"
	FieldStartingCSV       = "spec.startingCSV"
	AwaitInstalledCSV      = "status.installedCSV" // what a wait is for; no step sets it
	FieldSource            = "spec.source"
	FieldSourceNamespace   = "spec.sourceNamespace"
	FieldExtensionChannels = "spec.source.catalog.channels"
	FieldExtensionVersion  = "spec.source.catalog.version"
	FieldExtensionSelector = "spec.source.catalog.selector"
	FieldExtensionPolicy   = "spec.source.catalog.upgradeConstraintPolicy"
	FieldTargets           = "spec.targetNamespaces"
	FieldTargetSelector    = "spec.selector"
	FieldUpgradeStrategy   = "spec.upgradeStrategy"                                                              // of an OperatorGroup
	FieldExcludeGlobal     = "metadata.annotations.olm.operatorframework.io/exclude-global-namespace-resolution" // of an OperatorGroup
	FieldOverrides         = "spec.overrides"
	FieldStored            = "status.storedVersions" // of a CustomResourceDefinition, once its resources are written anew
	FieldApproved          = "spec.approved"
	FieldAvailability      = "spec.availabilityMode"
	FieldPriority          = "spec.priority"
	FieldExcludedCatalogs  = "excludeCatalogs"  // of ObjectOptions, named as the catalog: whether that is one of them
	FieldLenientHealth     = "lenientHealth"    // of ObjectOptions
	FieldSystemConstraint  = "systemConstraint" // of ObjectOptions, whose name is that of the bundle
	FieldPins              = "pins"             // of ObjectOptions, whose name is that of the package: its pins that count in the namespace
	FieldException         = "exceptions"       // the same
)

// The kinds of objects that a step changes.
const (
	ObjectSubscription   = "Subscription"
	ObjectExtension      = "ClusterExtension"
	ObjectCSV            = "ClusterServiceVersion"
	ObjectDefinition     = "CustomResourceDefinition"
	ObjectOperatorGroup  = "OperatorGroup"
	ObjectCondition      = "OperatorCondition"
	ObjectInstallPlan    = "InstallPlan"
	ObjectNamespace      = "Namespace"
	ObjectCatalogSource  = "CatalogSource"
	ObjectClusterCatalog = "ClusterCatalog"
	ObjectAccount        = "ServiceAccount"
	ObjectRole           = "Role"
	ObjectClusterRole    = "ClusterRole"
	ObjectRoleBinding    = "RoleBinding"
	ObjectClusterBinding = "ClusterRoleBinding"
	ObjectOptions        = "Options" // policy.Options
)
