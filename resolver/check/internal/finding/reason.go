package finding

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Mark is what is the matter.
type Mark string

// The marks of reasons. Their sentences are in one table.
const (
	// Edges that lead nowhere.
	OtherChannel Mark = "otherChannel" // an edge to what only other channels list
	NearName     Mark = "nearName"     // a name that is nearly another one
	Older        Mark = "older"        // a name below all versions that are listed
	Nowhere      Mark = "nowhere"      // a name that nothing has
	Unlisted     Mark = "unlisted"     // a bundle that no channel lists
	Unpublished  Mark = "unpublished"  // a version that no bundle has

	// Entries beside each other.
	NoEdge        Mark = "noEdge"        // an entry that replaces and skips nothing
	Fork          Mark = "fork"          // two entries that replace the same one
	Prerelease    Mark = "prerelease"    // a range that ends below a release, at its prerelease
	RangeMisses   Mark = "rangeMisses"   // a range that does not cover the other entry
	RangeIsNoEdge Mark = "rangeIsNoEdge" // a range that covers the other entry, which gives no order
	Circle        Mark = "circle"        // entries that replace each other
	Itself        Mark = "itself"        // an entry that replaces itself
	NoEntries     Mark = "noEntries"     // a channel without entries

	// Ways that end.
	NoBundle   Mark = "noBundle"   // an entry without bundle on the way
	Skipped    Mark = "skipped"    // an entry that another one skips
	Blocked    Mark = "blocked"    // a bundle on the way that cannot be installed
	Gap        Mark = "gap"        // an entry that does not lead on from another one
	NotOnChain Mark = "notOnChain" // the chain from the head passes an entry by

	// Edges that lead back.
	OpenRange Mark = "openRange" // a range without upper end
	LateRange Mark = "lateRange" // a range that ends above the entry's own version
	Backwards Mark = "backwards" // an entry above one of a higher version
	SkipsBack Mark = "skipsBack" // a skip of an entry closer to the head

	// Bundles and entries without each other.
	Quarantined  Mark = "quarantined"  // a bundle that a fault makes unusable
	OtherPackage Mark = "otherPackage" // a bundle of this name in another package
	NewHead      Mark = "newHead"      // a bundle above the head
	Between      Mark = "between"      // a bundle below the head
	SameVersion  Mark = "sameVersion"  // another bundle of the same version
	Requires     Mark = "requires"     // a rule that no selection satisfies
	RuleFails    Mark = "ruleFails"    // a rule that cannot be evaluated on a bundle
	UnsafeChange Mark = "unsafe"       // a change of a CustomResourceDefinition
)

// Reason is one reason of a finding. Parts that do not apply are empty.
type Reason struct {
	Code    Mark   `json:"code"`
	Channel string `json:"channel,omitempty"`
	// Entry is the entry, or bundle, that the reason is about. Other is the one that it is
	// compared with or has an edge to.
	Entry string `json:"entry,omitempty"`
	Other string `json:"other,omitempty"`
	// Edge is the field of the entry: replaces, skips or skipRange. Range is its text.
	Edge  string `json:"edge,omitempty"`
	Range string `json:"range,omitempty"`
	// Versions are compared, that of Entry first.
	Versions []string `json:"versions,omitempty"`
	// Names are what else is named: channels, a circle of entries, the next lower entry; of a fork
	// what both replace, then who should replace whom, if that is known.
	Names []string `json:"names,omitempty"`
	// Rule is what a bundle requires, or a change.
	Rule string `json:"rule,omitempty"`
}

// sentences say each reason, and whether the message of a finding says it already.
var sentences = map[Mark]func(r *Reason) string{
	OtherChannel: func(r *Reason) string {
		return fmt.Sprintf("%s %s %s, which %s, but %s does not", r.Entry, r.Edge, r.Other, listedIn(r.Names), "channel "+r.Channel)
	},
	NearName: func(r *Reason) string {
		if r.Edge == "" {
			return fmt.Sprintf("%s is nearly %s", r.Entry, r.Other)
		}
		if strings.HasSuffix(r.Other, r.Names[0]) {
			return fmt.Sprintf("%s %s %s, only the end of a name: %s is meant", r.Entry, r.Edge, r.Names[0], r.Other)
		}
		return fmt.Sprintf("%s %s %s, which is nearly %s", r.Entry, r.Edge, r.Names[0], r.Other)
	},
	Older: func(r *Reason) string {
		return fmt.Sprintf("%s is below %s, the lowest version that the package has: it was probably removed from the catalog", r.Other, r.Versions[0])
	},
	Nowhere: func(r *Reason) string {
		if r.Edge == "" {
			return fmt.Sprintf("no bundle has the name %s or one nearly like it", r.Entry)
		}
		return fmt.Sprintf("%s %s %s, which no channel lists", r.Entry, r.Edge, r.Other)
	},
	Unlisted: func(r *Reason) string {
		return fmt.Sprintf("%s %s %s, a bundle that no channel lists", r.Entry, r.Edge, r.Other)
	},
	Unpublished: func(r *Reason) string {
		text := fmt.Sprintf("%s %s %s, which no given catalog has", r.Entry, r.Edge, r.Other)
		if len(r.Names) > 0 {
			text += fmt.Sprintf(": the highest version below it is %s", r.Names[0])
		}
		return text
	},
	NoEdge: func(r *Reason) string { return fmt.Sprintf("%s replaces and skips nothing", r.Entry) },
	Fork: func(r *Reason) string {
		text := fmt.Sprintf("%s and %s both replace %s: ", r.Entry, r.Other, r.Names[0])
		if len(r.Names) > 2 {
			return text + fmt.Sprintf("set replaces of %s to %s", r.Names[1], r.Names[2])
		}
		return text + "one of them must replace the other"
	},
	Prerelease: func(r *Reason) string {
		return fmt.Sprintf("%s is a prerelease and so lower than %s: skipRange %s of %s does not cover %s; replace or skip that", r.Versions[0], r.Versions[1], r.Range, r.Entry, r.Other)
	},
	RangeMisses: func(r *Reason) string {
		return fmt.Sprintf("skipRange %s of %s does not cover %s of version %s", r.Range, r.Entry, r.Other, r.Versions[1])
	},
	RangeIsNoEdge: func(r *Reason) string {
		return fmt.Sprintf("skipRange %s of %s covers %s, but only replaces and skips give a channel its order", r.Range, r.Entry, r.Other)
	},
	Circle:    func(r *Reason) string { return "the circle: " + circleText(r.Names) },
	Itself:    func(r *Reason) string { return fmt.Sprintf("%s replaces itself", r.Entry) },
	NoEntries: func(r *Reason) string { return fmt.Sprintf("channel %s has no entries", r.Channel) },
	NoBundle:  func(r *Reason) string { return fmt.Sprintf("%s has no bundle", r.Entry) },
	Skipped:   func(r *Reason) string { return fmt.Sprintf("%s is skipped by %s", r.Entry, r.Other) },
	Blocked:   func(r *Reason) string { return fmt.Sprintf("%s cannot be installed", r.Entry) },
	Gap: func(r *Reason) string {
		if r.Other == "" {
			return fmt.Sprintf("nothing replaces, skips or covers %s", r.Entry)
		}
		return fmt.Sprintf("%s does not replace, skip or cover %s", r.Other, r.Entry)
	},
	NotOnChain: func(r *Reason) string {
		if r.Other == "" {
			return fmt.Sprintf("the chain from the head ends at %s, which does not replace %s", r.Names[0], r.Entry)
		}
		return fmt.Sprintf("%s replaces %s and so passes %s by", r.Names[0], r.Other, r.Entry)
	},
	OpenRange: func(r *Reason) string {
		return fmt.Sprintf("skipRange %s of %s has no upper end, so it covers %s", r.Range, r.Entry, r.Other)
	},
	LateRange: func(r *Reason) string {
		return fmt.Sprintf("skipRange %s of %s, which has version %s, covers %s of %s", r.Range, r.Entry, r.Versions[0], r.Other, r.Versions[1])
	},
	Backwards: func(r *Reason) string {
		return fmt.Sprintf("%s of version %s stands closer to the head than %s of version %s", r.Other, r.Versions[1], r.Entry, r.Versions[0])
	},
	SkipsBack:   func(r *Reason) string { return fmt.Sprintf("%s skips %s", r.Entry, r.Other) },
	Quarantined: func(r *Reason) string { return fmt.Sprintf("bundle %s cannot be used: %s", r.Entry, r.Rule) },
	OtherPackage: func(r *Reason) string {
		if r.Edge != "" {
			return fmt.Sprintf("%s %s %s, a bundle of package %s", r.Entry, r.Edge, r.Other, words.Listed(r.Names, words.MaxNamed))
		}
		return fmt.Sprintf("%s is a bundle of package %s", r.Entry, words.Listed(r.Names, words.MaxNamed))
	},
	NewHead: func(r *Reason) string {
		return fmt.Sprintf("%s of version %s is above %s, the head of channel %s", r.Entry, r.Versions[0], r.Other, r.Channel)
	},
	Between: func(r *Reason) string {
		return fmt.Sprintf("%s of version %s is below %s, the head of channel %s", r.Entry, r.Versions[0], r.Other, r.Channel)
	},
	SameVersion: func(r *Reason) string {
		return fmt.Sprintf("%s and %s both have version %s", r.Entry, r.Other, r.Versions[0])
	},
	Requires:     func(r *Reason) string { return fmt.Sprintf("%s: %s", r.Entry, r.Rule) },
	RuleFails:    func(r *Reason) string { return r.Rule },
	UnsafeChange: func(r *Reason) string { return fmt.Sprintf("%s: %s", r.Entry, r.Rule) },
}

// said are the reasons that the messages of findings say already.
var said = map[Mark]bool{
	NoBundle: true, Blocked: true, Gap: true, SkipsBack: true, NoEntries: true, Requires: true, Nowhere: true,
}

// String returns the reason as a sentence.
func (r Reason) String() string { return sentences[r.Code](&r) }

// Said reports whether the message of the finding says the reason already.
func (r Reason) Said() bool { return said[r.Code] }

func listedIn(channels []string) string {
	return fmt.Sprintf("%s %s %s", words.Verb(len(channels), "channel", "channels"), words.Listed(channels, words.MaxNamed), words.Verb(len(channels), "lists", "list"))
}

func circleText(names []string) string {
	text, shown := "", names
	if len(names) > maxCircle {
		shown = names[:maxCircle]
	}
	for i, name := range shown {
		if i > 0 {
			text += " replaces "
		}
		text += name
	}
	if len(shown) < len(names) {
		return fmt.Sprintf("%s, and so on through %d more, up to %s again", text, len(names)-len(shown), names[0])
	}
	return text + " replaces " + names[0]
}
