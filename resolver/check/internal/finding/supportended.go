package finding

import "github.com/resolvent/resolvent/cache/catalog"

const codeSupportEnded catalog.Code = "supportEnded"

var supportEndedKind = Kind{
	Code: codeSupportEnded, Meaning: "the head of a channel is not supported any more on the day of the check",
	find: (*Judge).unsupported, shows: (*Before).unordered, None: "publish a supported version",
}

// unsupported reports a head whose support has ended on cluster.Objects.Date.
func (j *Judge) unsupported(g Updates) {
	top := g.top()
	if top < 0 || g.Bundle(top) == nil {
		return
	}
	if l := g.pkg.Lifecycle(g.Bundle(top).Version); l != nil && j.Date != "" {
		if s := l.On(j.Date); s.Ended() {
			j.note(g, catalog.Warning, codeSupportEnded, g.Entries[top].Name, "", "the support of version %s ended on %s: offer a supported version as the head, or deprecate the channel", s.Minor, s.Until)
		}
	}
}
