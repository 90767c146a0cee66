package repair

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

// rearranged returns the edits of a semver template that concern bundles of the finding: an
// image goes, goes to another type of channels, or becomes another image of the bundle.
func rearranged(s *finder, now *edit.Draft) (list []*edit.Draft) {
	if !now.IsSemver() {
		return nil
	}
	images := map[string][]string{} // by bundle
	names := map[string]string{}
	for image, blob := range s.tree.Bundles {
		var b struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(blob, &b) // without a name it is no bundle of the finding
		images[b.Name], names[image] = append(images[b.Name], image), b.Name
	}
	root := now.Docs[0].Root
	types := slices.DeleteFunc(slices.Clone(template.Fields), func(name string) bool { return edit.Member(edit.Member(root, name), "bundles") == nil })
	for _, typ := range types {
		for i, e := range edit.Elements(edit.Member(root, typ), "bundles") {
			image, path := edit.Text(e, "image"), edit.Pointer("", typ, "bundles", i)
			if !slices.Contains(s.finding.Bundles, names[image]) {
				continue
			}
			slices.Sort(images[names[image]])
			for _, other := range images[names[image]] {
				if other != image {
					list = append(list, now.With(edit.Replace(0, edit.Pointer(path, "image"), other)))
				}
			}
			list = append(list, now.With(edit.Remove(0, path)))
			for _, to := range types {
				if to != typ {
					list = append(list, now.With(edit.Move(0, path, edit.Pointer("", to, "bundles", "-"))))
				}
			}
		}
	}
	return list
}

// inTemplate says why a finding has no repair in the terms of a template.
func inTemplate(f *check.Finding, s *edit.Draft) string {
	_, structural := targetOf(f.Identities[0])
	switch {
	case f.Code == "template":
		return "only its author knows what is meant"
	case len(f.Bundles) > 0 && !structural && f.Identities[0].Channel == "":
		return "the template only names the image of the bundle: fix the bundle, and build a new image"
	case s.IsSemver():
		return "no small change of the template fixes it: a semver template has no edges of its own, they follow from the versions of its bundles"
	}
	return "no small change of the template was found that removes it and changes nothing else"
}
