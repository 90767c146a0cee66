package overview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/result"
)

// States say what the states of rows mean, in the order of result.States.
var States = []Meaning{
	{result.StateFailed, "failed", "the request itself cannot be resolved"},
	{result.StateNotJudged, "not judged", "its catalog was not passed"},
	{result.StateUnhealthy, "unhealthy", "the installed version, or its installation, failed"},
	{result.StatePending, "pending", "what OLM is installing waits for something"},
	{result.StateInstalling, "installing", "OLM is installing; it is not stuck"},
	{result.StatePendingApproval, "to be approved", "NEXT comes once you approve an InstallPlan"},
	{result.StateHeld, "held", "the operator blocks updates; NEXT may already exist, and wait"},
	{result.StateAtDeadEnd, "dead end", "the channel has no update from the installed version"},
	{result.StateBlocked, "blocked", "there is an update, but it cannot be installed"},
	{result.StateWaiting, "waiting", "it waits for other requests of its namespace, which fail or are updated first"},
	{result.StateNotInstalled, "to install", "NEXT comes now"},
	{result.StateUpdateAvailable, "update available", "NEXT comes now"},
	{result.StateKept, "kept", "an operator that requires it accepts nothing newer"},
	{result.StateCurrent, "current", "at the head"},
}

// Meaning is a state in words, and what it means.
type Meaning struct {
	State       result.State
	Words, Text string
}

func InWords(state result.State) string {
	if i := slices.IndexFunc(States, func(m Meaning) bool { return m.State == state }); i >= 0 {
		return States[i].Words
	}
	return string(state)
}

// Falling are the columns of rows in the order in which they fall away on a narrow terminal.
var Falling = []string{"PACKAGE", "CHANNEL", "STEPS", "SUPPORT", "WAITS FOR", "HEAD", "NEXT", "INSTALLED", "INSTALLED -> NEXT", "LOCK", "TARGET"}

// Legend says what the states of rows mean, as a text.
func Legend() string {
	var b strings.Builder
	b.WriteString("States:\n")
	for _, m := range States {
		fmt.Fprintf(&b, "  %-15s  %s\n", m.State, m.Text)
	}
	fmt.Fprintf(&b, "On a narrow terminal, columns fall away in this order: %s.\n", strings.Join(Falling, ", "))
	return b.String()
}
