package result

import (
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/text"
)

// Unlisted is why no channel offers a bundle: none lists it, or this one does, and
// cannot be used, skips it, or has it beside its chain of updates. Or NoBundle is
// set: the catalog has no bundle of that name, or a Quarantine takes it away.
type Unlisted struct {
	Channel    string
	Fault      string
	Skipped    bool
	NoBundle   bool
	Quarantine error
}

// Error is why an update cannot lead to the entry.
func (u *Unlisted) Error() string { return text.English.Say("noUpdateTo", (*unlisted)(u)) }

// unlisted implements text.Facts.
type unlisted Unlisted

func (*unlisted) Several() bool { return false }

func (u *unlisted) Value(name string) string {
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

// maxFaults is how many bytes of the faults of a package a sentence shows.
const maxFaults = 1 << 10

// leftOut ends a sentence with the faults that removed parts of a package.
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
	return "; left out for faults of the catalog: " + words.Clip(strings.Join(messages, "; "), maxFaults)
}
