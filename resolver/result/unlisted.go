package result

import (
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Unlisted is why no channel offers a bundle.
type Unlisted struct {
	// Channel is a channel that lists the bundle, empty if none does.
	Channel string
	// Fault is why the channel cannot be used, if it cannot. Skipped is true if the channel
	// skips the bundle. With neither, the bundle is off the channel's chain of updates.
	Fault   string
	Skipped bool
	// NoBundle is true if the catalog has no bundle for the entry. Quarantine is the fault
	// that took it away, if any.
	NoBundle   bool
	Quarantine error
}

// Error returns why an update cannot lead to the entry.
func (u *Unlisted) Error() string { return u.say("noUpdateTo") }

func (u *Unlisted) say(row string) string { return words.English.Say(row, false, u.value) }

func (u *Unlisted) value(name string) string {
	switch name {
	case "channel":
		return u.Channel
	case "no bundle":
		return flag(u.NoBundle)
	case "skipped":
		return flag(u.Skipped)
	}
	if u.NoBundle && u.Quarantine != nil {
		return words.Clip(u.Quarantine.Error(), maxFaults)
	}
	return when(!u.NoBundle, u.Fault)
}

// leftOut returns the end of a sentence with the faults that took away parts of a package.
func leftOut(faults []catalog.Fault) string {
	if len(faults) == 0 {
		return ""
	}
	var messages []string
	size := 0
	for i := 0; i < len(faults) && size < maxFaults; i++ {
		messages = append(messages, faults[i].Error())
		size += len(messages[i])
	}
	return words.Failures.With("faults", 1, words.Values{"faults": words.Clip(strings.Join(messages, "; "), maxFaults)})
}
