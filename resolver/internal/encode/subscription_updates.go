package encode

import (
	"slices"

	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/policy"
)

// updateChannels returns the channels that may offer an update: the one that
// the Subscription names; else the default channel if it lists the installed
// bundle, else the channels that list it, else all.
func (rd *subscriptionReader) updateChannels(pkg *catalog.Package) []*catalog.Channel {
	if rd.s.Channel != "" {
		if c := pkg.Channel(rd.s.Channel); c != nil && c.Fault == "" {
			return []*catalog.Channel{c}
		}
		return nil
	}
	ordered := slices.DeleteFunc(slices.Clone(candidate.PreferredChannels(pkg)), func(c *catalog.Channel) bool { return c.Fault != "" })
	listing := slices.DeleteFunc(slices.Clone(ordered), func(c *catalog.Channel) bool { return c.Entry(rd.cur.Name()) == nil })
	switch {
	case len(listing) == 0:
		return ordered
	case listing[0].Name == pkg.DefaultChannel:
		return listing[:1]
	}
	return listing
}

// entriesAtOnce is how many entries, each with a skipRange, are read in one step.
const entriesAtOnce = 16

// addUpdates adds the entries of the channels that can replace the installed bundle.
func (rd *subscriptionReader) addUpdates(c int, channels []*catalog.Channel) {
	for _, at := range rd.updateEntries(channels) {
		v := rd.Number(c, at.At().Bundle)
		rd.add(v, at)
		rd.exclude(v, rd.self)
	}
}

// updateEntries lists the entries of the channels that can replace the installed
// bundle, one channel after another, those nearest to the head first: so a head
// whose skipRange covers it stands before the others of its channel.
func (rd *subscriptionReader) updateEntries(channels []*catalog.Channel) (updates []candidate.Place) {
	for _, channel := range channels {
		rd.Step(1 + len(channel.Order)/entriesAtOnce)
		below := replacedBy(channel, rd.cur.Name())
		for _, e := range channel.Order {
			entry := &channel.Entries[e]
			if entry.Name == rd.cur.Name() {
				break // what stands below the installed bundle is no update of it
			}
			if !entry.Candidate() || below[entry.Name] {
				continue
			}
			if entry.Replaces == rd.cur.Name() || slices.Contains(entry.Skips, rd.cur.Name()) || entry.SkipRange.Contains(rd.cur.Version) {
				updates = append(updates, candidate.Place{Channel: channel, Entry: int(e)})
			}
		}
	}
	return updates
}

// replacedBy returns the names that an entry beside the channel's chain leads
// to along replaces. It is empty for one on the chain, which shows by itself
// what stands below it.
func replacedBy(channel *catalog.Channel, name string) map[string]bool {
	e := channel.Entry(name)
	if e == nil || e.Depth >= 0 {
		return nil
	}
	names := map[string]bool{}
	// The channel has an order, so replaces does not lead in a circle.
	for e = channel.Entry(e.Replaces); e != nil; e = channel.Entry(e.Replaces) {
		names[e.Name] = true
	}
	return names
}

// UpdatesOf lists the bundles that a bundle, were it installed, could be updated to.
func (s Subscription) UpdatesOf(p *Part, name string, version semver.Version) []string {
	rd := subscriptionReader{Part: p, s: s.Object, r: &Request{}, cur: &InstalledBundle{
		CSV:     &cluster.ClusterServiceVersion{Name: name},
		Version: version,
	}}
	var names []string
	for _, c := range p.Catalogs {
		pkg := c.Package(s.Object.Package)
		if pkg == nil || p.Options.Updates == policy.UpdatesNamed && !rd.takes(c.Key) {
			continue
		}
		for _, at := range rd.updateEntries(rd.updateChannels(pkg)) {
			names = append(names, at.At().Name)
		}
	}
	return names
}

// Target returns the bundle of a name or version, or the head of the request's
// channel where to is empty; empty if there is none.
func (s Subscription) Target(p *Part, cur *InstalledBundle, to string) string {
	rd := subscriptionReader{Part: p, s: s.Object, r: &Request{}, cur: cur}
	catalogs := rd.namedCatalogs()
	if p.Options.Updates == policy.UpdatesVisible && to != "" {
		for c := range p.Catalogs {
			if !slices.Contains(catalogs, c) {
				catalogs = append(slices.Clip(catalogs), c)
			}
		}
	}
	for _, c := range catalogs {
		from := &p.Catalogs[c]
		pkg := from.Package(s.Object.Package)
		if pkg == nil {
			continue
		}
		if to == "" {
			for _, channel := range rd.updateChannels(pkg) {
				return channel.Head().Name
			}
		}
		for b := range from.Bundles(pkg.Name) {
			if b.Name == to || b.Version.String() == to {
				return b.Name
			}
		}
	}
	if to == cur.Name() || to == cur.Version.String() {
		return cur.Name()
	}
	return ""
}
