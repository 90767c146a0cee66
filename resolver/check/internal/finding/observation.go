package finding

import (
	"crypto/sha256"
	"fmt"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Observation is a finding at one place, before those of one cause are joined.
type Observation struct {
	Identity
	Severity catalog.Severity
	// bundles are the bundles that it is true of.
	Bundles []string
	// Place may be nowhere.
	Place catalog.Fault
	// Text is the fault and the remedy, equal for all observations of one cause.
	Text string
	// because are reasons that the catalog alone does not show.
	because []Reason
	// Sentence returns the message of the joined observations. If it is nil, the message is
	// the names of the bundles and channels, then text.
	Sentence func(*Joined) string
}

// Joined has the distinct names in the observations of a finding.
type Joined struct {
	Bundles          []string // oldest first
	Channels, Causes []string // of the identities
	File             string   // of the first place
}

// Subject returns the beginning of a message: what the finding is about.
func (j *Joined) Subject(id Identity) string {
	subject := BundleNames(j.Bundles)
	switch {
	case subject != "" && len(j.Channels) > 0:
		subject += " in " + channelNames(j.Channels)
	case len(j.Channels) > 0:
		subject = channelNames(j.Channels)
	case subject != "":
	case id.Package == "" || Of(id.Code).cause == byFile && j.File != ".":
		subject = j.File
	default:
		subject = "package " + id.Package
	}
	if subject == "" {
		return ""
	}
	return subject + ": "
}

// BundleNames returns the names of a few bundles, or the number and the ends of a longer list.
func BundleNames(names []string) string {
	const most = 3
	if n := len(names); n > most {
		return fmt.Sprintf("%d bundles from %s to %s", n, names[0], names[n-1])
	}
	return words.Listed(names, most)
}

func channelNames(names []string) string {
	return "channel" + words.Plural(len(names)) + " " + words.Listed(names, words.MaxNamed)
}

// Digest returns the digest of a text, to put behind a shortened form of it.
func Digest(whole string) string {
	sum := sha256.Sum256([]byte(whole))
	return fmt.Sprintf(" (%x)", sum[:6])
}
