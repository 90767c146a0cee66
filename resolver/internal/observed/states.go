package observed

import (
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/updates"
)

// Written is one thing that OLM writes in the status of an object, and what it means for the
// request that the object serves.
type Written struct {
	Kind string
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
	{code.ObjectCSV, "", "", "", ""}, // OLM has not seen it yet
	{code.ObjectCSV, "Pending", "", updates.Pending, ""},
	{code.ObjectCSV, "Pending", "RequirementsUnknown", updates.Pending, code.RepairGoesOn},
	{code.ObjectCSV, "Pending", "RequirementsNotMet", updates.Pending, code.RepairOnceMet},
	{code.ObjectCSV, "Pending", "OperatorConditionNotUpgradeable", updates.Pending, code.RepairOnceUpgradeable},
	{code.ObjectCSV, "Pending", "NeedsReinstall", updates.Pending, code.RepairTriesAgain},
	{code.ObjectCSV, "Pending", "NeedsCertRotation", updates.Pending, code.RepairGoesOn},
	{code.ObjectCSV, "Pending", "APIServiceResourcesNeedReinstall", updates.Pending, code.RepairGoesOn},
	{code.ObjectCSV, "Pending", "DetectedClusterChange", updates.Pending, code.RepairGoesOn},
	{code.ObjectCSV, "InstallReady", "", updates.Installing, code.RepairGoesOn},
	{code.ObjectCSV, "InstallReady", "AllRequirementsMet", updates.Installing, code.RepairGoesOn},
	{code.ObjectCSV, "Installing", "", updates.Installing, code.RepairGoesOn},
	{code.ObjectCSV, "Installing", "InstallSucceeded", updates.Installing, code.RepairGoesOn}, // its objects are created
	{code.ObjectCSV, "Installing", "InstallWaiting", updates.Installing, code.RepairGoesOn},
	{code.ObjectCSV, "Succeeded", "", "", ""},
	{code.ObjectCSV, "Succeeded", "InstallSucceeded", "", ""},
	{code.ObjectCSV, "Succeeded", "Copied", "", ""}, // no installation of its namespace
	{code.ObjectCSV, "Failed", "", updates.Unhealthy, code.RepairTriesAgain},
	{code.ObjectCSV, "Failed", "RequirementsNotMet", updates.Unhealthy, code.RepairOnceMet},
	{code.ObjectCSV, "Failed", "OwnerConflict", updates.Unhealthy, code.RepairOnceSoleOwner},
	{code.ObjectCSV, "Failed", "InstallComponentFailed", updates.Unhealthy, code.RepairTriesAgain},
	{code.ObjectCSV, "Failed", "InstallComponentFailedNoRetry", updates.Unhealthy, code.RepairStops},
	{code.ObjectCSV, "Failed", "InvalidInstallStrategy", updates.Unhealthy, code.RepairOnlyPublisher},
	{code.ObjectCSV, "Failed", "InstallCheckFailed", updates.Unhealthy, code.RepairNotReady},
	{code.ObjectCSV, "Failed", "ComponentUnhealthy", updates.Unhealthy, code.RepairNotReady},
	{code.ObjectCSV, "Failed", "APIServiceResourceIssue", updates.Unhealthy, code.RepairTriesAgain},
	{code.ObjectCSV, "Failed", "APIServiceInstallFailed", updates.Unhealthy, code.RepairTriesAgain},
	{code.ObjectCSV, "Failed", "InvalidInstallModes", updates.Unhealthy, code.RepairOnlyPublisher},
	{code.ObjectCSV, "Failed", "InvalidWebhookDescription", updates.Unhealthy, code.RepairOnlyPublisher},
	{code.ObjectCSV, "Failed", "NoTargetNamespaces", updates.Unhealthy, code.RepairOnceGroupFits},
	{code.ObjectCSV, "Failed", "UnsupportedOperatorGroup", updates.Unhealthy, code.RepairOnceGroupFits},
	{code.ObjectCSV, "Failed", "NoOperatorGroup", updates.Unhealthy, code.RepairOnceGroupFits},
	{code.ObjectCSV, "Failed", "TooManyOperatorGroups", updates.Unhealthy, code.RepairOnceGroupFits},
	{code.ObjectCSV, "Failed", "InterOperatorGroupOwnerConflict", updates.Unhealthy, code.RepairOnceSoleOwner},
	{code.ObjectCSV, "Failed", "CannotModifyStaticOperatorGroupProvidedAPIs", updates.Unhealthy, code.RepairOnceListed},
	{code.ObjectCSV, "Unknown", "", updates.Pending, code.RepairStops},
	{code.ObjectCSV, "Replacing", "", "", ""}, // what replaces it states how that goes
	{code.ObjectCSV, "Replacing", "BeingReplaced", "", ""},
	{code.ObjectCSV, "Deleting", "", "", ""}, // does not count as installed
	{code.ObjectCSV, "Deleting", "Replaced", "", ""},
	{code.ObjectCSV, "Deleting", "WaitingOnCleanup", "", ""},

	{code.ObjectSubscription, "", "", "", ""},
	{code.ObjectSubscription, "UpgradeAvailable", "", "", ""},
	{code.ObjectSubscription, "UpgradePending", "", "", ""},
	{code.ObjectSubscription, "AtLatestKnown", "", "", ""},
	{code.ObjectSubscription, "UpgradeFailed", "", updates.Unhealthy, ""},
	{code.ObjectSubscription, "BundleUnpackFailed=True", "", updates.Unhealthy, code.RepairUnpackAgain},
	{code.ObjectSubscription, "InstallPlanFailed=True", "", updates.Unhealthy, code.RepairNewPlan},
	{code.ObjectSubscription, "InstallPlanMissing=True", "", updates.Unhealthy, code.RepairPlanComes},
	{code.ObjectSubscription, "InstallPlanPending=True", "", "", ""}, // the plan states how it stands
	{code.ObjectSubscription, "BundleUnpacking=True", "", "", ""},
	{code.ObjectSubscription, "ResolutionFailed=True", "", "", ""}, // is judged here
	{code.ObjectSubscription, "CatalogSourcesUnhealthy=True", "", "", ""},

	{code.ObjectInstallPlan, "", "", "", ""},
	{code.ObjectInstallPlan, "Planning", "", "", ""},
	{code.ObjectInstallPlan, "RequiresApproval", "", updates.PendingApproval, ""}, // unless it is approved
	{code.ObjectInstallPlan, "Installing", "", "", ""},
	{code.ObjectInstallPlan, "Complete", "", "", ""},
	{code.ObjectInstallPlan, "Failed", "", updates.Unhealthy, code.RepairNewPlan},

	{code.ObjectExtension, "Installed=True", "", "", ""},
	{code.ObjectExtension, "Installed=False", "", "", ""}, // Progressing states how that goes
	{code.ObjectExtension, "Progressing=True", "", "", ""},
	{code.ObjectExtension, "Progressing=True", "Succeeded", "", ""},
	{code.ObjectExtension, "Progressing=True", "RollingOut", updates.Installing, ""},
	{code.ObjectExtension, "Progressing=True", "Retrying", updates.Unhealthy, code.RepairTriesAgain},
	{code.ObjectExtension, "Progressing=False", "", updates.Unhealthy, ""},
	{code.ObjectExtension, "Progressing=False", "Succeeded", "", ""},
	{code.ObjectExtension, "Progressing=False", "Blocked", updates.Unhealthy, code.RepairStops},
	{code.ObjectExtension, "Progressing=False", "InvalidConfiguration", updates.Unhealthy, code.RepairStops},
	{code.ObjectExtension, "Progressing=False", "ProgressDeadlineExceeded", updates.Unhealthy, code.RepairTriesAgain},
}

// written returns the row of what OLM writes: that of the reason, else the one without a
// reason, else a zero one.
func written(kind string, is, reason string) (row Written) {
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
