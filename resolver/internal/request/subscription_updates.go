package request

import (
	"iter"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// updateChannels returns the channels that may offer an update: the one that the
// Subscription names; else the default channel if it lists the installed bundle; else the
// channels that list it; else all. A channel without an order offers none.
func (rd *subscriptionReader) updateChannels(pkg *catalog.Package) []*catalog.Channel {
	if rd.s.Object.Channel != "" {
		if c := pkg.Channel(rd.s.Object.Channel); c != nil && c.Fault == "" {
			return []*catalog.Channel{c}
		}
		return nil
	}
	ordered := slices.DeleteFunc(slices.Clone(pkg.Preferred()), func(c *catalog.Channel) bool { return c.Fault != "" })
	listing := slices.DeleteFunc(slices.Clone(ordered), func(c *catalog.Channel) bool { return c.Entry(rd.cur.Name()) == nil })
	switch {
	case len(listing) == 0:
		return ordered
	case listing[0].Name == pkg.DefaultChannel:
		return listing[:1]
	}
	return listing
}

// updateEntries returns the entries that can replace the installed bundle, channel by
// channel, those closest to the head first.
func (rd *subscriptionReader) updateEntries(channels []*catalog.Channel) (updates []catalog.Place) {
	for _, channel := range channels {
		rd.p.Pace.Step(1 + len(channel.Order)/entriesAtOnce)
		for at := range channel.Updates(rd.cur.Name(), &rd.cur.Version) {
			if at.At().Candidate() {
				updates = append(updates, at)
			}
		}
	}
	return updates
}

func (s Subscription) UpdatesOf(p *model.Part, name string, version semver.Version) []solver.Var {
	var updates []solver.Var
	rd := s.readerWith(p, name, version)
	for c, channels := range rd.sources() {
		for _, at := range rd.updateEntries(channels) {
			updates = append(updates, p.Number(c, at.At().Bundle))
		}
	}
	return updates
}

// UnusableUpdate is a channel entry that updates a bundle and is no candidate.
type UnusableUpdate struct {
	Catalog int
	Place   catalog.Place
}

func (s Subscription) UnusableUpdates(p *model.Part, name string, version semver.Version) []UnusableUpdate {
	var list []UnusableUpdate
	rd := s.readerWith(p, name, version)
	for c, channels := range rd.sources() {
		for _, channel := range channels {
			rd.p.Pace.Step(1 + len(channel.Entries)/entriesAtOnce)
			for at := range channel.Updates(name, &version) {
				if !at.At().Candidate() {
					list = append(list, UnusableUpdate{c, at})
				}
			}
		}
	}
	return list
}

// readerWith returns a reader of the Subscription as if it had the named bundle installed.
func (s Subscription) readerWith(p *model.Part, name string, version semver.Version) *subscriptionReader {
	return &subscriptionReader{p: p, s: s, r: &Request{}, cur: &model.InstalledBundle{
		CSV:     &cluster.ClusterServiceVersion{Name: name},
		Version: version,
	}}
}

// sources yields, by catalog, the channels that may offer an update.
func (rd *subscriptionReader) sources() iter.Seq2[int, []*catalog.Channel] {
	return func(yield func(int, []*catalog.Channel) bool) {
		for i, c := range rd.p.Catalogs {
			pkg := c.Snapshot.Package(rd.s.Object.Package)
			if pkg == nil || rd.p.In.Options.NamedUpdates && !rd.s.Takes(c.Key) {
				continue
			}
			if !yield(i, rd.updateChannels(pkg)) {
				return
			}
		}
	}
}

// Elsewhere returns the first bundle that another catalog than those that a Subscription names
// offers as an update of what it has installed, with the field that would bring it. It returns
// nil where an own catalog offers an update, or the operator refuses any.
func Elsewhere(p *model.Part, r *Request) *result.UpdateElsewhere {
	s, ok := r.Object.(Subscription)
	if !ok || s.Object.Catalog == "" || r.Current < 0 || p.Installed[r.Current].Held() != nil {
		return nil
	}
	var found *result.UpdateElsewhere
	rd := subscriptionReader{p: p, s: s, r: r, cur: &p.Installed[r.Current]}
	for c := range p.Catalogs {
		pkg, takes := p.Catalogs[c].Snapshot.Package(s.Object.Package), s.Takes(p.Catalogs[c].Key)
		if pkg == nil || !takes && found != nil {
			continue
		}
		for _, at := range rd.updateEntries(rd.updateChannels(pkg)) {
			v, b := p.Number(c, at.At().Bundle), p.Catalogs[c].Snapshot.Bundle(at.At().Bundle)
			if takes {
				return nil
			}
			if _, forbidden := p.Forbid(v, c, b); !forbidden {
				found = &result.UpdateElsewhere{Catalog: p.Catalogs[c].Key, Bundle: b.Name, Field: s.catalogField(p.Catalogs[c].Key)}
				break
			}
		}
	}
	return found
}

// catalogField returns what has to change for the Subscription to name a catalog.
func (s Subscription) catalogField(k catalog.Key) string {
	switch {
	case s.Object.Catalog == k.Name:
		return words.FieldSourceNamespace
	case s.Object.CatalogNamespace != "" && s.Object.CatalogNamespace != k.Namespace:
		return words.FieldSource + " and " + words.FieldSourceNamespace
	}
	return words.FieldSource
}

// NotTaken returns why OLM does not take an update by itself: the Subscription names another
// catalog. It returns false if that is not so.
func NotTaken(p *model.Part, r *Request, from catalog.Key, bundle string) (result.Reason, bool) {
	s, ok := r.Object.(Subscription)
	if !ok || r.Current < 0 || s.Takes(from) {
		return result.Reason{}, false
	}
	return reason.UpdateElsewhere(bundle, from, r.Stated(p, r), s.catalogField(from)), true
}

// ChosenAnyway returns what becomes of the bundle that OLM takes for a Subscription if that cannot be
// selected for a reason that OLM does not read when it resolves. It returns false if that is not so.
func ChosenAnyway(p *model.Part, r *Request) (result.Reason, bool) {
	_, ok := r.Object.(Subscription)
	if !ok || r.Fault != nil || len(r.List.Candidates) == 0 || p.AsInstalled(r.List.Candidates[0]) != nil {
		return result.Reason{}, false
	}
	v, then := r.List.Candidates[0], ""
	c, _ := p.Locate(v)
	why, _ := p.Forbid(v, c, p.Bundle(v))
	switch why.Code {
	case words.Kubernetes:
		then = "stays in phase Pending"
	case words.WrongMode, words.TakenAPI, words.SharedAPI, words.StaticGroup:
		then = "fails"
	default:
		return result.Reason{}, false
	}
	approval := ""
	if !inventory.Manual(p.State) {
		approval = "Manual"
	}
	return reason.ChosenAnyway(p.NameOf(v), r.Stated(p, r), then, approval), true
}

// Comes reports whether OLM takes an update for a Subscription that then does not run, and nobody has to
// approve it.
func Comes(p *model.Part, r *Request) bool {
	why, chosen := ChosenAnyway(p, r)
	return chosen && ComesBy(why)
}

// ComesBy reports whether what ChosenAnyway returned says that.
func ComesBy(chosen result.Reason) bool {
	return chosen.Code() == words.ChosenAnyway && chosen.Args().Limit != ""
}

// Starts returns what becomes of the startingCSV of a Subscription: OLM reads none where something
// is installed, and leaves it at once where nobody has to approve that. It returns false if there
// is nothing to say.
func Starts(p *model.Part, r *Request) (result.Reason, bool) {
	s, ok := r.Object.(Subscription)
	if !ok || s.Object.StartingCSV == "" || r.Fault != nil {
		return result.Reason{}, false
	}
	manual := inventory.Manual(p.State)
	switch {
	case r.Current >= 0:
		installed := p.Installed[r.Current].Name()
		// Nothing moves from the head, and what runs stays if somebody has to approve its updates.
		tells := installed != s.Head(p, r).Name && (!manual || installed != s.Object.StartingCSV)
		return reason.StartUnread(r.Stated(p, r), installed), tells
	case manual || len(r.List.Candidates) == 0 || p.AsInstalled(r.List.Candidates[0]) != nil:
		return result.Reason{}, false
	}
	b := p.Bundle(r.List.Candidates[0])
	updates := s.UpdatesOf(p, b.Name, b.Version)
	if len(updates) == 0 {
		return result.Reason{}, false
	}
	return reason.StartLeft(r.Stated(p, r), p.NameOf(updates[0])), true
}

func (s Subscription) Head(p *model.Part, r *Request) Head {
	name := ""
	if r.Current >= 0 {
		name = p.Installed[r.Current].Name()
	}
	rd := s.readerWith(p, name, semver.Version{})
	for c, pkg := range p.Packages(s.namedCatalogs(p), s.Object.Package) {
		for _, channel := range rd.updateChannels(pkg) {
			return Head{c, catalog.Place{Channel: channel, Entry: int(channel.Order[0])}, channel.Head().Name}
		}
	}
	return Head{}
}

func (s Subscription) Channels(p *model.Part) []string {
	return channelNames(p, s.Object.Package, s.namedCatalogs(p), func(c *catalog.Channel) bool { return c.Fault == "" })
}

// channelNames returns the names of the allowed channels of a package in some catalogs,
// per catalog the default one first.
func channelNames(p *model.Part, pkg string, catalogs []int, allowed func(*catalog.Channel) bool) []string {
	var names []string
	for _, found := range p.Packages(catalogs, pkg) {
		for _, c := range found.Preferred() {
			if allowed(c) {
				names = append(names, c.Name)
			}
		}
	}
	return words.Distinct(names)
}

func (s Subscription) InChannel(name string) Object {
	o := *s.Object
	o.Channel = name
	return Subscription{&o}
}

func (s Subscription) Target(p *model.Part, r *Request, name string) string {
	if name == "" {
		return s.Head(p, r).Name
	}
	catalogs := s.namedCatalogs(p)
	if !p.In.Options.NamedUpdates {
		for c := range p.Catalogs {
			if !slices.Contains(catalogs, c) {
				catalogs = append(catalogs, c)
			}
		}
	}
	return target(p, r, catalogs, name)
}

// target finds a bundle of the package of a request by its name or version.
func target(p *model.Part, r *Request, catalogs []int, name string) string {
	for c, pkg := range p.Packages(catalogs, r.PackageName()) {
		for b := range p.Catalogs[c].Bundles(pkg.Name) {
			if b.Name == name || b.Version.String() == name {
				return b.Name
			}
		}
		if slices.ContainsFunc(pkg.Channels, func(c *catalog.Channel) bool { return c.Entry(name) != nil }) {
			return name // an entry without a bundle: the caller reports that there is no path
		}
	}
	if cur := &p.Installed[r.Current]; name == cur.Name() || name == cur.Version.String() {
		return cur.Name()
	}
	return builtOf(p, r, catalogs, name)
}

// builtOf finds the only bundle whose version is this one but for its build metadata, empty if there is none
// or several.
func builtOf(p *model.Part, r *Request, catalogs []int, version string) (bundle string) {
	wanted, err := semver.Parse(version)
	if err != nil || len(wanted.Build) > 0 {
		return ""
	}
	for c, pkg := range p.Packages(catalogs, r.PackageName()) {
		for b := range p.Catalogs[c].Bundles(pkg.Name) {
			switch {
			case !b.Version.EQ(wanted) || b.Name == bundle:
			case bundle != "":
				return ""
			default:
				bundle = b.Name
			}
		}
	}
	return bundle
}
