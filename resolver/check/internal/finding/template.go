package finding

import (
	"slices"

	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

var templateKind = Kind{
	Code: "template", Meaning: "opm refuses a template, or does not render it as its author meant", cause: byMessageOnly,
	Candidates: refused,
}

// refused corrects what opm refuses in a template: a misspelt field, a value, an image too many.
func refused(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	if len(now.Docs) == 0 {
		return nil // it cannot be edited
	}
	for _, place := range slices.Backward(s.Moved(id)) {
		path := edit.PointerOf(place.Path)
		n := edit.At(now.Docs[0].Root, path)
		if n == nil || path == "" {
			continue
		}
		parent, field := edit.Cut(path)
		for _, name := range Closest(field, append([]string{"bundles", "image", "entries"}, template.Fields...)) {
			if to := edit.Pointer(parent, name); edit.At(now.Docs[0].Root, to) == nil {
				list = append(list, now.With(edit.Move(0, path, to)))
			}
		}
		if n.Value == "true" || n.Value == "false" {
			list = append(list, now.With(edit.Replace(0, path, n.Value == "true")))
		}
		list = append(list, now.With(edit.Remove(0, path)))
	}
	return list
}
