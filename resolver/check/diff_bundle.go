package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// bundleChange is what differs between two states of a bundle.
type bundleChange struct {
	severity catalog.Severity
	kind     changeKind
	// text follows the names of the bundles that it is true of.
	text string
}

// compareContent reports bundles that have other content under the same name. Bundles with equal
// differences are named together. The APIs that the package as a whole gains or loses are
// reported already.
func (d *differ) compareContent(was, is *catalog.Package) {
	offered := [2][]properties.GVK{offeredAPIs(d.before, was), offeredAPIs(d.after, is)}
	bundles := map[bundleChange][]*catalog.Bundle{}
	for _, id := range is.Bundles {
		b := d.after.Bundle(id)
		if before := d.before.Find(b.Package, b.Name); before != nil && d.ctx.Err() == nil {
			for _, c := range compareBundle(before, b, offered) {
				bundles[c] = append(bundles[c], b)
			}
		}
	}
	found := slices.SortedFunc(maps.Keys(bundles), func(a, b bundleChange) int {
		return cmp.Or(strings.Compare(string(a.kind), string(b.kind)), strings.Compare(a.text, b.text))
	})
	for _, c := range found {
		names := sortedNames(bundles[c])
		d.add(c.severity, c.kind, is.Name, "", names, "%s: %s", finding.BundleNames(names), c.text)
	}
}

// compareBundle lists what differs, but for requirements and deprecations.
func compareBundle(was, is *catalog.Bundle, offered [2][]properties.GVK) (list []bundleChange) {
	add := func(severity catalog.Severity, kind changeKind, format string, args ...any) {
		list = append(list, bundleChange{severity, kind, fmt.Sprintf(format, args...)})
	}
	if was.Image != is.Image {
		add(catalog.Warning, changeImage, "another image under the same name; whoever runs it keeps the old one, as OLM reinstalls nothing")
	}
	if !was.Version.Equals(is.Version) || !slices.Equal(was.Version.Build, is.Version.Build) || was.Release != is.Release {
		add(catalog.Warning, changeVersion, "the version is %s, before: %s", versionText(is), versionText(was))
	}
	a, b := was.Properties.Metadata(), is.Properties.Metadata()
	if modes, before := modesText(b), modesText(a); modes != before {
		severity := catalog.Note
		if b.StatesModes() && (!a.StatesModes() || slices.ContainsFunc(a.Supported(), func(m properties.InstallMode) bool { return !b.Supports(m) })) {
			severity = catalog.Warning
		}
		add(severity, changeModes, "install modes %s, before: %s", modes, before)
	}
	if need, before := minKube(b), minKube(a); need != before {
		add(catalog.Warning, changeKube, "minKubeVersion %s, before: %s", cmp.Or(need, "none"), cmp.Or(before, "none"))
	}
	if limit, before := limitText(is), limitText(was); limit != before {
		add(catalog.Warning, changeOpenShift, "olm.maxOpenShiftVersion %s, before: %s", limit, before)
	}
	gone := finding.Without(finding.Without(was.Properties.GVKs(), is.Properties.GVKs()), finding.Without(offered[0], offered[1]))
	more := finding.Without(finding.Without(is.Properties.GVKs(), was.Properties.GVKs()), finding.Without(offered[1], offered[0]))
	if len(gone) > 0 {
		add(catalog.Warning, changeAPIRemoved, "does not provide %s any more", describeAPIs(gone))
	}
	if len(more) > 0 {
		add(catalog.Note, changeAPIAdded, "newly provides %s", describeAPIs(more))
	}
	if services, before := describeAPIs(b.APIServices()), describeAPIs(a.APIServices()); services != before {
		add(catalog.Warning, changeContent, "owned API services %s, before: %s", cmp.Or(services, "none"), cmp.Or(before, "none"))
	}
	switch {
	case is.Properties.Deprecated() && !was.Properties.Deprecated():
		add(catalog.Warning, changeDeprecation, "it cannot be selected anew (olm.deprecated)")
	case !is.Properties.Deprecated() && was.Properties.Deprecated():
		add(catalog.Note, changeDeprecation, "it can be selected anew, as olm.deprecated is gone")
	}
	if other := otherContent(was, is); len(other) > 0 {
		add(catalog.Note, changeContent, "other content of %s", words.Listed(other, words.MaxNamed))
	}
	return list
}

func versionText(b *catalog.Bundle) string {
	if b.Release != "" {
		return b.Version.String() + ", release " + string(b.Release)
	}
	return b.Version.String()
}

func modesText(m *properties.Metadata) string {
	if !m.StatesModes() {
		return "not stated"
	}
	return m.SupportedText()
}

func minKube(m *properties.Metadata) string {
	if m == nil {
		return ""
	}
	return m.MinKubeVersion
}

func limitText(b *catalog.Bundle) string {
	limit, limited := b.Properties.MaxOpenShift()
	fault := b.Properties.OpenShiftFault()
	switch {
	case fault != nil && limited:
		return limit.String() + " (which OLM does not accept)"
	case fault != nil:
		return "that OLM does not accept"
	case limited:
		return limit.String()
	}
	return "none"
}

// otherContent names what differs beside the fields that have changes of their own: types of
// properties, annotations and labels.
func otherContent(was, is *catalog.Bundle) (names []string) {
	before, after := contentOf(was.Properties), contentOf(is.Properties)
	for name, text := range after {
		if before[name] != text {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, stays := after[name]; !stays {
			names = append(names, name)
		}
	}
	if compareRequired(was, is) != "" { // which is a change of its own
		names = slices.DeleteFunc(names, isRequirement)
	}
	slices.Sort(names)
	return names
}

// isRequirement reports whether properties of a type require other bundles.
func isRequirement(propertyType string) bool {
	switch propertyType {
	case properties.TypeConstraint, properties.TypePackageRequired, properties.TypeGVKRequired, properties.TypeLabelRequired:
		return true
	}
	return false
}

// contentOf returns texts that are equal for equal content, by the names of what they are of.
func contentOf(set *properties.Set) map[string]string {
	content := map[string]string{}
	for _, p := range set.Canonical() {
		switch p.Type {
		case properties.TypePackage, properties.TypeGVK, properties.TypeMaxOpenShift, properties.TypeDeprecated, properties.TypeCSVMetadata, properties.TypeBundleObject:
		default:
			content[p.Type] += string(p.Value) + "\n"
		}
	}
	for key, value := range set.Metadata().Annotations() {
		content["annotation "+key] = value
	}
	for key, value := range set.Metadata().Labels() {
		content["label "+key] = value
	}
	return content
}
