// Package propose says which entry of a channel a new bundle should have, so that everybody
// who has a bundle of the channel is updated to it.
//
// A proposal is tried before it is made: the channel with it has an order, updates lead to its
// head from every bundle of the channel that had a way before and, where an edge can give them
// one, from all others, and checking the package finds nothing new about its updates. Of the
// entries that do, the one with the fewest fields is proposed.
package propose

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

// Entry is a proposed entry of a channel.
type Entry struct {
	Package string `json:"package" yaml:"-"`
	Channel string `json:"channel" yaml:"-"`
	// Name is the new bundle.
	Name      string   `json:"name" yaml:"name"`
	Replaces  string   `json:"replaces,omitempty" yaml:"replaces,omitempty"`
	Skips     []string `json:"skips,omitempty" yaml:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitempty" yaml:"skipRange,omitempty"`
	// Above is an entry that must replace the new one, as it has a higher version; "" if the
	// new one is the head.
	Above string `json:"above,omitempty" yaml:"-"`
	// From are the bundles from which updates lead to the head, Left those from which none
	// does, each oldest first.
	From []string `json:"from" yaml:"-"`
	Left []string `json:"left" yaml:"-"`
	// Stated is whether the bundle directory states this already.
	Stated bool `json:"stated" yaml:"-"`
	// NewChannel reports that the package has no such channel yet.
	NewChannel bool `json:"newChannel,omitempty" yaml:"-"`
	// Lower is the head if its version is higher than that of the new bundle, which replaces
	// it nevertheless.
	Lower string `json:"lower,omitempty" yaml:"-"`
	// None says why nothing is proposed, "" if something is.
	None string `json:"none,omitempty" yaml:"-"`
}

// Entries proposes the entries of the bundle directories that were added to a catalog, the
// lowest version first: each builds on those before.
func Entries(ctx context.Context, judged check.Catalog, channel string, o check.Options) ([]Entry, error) {
	var list []Entry
	published := map[string]*catalog.Channel{}
	for _, key := range slices.Backward(judged.Checked.Directories) {
		b := judged.Checked.Snapshot.Find(key.Package, key.Name)
		if b == nil {
			list = append(list, Entry{Package: key.Package, Channel: channel, Name: key.Name, From: []string{}, Left: []string{}, None: "the bundle cannot be used: fix what is found first"})
			continue
		}
		w := &work{Snapshot: judged.Checked.Snapshot, ctx: ctx, pkg: judged.Checked.Snapshot.Package(key.Package), bundle: b, key: judged.Key, options: o}
		if published[key.Package] == nil {
			published[key.Package] = w.published(judged.Checked.Published.Snapshot, channel)
		}
		w.before = published[key.Package]
		one, after, err := w.propose()
		if err != nil {
			return nil, err
		}
		published[key.Package] = after
		list = append(list, one)
	}
	return list, nil
}

// work is the proposal of one entry.
type work struct {
	*catalog.Snapshot
	ctx     context.Context
	pkg     *catalog.Package
	bundle  *catalog.Bundle
	before  *catalog.Channel
	key     catalog.Key
	options check.Options
}

// id returns the bundle of a name in the snapshot.
func (w *work) id(name string) catalog.ID {
	for _, id := range w.pkg.Bundles {
		if w.Bundle(id).Name == name {
			return id
		}
	}
	return catalog.NoBundle
}

func (w *work) version(name string) *semver.Version {
	if b := w.Find(w.pkg.Name, name); b != nil {
		return &b.Version
	}
	return nil
}

// published returns the channel as it is without the new bundles, empty if it is new.
func (w *work) published(s *catalog.Snapshot, channel string) *catalog.Channel {
	c := &catalog.Channel{Name: channel, Package: w.pkg.Name}
	if p := s.Package(w.pkg.Name); p != nil {
		if old := p.Channel(channel); old != nil {
			for _, e := range old.Entries {
				if e.Bundle != catalog.NoBundle {
					e.Bundle = w.id(e.Name)
				}
				c.Entries = append(c.Entries, e)
			}
			c.SetOrder()
		}
	}
	return c
}

// propose returns the proposal, and the channel with it; that is as before if there is none.
func (w *work) propose() (Entry, *catalog.Channel, error) {
	one := Entry{Package: w.pkg.Name, Channel: w.before.Name, Name: w.bundle.Name, NewChannel: len(w.before.Entries) == 0, From: []string{}, Left: []string{}}
	switch {
	case len(w.before.Entries) > 0 && w.before.Head() == nil:
		one.None = "the channel has no order: fix it first, as 'check' of the catalog says"
		return one, w.before, nil
	case w.before.Entry(w.bundle.Name) != nil:
		one.None = "the channel lists the bundle already"
		return one, w.before, nil
	}
	w.place(&one)
	before := w.ways(w.before)
	known, err := w.found(w.before)
	if err != nil {
		return one, nil, err
	}
	for _, candidate := range w.candidates(one) {
		after := w.with(candidate)
		if after.Head() == nil {
			continue
		}
		ways := w.ways(after)
		loses := slices.ContainsFunc(w.field(after), func(name string) bool { return before[name] && !ways[name] })
		if loses {
			continue
		}
		found, err := w.found(after)
		if err != nil {
			return one, nil, err
		}
		if slices.ContainsFunc(found, func(id finding.Identity) bool { return !slices.Contains(known, id) }) {
			continue
		}
		for _, name := range w.field(after) {
			if ways[name] {
				candidate.From = append(candidate.From, name)
			} else {
				candidate.Left = append(candidate.Left, name)
			}
		}
		candidate.Stated = w.states(candidate)
		return candidate, after, nil
	}
	one = Entry{Package: one.Package, Channel: one.Channel, Name: one.Name, From: []string{}, Left: []string{}, None: "no entry was found that keeps everybody's way to the head"}
	return one, w.before, nil
}

// place sets where the entry stands: above the head if its version is the highest, or is of the
// same release, else in the chain by its version.
func (w *work) place(one *Entry) {
	head := w.before.Head()
	if head == nil {
		return
	}
	stated := w.bundle.Version
	one.Replaces = head.Name
	if high := w.version(head.Name); high == nil || stated.GTE(*high) {
		return
	} else if stated.FinalizeVersion() == high.FinalizeVersion() {
		one.Lower = head.Name
		return
	}
	one.Above = head.Name
	for at := range w.before.Chain() {
		e := at.At()
		if v := w.version(e.Name); v == nil || v.LT(stated) {
			one.Replaces = e.Name
			return
		}
		one.Above = e.Name
	}
	one.Replaces = "" // it is the lowest
}

// candidates returns entries to try: those that give most bundles a way first, of these the
// one with the fewest fields.
func (w *work) candidates(one Entry) []Entry {
	list := []Entry{one}
	plain := w.with(one)
	if plain.Head() == nil {
		return list
	}
	ways := w.ways(plain)
	var stuck []string
	var lowest *semver.Version
	covered := true
	for _, name := range w.field(plain) {
		if ways[name] || name == one.Name {
			continue
		}
		stuck = append(stuck, name)
		v := w.version(name)
		if v.GTE(w.bundle.Version) {
			covered = false
		} else if lowest == nil || v.LT(*lowest) {
			lowest = v
		}
	}
	if len(stuck) == 0 {
		return list
	}
	if covered && lowest != nil {
		ranged := one
		ranged.SkipRange = fmt.Sprintf(">=%s <%s", lowest, w.bundle.Version)
		list = append(list, ranged)
	}
	skipping := one
	skipping.Skips = stuck
	list = append(list, skipping)
	slices.SortStableFunc(list, func(a, b Entry) int { return len(w.ways(w.with(b))) - len(w.ways(w.with(a))) })
	return list
}

func (w *work) with(one Entry) *catalog.Channel {
	c := &catalog.Channel{Name: w.before.Name, Package: w.pkg.Name, Entries: slices.Clone(w.before.Entries), Default: w.pkg.DefaultChannel == w.before.Name}
	skips := slices.Sorted(slices.Values(one.Skips))
	var covers versionrange.Range
	if one.SkipRange != "" {
		covers, _ = versionrange.Parse(one.SkipRange) // written above
	}
	at, _ := c.Index(one.Name)
	c.Entries = slices.Insert(c.Entries, at, catalog.Entry{Name: one.Name, Replaces: one.Replaces, Skips: skips, SkipRange: covers, Bundle: w.id(one.Name)})
	if above := c.Entry(one.Above); above != nil {
		above.Replaces = one.Name
	}
	c.SetOrder()
	return c
}

// field returns what users of a channel may have: its bundles, oldest first.
func (w *work) field(c *catalog.Channel) (names []string) {
	for i := range c.Entries {
		if c.Entries[i].Bundle != catalog.NoBundle {
			names = append(names, c.Entries[i].Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return w.version(a).Compare(*w.version(b)) })
	return names
}

// ways returns the bundles from which updates lead to the head.
func (w *work) ways(c *catalog.Channel) map[string]bool {
	reach := map[string]bool{}
	for i, leads := range finding.NewUpdates(c, w.Snapshot).Reaching(w.ctx, nil) {
		if leads && c.Entries[i].Bundle != catalog.NoBundle {
			reach[c.Entries[i].Name] = true
		}
	}
	return reach
}

// found checks the package with a channel, and returns what is found about its updates.
func (w *work) found(c *catalog.Channel) ([]finding.Identity, error) {
	p := &catalog.Package{Name: w.pkg.Name, DefaultChannel: w.pkg.DefaultChannel, Channels: []*catalog.Channel{c}, Bundles: w.pkg.Bundles}
	text, err := cache.Render(w.ctx, w.Snapshot, []*catalog.Package{p}, nil)
	if err != nil {
		return nil, err
	}
	checked, err := cache.Stream("catalog.json", bytes.NewReader(text), cache.OriginOptions{}).LoadChecked(w.ctx)
	if err != nil {
		return nil, err
	}
	o := w.options
	o.Baseline, o.Ignore, o.Progress, o.Background = finding.Set{}, nil, nil, nil
	report, err := check.Run(w.ctx, []check.Catalog{{Key: w.key, Checked: checked}}, o)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(report.All.Identities(), func(id finding.Identity) bool { return !finding.Of(id.Code).OfEntries }), nil
}

// states reports whether the directory states an entry already.
func (w *work) states(one Entry) bool {
	c := w.pkg.Channel(one.Channel)
	if c == nil || one.Above != "" {
		return false
	}
	e := c.Entry(one.Name)
	return e != nil && e.Replaces == one.Replaces && slices.Equal(e.Skips, slices.Sorted(slices.Values(one.Skips))) && e.SkipRange.Text() == one.SkipRange
}

// YAML returns the entry as it stands in a channel of a file-based catalog.
func (e *Entry) YAML() string {
	text, _ := yaml.Dump([]*Entry{e}, yaml.WithIndent(2), yaml.WithCompactSeqIndent(true), yaml.WithLineWidth(-1)) // texts and lists of these
	return string(text)
}
