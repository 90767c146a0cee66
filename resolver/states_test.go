package resolver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Whatever OLM writes in a status has a row of the table of states. These are the values of
// its API types; random objects have them.
func TestStatesOfOLM(t *testing.T) {
	var all []string
	add := func(kind string, is string, reasons ...string) {
		for _, reason := range append(reasons, "") {
			all = append(all, strings.Join([]string{string(kind), is, reason}, " "))
		}
	}
	add(words.ObjectCSV, "")
	for phase, reasons := range random.Reasons {
		add(words.ObjectCSV, phase, reasons...)
	}
	for _, state := range []string{"", "UpgradeAvailable", "UpgradePending", "AtLatestKnown", "UpgradeFailed"} {
		add(words.ObjectSubscription, state)
	}
	for _, condition := range random.Conditions {
		add(words.ObjectSubscription, condition+"=True")
	}
	for _, phase := range []string{"", "Planning", "RequiresApproval", "Installing", "Complete", "Failed"} {
		add(words.ObjectInstallPlan, phase)
	}
	add(words.ObjectExtension, "Installed=True")
	add(words.ObjectExtension, "Installed=False")
	add(words.ObjectExtension, "Progressing=True", "Succeeded", "RollingOut", "Retrying")
	add(words.ObjectExtension, "Progressing=False", "Succeeded", "Blocked", "InvalidConfiguration", "ProgressDeadlineExceeded")
	var rows []string
	for _, row := range outcome.WrittenStates {
		rows = append(rows, strings.Join([]string{string(row.Kind), row.Is, row.Reason}, " "))
		written := []result.State{"", result.StateUnhealthy, result.StatePending, result.StateInstalling, result.StatePendingApproval}
		assert.Contains(t, written, row.State, "%s %s %s", row.Kind, row.Is, row.Reason)
		named := row.Reason != "" && (row.State == result.StateUnhealthy || row.State == result.StatePending)
		assert.True(t, row.Way != "" || !named, "%s %s %s: what ends it is not said", row.Kind, row.Is, row.Reason)
		assert.True(t, row.Way == "" || row.State != "", "%s %s %s: no state, and what ends it", row.Kind, row.Is, row.Reason)
	}
	slices.Sort(all)
	slices.Sort(rows)
	assert.Equal(t, all, rows)
}

// Every state that stands before a new installation is stuck, but for one that is on its way.
func TestStuckStates(t *testing.T) {
	for i, state := range result.States {
		row := result.Status{State: state}
		assert.Equal(t, i < slices.Index(result.States, result.StateNotInstalled) && state != result.StateInstalling, row.Stuck(), "%s", state)
	}
}
