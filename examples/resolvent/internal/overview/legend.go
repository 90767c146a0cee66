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
	{updates.NotJudged, "not judged", "the content of its catalog was not given"},
	{updates.Unhealthy, "unhealthy", "what is installed, or its installation, failed"},
	{updates.Pending, "pending", "what OLM installs waits for something"},
	{updates.Installing, "installing", "OLM is installing; it is not stuck"},
	{updates.PendingApproval, "to be approved", "NEXT comes once an InstallPlan is approved"},
	{updates.Held, "held", "the operator refuses updates; NEXT may be made already, and wait"},
	{updates.AtDeadEnd, "dead end", "nothing in the channel leads on from what is installed"},
	{updates.Blocked, "blocked", "there is an update, which cannot be taken"},
	{updates.NotInstalled, "to install", "NEXT comes now"},
	{updates.UpdateAvailable, "update available", "NEXT comes now"},
	{updates.Kept, "kept", "what requires it fits nothing newer, and is itself where it can be"},
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
