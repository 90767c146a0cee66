package finding

import "github.com/resolvent/resolvent/resolver/check/internal/edit"

var schemaKind = Kind{
	Code: "schema", Meaning: "a document has no schema, or one with which the pod of the catalog does not start",
	Candidates: missingSchema,
}

// missingSchema gives a document the schema that its fields show.
func missingSchema(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	for _, b := range now.All() {
		if b.Schema != "" || now.Docs[b.Doc].File != id.Cause && id.Cause != "" && edit.Text(b.Node, "package") != id.Package {
			continue
		}
		for _, schema := range []string{edit.SchemaChannel, edit.SchemaBundle, edit.SchemaPackage, edit.SchemaDeprecations} {
			list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(b.At, "schema"), schema)))
		}
	}
	return list
}
