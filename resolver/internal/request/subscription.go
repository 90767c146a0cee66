package request

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Subscription is an OLM v0 request. It implements Object.
type Subscription struct{ Object *cluster.Subscription }

func (s Subscription) Key() cluster.RequestKey { return s.Object.Key() }
func (s Subscription) PackageName() string     { return s.Object.Package }

func (s Subscription) Stated(p *model.Part, r *Request) *result.Request {
	o := s.Object
	stated := &result.Request{Key: o.Key(), Jointly: p.Model.Joint(), Package: o.Package, StartingCSV: o.StartingCSV}
	if o.Catalog != "" {
		stated.Catalog = catalog.Key{Namespace: o.CatalogNamespace, Name: o.Catalog}
	}
	if o.Channel != "" {
		stated.Channels = []string{o.Channel}
	}
	if r.Current >= 0 {
		b := &p.Installed[r.Current]
		stated.Installed, stated.Hold = b.Name(), b.Held()
	}
	return stated
}

func (s Subscription) NotReached(p *model.Part, r *Request, stated *result.Request, c int, b *catalog.Bundle) result.Reason {
	o, update := s.Object, r.Current >= 0
	from, about := &p.Catalogs[c], reason.Bundle(b.Name, b.Package)
	pkg := from.Snapshot.Package(b.Package)
	switch {
	case update && p.Installed[r.Current].Held() != nil:
		return reason.UpdatesHeld(about, stated)
	case o.Catalog != "" && !o.Names(from.Key) && (!update || p.In.Options.NamedUpdates):
		return reason.CatalogNotAsked(about, stated, from.Key)
	case o.Channel != "" && (pkg.Channel(o.Channel) == nil || pkg.Channel(o.Channel).Entry(b.Name) == nil):
		return reason.NotInChannel(about, stated)
	case !update && o.StartingCSV != "":
		return reason.OtherStartingCSV(about, stated)
	case update:
		return s.noUpdate(p, &p.Installed[r.Current], stated, from, b)
	}
	return reason.Unlisted(about, stated, model.Unlisted(from.Snapshot, b))
}

// noUpdate returns why a bundle is no update of the installed one.
func (s Subscription) noUpdate(p *model.Part, cur *model.InstalledBundle, stated *result.Request, from *model.Catalog, b *catalog.Bundle) result.Reason {
	rd, about := subscriptionReader{p: p, s: s, cur: cur}, reason.Bundle(b.Name, b.Package)
	var channels []string
	listed, leads := false, false
	for _, c := range rd.updateChannels(from.Snapshot.Package(b.Package)) {
		channels = append(channels, c.Name)
		e := c.Entry(b.Name)
		listed = listed || e != nil
		switch {
		case e == nil:
		case b.Name != cur.Name() && c.Below(cur.Name(), e):
			return reason.BelowInstalled(about, stated, c.Name)
		case e.Skipped:
			return reason.SkippedUpdate(about, stated, c.Name)
		case e.Depth >= 0:
			leads = true
		}
	}
	switch {
	case !listed && len(channels) > 0:
		return reason.OtherUpdates(about, stated, channels)
	case leads:
		return reason.NoUpdate(about, stated, channels)
	}
	return reason.Unlisted(about, stated, model.Unlisted(from.Snapshot, b))
}

// subscriptionReader finds the candidates of one Subscription.
type subscriptionReader struct {
	p *model.Part
	s Subscription
	// cur is the installed bundle, nil if there is none; self is its number.
	cur  *model.InstalledBundle
	self solver.Var
	r    *Request
	seen map[solver.Var]bool
}

// readSubscription finds the candidates of the Subscription with the given index.
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
	// An unhealthy catalog that could have served the request fails it.
	var unhealthy []result.UnhealthyCatalog
	for i := range rd.p.Visibility.Unhealthy {
		if c := &rd.p.Visibility.Unhealthy[i]; rd.s.Takes(c.Key) {
			unhealthy = append(unhealthy, *c)
		}
	}
	if len(unhealthy) > 0 {
		rd.fail(Fault{Kind: FaultCatalogUnhealthy, Unhealthy: unhealthy})
		return
	}
	named := rd.s.namedCatalogs(rd.p)
	if len(named) == 0 {
		rd.fail(Fault{Kind: rd.catalogFault(), Catalog: rd.s.Object.Catalog})
		return
	}
	for _, c := range named {
		rd.readCatalog(c)
	}
	if len(rd.r.List.Candidates) == 0 {
		// The installed bundle satisfies the request only if a catalog has its package and
		// channel.
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
		rd.addManaged()
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

func (rd *subscriptionReader) fail(f Fault) { rd.r.Fault, rd.r.List = &f, model.List{} }

// Admits implements Object: a Subscription states no range.
func (s Subscription) Admits(semver.Version) bool { return false }

// Refusals implements Object: OLM v0 resolves to nothing that it refuses.
func (s Subscription) Refusals(*model.Part, solver.Var) []result.Reason { return nil }
func (s Subscription) Generated() bool                                  { return s.Object.Generated }
func (s Subscription) HasInstalled() string                             { return s.Object.InstalledCSV }
func (s Subscription) Takes(k catalog.Key) bool                         { return s.Object.Catalog == "" || s.Object.Names(k) }

// namedCatalogs returns the indices of the visible catalogs that the Subscription
// [Subscription.Takes], in order of preference. Without a catalog namespace it takes every
// catalog of the name.
func (s Subscription) namedCatalogs(p *model.Part) []int {
	var named []int
	for i := range p.Catalogs {
		if s.Takes(p.Catalogs[i].Key) {
			named = append(named, i)
		}
	}
	return named
}

// catalogFault returns why the named catalog is not among the visible ones.
func (rd *subscriptionReader) catalogFault() FaultKind {
	if slices.ContainsFunc(rd.p.In.Options.ExcludeCatalogs, rd.s.Object.Names) {
		return FaultCatalogExcluded
	}
	for c := range rd.p.In.View.Catalogs() {
		if rd.s.Object.Names(c.Key) {
			return FaultCatalogNotVisible
		}
	}
	key := catalog.Key{Namespace: rd.s.Object.CatalogNamespace, Name: rd.s.Object.Catalog}
	unread := len(rd.p.In.Cluster.ClusterScoped().CatalogSources) == 0 // whether it is there is not known
	if unread && key.Namespace != "" && !inventory.Sees(rd.p.State, rd.p.Namespace, key, rd.p.In.Options) {
		return FaultCatalogNotVisible
	}
	return FaultCatalog
}

// channelFault returns why a package offers no candidates.
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

// add appends a candidate unless the list has it. It appends the installed bundle in place
// of its alias.
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

// addShared appends the candidates of a list of the Universe. It shares the list if it can.
func (rd *subscriptionReader) addShared(l *model.List) {
	candidates := rd.p.Renumber(l.Candidates)
	if len(rd.r.List.Candidates) == 0 && !slices.ContainsFunc(candidates, rd.p.Aliased) {
		rd.r.List.Candidates, rd.r.List.Places = slices.Clip(candidates), slices.Clip(l.Places)
		return
	}
	for i, v := range candidates {
		rd.add(v, l.Places[i])
	}
}

// readCatalog adds the candidates that a catalog offers.
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

// addStarting adds the bundle that startingCSV names, from the named channel, else from the
// first that lists it. The bundle need not be a candidate of any other request.
func (rd *subscriptionReader) addStarting(c int, pkg *catalog.Package) {
	for _, channel := range pkg.Preferred() {
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

// addManaged adds the installed bundles of the package that other Subscriptions manage,
// unless startingCSV names another bundle.
func (rd *subscriptionReader) addManaged() {
	for _, i := range rd.p.Managed[rd.s.Object.Package] {
		if rd.s.Object.StartingCSV == "" || rd.s.Object.StartingCSV == rd.p.Installed[i].Name() {
			rd.add(rd.p.InstalledVar(i), catalog.Place{})
		}
	}
}

// currentPlace returns the entry of the installed bundle in the named catalogs, empty if
// there is none.
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
