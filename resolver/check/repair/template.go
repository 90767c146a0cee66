package repair

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/baseline"
	"github.com/resolvent/resolvent/resolver/check/internal/meant"
)

// refused corrects what opm refuses in a template: a misspelt field, a value, an image too many.
func refused(s *finder, now *state, id baseline.Identity) (list []*state) {
	if len(now.docs) == 0 {
		return nil // it cannot be edited
	}
	for _, f := range s.start.report.Findings {
		if !slices.Contains(f.Identities, id) {
			continue
		}
		for _, place := range slices.Backward(f.Places) {
			path := pointerOf(place.Path)
			n := at(now.docs[0].root, path)
			if n == nil || path == "" {
				continue
			}
			parent, field := cut(path)
			for _, name := range meant.Closest(field, append([]string{"bundles", "image", "entries"}, template.Fields...)) {
				if to := pointer(parent, name); at(now.docs[0].root, to) == nil {
					list = append(list, now.with(move(0, path, to)))
				}
			}
			if n.Value == "true" || n.Value == "false" {
				list = append(list, now.with(replace(0, path, n.Value == "true")))
			}
			list = append(list, now.with(remove(0, path)))
		}
	}
	return list
}

func (s *state) isSemver() bool {
	return len(s.docs) > 0 && text(s.docs[0].root, "schema") == schemaSemver
}

// rearranged returns the edits of a semver template that concern bundles of the finding: an
// image goes, goes to another type of channels, or becomes another image of the bundle.
func rearranged(s *finder, now *state) (list []*state) {
	if !now.isSemver() {
		return nil
	}
	images := map[string][]string{} // by bundle
	names := map[string]string{}
	for image, blob := range s.tree.bundles {
		var b struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(blob, &b) // without a name it is no bundle of the finding
		images[b.Name], names[image] = append(images[b.Name], image), b.Name
	}
	root := now.docs[0].root
	types := slices.DeleteFunc(slices.Clone(template.Fields), func(name string) bool { return member(member(root, name), "bundles") == nil })
	for _, of := range types {
		for i, e := range elements(member(root, of), "bundles") {
			image, path := text(e, "image"), pointer("", of, "bundles", i)
			if !slices.Contains(s.finding.Bundles, names[image]) {
				continue
			}
			slices.Sort(images[names[image]])
			for _, other := range images[names[image]] {
				if other != image {
					list = append(list, now.with(replace(0, pointer(path, "image"), other)))
				}
			}
			list = append(list, now.with(remove(0, path)))
			for _, to := range types {
				if to != of {
					list = append(list, now.with(move(0, path, pointer("", to, "bundles", "-"))))
				}
			}
		}
	}
	return list
}

// inTemplate says why a finding has no repair in the terms of a template.
func inTemplate(f *check.Finding, s *state) string {
	_, structural := targetOf(f.Identities[0])
	switch {
	case f.Code == "template":
		return "only its author knows what is meant"
	case len(f.Bundles) > 0 && !structural && f.Identities[0].Channel == "":
		return "the template only names the image of the bundle: fix the bundle, and build a new image"
	case s.isSemver():
		return "no small change of the template fixes it: a semver template has no edges of its own, they follow from the versions of its bundles"
	}
	return "no small change of the template was found that removes it and changes nothing else"
}
