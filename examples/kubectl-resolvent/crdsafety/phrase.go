package crdsafety

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations"
	"sigs.k8s.io/crdify/pkg/validators/version"
)

const (
	// maxWord bounds a value or a path in words, in bytes.
	maxWord = 120
	// maxChanges is how many changes of a definition are named.
	maxChanges = 1000
	// maxNamed is how many values of a list are named.
	maxNamed = 5
)

// schemas are those of a version by their paths, as crdify has them.
type schemas map[string]*apiextensionsv1.JSONSchemaProps

func flatten(v *apiextensionsv1.CustomResourceDefinitionVersion) schemas {
	if v == nil {
		return nil
	}
	return validations.FlattenCRDVersion(*v)
}

// settle takes out what crdify finds or not from one call to the next: of served versions it lets
// pass what differed before, by its text, in which several required fields have a random order.
// operator-controller tries again, and so the update passes.
func settle(found *runner.Results, old, next *apiextensionsv1.CustomResourceDefinition) {
	for _, pair := range found.ServedVersionValidation {
		a, b, _ := strings.Cut(pair.Version, " -> ")
		required := func(of *apiextensionsv1.CustomResourceDefinition, path string) []string {
			v, w := validations.GetCRDVersionByName(of, a), validations.GetCRDVersionByName(of, b)
			if v == nil || w == nil || !v.Served || !w.Served {
				return nil
			}
			before, after := flatten(v)[path], flatten(w)[path]
			if before == nil || after == nil {
				return nil
			}
			return without(after.Required, before.Required)
		}
		for _, p := range pair.PropertyComparisons {
			for i := range p.ComparisonResults {
				if r := &p.ComparisonResults[i]; r.Name == "required" && len(r.Errors) > 0 && slices.Equal(required(old, p.Property), required(next, p.Property)) {
					r.Errors = nil
				}
			}
		}
	}
}

// phrase says what crdify found, in the order of versions and paths. Its own texts are in no order,
// and some are dumps of Go values.
func phrase(found *runner.Results, old, next *apiextensionsv1.CustomResourceDefinition) (changes []string) {
	if !found.HasFailures() {
		return nil
	}
	failed := map[string]bool{}
	for _, result := range found.CRDValidation {
		failed[result.Name] = failed[result.Name] || len(result.Errors) > 0
	}
	if failed["scope"] {
		changes = append(changes, fmt.Sprintf("scope changes from %s to %s", legible(string(old.Spec.Scope)), legible(string(next.Spec.Scope))))
	}
	for _, stored := range old.Status.StoredVersions {
		if failed["storedVersionRemoval"] && validations.GetCRDVersionByName(next, stored) == nil {
			changes = append(changes, fmt.Sprintf("version %s is removed, in which resources are stored", legible(stored)))
		}
	}
	for i := range old.Spec.Versions {
		v := &old.Spec.Versions[i]
		at := slices.IndexFunc(found.SameVersionValidation, func(r version.VersionedPropertyComparisonResult) bool { return r.Version == v.Name })
		if at < 0 {
			continue
		}
		changes = append(changes, ofVersion(legible(v.Name)+": ", "is removed", found.SameVersionValidation[at], v, validations.GetCRDVersionByName(next, v.Name))...)
	}
	served := slices.SortedFunc(slices.Values(found.ServedVersionValidation), func(a, b version.VersionedPropertyComparisonResult) int {
		return strings.Compare(a.Version, b.Version)
	})
	for _, pair := range served {
		a, b, _ := strings.Cut(pair.Version, " -> ")
		changes = append(changes, ofVersion(fmt.Sprintf("%s and %s, both served without a conversion webhook: ", legible(a), legible(b)), "is only in the former", pair,
			validations.GetCRDVersionByName(next, a), validations.GetCRDVersionByName(next, b))...)
	}
	if len(changes) == 0 { // a rule that is new in crdify
		changes = []string{"a change that its rules refuse"}
	}
	if n := len(changes); n > maxChanges {
		changes = append(changes[:maxChanges:maxChanges], fmt.Sprintf("%d more", n-maxChanges))
	}
	return changes
}

// ofVersion says what was found between two versions, in the order of paths.
func ofVersion(about, gone string, found version.VersionedPropertyComparisonResult, old, next *apiextensionsv1.CustomResourceDefinitionVersion) (changes []string) {
	failing := map[string][]validations.ComparisonResult{}
	for _, p := range found.PropertyComparisons {
		for _, result := range p.ComparisonResults {
			if len(result.Errors) > 0 {
				failing[p.Property] = append(failing[p.Property], result)
			}
		}
	}
	if len(failing) == 0 && gone != "is removed" {
		return nil
	}
	before, after := flatten(old), flatten(next)
	if gone == "is removed" { // another rule of crdify, which finds fields without any constraint, too
		for path := range before {
			if after[path] == nil {
				failing[path] = nil
			}
		}
	}
	paths, removed := slices.Sorted(maps.Keys(failing)), ""
	for i, path := range paths {
		switch {
		case removed != "" && below(path, removed):
		case after[path] == nil:
			removed = path
			changes = append(changes, about+fieldOf(path)+" "+gone)
		default:
			slices.SortFunc(failing[path], func(a, b validations.ComparisonResult) int { return strings.Compare(a.Name, b.Name) })
			for _, result := range failing[path] {
				if said := ofSchema(result, before[path], after[path], path, paths[i+1:]); said != "" {
					changes = append(changes, about+fieldOf(path)+": "+said)
				}
			}
		}
	}
	return changes
}

// below reports whether a path is below another one.
func below(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "["))
}

// fieldOf is a path of crdify as people write it.
func fieldOf(path string) string {
	if path == "^" {
		return "the resource itself"
	}
	return legible(strings.TrimPrefix(path, "^."))
}

// ofSchema says what a rule found at a path, empty if the failing paths after it say it.
func ofSchema(found validations.ComparisonResult, old, next *apiextensionsv1.JSONSchemaProps, path string, failing []string) string {
	before, after := members(old), members(next)
	switch found.Name {
	case "unhandled":
		others := slices.DeleteFunc(slices.Sorted(maps.Keys(joined(before, after))), func(name string) bool { return slices.Contains(known, name) })
		return keywords(others, before, after, path, failing)
	case "oneOf":
		return keywords([]string{found.Name}, before, after, path, failing)
	case "required":
		return "newly required: " + listed(without(next.Required, old.Required))
	case "enum":
		values := func(s *apiextensionsv1.JSONSchemaProps) (list []string) {
			for _, v := range s.Enum {
				list = append(list, string(v.Raw))
			}
			return list
		}
		switch {
		case len(old.Enum) == 0:
			return "an enum is added: " + listed(values(next))
		case len(next.Enum) == 0:
			return "its enum is removed"
		}
		return "its enum loses " + listed(without(values(old), values(next)))
	}
	if bytes.Equal(before[found.Name], after[found.Name]) { // a rule that is new in crdify
		first, _, _ := strings.Cut(found.Errors[0], "\n")
		return legible(first)
	}
	return changed(found.Name, before[found.Name], after[found.Name])
}

func changed(name string, before, after json.RawMessage) string {
	text := func(value json.RawMessage) string {
		if value == nil {
			return "none"
		}
		return legible(string(value))
	}
	return fmt.Sprintf("%s changes from %s to %s", legible(name), text(before), text(after))
}

// known are the keywords for which crdify has a rule, and those of fields, which have paths of
// their own.
var known = []string{
	"properties", "items", "default", "description", "enum", "maxItems", "maxLength", "maxProperties", "maximum",
	"minItems", "minLength", "minProperties", "minimum", "nullable", "oneOf", "pattern", "required", "type",
}

// keywords says how keywords changed of which there is more to say than two values: where they
// differ. It is empty if failing paths below say it.
func keywords(names []string, before, after map[string]json.RawMessage, path string, failing []string) string {
	var said []string
	deeper := false
	for _, name := range names {
		a, b := before[name], after[name]
		var x, y any
		switch at := path + "." + name; {
		case bytes.Equal(a, b):
		case a != nil && b != nil && slices.ContainsFunc(failing, func(p string) bool { return below(p, at) || p == at }):
			deeper = true
		case json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil || !nested(x) || !nested(y):
			said = append(said, changed(name, a, b))
		default:
			said = append(said, differences(name, x, y)...)
		}
	}
	if len(said) == 0 && !deeper {
		return "a change for which it has no rule"
	}
	if n := len(said); n > maxNamed {
		said = append(said[:maxNamed:maxNamed], fmt.Sprintf("%d more", n-maxNamed))
	}
	return strings.Join(said, ", ")
}

func nested(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// differences says where two values differ, in the order of paths.
func differences(path string, a, b any) (said []string) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(joined(x, y))) {
				p, inA := x[name]
				q, inB := y[name]
				if !inA || !inB {
					said = append(said, oneSided(path+"."+name, inB))
				} else {
					said = append(said, differences(path+"."+name, p, q)...)
				}
			}
			return said
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range max(len(x), len(y)) {
				at := fmt.Sprintf("%s[%d]", path, i)
				if i >= len(x) || i >= len(y) {
					said = append(said, oneSided(at, i < len(y)))
				} else {
					said = append(said, differences(at, x[i], y[i])...)
				}
			}
			return said
		}
	}
	p, _ := json.Marshal(a) // it was JSON
	q, _ := json.Marshal(b)
	if bytes.Equal(p, q) {
		return nil
	}
	return []string{changed(path, p, q)}
}

func oneSided(path string, added bool) string {
	if added {
		return legible(path) + " is added"
	}
	return legible(path) + " is removed"
}

// members are the keywords of a schema, but for fields.
func members(s *apiextensionsv1.JSONSchemaProps) (list map[string]json.RawMessage) {
	text, err := json.Marshal(validations.DropChildrenPropertiesFromJSONSchema(s))
	if err != nil || json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}

func joined[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return all
}

// without returns the sorted texts of one list that are not in another one, each once.
func without(list, other []string) []string {
	rest := slices.DeleteFunc(slices.Sorted(slices.Values(list)), func(s string) bool { return slices.Contains(other, s) })
	return slices.Compact(rest)
}

func listed(list []string) string {
	more := ""
	if n := len(list); n > maxNamed {
		list, more = list[:maxNamed], fmt.Sprintf(" and %d more", n-maxNamed)
	}
	said := make([]string, len(list))
	for i, s := range list {
		said[i] = legible(s)
	}
	return strings.Join(said, ", ") + more
}

// legible is a text from a definition on one line, not too long.
func legible(text string) string {
	if len(text) > maxWord {
		end := maxWord
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "..."
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(text) {
		return strconv.Quote(text)
	}
	return text
}

// children walks the schemas in a schema, each with whether it is one of a field or an item.
func children(s *apiextensionsv1.JSONSchemaProps) iter.Seq2[*apiextensionsv1.JSONSchemaProps, bool] {
	return func(yield func(*apiextensionsv1.JSONSchemaProps, bool) bool) {
		some := func(one *apiextensionsv1.JSONSchemaProps, field bool) bool { return one == nil || yield(one, field) }
		list := func(all []apiextensionsv1.JSONSchemaProps, field bool) bool {
			for i := range all {
				if !yield(&all[i], field) {
					return false
				}
			}
			return true
		}
		named := func(all map[string]apiextensionsv1.JSONSchemaProps, field bool) bool {
			for _, one := range all {
				if !yield(&one, field) {
					return false
				}
			}
			return true
		}
		if s.Items != nil && !(some(s.Items.Schema, true) && list(s.Items.JSONSchemas, true)) || !named(s.Properties, true) ||
			s.AdditionalProperties != nil && !some(s.AdditionalProperties.Schema, false) || s.AdditionalItems != nil && !some(s.AdditionalItems.Schema, false) ||
			!some(s.Not, false) || !list(s.AllOf, false) || !list(s.AnyOf, false) || !list(s.OneOf, false) || !named(s.PatternProperties, false) || !named(s.Definitions, false) {
			return
		}
		for _, d := range s.Dependencies {
			if !some(d.Schema, false) {
				return
			}
		}
	}
}
