package finding

var entryKind = Kind{
	Code: "entry", Meaning: "a channel lists a bundle that is not there", cause: byPlace,
	because: func(s *subject) []Reason { return []Reason{s.missing(s.id.Bundle)} }, Problem: "virtual", Candidates: oneEntry,
}
