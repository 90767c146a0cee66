package finding

import (
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"go.yaml.in/yaml/v4"
)

var propertyKinds = []Kind{
	{
		Code: "trap", Meaning: "a range, constraint or number hardly means what it seems to", Candidates: corrected,
	},
	{
		Code: "constraint", Meaning: "a constraint cannot be read, so its bundle is not used", Candidates: corrected,
	},
	{
		Code: "property", Meaning: "a property or a limit cannot be read, or opm refuses its release", Candidates: corrected,
	},
	{
		Code: "propertyType", Meaning: "a property has no type", Candidates: corrected,
	},
	{
		Code: "nullValue", Meaning: "a property has no value", Candidates: corrected,
	},
	{
		Code: "undefined", Meaning: "OLM defines no such schema, property type or annotation: a typing error has no effect",
		Candidates: corrected,
	},
}

// corrected corrects the values of a property: what is at the place of the finding, and all
// ranges, versions and types in it. A requirement is never removed.
func corrected(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	if id.Bundle == "" {
		return nil
	}
	if id.Channel != "" {
		return rangeOfEntry(s, now, id)
	}
	type stated struct {
		doc  int
		path string
	}
	var all []stated
	for _, b := range now.Named(s.Pkg, edit.SchemaBundle, id.Bundle) {
		for i := range edit.Elements(b.Node, "properties") {
			all = append(all, stated{b.Doc, edit.Pointer(b.At, "properties", i)})
		}
	}
	for _, place := range s.Places {
		if doc, path, found := now.Place(place.File, place.Line, place.Column); found && s.Directories && path != "" {
			all = append(all, stated{doc, path})
		}
	}
	for _, d := range now.Dirs(s.Pkg, id.Bundle) {
		all = append(all, stated{d.CSV, "/spec/minKubeVersion"})
	}
	for _, p := range all {
		n := edit.At(now.Docs[p.doc].Root, p.path)
		kind := edit.Text(n, "type")
		for _, name := range Closest(kind, definedTypes) {
			list = append(list, now.With(edit.Replace(p.doc, edit.Pointer(p.path, "type"), name)))
		}
		edit.EachScalar(n, p.path, func(path string, scalar *yaml.Node) {
			for _, v := range correctedScalars(path, scalar) {
				list = append(list, now.With(edit.Replace(p.doc, path, v)))
			}
		})
		if n == nil || n.Kind == yaml.ScalarNode {
			continue
		}
		if v := edit.Member(n, "value"); kind == "" || v == nil || v.ShortTag() == "!!null" {
			list = append(list, now.With(edit.Remove(p.doc, p.path))) // nobody can read it
		}
	}
	return append(list, annotated(s, now, id.Bundle)...)
}

// annotated renames annotations of a bundle that look like those of OLM.
func annotated(s *Wrong, now *edit.Draft, bundle string) (list []*edit.Draft) {
	in := func(doc int, path string) {
		n := edit.At(now.Docs[doc].Root, path)
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, edit.Top(n.Content[i+1]).Value
			plain := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(key))
			for _, olm := range []string{"olm.skipRange", "olm.properties"} {
				from, to := edit.Pointer(path, key), edit.Pointer(path, olm)
				if key == olm || !strings.HasSuffix(plain, strings.ToLower(olm[len("olm."):])) {
					continue
				}
				if edit.Member(n, olm) != nil {
					list = append(list, now.With(edit.Remove(doc, from)))
					continue
				}
				list = append(list, now.With(edit.Move(doc, from, to)))
				for _, r := range Ranges(value) {
					list = append(list, now.With(edit.Move(doc, from, to), edit.Replace(doc, to, r)))
				}
			}
		}
	}
	for _, b := range now.Named(s.Pkg, edit.SchemaBundle, bundle) {
		for i := range edit.Elements(b.Node, "properties") {
			in(b.Doc, edit.Pointer(b.At, "properties", i, "value", "annotations"))
		}
	}
	for _, d := range now.Dirs(s.Pkg, bundle) {
		in(d.CSV, "/metadata/annotations")
	}
	return list
}

var definedTypes = []string{
	properties.TypePackage, properties.TypePackageRequired, properties.TypeGVK, properties.TypeGVKRequired, properties.TypeLabel,
	properties.TypeLabelRequired, properties.TypeConstraint, properties.TypeMaxOpenShift, properties.TypeDeprecated,
	properties.TypeCSVMetadata, properties.TypeBundleObject,
}

// correctedScalars returns what a scalar of a property may be meant to be.
func correctedScalars(path string, n *yaml.Node) []string {
	if strings.HasSuffix(path, "/type") {
		return nil
	}
	var list []string
	if n.ShortTag() == "!!float" || n.ShortTag() == "!!int" {
		list = append(list, n.Value) // as a text
	}
	list = append(list, Ranges(n.Value)...)
	if v, err := semver.ParseTolerant(n.Value); err == nil {
		list = append(list, v.String(), v.FinalizeVersion())
	}
	if parts := digits.FindAllString(n.Value, 3); len(parts) >= 2 {
		list = append(list, strings.Join(parts[:2], ".")) // a release of OpenShift
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == n.Value && n.ShortTag() == "!!str" })
}

var digits = regexp.MustCompile(`\d+`)
