package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

const (
	CodeUninstallable    catalog.Code = "uninstallable"
	codeDeprecatedBundle catalog.Code = "deprecatedBundle"
)

var uninstallableKinds = []Kind{
	{
		Code: CodeUninstallable, Meaning: "with what the given catalogs have, these bundles can never be installed", stops: stopsHead,
		shows: (*Before).notNewlyHead, Candidates: misspeltRequirement,
	},
	{
		Code: codeDeprecatedBundle, Meaning: "olm.deprecated prevents new installs of these bundles", stops: stopsNew,
		shows: (*Before).notNewlyHead, None: "the bundle is deprecated on purpose: publish another head",
	},
}

// Uninstallable notes each bundle with its causes, and once more for each channel of
// which it is the head.
func (j *Judge) Uninstallable(list []result.Uninstallable) {
	unjudged := map[string][]string{} // what bundles without a catalog require, by package
	for _, u := range list {
		b := j.Checked.Snapshot.Bundle(u.Bundle)
		judged := len(u.Causes) == 0
		for _, cause := range u.Causes {
			switch {
			case j.Alone && missesOthers(cause):
				unjudged[b.Package] = append(unjudged[b.Package], cause.Constraints[0].Args().Constraint.String())
				continue
			case !followsFrom(cause, u.Causes):
				j.addCause(b, cause)
			}
			judged = true
		}
		if judged {
			j.Blocked[u.Bundle] = true
		}
	}
	for pkg, required := range unjudged {
		required = words.Distinct(required)
		slices.Sort(required)
		j.Add(catalog.Note, Identity{Code: CodeUnjudged, Package: pkg}, nil, "no catalog was given, so it is not judged whether one has what the bundle requires: %s", strings.Join(required, ", "))
	}
}

// missesOthers reports whether a bundle only requires what no bundle given is.
func missesOthers(c result.BundleCause) bool {
	return len(c.Constraints) == 1 && c.Constraints[0].Kind() == words.KindDependency && len(absences(c)) > 0
}

// notNewlyHead reports whether only the missing order kept the bundle from being a head.
func (b *Before) notNewlyHead() bool {
	whole := b.Identity
	whole.Channel = ""
	return b.unordered() && b.All[whole]
}

// stopsNew: nobody can install the head of the channel.
func stopsNew(*catalog.Channel, *Observation) ([]string, bool) { return nil, true }

// stopsHead: nobody gets to the head of the channel, either.
func stopsHead(c *catalog.Channel, o *Observation) ([]string, bool) {
	return slices.DeleteFunc(installable(c, nil), func(name string) bool { return name == o.Bundle }), true
}

func (j *Judge) addCause(b *catalog.Bundle, cause result.BundleCause) {
	// A publisher deprecates a bundle on purpose, but Subscriptions to a channel with that
	// head fail.
	code, severity, ofHead := CodeUninstallable, catalog.Warning, catalog.Error
	if len(cause.Constraints) == 1 && cause.Constraints[0].Kind() == words.KindDeprecated {
		code, severity, ofHead = codeDeprecatedBundle, catalog.Note, catalog.Warning
	}
	text := Sentence(&cause)
	why := []Reason{{Code: Requires, Entry: b.Name, Rule: causeText(cause)}}
	for i := range cause.Constraints {
		for _, r := range cause.Constraints[i].Because() {
			if r.Kind() == words.KindRuleFailed { // as resolve says why nothing satisfies a rule
				why = append(why, Reason{Code: RuleFails, Entry: r.Args().Bundle, Rule: r.Message()})
			}
		}
	}
	o := Observation{
		Identity: Identity{Code: code, Package: b.Package, Bundle: b.Name, Cause: causeText(cause)},
		Severity: severity, Bundles: []string{b.Name}, Place: NoPlace, Text: text, because: why,
		Sentence: func(all *Joined) string {
			return NotInstalled(j.span(b.Package, all.Bundles), all.Channels, text)
		},
	}
	j.Observe(&o)
	for _, channel := range HeadOf(j.Checked.Snapshot, b) {
		head := o
		head.Channel, head.Severity = channel, ofHead
		j.Observe(&head)
	}
}

// NotInstalled says why bundles cannot be installed, and of which channels they are the head.
func NotInstalled(bundles string, headOf []string, text string) string {
	heads := ""
	if len(headOf) > 0 {
		heads = ", with the head of " + channelNames(headOf)
	}
	return fmt.Sprintf("%s cannot be installed%s: %s", bundles, heads, text)
}

// span returns bundles of a package in a few words.
func (j *Judge) span(pkg string, names []string) string {
	return Span(pkg, words.Mapped(names, func(name string) *catalog.Bundle { return j.Checked.Snapshot.Find(pkg, name) }))
}

// HeadOf returns the channels of which a bundle is the head.
func HeadOf(s *catalog.Snapshot, b *catalog.Bundle) []string {
	var names []string
	for _, channel := range s.Package(b.Package).Channels {
		if head := channel.Head(); head != nil && head.Name == b.Name {
			names = append(names, channel.Name)
		}
	}
	return names
}

// misspeltRequirement corrects the name of a package, or the version of an API, that a bundle
// requires and nothing provides.
func misspeltRequirement(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	var packages []string
	snapshots := append([]*catalog.Snapshot{s.Snapshot}, s.Background...)
	for _, snapshot := range snapshots {
		for p := range snapshot.Packages() {
			packages = append(packages, p.Name)
		}
	}
	for _, b := range now.Named(s.Pkg, edit.SchemaBundle, id.Bundle) {
		for i, p := range edit.Elements(b.Node, "properties") {
			at := edit.Pointer(b.At, "properties", i, "value")
			v := edit.Member(p, "value")
			switch edit.Text(p, "type") {
			case properties.TypePackageRequired:
				if slices.Contains(packages, edit.Text(v, "packageName")) {
					continue // another version of it is missing
				}
				for _, name := range Closest(edit.Text(v, "packageName"), packages) {
					list = append(list, now.With(edit.Replace(b.Doc, edit.Pointer(at, "packageName"), name)))
				}
			case properties.TypeGVKRequired:
				api := properties.GVK{Group: edit.Text(v, "group"), Version: edit.Text(v, "version"), Kind: edit.Text(v, "kind")}
				if slices.ContainsFunc(snapshots, func(s *catalog.Snapshot) bool { return len(s.Providers(api)) > 0 }) {
					continue
				}
				for _, snapshot := range snapshots {
					for _, other := range snapshot.OtherVersions(api) {
						list = append(list, now.With(edit.Replace(b.Doc, edit.Pointer(at, "version"), other.Version)))
					}
				}
			}
		}
	}
	return list
}
