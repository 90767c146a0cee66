package finding

var strandedKind = Kind{
	Code: "stranded", Meaning: "no way from the head leads to this entry, or no update leads on from it", cause: byPlace,
	because: (*subject).stranded, stops: stopsEntry, Problem: "stranded", OfEntries: true, Candidates: oneEntry,
}

// stranded says where the chain passes an entry by, or who skips what leads on from it.
func (s *subject) stranded() []Reason {
	e := s.entryOf()
	if e == nil {
		return nil
	}
	if e.Depth >= 0 {
		passed, ended := "", false // as the finding tells it
		for at := range s.channel.Chain() {
			if at.At() == e {
				break
			}
			if above := at.At(); above.Skipped && (passed == "" || ended) {
				passed, ended = above.Name, false
			} else if !above.Skipped {
				ended = passed != ""
			}
		}
		return s.skippedBy(passed)
	}
	v := s.version(e.Name)
	if v == nil {
		return nil
	}
	above := ""
	for at := range s.channel.Chain() {
		if low := s.version(at.At().Name); above != "" && low != nil && low.LT(*v) {
			return []Reason{{Code: NotOnChain, Channel: s.channel.Name, Entry: e.Name, Other: at.At().Name, Names: []string{above}}}
		}
		above = at.At().Name
	}
	return []Reason{{Code: NotOnChain, Channel: s.channel.Name, Entry: e.Name, Names: []string{above}}}
}
