package finding

import (
	"cmp"

	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

var packagePropertyKinds = []Kind{
	{
		Code: "packageProperty", Meaning: "a bundle has not exactly one olm.package property", cause: byPlace, Candidates: packageProperty,
	},
	{
		Code: "packageMismatch", Meaning: "a bundle states another package than the one that it is in", cause: byPlace,
		Candidates: packageProperty,
	},
	{
		Code: "version", Meaning: "a version is not a semantic version", cause: byPlace, Candidates: packageProperty,
	},
}

// packageProperty corrects the olm.package property of a bundle.
func packageProperty(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	for _, b := range now.Named(s.Pkg, edit.SchemaBundle, id.Bundle) {
		named := cmp.Or(Named(id.Bundle), &semver.Version{})
		stated := 0
		for i, p := range edit.Elements(b.Node, "properties") {
			if edit.Text(p, "type") != properties.TypePackage {
				continue
			}
			stated++
			at := edit.Pointer(b.At, "properties", i)
			if edit.Text(edit.Member(p, "value"), "packageName") != s.Pkg {
				list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(at, "value", "packageName"), s.Pkg)))
			}
			versions := []string{named.String()}
			if v, err := semver.ParseTolerant(edit.Text(edit.Member(p, "value"), "version")); err == nil {
				versions = []string{v.String(), named.String()}
			}
			for _, v := range versions {
				list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(at, "value", "version"), v)))
			}
			list = append(list, now.With(edit.Remove(b.Doc, at)))
		}
		if stated == 0 {
			property := map[string]any{"type": properties.TypePackage, "value": map[string]string{"packageName": s.Pkg, "version": named.String()}}
			list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(b.At, "properties", "-"), property)))
			list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(b.At, "properties"), []any{property})))
		}
	}
	for _, d := range now.Dirs(s.Pkg, id.Bundle) {
		if v, err := semver.ParseTolerant(edit.Text(edit.Member(now.Docs[d.CSV].Root, "spec"), "version")); err == nil {
			list = append(list, now.With(edit.Replace(d.CSV, "/spec/version", v.String())))
		}
	}
	return list
}
