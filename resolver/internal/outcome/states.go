package outcome

import (
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Written is one thing that OLM writes in the status of an object, and what it means for the
// request that the object serves: a state follows, or it is quoted, or it is harmless.
type Written struct {
	Kind string
	// Is is a phase or a state, or the type and the status of a condition: "Installed=False".
	Is string
	// Reason is the reason beside it. The row without a reason stands for all others, and the one
	// with the reason Saying for all that have a message.
	Reason string
	// State is the state that follows, empty if none does.
	State result.State
	// Way is the kind of what ends the state, empty if OLM does not say it.
	Way string
	// Means is the code of the sentence that quotes it, where no State follows.
	Means reason.StatedCode
	// Harmless is true if nothing is said of it.
	Harmless bool
}

// Saying is the reason of rows that hold wherever OLM writes a message.
const Saying = "*"

func leadsTo(state result.State, way, kind, is string, reasons ...string) (rows []Written) {
	for _, reason := range reasons {
		rows = append(rows, Written{Kind: kind, Is: is, Reason: reason, State: state, Way: way})
	}
	return rows
}

func quoted(means reason.StatedCode, kind, is string, reasons ...string) (rows []Written) {
	for _, reason := range reasons {
		rows = append(rows, Written{Kind: kind, Is: is, Reason: reason, Means: means})
	}
	return rows
}

func harmless(kind, is string, reasons ...string) (rows []Written) {
	for _, reason := range reasons {
		rows = append(rows, Written{Kind: kind, Is: is, Reason: reason, Harmless: true})
	}
	return rows
}

// WrittenStates has all that OLM writes: v0.46.0 of its v0, with v0.45.0 of its API types, and
// v1.11.0 of operator-controller. What older versions write stands there as well. The order in
// which the controller of ClusterServiceVersions checks them decides what ends each.
var WrittenStates = table(
	harmless(words.ObjectCSV, "", ""), // OLM has not seen it yet
	leadsTo(result.StatePending, "", words.ObjectCSV, "Pending", ""),
	leadsTo(result.StatePending, words.RepairGoesOn, words.ObjectCSV, "Pending", "RequirementsUnknown", "NeedsCertRotation", "APIServiceResourcesNeedReinstall", "DetectedClusterChange"),
	leadsTo(result.StatePending, words.RepairOnceMet, words.ObjectCSV, "Pending", "RequirementsNotMet"),
	leadsTo(result.StatePending, words.RepairOnceUpgradeable, words.ObjectCSV, "Pending", "OperatorConditionNotUpgradeable"),
	leadsTo(result.StatePending, words.RepairTriesAgain, words.ObjectCSV, "Pending", "NeedsReinstall"),
	leadsTo(result.StatePending, words.RepairStops, words.ObjectCSV, "Unknown", ""),
	leadsTo(result.StateInstalling, words.RepairGoesOn, words.ObjectCSV, "InstallReady", "", "AllRequirementsMet"),
	leadsTo(result.StateInstalling, words.RepairGoesOn, words.ObjectCSV, "Installing", "", "InstallSucceeded", "InstallWaiting"), // InstallSucceeded: its objects are created
	leadsTo(result.StateUnhealthy, words.RepairTriesAgain, words.ObjectCSV, "Failed", "", "InstallComponentFailed", "APIServiceResourceIssue", "APIServiceInstallFailed"),
	leadsTo(result.StateUnhealthy, words.RepairOnceMet, words.ObjectCSV, "Failed", "RequirementsNotMet"),
	leadsTo(result.StateUnhealthy, words.RepairOnceSoleOwner, words.ObjectCSV, "Failed", "OwnerConflict", "InterOperatorGroupOwnerConflict"),
	leadsTo(result.StateUnhealthy, words.RepairStops, words.ObjectCSV, "Failed", "InstallComponentFailedNoRetry"),
	leadsTo(result.StateUnhealthy, words.RepairOnlyPublisher, words.ObjectCSV, "Failed", "InvalidInstallStrategy", "InvalidInstallModes", "InvalidWebhookDescription"),
	leadsTo(result.StateUnhealthy, words.RepairNotReady, words.ObjectCSV, "Failed", "InstallCheckFailed", "ComponentUnhealthy"),
	leadsTo(result.StateUnhealthy, words.RepairOnceGroupFits, words.ObjectCSV, "Failed", "NoTargetNamespaces", "UnsupportedOperatorGroup", "NoOperatorGroup", "TooManyOperatorGroups"),
	leadsTo(result.StateUnhealthy, words.RepairOnceListed, words.ObjectCSV, "Failed", "CannotModifyStaticOperatorGroupProvidedAPIs"),
	harmless(words.ObjectCSV, "Succeeded", "", "InstallSucceeded"),            // it works
	harmless(words.ObjectCSV, "Succeeded", "Copied"),                          // it is a copy, and no installation of its namespace
	harmless(words.ObjectCSV, "Replacing", "", "BeingReplaced"),               // what replaces it states how that goes
	harmless(words.ObjectCSV, "Deleting", "", "Replaced", "WaitingOnCleanup"), // it does not count as installed

	harmless(words.ObjectSubscription, "", ""),                 // it states how far OLM is, which the other objects do, too
	harmless(words.ObjectSubscription, "UpgradeAvailable", ""), // it states how far OLM is, which the other objects do, too
	harmless(words.ObjectSubscription, "UpgradePending", ""),   // it states how far OLM is, which the other objects do, too
	harmless(words.ObjectSubscription, "AtLatestKnown", ""),    // it states how far OLM is, which the other objects do, too
	leadsTo(result.StateUnhealthy, "", words.ObjectSubscription, "UpgradeFailed", ""),
	leadsTo(result.StateUnhealthy, words.RepairUnpackAgain, words.ObjectSubscription, "BundleUnpackFailed=True", "", "BundleUnpackFailed", "ErrorPreventedUnpacking"),
	leadsTo(result.StateUnhealthy, words.RepairTriesAgain, words.ObjectSubscription, "BundleUnpackFailed=True", "EnsureInstallPlanFailed"),
	leadsTo(result.StateInstalling, words.RepairGoesOn, words.ObjectSubscription, "BundleUnpacking=True", "", "UnpackingInProgress"),
	leadsTo(result.StateUnhealthy, words.RepairPull, words.ObjectSubscription, "BundleUnpacking=True", Saying), // OLM says something of images only that cannot be pulled
	leadsTo(result.StateUnhealthy, words.RepairNewPlan, words.ObjectSubscription, "InstallPlanFailed=True", "", "InstallPlanFailed", "InstallComponentFailed", "InstallCheckFailed"),
	quoted(reason.PlanGone, words.ObjectSubscription, "InstallPlanMissing=True", "", "ReferencedInstallPlanNotFound"),
	quoted(reason.StatedByOLM, words.ObjectSubscription, "InstallPlanPending=True", "", "InstallPlanNotYetReconciled", "Planning", "Installing", "RequiresApproval"),
	quoted(reason.ResolvesNow, words.ObjectSubscription, "ResolutionFailed=True", "", "ConstraintsNotSatisfiable", "ErrorPreventedResolution"),
	quoted(reason.CatalogsSeen, words.ObjectSubscription, "CatalogSourcesUnhealthy=True", "", "NoCatalogSourcesFound", "CatalogSourcesAdded", "CatalogSourcesUpdated", "CatalogSourcesDeleted", "UnhealthyCatalogSourceFound"),
	quoted(reason.StatedByOLM, words.ObjectSubscription, "PackageDeprecated=True", ""),
	quoted(reason.StatedByOLM, words.ObjectSubscription, "ChannelDeprecated=True", ""),
	quoted(reason.StatedByOLM, words.ObjectSubscription, "BundleDeprecated=True", ""),
	harmless(words.ObjectSubscription, "Deprecated=True", ""), // it repeats the conditions of package, channel and bundle
	never(words.ObjectSubscription, "BundleUnpackFailed", "BundleUnpacking", "InstallPlanFailed", "InstallPlanMissing", "InstallPlanPending", "ResolutionFailed", "CatalogSourcesUnhealthy",
		"PackageDeprecated", "ChannelDeprecated", "BundleDeprecated", "Deprecated"),

	harmless(words.ObjectInstallPlan, "", ""), // OLM has not seen it yet
	leadsTo(result.StateInstalling, words.RepairGoesOn, words.ObjectInstallPlan, "Planning", ""),
	leadsTo(result.StateUnhealthy, words.RepairTriesAgain, words.ObjectInstallPlan, "Planning", Saying),
	leadsTo(result.StatePendingApproval, "", words.ObjectInstallPlan, "RequiresApproval", ""), // unless it is approved
	leadsTo(result.StateInstalling, words.RepairGoesOn, words.ObjectInstallPlan, "Installing", ""),
	leadsTo(result.StateUnhealthy, words.RepairTriesAgain, words.ObjectInstallPlan, "Installing", Saying), // OLM says something of errors only
	harmless(words.ObjectInstallPlan, "Complete", ""),                                                     // it is done
	leadsTo(result.StateUnhealthy, words.RepairNewPlan, words.ObjectInstallPlan, "Failed", ""),
	harmless(words.ObjectInstallPlan, "Installed=True", ""), // it is as it should be
	quoted(reason.StatedByOLM, words.ObjectInstallPlan, "Installed=False", "", "PlanUnknown", "InstallCheckFailed", "DependenciesConflict", "InstallComponentFailed"),
	harmless(words.ObjectInstallPlan, "Resolved=True", ""), // it is as it should be
	quoted(reason.StatedByOLM, words.ObjectInstallPlan, "Resolved=False", ""),
	quoted(reason.StatedByOLM, words.ObjectInstallPlan, "BundleLookupPending=True", "", "CatalogSourceMissing", "JobIncomplete", "JobNotStarted", "BundleNotUnpacked"),
	quoted(reason.StatedByOLM, words.ObjectInstallPlan, "BundleLookupFailed=True", "", "JobFailed"),
	never(words.ObjectInstallPlan, "BundleLookupPending", "BundleLookupFailed"),

	leadsTo(result.StateUnhealthy, words.RepairOnceGroupFits, words.ObjectOperatorGroup, "MultipleOperatorGroup=True", "", "MultipleOperatorGroupsFound"),
	leadsTo(result.StateUnhealthy, words.RepairAccount, words.ObjectOperatorGroup, "OperatorGroupServiceAccount=True", "", "ServiceAccountNotFound"),
	never(words.ObjectOperatorGroup, "MultipleOperatorGroup", "OperatorGroupServiceAccount"),

	harmless(words.ObjectCatalogSource, "", ""),      // OLM has not seen it yet
	harmless(words.ObjectCatalogSource, "READY", ""), // it is as it should be
	quoted(reason.CatalogPolls, words.ObjectCatalogSource, "READY", "InvalidIntervalError"),
	quoted(reason.CatalogBroken, words.ObjectCatalogSource, "READY", "SpecInvalidError", "ConfigMapError", "RegistryServerError"),
	quoted(reason.CatalogBroken, words.ObjectCatalogSource, "IDLE", ""),
	quoted(reason.CatalogBroken, words.ObjectCatalogSource, "CONNECTING", ""),
	quoted(reason.CatalogBroken, words.ObjectCatalogSource, "TRANSIENT_FAILURE", ""),
	quoted(reason.CatalogBroken, words.ObjectCatalogSource, "SHUTDOWN", ""),

	harmless(words.ObjectExtension, "Installed=True", "", "Succeeded"),         // it is as it should be
	harmless(words.ObjectExtension, "Installed=False", "", "Absent", "Failed"), // Progressing states how that goes
	quoted(reason.StatedByOLM, words.ObjectExtension, "Installed=Unknown", "", "Failed"),
	quoted(reason.StatedByOLM, words.ObjectExtension, "Progressing=True", ""),
	harmless(words.ObjectExtension, "Progressing=True", "Succeeded"), // it is as it should be
	leadsTo(result.StateInstalling, words.RepairGoesOn, words.ObjectExtension, "Progressing=True", "RollingOut"),
	leadsTo(result.StateUnhealthy, words.RepairTriesAgain, words.ObjectExtension, "Progressing=True", "Retrying"),
	leadsTo(result.StateUnhealthy, "", words.ObjectExtension, "Progressing=False", ""),
	harmless(words.ObjectExtension, "Progressing=False", "Succeeded"), // it is as it should be
	harmless(words.ObjectExtension, "Progressing=False", "Archived"),  // a newer revision took its place
	leadsTo(result.StateUnhealthy, words.RepairStops, words.ObjectExtension, "Progressing=False", "Blocked", "InvalidConfiguration"),
	leadsTo(result.StateUnhealthy, words.RepairTriesAgain, words.ObjectExtension, "Progressing=False", "ProgressDeadlineExceeded"),
	harmless(words.ObjectExtension, "Available=True", "", "ProbesSucceeded"), // it is as it should be
	quoted(reason.StatedByOLM, words.ObjectExtension, "Available=False", "", "ProbeFailure", "RollingOut"),
	quoted(reason.StatedByOLM, words.ObjectExtension, "Available=Unknown", "", "Reconciling"),
	harmless(words.ObjectExtension, "Available=Unknown", "Archived"), // a newer revision took its place
	quoted(reason.StatedByOLM, words.ObjectExtension, "PackageDeprecated=True", "", "Deprecated"),
	quoted(reason.StatedByOLM, words.ObjectExtension, "ChannelDeprecated=True", "", "Deprecated"),
	quoted(reason.StatedByOLM, words.ObjectExtension, "BundleDeprecated=True", "", "Deprecated"),
	harmless(words.ObjectExtension, "Deprecated=True", "", "Deprecated"), // it repeats the conditions of package, channel and bundle
	never(words.ObjectExtension, "PackageDeprecated", "ChannelDeprecated", "BundleDeprecated", "Deprecated"),
	unknownDeprecation("PackageDeprecated", "ChannelDeprecated", "BundleDeprecated", "Deprecated"),

	harmless(words.ObjectClusterCatalog, "Serving=True", "", "Available"), // it is as it should be
	quoted(reason.CatalogNotServed, words.ObjectClusterCatalog, "Serving=False", "", "Unavailable"),
	harmless(words.ObjectClusterCatalog, "Serving=False", "UserSpecifiedUnavailable"), // its spec asks for that
	harmless(words.ObjectClusterCatalog, "Progressing=True", "Succeeded"),             // it is as it should be
	quoted(reason.CatalogStays, words.ObjectClusterCatalog, "Progressing=True", "", "Retrying"),
	quoted(reason.CatalogStays, words.ObjectClusterCatalog, "Progressing=False", "", "Blocked"),
)

// never has the rows of conditions that state something wrong, and do not hold.
func never(kind string, types ...string) (rows []Written) {
	for _, of := range types {
		rows = append(rows, harmless(kind, of+"=False", "")...)
	}
	return rows
}

// unknownDeprecation has the rows of conditions that OLM v1 could not judge: no catalog that it
// reads has the bundle, or nothing is installed.
func unknownDeprecation(types ...string) (rows []Written) {
	for _, of := range types {
		rows = append(rows, harmless(words.ObjectExtension, of+"=Unknown", "DeprecationStatusUnknown", "Absent")...)
	}
	return rows
}

func table(parts ...[]Written) (rows []Written) {
	for _, part := range parts {
		rows = append(rows, part...)
	}
	return rows
}

// rowsOf has the rows of each kind and phase, state or condition.
var rowsOf = func() map[[2]string][]Written {
	of := map[[2]string][]Written{}
	for _, w := range WrittenStates {
		key := [2]string{w.Kind, w.Is}
		of[key] = append(of[key], w)
	}
	return of
}()

// written returns the row of what OLM writes: that of a message, if there is one and the kind has
// such a row, else that of the reason, else the one without a reason. What has no row is quoted.
func written(kind, is, why, message string) Written {
	row := Written{Kind: kind, Is: is, Means: reason.StatedByOLM}
	for _, w := range rowsOf[[2]string{kind, is}] {
		switch {
		case w.Reason == Saying && message != "":
			return w
		case w.Reason == why:
			row = w
		case w.Reason == "" && row.Reason == "":
			row = w
		}
	}
	return row
}
