package outcome

import (
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
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
	State result.State
	// Way is the kind of what ends the state, empty if OLM does not say it.
	Way string
}

// WrittenStates has all that OLM writes. The phases and reasons of a ClusterServiceVersion are those
// of its controller, whose order of checks decides what ends each.
var WrittenStates = []Written{
	{words.ObjectCSV, "", "", "", ""}, // OLM has not seen it yet
	{words.ObjectCSV, "Pending", "", result.StatePending, ""},
	{words.ObjectCSV, "Pending", "RequirementsUnknown", result.StatePending, words.RepairGoesOn},
	{words.ObjectCSV, "Pending", "RequirementsNotMet", result.StatePending, words.RepairOnceMet},
	{words.ObjectCSV, "Pending", "OperatorConditionNotUpgradeable", result.StatePending, words.RepairOnceUpgradeable},
	{words.ObjectCSV, "Pending", "NeedsReinstall", result.StatePending, words.RepairTriesAgain},
	{words.ObjectCSV, "Pending", "NeedsCertRotation", result.StatePending, words.RepairGoesOn},
	{words.ObjectCSV, "Pending", "APIServiceResourcesNeedReinstall", result.StatePending, words.RepairGoesOn},
	{words.ObjectCSV, "Pending", "DetectedClusterChange", result.StatePending, words.RepairGoesOn},
	{words.ObjectCSV, "InstallReady", "", result.StateInstalling, words.RepairGoesOn},
	{words.ObjectCSV, "InstallReady", "AllRequirementsMet", result.StateInstalling, words.RepairGoesOn},
	{words.ObjectCSV, "Installing", "", result.StateInstalling, words.RepairGoesOn},
	{words.ObjectCSV, "Installing", "InstallSucceeded", result.StateInstalling, words.RepairGoesOn}, // its objects are created
	{words.ObjectCSV, "Installing", "InstallWaiting", result.StateInstalling, words.RepairGoesOn},
	{words.ObjectCSV, "Succeeded", "", "", ""},
	{words.ObjectCSV, "Succeeded", "InstallSucceeded", "", ""},
	{words.ObjectCSV, "Succeeded", "Copied", "", ""}, // no installation of its namespace
	{words.ObjectCSV, "Failed", "", result.StateUnhealthy, words.RepairTriesAgain},
	{words.ObjectCSV, "Failed", "RequirementsNotMet", result.StateUnhealthy, words.RepairOnceMet},
	{words.ObjectCSV, "Failed", "OwnerConflict", result.StateUnhealthy, words.RepairOnceSoleOwner},
	{words.ObjectCSV, "Failed", "InstallComponentFailed", result.StateUnhealthy, words.RepairTriesAgain},
	{words.ObjectCSV, "Failed", "InstallComponentFailedNoRetry", result.StateUnhealthy, words.RepairStops},
	{words.ObjectCSV, "Failed", "InvalidInstallStrategy", result.StateUnhealthy, words.RepairOnlyPublisher},
	{words.ObjectCSV, "Failed", "InstallCheckFailed", result.StateUnhealthy, words.RepairNotReady},
	{words.ObjectCSV, "Failed", "ComponentUnhealthy", result.StateUnhealthy, words.RepairNotReady},
	{words.ObjectCSV, "Failed", "APIServiceResourceIssue", result.StateUnhealthy, words.RepairTriesAgain},
	{words.ObjectCSV, "Failed", "APIServiceInstallFailed", result.StateUnhealthy, words.RepairTriesAgain},
	{words.ObjectCSV, "Failed", "InvalidInstallModes", result.StateUnhealthy, words.RepairOnlyPublisher},
	{words.ObjectCSV, "Failed", "InvalidWebhookDescription", result.StateUnhealthy, words.RepairOnlyPublisher},
	{words.ObjectCSV, "Failed", "NoTargetNamespaces", result.StateUnhealthy, words.RepairOnceGroupFits},
	{words.ObjectCSV, "Failed", "UnsupportedOperatorGroup", result.StateUnhealthy, words.RepairOnceGroupFits},
	{words.ObjectCSV, "Failed", "NoOperatorGroup", result.StateUnhealthy, words.RepairOnceGroupFits},
	{words.ObjectCSV, "Failed", "TooManyOperatorGroups", result.StateUnhealthy, words.RepairOnceGroupFits},
	{words.ObjectCSV, "Failed", "InterOperatorGroupOwnerConflict", result.StateUnhealthy, words.RepairOnceSoleOwner},
	{words.ObjectCSV, "Failed", "CannotModifyStaticOperatorGroupProvidedAPIs", result.StateUnhealthy, words.RepairOnceListed},
	{words.ObjectCSV, "Unknown", "", result.StatePending, words.RepairStops},
	{words.ObjectCSV, "Replacing", "", "", ""}, // what replaces it states how that goes
	{words.ObjectCSV, "Replacing", "BeingReplaced", "", ""},
	{words.ObjectCSV, "Deleting", "", "", ""}, // does not count as installed
	{words.ObjectCSV, "Deleting", "Replaced", "", ""},
	{words.ObjectCSV, "Deleting", "WaitingOnCleanup", "", ""},

	{words.ObjectSubscription, "", "", "", ""},
	{words.ObjectSubscription, "UpgradeAvailable", "", "", ""},
	{words.ObjectSubscription, "UpgradePending", "", "", ""},
	{words.ObjectSubscription, "AtLatestKnown", "", "", ""},
	{words.ObjectSubscription, "UpgradeFailed", "", result.StateUnhealthy, ""},
	{words.ObjectSubscription, "BundleUnpackFailed=True", "", result.StateUnhealthy, words.RepairUnpackAgain},
	{words.ObjectSubscription, "InstallPlanFailed=True", "", result.StateUnhealthy, words.RepairNewPlan},
	{words.ObjectSubscription, "InstallPlanMissing=True", "", result.StateUnhealthy, words.RepairPlanComes},
	{words.ObjectSubscription, "InstallPlanPending=True", "", "", ""}, // the plan states how it stands
	{words.ObjectSubscription, "BundleUnpacking=True", "", "", ""},
	{words.ObjectSubscription, "ResolutionFailed=True", "", "", ""}, // is judged here
	{words.ObjectSubscription, "CatalogSourcesUnhealthy=True", "", "", ""},

	{words.ObjectInstallPlan, "", "", "", ""},
	{words.ObjectInstallPlan, "Planning", "", "", ""},
	{words.ObjectInstallPlan, "RequiresApproval", "", result.StatePendingApproval, ""}, // unless it is approved
	{words.ObjectInstallPlan, "Installing", "", "", ""},
	{words.ObjectInstallPlan, "Complete", "", "", ""},
	{words.ObjectInstallPlan, "Failed", "", result.StateUnhealthy, words.RepairNewPlan},

	{words.ObjectExtension, "Installed=True", "", "", ""},
	{words.ObjectExtension, "Installed=False", "", "", ""}, // Progressing states how that goes
	{words.ObjectExtension, "Progressing=True", "", "", ""},
	{words.ObjectExtension, "Progressing=True", "Succeeded", "", ""},
	{words.ObjectExtension, "Progressing=True", "RollingOut", result.StateInstalling, ""},
	{words.ObjectExtension, "Progressing=True", "Retrying", result.StateUnhealthy, words.RepairTriesAgain},
	{words.ObjectExtension, "Progressing=False", "", result.StateUnhealthy, ""},
	{words.ObjectExtension, "Progressing=False", "Succeeded", "", ""},
	{words.ObjectExtension, "Progressing=False", "Blocked", result.StateUnhealthy, words.RepairStops},
	{words.ObjectExtension, "Progressing=False", "InvalidConfiguration", result.StateUnhealthy, words.RepairStops},
	{words.ObjectExtension, "Progressing=False", "ProgressDeadlineExceeded", result.StateUnhealthy, words.RepairTriesAgain},
}

// written returns the row of what OLM writes: that of the reason, else the one without a
// reason, else a zero one.
func written(kind string, is, reason string) (row Written) {
	for _, w := range WrittenStates {
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
