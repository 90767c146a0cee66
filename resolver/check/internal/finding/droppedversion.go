package finding

import "github.com/resolvent/resolvent/cache/catalog"

const codeDroppedVersion catalog.Code = "droppedVersion"

var droppedVersionKind = Kind{
	Code: codeDroppedVersion, Meaning: "updates remove a version of an API in which custom resources may be stored",
	find: (*Judge).dropped,
	shows: func(b *Before) bool { // the bundle between, which nobody was offered, may serve more versions than the next one
		return b.unread() || b.unordered() || b.Snapshot.Find(b.Package, b.Bundle) == nil || b.Repaired == "noChannel"
	},
	None: "the bundle itself decides which versions it serves",
}

// dropped reports updates that drop a version of an API.
func (j *Judge) dropped(g Updates) {
	for from, to := range g.next(j.Ctx) {
		for _, api := range Without(from.Properties.GVKs(), to.Properties.GVKs()) {
			j.noteCause(g, NoPlace, codeDroppedVersion, to.Name, api.Describe(), to.Name,
				"an update to it drops %s, in which custom resources may be stored: serve them until those are converted")
		}
	}
}
