package observed

import (
	"strings"

	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/updates"
)

// Written is one thing that OLM writes in the status of an object, and what it means for the
// request that the object serves.
type Written struct {
	Kind fixes.ObjectKind
	// Is is a phase or a state, or the type and the status of a condition: "Installed=False".
	Is string
	// Reason is the reason beside it. The row without a reason stands for all others.
	Reason string
	// State is the state that follows, empty if none does.
	State updates.State
	// Way is the kind of what ends the state, empty if OLM does not say it.
	Way string
}

// Table has all that OLM writes. The phases and reasons of a ClusterServiceVersion are those
// of its controller, whose order of checks decides what ends each.
var Table = []Written{
	{fixes.ObjectCSV, "", "", "", ""}, // OLM has not seen it yet
	{fixes.ObjectCSV, "Pending", "", updates.Pending, ""},
	{fixes.ObjectCSV, "Pending", "RequirementsUnknown", updates.Pending, code.RepairGoesOn},
	{fixes.ObjectCSV, "Pending", "RequirementsNotMet", updates.Pending, code.RepairOnceMet},
	{fixes.ObjectCSV, "Pending", "OperatorConditionNotUpgradeable", updates.Pending, code.RepairOnceUpgradeable},
	{fixes.ObjectCSV, "Pending", "NeedsReinstall", updates.Pending, code.RepairTriesAgain},
	{fixes.ObjectCSV, "Pending", "NeedsCertRotation", updates.Pending, code.RepairGoesOn},
	{fixes.ObjectCSV, "Pending", "APIServiceResourcesNeedReinstall", updates.Pending, code.RepairGoesOn},
	{fixes.ObjectCSV, "Pending", "DetectedClusterChange", updates.Pending, code.RepairGoesOn},
	{fixes.ObjectCSV, "InstallReady", "", updates.Installing, code.RepairGoesOn},
	{fixes.ObjectCSV, "InstallReady", "AllRequirementsMet", updates.Installing, code.RepairGoesOn},
	{fixes.ObjectCSV, "Installing", "", updates.Installing, code.RepairGoesOn},
	{fixes.ObjectCSV, "Installing", "InstallSucceeded", updates.Installing, code.RepairGoesOn}, // its objects are created
	{fixes.ObjectCSV, "Installing", "InstallWaiting", updates.Installing, code.RepairGoesOn},
	{fixes.ObjectCSV, "Succeeded", "", "", ""},
	{fixes.ObjectCSV, "Succeeded", "InstallSucceeded", "", ""},
	{fixes.ObjectCSV, "Succeeded", "Copied", "", ""}, // no installation of its namespace
	{fixes.ObjectCSV, "Failed", "", updates.Unhealthy, code.RepairTriesAgain},
	{fixes.ObjectCSV, "Failed", "RequirementsNotMet", updates.Unhealthy, code.RepairOnceMet},
	{fixes.ObjectCSV, "Failed", "OwnerConflict", updates.Unhealthy, code.RepairOnceSoleOwner},
	{fixes.ObjectCSV, "Failed", "InstallComponentFailed", updates.Unhealthy, code.RepairTriesAgain},
	{fixes.ObjectCSV, "Failed", "InstallComponentFailedNoRetry", updates.Unhealthy, code.RepairStops},
	{fixes.ObjectCSV, "Failed", "InvalidInstallStrategy", updates.Unhealthy, code.RepairOnlyPublisher},
	{fixes.ObjectCSV, "Failed", "InstallCheckFailed", updates.Unhealthy, code.RepairNotReady},
	{fixes.ObjectCSV, "Failed", "ComponentUnhealthy", updates.Unhealthy, code.RepairNotReady},
	{fixes.ObjectCSV, "Failed", "APIServiceResourceIssue", updates.Unhealthy, code.RepairTriesAgain},
	{fixes.ObjectCSV, "Failed", "APIServiceInstallFailed", updates.Unhealthy, code.RepairTriesAgain},
	{fixes.ObjectCSV, "Failed", "InvalidInstallModes", updates.Unhealthy, code.RepairOnlyPublisher},
	{fixes.ObjectCSV, "Failed", "InvalidWebhookDescription", updates.Unhealthy, code.RepairOnlyPublisher},
	{fixes.ObjectCSV, "Failed", "NoTargetNamespaces", updates.Unhealthy, code.RepairOnceGroupFits},
	{fixes.ObjectCSV, "Failed", "UnsupportedOperatorGroup", updates.Unhealthy, code.RepairOnceGroupFits},
	{fixes.ObjectCSV, "Failed", "NoOperatorGroup", updates.Unhealthy, code.RepairOnceGroupFits},
	{fixes.ObjectCSV, "Failed", "TooManyOperatorGroups", updates.Unhealthy, code.RepairOnceGroupFits},
	{fixes.ObjectCSV, "Failed", "InterOperatorGroupOwnerConflict", updates.Unhealthy, code.RepairOnceSoleOwner},
	{fixes.ObjectCSV, "Failed", "CannotModifyStaticOperatorGroupProvidedAPIs", updates.Unhealthy, code.RepairOnceListed},
	{fixes.ObjectCSV, "Unknown", "", updates.Pending, code.RepairStops},
	{fixes.ObjectCSV, "Replacing", "", "", ""}, // what replaces it states how that goes
	{fixes.ObjectCSV, "Replacing", "BeingReplaced", "", ""},
	{fixes.ObjectCSV, "Deleting", "", "", ""}, // does not count as installed
	{fixes.ObjectCSV, "Deleting", "Replaced", "", ""},
	{fixes.ObjectCSV, "Deleting", "WaitingOnCleanup", "", ""},

	{fixes.ObjectSubscription, "", "", "", ""},
	{fixes.ObjectSubscription, "UpgradeAvailable", "", "", ""},
	{fixes.ObjectSubscription, "UpgradePending", "", "", ""},
	{fixes.ObjectSubscription, "AtLatestKnown", "", "", ""},
	{fixes.ObjectSubscription, "UpgradeFailed", "", updates.Unhealthy, ""},
	{fixes.ObjectSubscription, "BundleUnpackFailed=True", "", updates.Unhealthy, code.RepairUnpackAgain},
	{fixes.ObjectSubscription, "InstallPlanFailed=True", "", updates.Unhealthy, code.RepairNewPlan},
	{fixes.ObjectSubscription, "InstallPlanMissing=True", "", updates.Unhealthy, code.RepairPlanComes},
	{fixes.ObjectSubscription, "InstallPlanPending=True", "", "", ""}, // the plan states how it stands
	{fixes.ObjectSubscription, "BundleUnpacking=True", "", "", ""},
	{fixes.ObjectSubscription, "ResolutionFailed=True", "", "", ""}, // is judged here
	{fixes.ObjectSubscription, "CatalogSourcesUnhealthy=True", "", "", ""},

	{fixes.ObjectInstallPlan, "", "", "", ""},
	{fixes.ObjectInstallPlan, "Planning", "", "", ""},
	{fixes.ObjectInstallPlan, "RequiresApproval", "", updates.PendingApproval, ""}, // unless it is approved
	{fixes.ObjectInstallPlan, "Installing", "", "", ""},
	{fixes.ObjectInstallPlan, "Complete", "", "", ""},
	{fixes.ObjectInstallPlan, "Failed", "", updates.Unhealthy, code.RepairNewPlan},

	{fixes.ObjectExtension, "Installed=True", "", "", ""},
	{fixes.ObjectExtension, "Installed=False", "", "", ""}, // Progressing states how that goes
	{fixes.ObjectExtension, "Progressing=True", "", "", ""},
	{fixes.ObjectExtension, "Progressing=True", "Succeeded", "", ""},
	{fixes.ObjectExtension, "Progressing=True", "RollingOut", updates.Installing, ""},
	{fixes.ObjectExtension, "Progressing=True", "Retrying", updates.Unhealthy, code.RepairTriesAgain},
	{fixes.ObjectExtension, "Progressing=False", "", updates.Unhealthy, ""},
	{fixes.ObjectExtension, "Progressing=False", "Succeeded", "", ""},
	{fixes.ObjectExtension, "Progressing=False", "Blocked", updates.Unhealthy, code.RepairStops},
	{fixes.ObjectExtension, "Progressing=False", "InvalidConfiguration", updates.Unhealthy, code.RepairStops},
	{fixes.ObjectExtension, "Progressing=False", "ProgressDeadlineExceeded", updates.Unhealthy, code.RepairTriesAgain},
}

// written returns the row of what OLM writes: that of the reason, else the one without a
// reason, else a zero one.
func written(kind fixes.ObjectKind, is, reason string) (row Written) {
	for _, w := range Table {
		if w.Kind == kind && w.Is == is && (w.Reason == reason || w.Reason == "") {
			if row = w; w.Reason == reason {
				return row
			}
		}
	}
	return row
}

// condition returns the row, and whether it is of a condition: its type and its status.
func (w *Written) condition() (of, status string, ok bool) { return strings.Cut(w.Is, "=") }
