package words

// Code is what a reason states.
type Code string

// The codes of requests, of installed bundles and of choices.
const (
	Subscription Code = "subscription"     // a Subscription and the bundles that can satisfy it, or why none can
	Extension    Code = "clusterExtension" // a ClusterExtension and the bundles that can satisfy it, or why none can
	Hold         Code = "hold"             // a Subscription whose operator refuses updates
	Installed    Code = "installed"        // an installed bundle without a Subscription must stay
	Stays        Code = "stays"            // an installed bundle outside the scope of a ClusterExtension must stay
	StaysLeftOut Code = "staysLeftOut"     // the installed bundle of a request that is left out stays
	Selected     Code = "selected"         // a bundle was chosen for what comes first
	Asked        Code = "asked"            // the bundle in question is to be selected
	Committed    Code = "committed"        // an alternative was chosen for what comes first
)

// The codes of rules.
const (
	Requires         Code = "requires"         // a bundle requires a constraint
	RequiresAny      Code = "requiresAny"      // a bundle requires a package that no catalog has, whatever the range
	RequiresOffered  Code = "requiresOffered"  // a bundle requires a constraint of which candidates satisfy each part by itself
	Replaces         Code = "replaces"         // an update replaces installed bundles
	AlreadyInstalled Code = "alreadyInstalled" // an alias of an installed bundle is never newly selected
	Deprecated       Code = "deprecated"       // a bundle with olm.deprecated is never newly selected
	OpenShift        Code = "openShift"        // the cluster's OpenShift is newer than the bundle allows
	Lifecycle        Code = "lifecycle"        // the lifecycle of the bundle's minor names other versions of OpenShift
	BlocksUpdates    Code = "blocksUpdates"    // OLM does not accept what the bundle states of OpenShift
	Kubernetes       Code = "kubernetes"       // the cluster's Kubernetes is older than the bundle requires
	Pinned           Code = "pinned"           // the package is pinned to another bundle, to a version, or to what is installed
	Forbidden        Code = "forbidden"        // the caller's SystemConstraint forbids the bundle
	Denied           Code = "denied"           // rules of policies deny the bundle
	OwnedBeside      Code = "ownedBeside"      // another ClusterExtension or a namespace owns an API of a ClusterExtension's bundle
	Owned            Code = "owned"            // a bundle of another namespace owns a kind of the bundle
	OtherVersions    Code = "otherVersions"    // another namespace provides a kind of the bundle in other versions
	WrongMode        Code = "wrongMode"        // the OperatorGroup requires an install mode that the bundle does not support
	StaticGroup      Code = "staticGroup"      // the static OperatorGroup does not list an API of the bundle
	TakenAPI         Code = "takenAPI"         // an OperatorGroup with common targets provides an API of the bundle
	SharedAPI        Code = "sharedAPI"        // bundles of a namespace whose OperatorGroup has common targets provide an API of the bundle
	OnePackage       Code = "onePackage"       // a namespace, or the cluster, has at most one bundle of a package,
	OneName          Code = "oneName"          // with a name,
	OneAPI           Code = "oneAPI"           // or providing an API or a kind
	Provides         Code = "provides"         // bundles provide an API or a kind
	SamePackage      Code = "samePackage"      // bundles of one package: one of them can be selected
	SameName         Code = "sameName"         // bundles of one name
	CanSatisfy       Code = "canSatisfy"       // bundles can satisfy what is required; other facts rule them out
	Excluded         Code = "excluded"         // bundles match what a constraint excludes
	Part             Code = "part"             // a part of a compound constraint
	CannotHold       Code = "cannotHold"       // each part of a constraint can be satisfied, but not together with the bundle that states it
)

// The codes of what is missing, and of what exists instead.
const (
	MissingPackage    Code = "missingPackage"    // no catalog has a package that a bundle requires
	MissingVersion    Code = "missingVersion"    // no version of a package that a channel offers is in range
	MissingAPI        Code = "missingAPI"        // no candidate provides an API
	OtherVersion      Code = "otherVersion"      // a package provides another version of the API
	MissingLabel      Code = "missingLabel"      // no candidate has a label
	NoMatch           Code = "noMatch"           // no candidate satisfies a rule or a compound constraint
	RuleFailed        Code = "ruleFailed"        // a rule cannot be evaluated on a bundle, and perhaps on others
	RuleNeverHolds    Code = "ruleNeverHolds"    // no bundle of the package that it names satisfies a rule, which cannot be evaluated on one
	NotOffered        Code = "notOffered"        // a bundle satisfies a constraint, but no channel offers it
	InstalledInstead  Code = "installedInstead"  // a bundle satisfies a constraint, but the installed one of its name counts
	Unusable          Code = "unusable"          // an entry of a channel cannot be selected
	Quarantined       Code = "quarantined"       // a fault removes a bundle that would provide an API, or a part of a package
	NotAskedCatalog   Code = "notAskedCatalog"   // a catalog that the request does not name has it
	ExcludedCatalog   Code = "excludedCatalog"   // a catalog that the caller excludes has it
	UnhealthyCatalog  Code = "unhealthyCatalog"  // an unhealthy catalog has it
	InvisibleCatalog  Code = "invisibleCatalog"  // a catalog has it that is invisible to the namespace, or unavailable
	NoCatalog         Code = "noCatalog"         // there is no catalog to search
	UnknownCatalog    Code = "unknownCatalog"    // no catalog has the name that a request states
	CatalogExcluded   Code = "catalogExcluded"   // the caller excludes the catalog of a request
	CatalogInvisible  Code = "catalogInvisible"  // the catalog of a request is invisible to the namespace
	CatalogsUnhealthy Code = "catalogsUnhealthy" // unhealthy catalogs could serve a request
	NoPackage         Code = "noPackage"         // no catalog has the package of a request
	NoChannel         Code = "noChannel"         // the package has other channels
	NoUsableChannel   Code = "noUsableChannel"   // no channel has an order, or there is none
	BrokenChannel     Code = "brokenChannel"     // a channel has no order
	NoStartingCSV     Code = "noStartingCSV"     // no bundle has the name in startingCSV
	LostStartingCSV   Code = "lostStartingCSV"   // a channel lists startingCSV, but no usable bundle has the name
	NoBundles         Code = "noBundles"         // a request names no package, or one without a usable bundle
	NoVersion         Code = "noVersion"         // no version is in the range of a ClusterExtension
	NoSuccessor       Code = "noSuccessor"       // no version in range succeeds the installed one, which is out of range,
	SuccessorUnlisted Code = "successorUnlisted" // not in the channels,
	SuccessorGone     Code = "successorGone"     // or not offered any more
	Refused           Code = "refused"           // OLM v1 refuses the best bundle, and so does the caller
)

// The codes of why a bundle is or is not selected, or is not the best.
const (
	IsSelected        Code = "isSelected"        // a bundle is selected, for the reasons below
	IsKept            Code = "isKept"            // an installed bundle is kept, for the reasons below
	NotSelected       Code = "notSelected"       // a bundle is not selected, for the reasons below
	Preferred         Code = "preferred"         // another candidate of an obligation comes first
	Satisfied         Code = "satisfied"         // another bundle satisfies an obligation
	Unasked           Code = "unasked"           // no request and no selected bundle leads to the bundle
	UpdatesHeld       Code = "updatesHeld"       // the installed bundle must stay
	CatalogNotAsked   Code = "catalogNotAsked"   // the request names another catalog
	NotInChannel      Code = "notInChannel"      // the channel of a Subscription does not list the bundle
	NotInChannels     Code = "notInChannels"     // none of the channels of a ClusterExtension lists the bundle
	OtherStartingCSV  Code = "otherStartingCSV"  // startingCSV names another bundle
	BelowInstalled    Code = "belowInstalled"    // the bundle stands below the installed one
	SkippedUpdate     Code = "skippedUpdate"     // the channel skips the bundle
	NoUpdate          Code = "noUpdate"          // no edge leads from the installed bundle to this one
	Unlisted          Code = "unlisted"          // no channel offers the bundle
	OtherUpdates      Code = "otherUpdates"      // updates come through other channels
	CatalogUnselected Code = "catalogUnselected" // the selector does not match the catalog
	OutOfRange        Code = "outOfRange"        // the version is not in range
	NoSuccessorOf     Code = "noSuccessorOf"     // the bundle does not succeed the installed one
	BetterCatalog     Code = "betterCatalog"     // another catalog has the best bundle
	BelowHead         Code = "belowHead"         // a choice is below the head of its channel, or not the best bundle
	NotListed         Code = "notListed"         // a choice is not in its channel
	NotUpgradeable    Code = "notUpgradeable"    // its operator refuses updates
	OneStep           Code = "oneStep"           // an update goes one step at a time
	ChannelEnds       Code = "channelEnds"       // a channel ends, and the default one goes on
	CatalogImage      Code = "catalogImage"      // the image of a catalog at a version of the cluster
	ChannelLeft       Code = "channelLeft"       // a channel is deprecated, and another one goes on
	UpdateElsewhere   Code = "updateElsewhere"   // an update is in a catalog that the Subscription does not name
	StartUnread       Code = "startUnread"       // OLM does not read a startingCSV, as something is installed
	InstalledGone     Code = "installedGone"     // what a Subscription has installed is gone, or only a copy
	PlanLost          Code = "planLost"          // a Subscription waits for an InstallPlan that is gone
	TwinPlan          Code = "twinPlan"          // a second InstallPlan brings the same bundle
	ChosenAnyway      Code = "chosenAnyway"      // OLM judges only afterwards what keeps the bundle out here
	PlanDone          Code = "planDone"          // an InstallPlan waits, and all that it brings is there, or a later one is done
	StartLeft         Code = "startLeft"         // OLM updates a startingCSV at once
	KeptOut           Code = "keptOut"           // a version range keeps newer versions out
	ByStartingCSV     Code = "byStartingCSV"     // startingCSV names the bundle
	Approval          Code = "approval"          // an update comes once it is approved
	PendingApproval   Code = "pendingApproval"   // an InstallPlan waits for approval
	InPhase           Code = "inPhase"           // an object is in a phase in which it should not stay
	HasCondition      Code = "hasCondition"      // an object has a condition that it should not have
	StatedByOLM       Code = "statedByOLM"       // OLM states something of an object
	ResolvesNow       Code = "resolvesNow"       // OLM states a failure of what resolves
	FailsToo          Code = "failsToo"          // OLM states a failure of what fails
	PlanGone          Code = "planGone"          // an InstallPlan is not there any more
	CatalogsSeen      Code = "catalogsSeen"      // catalogs that OLM sees are unhealthy or missing
	CatalogBroken     Code = "catalogBroken"     // OLM cannot use a catalog
	CatalogPolls      Code = "catalogPolls"      // OLM cannot read how often to look for a newer catalog
	CatalogNotServed  Code = "catalogNotServed"  // OLM v1 does not serve a catalog
	CatalogStays      Code = "catalogStays"      // OLM v1 cannot renew a catalog
	HeldUpdate        Code = "heldUpdate"        // an update is made already, and waits for the operator that it replaces
	DeadEnd           Code = "deadEnd"           // no edge leads on from the installed bundle of a request
	Conflict          Code = "conflict"          // the head of a derivation
)

// The codes of what decides that a candidate comes before another.
const (
	UpdateFirst        Code = "updateFirst"        // only the other one is installed, and the first one is an update of it
	NotDeprecatedFirst Code = "notDeprecatedFirst" // only the other one is deprecated
	NamedCatalogFirst  Code = "namedCatalogFirst"  // the request names the catalog of the first one
	OwnCatalogFirst    Code = "ownCatalogFirst"    // the first one is in the catalog of what requires it
	HigherPriority     Code = "higherPriority"     // its catalog has a higher priority
	OwnNamespaceFirst  Code = "ownNamespaceFirst"  // only its catalog is in the namespace
	CatalogName        Code = "catalogName"        // the name of its catalog comes first
	DefaultChannel     Code = "defaultChannel"     // only the first one comes through a default channel
	PackageName        Code = "packageName"        // the name of its package comes first
	ChannelName        Code = "channelName"        // the name of its channel comes first
	SameVersion        Code = "sameVersion"        // it has the same version, and the higher release or a name that comes first
	HigherVersion      Code = "higherVersion"      // it has the higher version
	NearerHead         Code = "nearerHead"         // it is nearer to the head of the channel
)

// The codes of warnings.
const (
	Deprecation       Code = "deprecation"       // the catalog deprecates a bundle, a channel or a package
	ForcedChoice      Code = "forcedChoice"      // a ClusterExtension gets another bundle than the best one
	CatalogFault      Code = "catalogFault"      // a fault takes something from a requested package
	CatalogLeftOut    Code = "catalogLeftOut"    // a catalog cannot be used
	CatalogUnnamed    Code = "catalogUnnamed"    // a catalog cannot be used, and no Subscription names it
	CatalogUnhealthy  Code = "catalogUnhealthy"  // a catalog is unhealthy
	NoTargets         Code = "noTargets"         // the selector of the OperatorGroup matches no namespace
	SelectorDropped   Code = "selectorDropped"   // the selector of the OperatorGroup has members that an API server drops
	SecondProvider    Code = "secondProvider"    // a bundle of another namespace provides an API of a new bundle already, which OLM takes
	APIVersions       Code = "apiVersions"       // two namespaces provide a kind in different versions
	DroppedVersions   Code = "droppedVersions"   // a replaced bundle provides APIs, and nothing selected does
	RefusedDependency Code = "refusedDependency" // OLM v1 resolves no dependencies,
	RefusedModes      Code = "refusedModes"      // installs no bundle in a mode that it does not support,
	RefusedNamespaces Code = "refusedNamespaces" // or only for some namespaces,
	RefusedAPIService Code = "refusedAPIService" // and creates no API services
	RefusedStored     Code = "refusedStored"     // OLM removes no version of a CustomResourceDefinition in which resources may be stored,
	DroppedStored     Code = "droppedStored"     // or would not, if the new definition lacks what its bundle does not provide any more,
	RefusedField      Code = "refusedField"      // an API server changes no scope and no kind of one,
	RefusedOwned      Code = "refusedOwned"      // and OLM v1 takes over none that it did not install
	RefusedRights     Code = "refusedRights"     // the ServiceAccount with which OLM installs may not do all that a bundle needs
	RefusedAccount    Code = "refusedAccount"    // the ServiceAccount with which OLM installs does not exist
	Unneeded          Code = "unneeded"          // nothing requires what came as a dependency
	DeniedAnswer      Code = "deniedAnswer"      // rules of policies deny an answer
	PolicyWarning     Code = "policyWarning"     // rules of policies warn of a chosen bundle, or of an answer
	OpenShiftLimit    Code = "openShiftLimit"    // a bundle states a limit that OLM does not accept
	AboveLimit        Code = "aboveLimit"        // the cluster's OpenShift is newer than a chosen bundle allows
	NeverInstalled    Code = "neverInstalled"    // a chosen bundle states a minKubeVersion that OLM cannot read
)
