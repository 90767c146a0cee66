package overview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/updates"
)

// States say what the states of rows mean, in the order of updates.States.
var States = []Meaning{
	{updates.Failed, "failed", "the request or its namespace cannot be resolved"},
	{updates.NotJudged, "not judged", "its catalog was not passed"},
	{updates.Unhealthy, "unhealthy", "the installed version, or its installation, failed"},
	{updates.Pending, "pending", "what OLM is installing waits for something"},
	{updates.Installing, "installing", "OLM is installing; it is not stuck"},
	{updates.PendingApproval, "to be approved", "NEXT comes once you approve an InstallPlan"},
	{updates.Held, "held", "the operator blocks updates; NEXT may already exist, and wait"},
	{updates.AtDeadEnd, "dead end", "the channel has no update from the installed version"},
	{updates.Blocked, "blocked", "there is an update, but it cannot be installed"},
	{updates.NotInstalled, "to install", "NEXT comes now"},
	{updates.UpdateAvailable, "update available", "NEXT comes now"},
	{updates.Kept, "kept", "an operator that requires it accepts nothing newer"},
	{updates.Current, "current", "at the head"},
}

// Meaning is a state in words, and what it means.
type Meaning struct {
	State       updates.State
	Words, Text string
}

func InWords(state updates.State) string {
	if i := slices.IndexFunc(States, func(m Meaning) bool { return m.State == state }); i >= 0 {
		return States[i].Words
	}
	return string(state)
}

// Legend says what the states of rows mean, as a text.
func Legend() string {
	var b strings.Builder
	b.WriteString("States:\n")
	for _, m := range States {
		fmt.Fprintf(&b, "  %-15s  %s\n", m.State, m.Text)
	}
	return b.String()
}
