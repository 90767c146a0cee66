package finding

import "github.com/resolvent/resolvent/resolver/check/internal/edit"

var deprecationKind = Kind{
	Code: "deprecation", Meaning: "a deprecation of nothing that exists, or without a message", Candidates: deprecation,
}

// deprecation corrects the reference of a deprecation, or removes the deprecation.
func deprecation(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	names := s.bundleNames()
	if p := s.Snapshot.Package(s.Pkg); p != nil {
		for _, c := range p.Channels {
			names = append(names, c.Name)
		}
	}
	for _, b := range now.Named(s.Pkg, edit.SchemaDeprecations, "") {
		for i, e := range edit.Elements(b.Node, "entries") {
			reference := edit.Pointer(b.At, "entries", i, "reference")
			name := edit.Text(edit.Member(e, "reference"), "name")
			if name != id.Channel+id.Bundle && id.Channel+id.Bundle != "" {
				continue
			}
			for _, other := range names {
				if Alike(other, name) {
					list = append(list, now.With(edit.Replace(b.Doc, edit.Pointer(reference, "name"), other)))
				}
			}
			for _, schema := range Closest(edit.Text(edit.Member(e, "reference"), "schema"), []string{edit.SchemaPackage, edit.SchemaChannel, edit.SchemaBundle}) {
				list = append(list, now.With(edit.Replace(b.Doc, edit.Pointer(reference, "schema"), schema)))
			}
			list = append(list, now.With(edit.Remove(b.Doc, edit.Pointer(reference, "name"))), now.With(edit.Remove(b.Doc, edit.Pointer(b.At, "entries", i))))
		}
		list = append(list, now.With(edit.Remove(b.Doc, b.At)))
	}
	return list
}
