package outcome

import (
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
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

// WrittenStates has all that OLM writes. The phases and reasons of a ClusterServiceVersion are those
// of its controller, whose order of checks decides what ends each.
var WrittenStates = []Written{
	{words.ObjectCSV, "", "", "", ""}, // OLM has not seen it yet
	{words.ObjectCSV, "Pending", "", updates.Pending, ""},
	{words.ObjectCSV, "Pending", "RequirementsUnknown", updates.Pending, words.RepairGoesOn},
	{words.ObjectCSV, "Pending", "RequirementsNotMet", updates.Pending, words.RepairOnceMet},
	{words.ObjectCSV, "Pending", "OperatorConditionNotUpgradeable", updates.Pending, words.RepairOnceUpgradeable},
	{words.ObjectCSV, "Pending", "NeedsReinstall", updates.Pending, words.RepairTriesAgain},
	{words.ObjectCSV, "Pending", "NeedsCertRotation", updates.Pending, words.RepairGoesOn},
	{words.ObjectCSV, "Pending", "APIServiceResourcesNeedReinstall", updates.Pending, words.RepairGoesOn},
	{words.ObjectCSV, "Pending", "DetectedClusterChange", updates.Pending, words.RepairGoesOn},
	{words.ObjectCSV, "InstallReady", "", updates.Installing, words.RepairGoesOn},
	{words.ObjectCSV, "InstallReady", "AllRequirementsMet", updates.Installing, words.RepairGoesOn},
	{words.ObjectCSV, "Installing", "", updates.Installing, words.RepairGoesOn},
	{words.ObjectCSV, "Installing", "InstallSucceeded", updates.Installing, words.RepairGoesOn}, // its objects are created
	{words.ObjectCSV, "Installing", "InstallWaiting", updates.Installing, words.RepairGoesOn},
	{words.ObjectCSV, "Succeeded", "", "", ""},
	{words.ObjectCSV, "Succeeded", "InstallSucceeded", "", ""},
	{words.ObjectCSV, "Succeeded", "Copied", "", ""}, // no installation of its namespace
	{words.ObjectCSV, "Failed", "", updates.Unhealthy, words.RepairTriesAgain},
	{words.ObjectCSV, "Failed", "RequirementsNotMet", updates.Unhealthy, words.RepairOnceMet},
	{words.ObjectCSV, "Failed", "OwnerConflict", updates.Unhealthy, words.RepairOnceSoleOwner},
	{words.ObjectCSV, "Failed", "InstallComponentFailed", updates.Unhealthy, words.RepairTriesAgain},
	{words.ObjectCSV, "Failed", "InstallComponentFailedNoRetry", updates.Unhealthy, words.RepairStops},
	{words.ObjectCSV, "Failed", "InvalidInstallStrategy", updates.Unhealthy, words.RepairOnlyPublisher},
	{words.ObjectCSV, "Failed", "InstallCheckFailed", updates.Unhealthy, words.RepairNotReady},
	{words.ObjectCSV, "Failed", "ComponentUnhealthy", updates.Unhealthy, words.RepairNotReady},
	{words.ObjectCSV, "Failed", "APIServiceResourceIssue", updates.Unhealthy, words.RepairTriesAgain},
	{words.ObjectCSV, "Failed", "APIServiceInstallFailed", updates.Unhealthy, words.RepairTriesAgain},
	{words.ObjectCSV, "Failed", "InvalidInstallModes", updates.Unhealthy, words.RepairOnlyPublisher},
	{words.ObjectCSV, "Failed", "InvalidWebhookDescription", updates.Unhealthy, words.RepairOnlyPublisher},
	{words.ObjectCSV, "Failed", "NoTargetNamespaces", updates.Unhealthy, words.RepairOnceGroupFits},
	{words.ObjectCSV, "Failed", "UnsupportedOperatorGroup", updates.Unhealthy, words.RepairOnceGroupFits},
	{words.ObjectCSV, "Failed", "NoOperatorGroup", updates.Unhealthy, words.RepairOnceGroupFits},
	{words.ObjectCSV, "Failed", "TooManyOperatorGroups", updates.Unhealthy, words.RepairOnceGroupFits},
	{words.ObjectCSV, "Failed", "InterOperatorGroupOwnerConflict", updates.Unhealthy, words.RepairOnceSoleOwner},
	{words.ObjectCSV, "Failed", "CannotModifyStaticOperatorGroupProvidedAPIs", updates.Unhealthy, words.RepairOnceListed},
	{words.ObjectCSV, "Unknown", "", updates.Pending, words.RepairStops},
	{words.ObjectCSV, "Replacing", "", "", ""}, // what replaces it states how that goes
	{words.ObjectCSV, "Replacing", "BeingReplaced", "", ""},
	{words.ObjectCSV, "Deleting", "", "", ""}, // does not count as installed
	{words.ObjectCSV, "Deleting", "Replaced", "", ""},
	{words.ObjectCSV, "Deleting", "WaitingOnCleanup", "", ""},

	{words.ObjectSubscription, "", "", "", ""},
	{words.ObjectSubscription, "UpgradeAvailable", "", "", ""},
	{words.ObjectSubscription, "UpgradePending", "", "", ""},
	{words.ObjectSubscription, "AtLatestKnown", "", "", ""},
	{words.ObjectSubscription, "UpgradeFailed", "", updates.Unhealthy, ""},
	{words.ObjectSubscription, "BundleUnpackFailed=True", "", updates.Unhealthy, words.RepairUnpackAgain},
	{words.ObjectSubscription, "InstallPlanFailed=True", "", updates.Unhealthy, words.RepairNewPlan},
	{words.ObjectSubscription, "InstallPlanMissing=True", "", updates.Unhealthy, words.RepairPlanComes},
	{words.ObjectSubscription, "InstallPlanPending=True", "", "", ""}, // the plan states how it stands
	{words.ObjectSubscription, "BundleUnpacking=True", "", "", ""},
	{words.ObjectSubscription, "ResolutionFailed=True", "", "", ""}, // is judged here
	{words.ObjectSubscription, "CatalogSourcesUnhealthy=True", "", "", ""},

	{words.ObjectInstallPlan, "", "", "", ""},
	{words.ObjectInstallPlan, "Planning", "", "", ""},
	{words.ObjectInstallPlan, "RequiresApproval", "", updates.PendingApproval, ""}, // unless it is approved
	{words.ObjectInstallPlan, "Installing", "", "", ""},
	{words.ObjectInstallPlan, "Complete", "", "", ""},
	{words.ObjectInstallPlan, "Failed", "", updates.Unhealthy, words.RepairNewPlan},

	{words.ObjectExtension, "Installed=True", "", "", ""},
	{words.ObjectExtension, "Installed=False", "", "", ""}, // Progressing states how that goes
	{words.ObjectExtension, "Progressing=True", "", "", ""},
	{words.ObjectExtension, "Progressing=True", "Succeeded", "", ""},
	{words.ObjectExtension, "Progressing=True", "RollingOut", updates.Installing, ""},
	{words.ObjectExtension, "Progressing=True", "Retrying", updates.Unhealthy, words.RepairTriesAgain},
	{words.ObjectExtension, "Progressing=False", "", updates.Unhealthy, ""},
	{words.ObjectExtension, "Progressing=False", "Succeeded", "", ""},
	{words.ObjectExtension, "Progressing=False", "Blocked", updates.Unhealthy, words.RepairStops},
	{words.ObjectExtension, "Progressing=False", "InvalidConfiguration", updates.Unhealthy, words.RepairStops},
	{words.ObjectExtension, "Progressing=False", "ProgressDeadlineExceeded", updates.Unhealthy, words.RepairTriesAgain},
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
