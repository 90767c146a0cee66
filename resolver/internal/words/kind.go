package words

// The kinds of reasons that can be members of a minimal set of constraints.
const (
	KindOfSubscription = "subscription"        // a Subscription and the bundles that can satisfy it
	KindOfExtension    = "clusterExtension"    // a ClusterExtension and the bundles that can satisfy it
	KindInstalled      = "installed"           // an installed bundle without a Subscription must stay
	KindDependency     = "dependency"          // a bundle states a constraint
	KindOnePackage     = "onePackage"          // at most one selected bundle of a package,
	KindOneName        = "oneName"             // with a name,
	KindOneAPI         = "oneAPI"              // or providing an API
	KindReplaces       = "replaces"            // an update candidate excludes the installed bundle
	KindDeprecated     = "deprecated"          // a bundle with olm.deprecated is never newly selected
	KindOpenShift      = "maxOpenShiftVersion" // the cluster's OpenShift is too new
	KindKubernetes     = "minKubeVersion"      // the cluster's Kubernetes is too old
	KindOperatorGroup  = "operatorGroup"       // the namespace's OperatorGroup rules it out
	KindPin            = "pin"                 // the caller pinned the package to another bundle
	KindSystem         = "systemConstraint"    // the caller's SystemConstraint rules it out
	KindPolicy         = "policy"              // a rule of a policy denies it, or warns of it
	KindHold           = "hold"                // an installed bundle may not be updated now
	KindSelected       = "selected"            // a bundle was chosen for what comes first
	KindAsked          = "asked"               // the bundle that a WhyNot is about is to be selected
	KindCommitted      = "committed"           // an alternative was chosen for what comes first
)

// The kinds of facts that explain why something is missing. They are leaves of a derivation,
// but not members of the minimal set.
const (
	KindMissingPackage = "missingPackage"   // no visible catalog has the package
	KindMissingVersion = "missingVersion"   // no version of the package is in range
	KindMissingAPI     = "missingAPI"       // no visible bundle provides the API
	KindMissingLabel   = "missingLabel"     // no visible bundle carries the label
	KindNoMatch        = "noMatch"          // none satisfies a rule or a compound constraint
	KindRuleFailed     = "ruleFailed"       // a rule could not be evaluated on some bundles
	KindInvisible      = "invisibleCatalog" // a catalog that does not count has it
	KindQuarantined    = "quarantine"       // a catalog's fault keeps it from being used
	KindNotOffered     = "notOffered"       // a bundle would do, but no channel offers it
	KindProvides       = "provides"         // bundles provide an API, or share a name or package
	KindExcluded       = "excluded"         // bundles match what a constraint excludes
	KindUnknown        = "unknownName"      // a request names something that does not exist or cannot be used
	KindPreferred      = "preferred"        // another bundle comes first in the order of preference
	KindBelowHead      = "belowHead"        // a bundle is below the head of its channel
	KindUnasked        = "unasked"          // no request or constraint leads to the bundle
)

// The kinds of warnings. Some warnings have a kind of reasons: KindBelowHead,
// KindOpenShift and KindQuarantined.
const (
	KindDeprecation    = "deprecation"    // the catalog deprecates a bundle, a channel or a package
	KindElsewhere      = "elsewhere"      // an update is in a catalog that the request does not name
	KindStart          = "startingCSV"    // OLM does not keep to a startingCSV
	KindChosenAnyway   = "chosenAnyway"   // OLM chooses a bundle that it then does not install
	KindUnneeded       = "unneeded"       // nothing requires what came as a dependency
	KindSelector       = "selector"       // the selector of the OperatorGroup has members that an API server drops
	KindNoTargets      = "noTargets"      // the selector of the OperatorGroup matches no namespace
	KindCatalog        = "catalog"        // a catalog cannot be used
	KindForcedChoice   = "forcedChoice"   // a ClusterExtension gets another bundle than the best one
	KindSecond         = "secondProvider" // a bundle of another namespace provides a kind already
	KindAPIVersions    = "apiVersions"    // two namespaces provide a kind in different versions
	KindStated         = "stated"         // OLM states something of an object
	KindWatchNamespace = "watchNamespace" // OLM v1 refuses the bundle for its install modes,
	KindAPIService     = "apiService"     // or for an API service that it owns
	KindRights         = "rights"         // the account with which OLM installs may not do all that a bundle needs
	KindCRD            = "crd"            // OLM refuses a CustomResourceDefinition of the bundle
	KindDroppedVersion = "droppedVersion" // a replaced bundle provides APIs, and nothing selected does
)

// The kinds of inner nodes that no rule or request states.
const (
	KindConflict    = "conflict"    // the head of a derivation
	KindNotSelected = "notSelected" // the head of an answer why a bundle is not selected
	KindPart        = "part"        // a part of a compound constraint
)

// Kind returns the kind of a code.
func (c Code) Kind() string { return kindOf[c] }

// kinds has the codes of each kind. CannotHold has none: only findings follow from it.
var kinds = map[string][]Code{
	KindOfSubscription: {Subscription},
	KindOfExtension:    {Extension},
	KindInstalled:      {Installed, Stays, StaysLeftOut, AlreadyInstalled},
	KindDependency:     {Requires, RequiresAny, RequiresOffered, RefusedDependency},
	KindOnePackage:     {OnePackage},
	KindOneName:        {OneName},
	KindOneAPI:         {OwnedBeside, Owned, OtherVersions, OneAPI},
	KindReplaces:       {Replaces},
	KindDeprecated:     {Deprecated},
	KindOpenShift:      {OpenShift, Lifecycle, BlocksUpdates, OpenShiftLimit, AboveLimit},
	KindKubernetes:     {Kubernetes, NeverInstalled},
	KindOperatorGroup:  {WrongMode, StaticGroup, TakenAPI, SharedAPI},
	KindPin:            {Pinned},
	KindSystem:         {Forbidden},
	KindPolicy:         {Denied, DeniedAnswer, PolicyWarning},
	KindHold:           {Hold, NotUpgradeable},
	KindSelected:       {Selected, IsSelected, IsKept},
	KindAsked:          {Asked},
	KindCommitted:      {Committed},
	KindMissingPackage: {MissingPackage, NoPackage},
	KindMissingVersion: {MissingVersion, NoVersion, NoSuccessor, SuccessorUnlisted, SuccessorGone},
	KindMissingAPI:     {MissingAPI},
	KindMissingLabel:   {MissingLabel},
	KindNoMatch:        {NoMatch},
	KindRuleFailed:     {RuleFailed, RuleNeverHolds},
	KindInvisible:      {ExcludedCatalog, UnhealthyCatalog, InvisibleCatalog, CatalogExcluded, CatalogInvisible},
	KindQuarantined:    {Quarantined, CatalogFault},
	KindNotOffered:     {NotOffered, InstalledInstead, Unusable},
	KindProvides:       {Provides, SamePackage, SameName, OtherVersion},
	KindExcluded:       {CanSatisfy, Excluded},
	KindUnknown: {
		NotAskedCatalog, NoCatalog, UnknownCatalog, CatalogsUnhealthy, NoChannel, NoUsableChannel,
		BrokenChannel, NoStartingCSV, LostStartingCSV, NoBundles, Refused,
	},
	KindPreferred: {
		Preferred, Satisfied, UpdateFirst, NotDeprecatedFirst, NamedCatalogFirst, OwnCatalogFirst,
		HigherPriority, OwnNamespaceFirst, CatalogName, DefaultChannel, PackageName, ChannelName, SameVersion,
		HigherVersion, NearerHead,
	},
	KindBelowHead: {
		BelowHead, NotListed, OneStep, ChannelEnds, ChannelLeft, KeptOut, ByStartingCSV, Approval,
		PendingApproval, InPhase, HasCondition, HeldUpdate, DeadEnd,
	},
	KindUnasked: {
		Unasked, UpdatesHeld, CatalogNotAsked, NotInChannel, NotInChannels, OtherStartingCSV, BelowInstalled,
		SkippedUpdate, NoUpdate, Unlisted, OtherUpdates, CatalogUnselected, OutOfRange, NoSuccessorOf,
		BetterCatalog,
	},
	KindDeprecation:  {Deprecation},
	KindElsewhere:    {UpdateElsewhere},
	KindStart:        {StartUnread, StartLeft},
	KindChosenAnyway: {ChosenAnyway},
	KindUnneeded:     {Unneeded},
	KindSelector:     {SelectorDropped},
	KindNoTargets:    {NoTargets},
	KindCatalog:      {CatalogImage, CatalogLeftOut, CatalogUnnamed, CatalogUnhealthy},
	KindForcedChoice: {ForcedChoice},
	KindSecond:       {SecondProvider},
	KindAPIVersions:  {APIVersions},
	KindStated: {
		InstalledGone, PlanLost, TwinPlan, PlanDone, StatedByOLM, ResolvesNow, FailsToo, PlanGone, CatalogsSeen,
		CatalogBroken, CatalogPolls, CatalogNotServed, CatalogStays,
	},
	KindWatchNamespace: {RefusedModes, RefusedNamespaces},
	KindAPIService:     {RefusedAPIService},
	KindRights:         {RefusedRights, RefusedAccount},
	KindCRD:            {RefusedStored, DroppedStored, RefusedField, RefusedOwned},
	KindDroppedVersion: {DroppedVersions},
	KindConflict:       {Conflict},
	KindNotSelected:    {NotSelected},
	KindPart:           {Part},
}

var kindOf = func() map[Code]string {
	all := map[Code]string{}
	for kind, codes := range kinds {
		for _, c := range codes {
			all[c] = kind
		}
	}
	return all
}()
