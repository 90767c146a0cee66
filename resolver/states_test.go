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

// Each row of the table of what OLM writes leads to one thing, and what random objects state has a row.
func TestStatesOfOLM(t *testing.T) {
	rows := map[string]bool{}
	for _, row := range outcome.WrittenStates {
		name := strings.Join([]string{row.Kind, row.Is, row.Reason}, " ")
		assert.False(t, rows[name], "%s has two rows", name)
		rows[name] = true
		leads := 0
		for _, is := range []bool{row.State != "", row.Means != "", row.Harmless} {
			if is {
				leads++
			}
		}
		assert.Equal(t, 1, leads, "%s: a state, a sentence that quotes it, or why it is harmless", name)
		written := []result.State{"", result.StateUnhealthy, result.StatePending, result.StateInstalling, result.StatePendingApproval}
		assert.Contains(t, written, row.State, name)
		named := row.Reason != "" && (row.State == result.StateUnhealthy || row.State == result.StatePending)
		assert.True(t, row.Way != "" || !named, "%s: what ends it is not said", name)
		assert.True(t, row.Way == "" || row.State != "", "%s: no state, and what ends it", name)
		if _, documented := words.English[string(row.Means)]; row.Means != "" {
			assert.True(t, documented, name)
		}
	}
	has := func(kind, is, reason string) {
		assert.True(t, rows[strings.Join([]string{kind, is, reason}, " ")], "%s %s %s", kind, is, reason)
	}
	for phase, reasons := range random.Reasons {
		for _, reason := range append(reasons, "") {
			has(words.ObjectCSV, phase, reason)
		}
	}
	for _, condition := range random.Conditions {
		has(words.ObjectSubscription, condition+"=True", "")
		has(words.ObjectSubscription, condition+"=False", "")
	}
}

// Every state that stands before a new installation is stuck, but for one that is on its way.
func TestStuckStates(t *testing.T) {
	for i, state := range result.States {
		row := result.Status{State: state}
		assert.Equal(t, i < slices.Index(result.States, result.StateNotInstalled) && state != result.StateInstalling, row.Stuck(), "%s", state)
	}
}
