package finding

import "github.com/resolvent/resolvent/resolver/check/internal/edit"

var skipRangeKind = Kind{
	Code: "skipRange", Meaning: "a skipRange cannot be read, so it covers nothing", cause: byPlace, OfEntries: true,
	Candidates: rangeOfEntry,
}

// rangeOfEntry corrects a skipRange, or removes it, since it covers nothing.
func rangeOfEntry(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	f, found := now.Entry(s.Pkg, id.Channel, id.Bundle)
	if !found {
		return nil
	}
	stated := edit.At(now.Docs[f.Doc].Root, f.SkipRange)
	if stated == nil {
		return nil
	}
	for _, r := range Ranges(stated.Value) {
		list = append(list, now.With(edit.Replace(f.Doc, f.SkipRange, r)))
	}
	return append(list, now.With(edit.Remove(f.Doc, f.SkipRange)))
}
