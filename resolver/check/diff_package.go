package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

func (d *differ) comparePackage(was *catalog.Package) {
	is := d.after.Package(was.Name)
	if is == nil {
		d.add(catalog.Error, changePackageRemoved, was.Name, "", nil, "the package is gone, with %s: Subscriptions to it fail", words.Count(len(was.Bundles), "bundle"))
		return
	}
	if was.DefaultChannel != is.DefaultChannel {
		d.add(catalog.Note, changeDefaultChannel, is.Name, "", nil, "the default channel is %q, not %q any more", is.DefaultChannel, was.DefaultChannel)
	}
	d.compareDeprecation(catalog.Warning, is.Name, "", nil, "the package", was.Deprecation, is.Deprecation)
	if minors := otherMinors(was.Lifecycles, is.Lifecycles); len(minors) > 0 {
		d.add(catalog.Note, changeLifecycle, is.Name, "", nil, "other support phases or platforms of %s", words.Listed(minors, words.MaxNamed))
	}
	d.compareBundles(was, is)
	d.compareContent(was, is)
	d.compareAPIs(was, is)
	for _, channel := range is.Channels {
		if was.Channel(channel.Name) == nil {
			d.add(catalog.Note, changeChannelAdded, is.Name, channel.Name, nil, "new channel, with the head %s", headName(channel))
		}
	}
	for _, channel := range was.Channels {
		d.compareChannel(channel, is)
	}
}

func headName(c *catalog.Channel) string {
	if head := c.Head(); head != nil {
		return head.Name
	}
	return "missing"
}

// compareBundles reports which bundles are new, gone or different.
func (d *differ) compareBundles(was, is *catalog.Package) {
	var added, removed []*catalog.Bundle
	for _, id := range is.Bundles {
		b := d.after.Bundle(id)
		before := d.before.Find(b.Package, b.Name)
		if before == nil {
			added = append(added, b)
			continue
		}
		if text := compareRequired(before, b); text != "" {
			d.add(catalog.Warning, changeRequirements, is.Name, "", []string{b.Name}, "%s requires other things than before: %s", b.Name, text)
		}
		d.compareDeprecation(catalog.Note, is.Name, "", []string{b.Name}, b.Name, before.Deprecation, b.Deprecation)
	}
	for _, id := range was.Bundles {
		if b := d.before.Bundle(id); d.after.Find(b.Package, b.Name) == nil {
			removed = append(removed, b)
		}
	}
	if len(added) > 0 {
		names := sortedNames(added)
		d.add(catalog.Note, changeBundleAdded, is.Name, "", names, "new: %s", finding.BundleNames(names))
	}
	if len(removed) > 0 {
		names := sortedNames(removed)
		d.add(catalog.Warning, changeBundleRemoved, is.Name, "", names, "gone: %s; whoever pins one of these cannot install it any more", finding.BundleNames(names))
	}
}

// sortedNames sorts bundles by version and returns their names.
func sortedNames(bundles []*catalog.Bundle) []string {
	slices.SortFunc(bundles, func(a, b *catalog.Bundle) int {
		return cmp.Or(a.Version.Compare(b.Version), strings.Compare(a.Name, b.Name))
	})
	return words.Mapped(bundles, func(b *catalog.Bundle) string { return b.Name })
}

// compareRequired returns how the constraints of two bundles differ, empty if they are the
// same in the same order.
func compareRequired(was, is *catalog.Bundle) string {
	before, after := required(was), required(is)
	var parts []string
	for _, r := range after {
		if !before.have(r.key) {
			parts = append(parts, "it requires "+r.text)
		}
	}
	for _, r := range before {
		if !after.have(r.key) {
			parts = append(parts, "it does not require "+r.text+" any more")
		}
	}
	if len(parts) == 0 && !slices.EqualFunc(before, after, func(a, b requirement) bool { return a.key == b.key }) {
		parts = append(parts, "the order of its requirements")
	}
	return strings.Join(parts, "; ")
}

// requirements are the constraints of a bundle, each meaning once.
type requirements []requirement

type requirement struct{ key, text string }

func (r requirements) have(key string) bool {
	return slices.ContainsFunc(r, func(known requirement) bool { return known.key == key })
}

func required(b *catalog.Bundle) (list requirements) {
	for _, c := range b.Constraints {
		if key := constraints.Key(c.Expr); !list.have(key) {
			list = append(list, requirement{key, c.Expr.String()})
		}
	}
	return list
}

// compareAPIs reports which APIs the candidates of a package have lost or gained.
func (d *differ) compareAPIs(was, is *catalog.Package) {
	before, after := offeredAPIs(d.before, was), offeredAPIs(d.after, is)
	if gone := finding.Without(before, after); len(gone) > 0 {
		d.add(catalog.Warning, changeAPIRemoved, is.Name, "", nil, "no bundle of the package provides %s any more", describeAPIs(gone))
	}
	if added := finding.Without(after, before); len(added) > 0 {
		d.add(catalog.Note, changeAPIAdded, is.Name, "", nil, "the package newly provides %s", describeAPIs(added))
	}
}

func offeredAPIs(s *catalog.Snapshot, p *catalog.Package) []properties.GVK {
	var list []properties.GVK
	for _, id := range p.Bundles {
		if int(id) < s.Candidates() {
			list = append(list, s.Bundle(id).Properties.GVKs()...)
		}
	}
	slices.SortFunc(list, properties.GVK.Compare)
	return slices.Compact(list)
}

func describeAPIs(apis []properties.GVK) string {
	return strings.Join(words.Mapped(apis, properties.GVK.Describe), ", ")
}

func (d *differ) compareChannel(was *catalog.Channel, pkg *catalog.Package) {
	is := pkg.Channel(was.Name)
	if is == nil {
		d.channelGone(was, pkg)
		return
	}
	d.compareDeprecation(catalog.Warning, pkg.Name, is.Name, nil, "the channel", was.Deprecation, is.Deprecation)
	before, after := was.Head(), is.Head()
	switch {
	case after == nil && before != nil:
		d.add(catalog.Error, changeOrder, pkg.Name, is.Name, nil, "the channel has lost its order, so Subscriptions to it fail: %s", is.Fault)
	case after == nil:
	case before == nil:
		d.add(catalog.Note, changeOrder, pkg.Name, is.Name, nil, "the channel has an order now, with the head %s", after.Name)
	case before.Name != after.Name:
		d.newHead(was, is)
	}
	d.compareEntries(was, is)
}

// compareDeprecation reports that a deprecation came, went or has another message.
func (d *differ) compareDeprecation(severity catalog.Severity, pkg, channel string, bundles []string, name, was, is string) {
	switch {
	case was == is:
	case was == "":
		d.add(severity, changeDeprecation, pkg, channel, bundles, "%s is deprecated: %s", name, is)
	case is == "":
		d.add(catalog.Note, changeDeprecation, pkg, channel, bundles, "%s is not deprecated any more; before: %s", name, was)
	default:
		d.add(catalog.Note, changeDeprecation, pkg, channel, bundles, "%s is deprecated with another message: %s; before: %s", name, is, was)
	}
}

// otherMinors returns the minor versions whose lifecycles differ, sorted.
func otherMinors(was, is []catalog.Lifecycle) (minors []string) {
	texts := func(list []catalog.Lifecycle) map[string]string {
		byMinor := map[string]string{}
		for _, l := range list {
			byMinor[l.Minor] += fmt.Sprintf("%q %q\n", l.Phases, l.Platforms)
		}
		return byMinor
	}
	before, after := texts(was), texts(is)
	for _, l := range slices.Concat(was, is) {
		if before[l.Minor] != after[l.Minor] {
			minors = append(minors, l.Minor)
		}
	}
	slices.Sort(minors)
	return slices.Compact(minors)
}

// channelGone reports a removed channel, and the bundles that it leaves behind.
func (d *differ) channelGone(was *catalog.Channel, pkg *catalog.Package) {
	left := finding.LeftBehind(finding.UpdatesOf(d.after, pkg), d.before, was)
	if len(left) == 0 {
		d.add(catalog.Warning, changeChannelRemoved, pkg.Name, was.Name, nil,
			"the channel is gone: Subscriptions to it fail until they name another one, and all its bundles can go on there")
		return
	}
	d.add(catalog.Error, changeChannelRemoved, pkg.Name, was.Name, left,
		"the channel is gone: Subscriptions to it fail until they name another one, and no other channel lists or updates %s", finding.BundleNames(left))
}

// newHead reports a new head, with what it newly requires and no longer provides.
func (d *differ) newHead(was, is *catalog.Channel) {
	before, after := d.before.Bundle(was.Head().Bundle), d.after.Bundle(is.Head().Bundle)
	severity, more := catalog.Note, ""
	if before != nil && after != nil {
		if after.Version.LT(before.Version) {
			severity, more = catalog.Warning, more+"; its version is lower"
		}
		if text := compareRequired(before, after); text != "" {
			more += "; " + text
		}
		if gone := finding.Without(before.Properties.GVKs(), after.Properties.GVKs()); len(gone) > 0 {
			severity, more = catalog.Warning, more+"; it does not provide "+describeAPIs(gone)+" any more"
		}
	}
	g := finding.NewUpdates(is, d.after)
	if old := was.Head(); before != nil && !g.LeadsOn(old.Name, before) {
		severity, more = catalog.Error, more+"; no update leads from the old head to anything in the channel"
		if after != nil && after.Version.GT(before.Version) {
			more += ": name it in skips of " + is.Head().Name
		}
	}
	d.add(severity, changeHead, is.Package, is.Name, []string{is.Head().Name}, "the head is %s, before: %s%s", is.Head().Name, was.Head().Name, more)
}
