package finding

import (
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"go.yaml.in/yaml/v4"
)

var fieldKind = Kind{
	Code: "field", Meaning: "a field has the wrong form", cause: byPath, Candidates: field,
}

// field gives a field the form that it must have.
func field(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	path := edit.PointerOf(id.Cause)
	for _, b := range now.All() {
		n, path := edit.At(b.Node, path), b.At+path
		if n == nil || path == b.At {
			continue
		}
		if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			list = append(list, now.With(edit.Replace(b.Doc, path, n.Value)), now.With(edit.Replace(b.Doc, path, []string{n.Value})))
		}
		list = append(list, now.With(edit.Remove(b.Doc, path)))
	}
	return list
}
