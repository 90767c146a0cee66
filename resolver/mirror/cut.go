package mirror

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
)

// portion is how much of a package stays.
type portion uint8

const (
	// least leaves the ranges with the needed bundles.
	least portion = iota
	// withInstalled adds the default channel, and the bundles that are installed now or on
	// the way, from any catalog.
	withInstalled
	// whole leaves all channels and versions.
	whole
)

// cut cuts the catalogs down to the needed packages and ranges, and checks them.
func (f *followed) cut(need neededBundles) ([]Catalog, error) {
	var list []Catalog
	for _, key := range slices.SortedFunc(maps.Keys(need), catalog.Key.Compare) {
		from := f.problem.Catalogs.Catalog(key).Snapshot
		c := Catalog{Key: key}
		var before, after []*catalog.Package
		for _, name := range slices.Sorted(maps.Keys(need[key])) {
			all := from.Package(name)
			small, stated := f.cutPackage(from, all, need[key][name])
			before, after = append(before, all), append(after, small)
			c.Packages = append(c.Packages, stated)
		}
		var err error
		if c.Snapshot, err = f.check(key, from, before, after); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// check reads and checks the cut packages of a catalog. A fault that the whole packages have,
// too, does not count.
func (f *followed) check(key catalog.Key, from *catalog.Snapshot, before, after []*catalog.Package) (*catalog.Snapshot, error) {
	read, err := f.read(key, from, after)
	if err != nil {
		return nil, err
	}
	faults := errorsOf(read)
	if len(faults) == 0 {
		return read.Snapshot, nil
	}
	original, err := f.read(key, from, before)
	if err != nil {
		return nil, err
	}
	type place struct {
		code                 catalog.Code
		pkg, channel, bundle string
	}
	known := map[place]bool{}
	for _, fault := range errorsOf(original) {
		known[place{fault.Code, fault.Package, fault.Channel, fault.Bundle}] = true
	}
	for _, fault := range faults {
		if !known[place{fault.Code, fault.Package, fault.Channel, fault.Bundle}] {
			return nil, &invalidError{key, fault.WithoutFile()}
		}
	}
	return read.Snapshot, nil
}

func errorsOf(c *cache.Checked) []catalog.Fault {
	return slices.DeleteFunc(slices.Clone(c.Faults), func(f catalog.Fault) bool { return f.Severity != catalog.Error })
}

// read reads packages of a catalog as if they were a catalog of their own.
func (f *followed) read(key catalog.Key, from *catalog.Snapshot, packages []*catalog.Package) (*cache.Checked, error) {
	text, err := cache.Render(f.ctx, from, packages, nil)
	if err != nil {
		return nil, &result.Incomplete{Phase: "cutting catalogs down", Err: err}
	}
	read, err := cache.Stream(key.String(), bytes.NewReader(text), cache.OriginOptions{}).LoadChecked(f.ctx)
	if f.ctx.Err() != nil {
		return nil, &result.Incomplete{Phase: "cutting catalogs down", Err: f.ctx.Err()}
	}
	return read, err
}

// cutPackage returns the cut package, and its channels and ranges.
func (f *followed) cutPackage(s *catalog.Snapshot, p *catalog.Package, need map[string]map[string]bool) (*catalog.Package, Package) {
	small := &catalog.Package{Name: p.Name, DefaultChannel: p.DefaultChannel, Deprecation: p.Deprecation, Lifecycles: p.Lifecycles}
	stays := map[catalog.ID]bool{}
	stated := Package{Name: p.Name}
	for _, channel := range p.Channels {
		bundles := need[channel.Name]
		if bundles == nil && f.extent != whole && (f.extent != withInstalled || channel.Name != p.DefaultChannel) {
			continue
		}
		r := f.rangeOf(s, channel, bundles)
		if r == nil {
			continue
		}
		kept := r.entries()
		for i := range kept {
			stays[kept[i].Bundle] = true
		}
		small.Channels = append(small.Channels, &catalog.Channel{Name: channel.Name, Package: p.Name, Entries: kept, Deprecation: channel.Deprecation})
		stated.Channels = append(stated.Channels, Channel{channel.Name, r.min.String(), r.max.String(), r.sorted(bundles)})
	}
	if small.Channel(p.DefaultChannel) == nil {
		// With the first channel by name as default, the order of channels stays the same.
		small.DefaultChannel, stated.Restated = small.Channels[0].Name, true
	}
	stated.DefaultChannel = small.DefaultChannel
	small.Bundles = slices.DeleteFunc(slices.Clone(p.Bundles), func(id catalog.ID) bool { return !stays[id] })
	return small, stated
}

// versionRange is a range of versions of a channel.
type versionRange struct {
	snapshot *catalog.Snapshot
	channel  *catalog.Channel
	min, max semver.Version
	// set is false if the range is empty.
	set bool
}

// rangeOf returns the smallest range of a channel that has the given bundles and leaves the
// channel sound. If no bundle is needed, it has the one closest to the head; nil if there is
// none.
func (f *followed) rangeOf(s *catalog.Snapshot, channel *catalog.Channel, bundles map[string]bool) *versionRange {
	r := &versionRange{snapshot: s, channel: channel}
	for i := range channel.Entries {
		e := &channel.Entries[i]
		installed := f.extent == withInstalled && f.installed[catalog.BundleKey{Package: channel.Package, Name: e.Name}]
		if bundles[e.Name] || installed || f.extent == whole {
			r.include(e)
		}
	}
	for at := range channel.Chain() {
		if !r.set {
			r.include(at.At())
		}
	}
	if !r.set {
		return nil
	}
	const most = 32 // steps, then the whole channel is taken
	for n := 0; f.ctx.Err() == nil && channel.Fault == "" && !sound(r.entries()); n++ {
		if !r.widen(n >= most) {
			break
		}
	}
	return r
}

// include widens the range to the bundle of an entry, and reports whether it grew.
func (r *versionRange) include(e *catalog.Entry) bool {
	if e.Bundle == catalog.NoBundle || r.holds(e) {
		return false
	}
	v := r.snapshot.Bundle(e.Bundle).Version
	if !r.set || v.LT(r.min) {
		r.min = v
	}
	if !r.set || v.GT(r.max) {
		r.max = v
	}
	r.set = true
	return true
}

func (r *versionRange) holds(e *catalog.Entry) bool {
	if !r.set || e.Bundle == catalog.NoBundle {
		return false
	}
	v := r.snapshot.Bundle(e.Bundle).Version
	return v.GE(r.min) && v.LE(r.max)
}

// span returns the first and last index in the channel's order of an entry in the range.
// first is greater than last if there is none.
func (r *versionRange) span() (first, last int) {
	first, last = len(r.channel.Order), -1
	for i, e := range r.channel.Order {
		if r.holds(&r.channel.Entries[e]) {
			first, last = min(first, i), i
		}
	}
	return first, last
}

// entries returns the entries that stay, with all their edges: those whose bundles are in the
// range, and those without a bundle that replace one that stays or are replaced by one.
func (r *versionRange) entries() []catalog.Entry {
	entries := r.channel.Entries
	stays := make([]bool, len(entries))
	beside := map[int][]int{} // by entry, those without a bundle next to it
	virtual := func(i int) bool { return entries[i].Bundle == catalog.NoBundle }
	var todo []int
	for i := range entries {
		if below, ok := r.channel.Index(entries[i].Replaces); ok {
			if virtual(i) {
				beside[below] = append(beside[below], i)
			}
			if virtual(below) {
				beside[i] = append(beside[i], below)
			}
		}
		if stays[i] = r.holds(&entries[i]); stays[i] {
			todo = append(todo, i)
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for _, next := range beside[todo[0]] {
			if !stays[next] {
				stays[next] = true
				todo = append(todo, next)
			}
		}
	}
	var list []catalog.Entry
	for i := range entries {
		if stays[i] {
			list = append(list, entries[i])
		}
	}
	return list
}

// widen adds entries, and reports whether there were any: those of the chain between entries
// in the range, else the next one towards the head, else any other. all adds all at once.
func (r *versionRange) widen(all bool) bool {
	more := false
	if first, last := r.span(); !all && first <= last {
		for _, e := range r.channel.Order[first : last+1] {
			more = r.include(&r.channel.Entries[e]) || more
		}
		for i := first - 1; i >= 0 && !more; i-- {
			more = r.include(&r.channel.Entries[r.channel.Order[i]])
		}
	}
	for i := range r.channel.Entries {
		if all || !more {
			more = r.include(&r.channel.Entries[i]) || more
		}
	}
	return more
}

// sound reports whether entries have one head from which replaces leads to all that are not
// skipped.
func sound(entries []catalog.Entry) bool {
	c := catalog.Channel{Entries: entries}
	c.SetOrder()
	return c.Fault == "" && !slices.ContainsFunc(entries, func(e catalog.Entry) bool { return e.Depth < 0 && !e.Skipped })
}

// sorted returns the bundles by version, then by name.
func (r *versionRange) sorted(bundles map[string]bool) []string {
	version := func(name string) semver.Version {
		return r.snapshot.Bundle(r.channel.Entry(name).Bundle).Version
	}
	return slices.SortedFunc(maps.Keys(bundles), func(a, b string) int {
		return cmp.Or(version(a).Compare(version(b)), strings.Compare(a, b))
	})
}
