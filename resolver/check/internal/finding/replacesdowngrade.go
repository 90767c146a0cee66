package finding

import "github.com/resolvent/resolvent/cache/catalog"

const codeReplacesDowngrade catalog.Code = "replacesDowngrade"

var replacesDowngradeKind = Kind{
	Code: codeReplacesDowngrade, Meaning: "an entry replaces a newer one: OLM updates it to an older bundle", find: (*Judge).replacesNewer,
	because: (*subject).replacesNewer, shows: (*Before).edge, OfEntries: true, Candidates: oneEntry,
	None: "only its author knows where the older bundle belongs",
}

// replacesNewer reports entries that replace one of a higher version, and that OLM takes for it, or would if nothing
// skipped them. One of the same three numbers is a rebuild: 1.0.1-1.
func (j *Judge) replacesNewer(g Updates) {
	for i := range g.Entries {
		e := &g.Entries[i]
		at, listed := g.Index(e.Replaces)
		if !listed {
			continue
		}
		if own, above := g.Bundle(i), g.Bundle(at); own != nil && above != nil && own.Version.LT(above.Version) && own.Version.FinalizeVersion() != above.Version.FinalizeVersion() && (e.Skipped || g.successor(above) == e.Name) {
			j.note(g, catalog.Warning, codeReplacesDowngrade, e.Name, EdgeCause("replaces", e.Replaces),
				"replaces %s, which has the higher version, so OLM updates %s down to %s; new installs get it if it is the head", e.Replaces, above.Version, own.Version)
		}
	}
}

// successor returns the entry closest to the head that updates a bundle, which OLM takes; empty if there is none.
func (g Updates) successor(b *catalog.Bundle) string {
	for at := range g.Chain() {
		if e := at.At(); e.Candidate() && e.Updates(b.Name, &b.Version) {
			return e.Name
		}
	}
	return ""
}

func (s *subject) replacesNewer() []Reason {
	_, name := s.id.Edge()
	own, v := s.version(s.id.Bundle), s.version(name)
	if own == nil || v == nil {
		return nil
	}
	return []Reason{{Code: Backwards, Channel: s.channel.Name, Entry: name, Other: s.id.Bundle, Edge: "replaces", Versions: []string{v.String(), own.String()}}}
}
