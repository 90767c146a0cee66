package request

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Subscription is an OLM v0 request. It implements Object.
type Subscription struct{ Object *cluster.Subscription }

// Key implements Object.
func (s Subscription) Key() cluster.RequestKey { return s.Object.Key() }

// PackageName implements Object.
func (s Subscription) PackageName() string { return s.Object.Package }

// Asked implements Object.
func (s Subscription) Asked(p *model.Part, r *Request) *result.Request {
	o := s.Object
	asked := &result.Request{
		Key: o.Key(), Jointly: p.Model.Joint(), Package: o.Package,
		Catalog: o.Catalog, StartingCSV: o.StartingCSV,
	}
	if o.Catalog != "" && o.CatalogNamespace != "" {
		asked.Catalog = catalog.Key{Namespace: o.CatalogNamespace, Name: o.Catalog}.String()
	}
	if o.Channel != "" {
		asked.Channels = []string{o.Channel}
	}
	if r.Current >= 0 {
		b := &p.Installed[r.Current]
		asked.Installed, asked.Hold = b.Name(), b.Held()
	}
	return asked
}

// NotReached implements Object.
func (s Subscription) NotReached(p *model.Part, r *Request, c int, b *catalog.Bundle) (code.Code, result.Args) {
	o, update := s.Object, r.Current >= 0
	from := &p.Catalogs[c]
	pkg := from.Snapshot.Package(b.Package)
	switch {
	case update && p.Installed[r.Current].Held() != nil:
		return code.UpdatesHeld, result.Args{}
	case o.Catalog != "" && !o.Names(from.Key) && (!update || p.In.Options.NamedUpdates):
		return code.CatalogNotAsked, result.Args{Searched: &result.Searched{Catalogs: []catalog.Key{from.Key}}}
	case o.Channel != "" && (pkg.Channel(o.Channel) == nil || pkg.Channel(o.Channel).Entry(b.Name) == nil):
		return code.NotInChannel, result.Args{}
	case !update && o.StartingCSV != "":
		return code.OtherStartingCSV, result.Args{}
	case update:
		return s.noUpdate(p, &p.Installed[r.Current], from, b)
	}
	return code.Unlisted, result.Args{Err: candidate.Unlisted(from.Snapshot, b)}
}

// noUpdate says why a bundle does not update what is installed.
func (s Subscription) noUpdate(p *model.Part, cur *model.InstalledBundle, from *candidate.Catalog, b *catalog.Bundle) (code.Code, result.Args) {
	rd := subscriptionReader{p: p, s: s, cur: cur}
	var channels []string
	listed, leads := false, false
	for _, c := range rd.updateChannels(from.Snapshot.Package(b.Package)) {
		channels = append(channels, c.Name)
		e := c.Entry(b.Name)
		listed = listed || e != nil
		switch {
		case e == nil:
		case b.Name != cur.Name() && c.Below(cur.Name(), e):
			return code.BelowInstalled, result.Args{Channel: c.Name}
		case e.Skipped:
			return code.SkippedUpdate, result.Args{Channel: c.Name}
		case e.Depth >= 0:
			leads = true
		}
	}
	switch {
	case !listed && len(channels) > 0:
		return code.OtherUpdates, result.Args{Names: channels}
	case leads:
		return code.NoUpdate, result.Args{Names: channels}
	}
	return code.Unlisted, result.Args{Err: candidate.Unlisted(from.Snapshot, b)}
}

// subscriptionReader finds the candidates of one Subscription.
type subscriptionReader struct {
	p *model.Part
	s Subscription
	// cur is the installed bundle or nil; self its number.
	cur  *model.InstalledBundle
	self solver.Var
	r    *Request
	seen map[solver.Var]bool
}

// readSubscription finds what can satisfy the Subscription with the given index.
func readSubscription(p *model.Part, index int) Request {
	s := Subscription{&p.State.Subscriptions[index]}
	r := Request{Object: s, Current: p.InstalledIndex(s.Object.InstalledCSV)}
	rd := subscriptionReader{p: p, s: s, r: &r}
	if r.Current >= 0 {
		rd.cur = &p.Installed[r.Current]
		rd.self = p.InstalledVar(r.Current)
	}
	rd.read()
	return r
}

func (rd *subscriptionReader) read() {
	if rd.s.Object.Package == "" {
		rd.fail(Fault{Kind: FaultNoPackageName})
		return
	}
	// A catalog that could have served the request and cannot be read fails it.
	unhealthy := slices.DeleteFunc(slices.Clone(rd.p.Visibility.Unhealthy), func(c result.UnhealthyCatalog) bool { return !rd.s.Takes(c.Key) })
	if len(unhealthy) > 0 {
		rd.fail(Fault{Kind: FaultCatalogUnhealthy, Unhealthy: unhealthy})
		return
	}
	named := rd.s.NamedCatalogs(rd.p)
	if len(named) == 0 {
		rd.fail(Fault{Kind: rd.catalogFault(), Catalog: rd.s.Object.Catalog})
		return
	}
	for _, c := range named {
		rd.readCatalog(c)
	}
	if len(rd.r.List.Candidates) == 0 {
		// What is installed satisfies the request only where a catalog has what it names.
		kind := FaultPackage
		for _, pkg := range rd.p.Packages(named, rd.s.Object.Package) {
			kind = max(kind, rd.channelFault(pkg))
		}
		if kind != FaultNoBundles {
			rd.fail(Fault{Kind: kind, Catalogs: named})
			return
		}
	}
	if rd.cur == nil {
		rd.adoptKept()
	} else {
		if !rd.p.In.Options.NamedUpdates {
			for c := range rd.p.Catalogs {
				if !slices.Contains(named, c) {
					rd.readCatalog(c)
				}
			}
		}
		rd.add(rd.self, rd.currentPlace(named))
	}
	if len(rd.r.List.Candidates) == 0 {
		rd.fail(Fault{Kind: FaultNoBundles, Catalogs: named})
	}
}

func (rd *subscriptionReader) fail(f Fault) { rd.r.Fault, rd.r.List = &f, candidate.List{} }

// Takes reports whether the Subscription names a catalog, or none at all.
func (s Subscription) Takes(k catalog.Key) bool { return s.Object.Catalog == "" || s.Object.Names(k) }

// NamedCatalogs returns the catalogs that the Subscription names, in order of
// preference: all visible ones if it names none, and every visible one of that
// name if it names no namespace.
func (s Subscription) NamedCatalogs(p *model.Part) []int {
	var named []int
	for i := range p.Catalogs {
		if s.Takes(p.Catalogs[i].Key) {
			named = append(named, i)
		}
	}
	return named
}

// catalogFault says why no visible catalog is the one that is named.
func (rd *subscriptionReader) catalogFault() FaultKind {
	if slices.ContainsFunc(rd.p.In.Options.ExcludeCatalogs, rd.s.Object.Names) {
		return FaultCatalogExcluded
	}
	for c := range rd.p.In.View.Catalogs() {
		if rd.s.Object.Names(c.Key) {
			return FaultCatalogNotVisible
		}
	}
	return FaultCatalog
}

// channelFault says what keeps a package from offering candidates.
func (rd *subscriptionReader) channelFault(pkg *catalog.Package) FaultKind {
	channels := pkg.Channels
	if rd.s.Object.Channel != "" {
		channel := pkg.Channel(rd.s.Object.Channel)
		if channel == nil {
			return FaultChannel
		}
		channels = []*catalog.Channel{channel}
	}
	switch {
	case rd.cur == nil && rd.s.Object.StartingCSV != "":
		return FaultStartingCSV
	case !slices.ContainsFunc(channels, func(c *catalog.Channel) bool { return c.Fault == "" }):
		return FaultChannelOrder
	}
	return FaultNoBundles
}

// add appends a candidate unless it is there already. A catalog's entry that
// is an installed bundle stands for that bundle.
func (rd *subscriptionReader) add(v solver.Var, at catalog.Place) {
	if installed, ok := rd.p.Aliases[v]; ok {
		v = installed
	}
	if rd.seen == nil {
		rd.seen = make(map[solver.Var]bool)
		for _, known := range rd.r.List.Candidates {
			rd.seen[known] = true
		}
	}
	if rd.seen[v] {
		return
	}
	rd.seen[v] = true
	rd.r.List.Add(v, at)
}

// addShared appends the candidates of a list of the universe, which other
// requests use as well.
func (rd *subscriptionReader) addShared(l *candidate.List) {
	candidates := rd.p.Renumber(l.Candidates)
	if len(rd.r.List.Candidates) == 0 && !slices.ContainsFunc(candidates, rd.p.Aliased) {
		rd.r.List.Candidates, rd.r.List.Places = slices.Clip(candidates), slices.Clip(l.Places)
		return
	}
	for i, v := range candidates {
		rd.add(v, l.Places[i])
	}
}

// readCatalog adds what a catalog offers, if anything.
func (rd *subscriptionReader) readCatalog(c int) {
	pkg := rd.p.Catalogs[c].Snapshot.Package(rd.s.Object.Package)
	if pkg == nil {
		return
	}
	switch {
	case rd.cur != nil && rd.cur.Held() != nil:
		// Only the installed bundle satisfies the request.
	case rd.cur != nil:
		for _, at := range rd.updateEntries(rd.updateChannels(pkg)) {
			v := rd.p.Number(c, at.At().Bundle)
			rd.add(v, at)
			rd.p.Exclude(v, rd.self)
		}
	case rd.s.Object.StartingCSV != "":
		rd.addStarting(c, pkg)
	case rd.s.Object.Channel != "":
		if channel := pkg.Channel(rd.s.Object.Channel); channel != nil {
			rd.addShared(rd.p.Universe.ChannelCandidates(c, channel))
		}
	default:
		rd.addShared(rd.p.Universe.PackageCandidates(c, pkg))
	}
}

// addStarting adds the bundle that startingCSV names: from the channel, or
// from the first channel that lists it. It need not be a candidate otherwise.
func (rd *subscriptionReader) addStarting(c int, pkg *catalog.Package) {
	for _, channel := range candidate.PreferredChannels(pkg) {
		if rd.s.Object.Channel != "" && channel.Name != rd.s.Object.Channel {
			continue
		}
		i, ok := channel.Index(rd.s.Object.StartingCSV)
		if !ok || channel.Entries[i].Bundle < 0 {
			continue
		}
		v := rd.p.Number(c, channel.Entries[i].Bundle)
		if !channel.Entries[i].Candidate() && !rd.p.Aliased(v) {
			rd.p.Extras = append(rd.p.Extras, v)
		}
		rd.add(v, catalog.Place{Channel: channel, Entry: i})
		return
	}
}

// adoptKept lets what is installed of a package satisfy another Subscription to it,
// unless that names another bundle.
func (rd *subscriptionReader) adoptKept() {
	for _, i := range rd.p.Managed[rd.s.Object.Package] {
		if rd.s.Object.StartingCSV == "" || rd.s.Object.StartingCSV == rd.p.Installed[i].Name() {
			rd.add(rd.p.InstalledVar(i), catalog.Place{})
		}
	}
}

// currentPlace returns where the named catalogs list the installed bundle.
func (rd *subscriptionReader) currentPlace(named []int) catalog.Place {
	for _, pkg := range rd.p.Packages(named, rd.s.Object.Package) {
		for _, channel := range rd.updateChannels(pkg) {
			if i, ok := channel.Index(rd.cur.Name()); ok {
				return catalog.Place{Channel: channel, Entry: i}
			}
		}
	}
	return catalog.Place{}
}
