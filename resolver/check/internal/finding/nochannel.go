package finding

import "github.com/resolvent/resolvent/cache/catalog"

var noChannelKind = Kind{
	Code: "noChannel", Meaning: "a package has no channel, or a bundle is in none", cause: byPlace, because: (*subject).unlisted,
	Problem: "unlisted", Candidates: oneEntry,
}

// unlisted says where a bundle that no channel lists would stand.
func (s *subject) unlisted() (list []Reason) {
	v := s.version(s.id.Bundle)
	if v == nil {
		return nil
	}
	for _, c := range s.pkg.Channels {
		for i := range c.Entries {
			if name := c.Entries[i].Name; c.Entries[i].Bundle == catalog.NoBundle && Alike(name, s.id.Bundle) {
				list = append(list, Reason{Code: NearName, Channel: c.Name, Entry: name, Other: s.id.Bundle})
			}
		}
	}
	c := s.pkg.Channel(s.pkg.DefaultChannel)
	if len(list) > 0 || c == nil || c.Head() == nil {
		return list
	}
	if head := s.version(c.Head().Name); head != nil {
		r := Reason{Code: Between, Channel: c.Name, Entry: s.id.Bundle, Other: c.Head().Name, Versions: []string{v.String(), head.String()}}
		if v.GT(*head) {
			r.Code = NewHead
		}
		list = append(list, r)
	}
	return list
}
