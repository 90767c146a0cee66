package encode

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Subscription is an OLM v0 request. It implements Wish.
type Subscription struct{ Object *cluster.Subscription }

// Name implements Wish.
func (s Subscription) Name() string { return s.Object.Name }

// PackageName implements Wish.
func (s Subscription) PackageName() string { return s.Object.Package }

// Served implements Wish.
func (s Subscription) Served() result.Served { return result.Served{Subscription: s.Object.Name} }

// Asked implements Wish.
func (s Subscription) Asked(p *Part, r *Request) *result.Request {
	o := s.Object
	asked := &result.Request{
		Kind: result.Subscription, Namespace: p.JointNamespace(), Name: o.Name, Package: o.Package,
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

// NotReached implements Wish.
func (s Subscription) NotReached(p *Part, r *Request, c int, b *catalog.Bundle) result.NotReached {
	o, update := s.Object, r.Current >= 0
	from := &p.Universe.Catalogs[c]
	pkg := from.Snapshot.Package(b.Package)
	switch {
	case update && p.Installed[r.Current].Held() != nil:
		return result.NotReached{Kind: result.UpdatesHeld}
	case o.Catalog != "" && !o.Names(from.Key) && (!update || p.Options.Updates == policy.UpdatesNamed):
		return result.NotReached{Kind: result.OtherCatalog, Catalog: from.Key}
	case o.Channel != "" && (pkg.Channel(o.Channel) == nil || pkg.Channel(o.Channel).Entry(b.Name) == nil):
		return result.NotReached{Kind: result.OtherChannel}
	case !update && o.StartingCSV != "":
		return result.NotReached{Kind: result.OtherStartingCSV}
	case update:
		return s.noUpdate(p, &p.Installed[r.Current], from, b)
	}
	return result.NotReached{Kind: result.NotListed, Unlisted: candidate.Unlisted(from.Snapshot, b)}
}

// noUpdate says why a bundle does not update what is installed.
func (s Subscription) noUpdate(p *Part, cur *InstalledBundle, from *candidate.Catalog, b *catalog.Bundle) result.NotReached {
	rd := subscriptionReader{p: p, s: s.Object, cur: cur}
	out := result.NotReached{Kind: result.NotListed, Unlisted: candidate.Unlisted(from.Snapshot, b)}
	var names []string
	listed := false
	for _, c := range rd.updateChannels(from.Snapshot.Package(b.Package)) {
		names = append(names, c.Name)
		e, at := c.Entry(b.Name), c.Entry(cur.Name())
		listed = listed || e != nil
		switch {
		case e == nil:
		case at != nil && at.Depth >= 0 && e.Depth > at.Depth, replacedBy(c, cur.Name())[b.Name]:
			return result.NotReached{Kind: result.BelowInstalled, Channel: c.Name}
		case e.Skipped:
			return result.NotReached{Kind: result.SkippedUpdate, Channel: c.Name}
		case e.Depth >= 0:
			out.Kind = result.NoUpdate
		}
	}
	if !listed && len(names) > 0 {
		out.Kind = result.OtherUpdates
	}
	out.Channel = strings.Join(names, " or ")
	return out
}

// subscriptionReader finds the candidates of one Subscription.
type subscriptionReader struct {
	p *Part
	s *cluster.Subscription
	// cur is the installed bundle or nil; self its number.
	cur  *InstalledBundle
	self solver.Var
	r    *Request
	seen map[solver.Var]bool
}

// readSubscription finds what can satisfy the Subscription with the given index.
func readSubscription(p *Part, index int) Request {
	s := &p.State.Subscriptions[index]
	r := Request{Wish: Subscription{s}, Current: p.installedIndex(s.InstalledCSV)}
	rd := subscriptionReader{p: p, s: s, r: &r}
	if r.Current >= 0 {
		rd.cur = &p.Installed[r.Current]
		rd.self = p.InstalledVar(r.Current)
	}
	rd.read()
	return r
}

func (rd *subscriptionReader) read() {
	if rd.s.Package == "" {
		rd.fail(FaultNoPackageName, nil)
		return
	}
	if unhealthy := rd.unhealthy(); len(unhealthy) > 0 {
		rd.fail(FaultCatalogUnhealthy, nil)
		rd.r.Fault.Unhealthy = unhealthy
		return
	}
	named, ok := rd.namedCatalogs()
	if !ok {
		return
	}
	for _, c := range named {
		rd.readCatalog(c)
	}
	if len(rd.r.Candidates) == 0 && !rd.reaches(named) {
		return
	}
	if rd.cur == nil {
		rd.adoptKept()
	} else {
		if rd.p.Options.Updates == policy.UpdatesVisible {
			for c := range rd.p.Universe.Catalogs {
				if !slices.Contains(named, c) {
					rd.readCatalog(c)
				}
			}
		}
		rd.add(rd.self, rd.currentPlace(named))
	}
	if len(rd.r.Candidates) == 0 {
		rd.fail(FaultNoBundles, named)
	}
}

func (rd *subscriptionReader) fail(kind FaultKind, catalogs []int) {
	rd.r.Fault = &Fault{Kind: kind, Catalogs: catalogs}
	rd.r.List = candidate.List{}
}

// namedCatalogs returns the catalogs that the Subscription names, in order of
// preference: all visible ones if it names none, and every visible one of that
// name if it names no namespace.
func (rd *subscriptionReader) namedCatalogs() ([]int, bool) {
	var named []int
	for i, c := range rd.p.Universe.Catalogs {
		if rd.s.Catalog == "" || rd.s.Names(c.Key) {
			named = append(named, i)
		}
	}
	if len(named) > 0 {
		return named, true
	}
	rd.fail(rd.catalogFault(), nil)
	rd.r.Fault.Catalog = rd.s.Catalog
	return nil, false
}

// unhealthy lists the catalogs that could have served the request and are left
// out because they are unhealthy.
func (rd *subscriptionReader) unhealthy() []result.UnhealthyCatalog {
	return slices.DeleteFunc(slices.Clone(rd.p.Visibility.Unhealthy), func(c result.UnhealthyCatalog) bool {
		return rd.s.Catalog != "" && !rd.s.Names(c.Key)
	})
}

// catalogFault says why no visible catalog is the one that is named.
func (rd *subscriptionReader) catalogFault() FaultKind {
	if slices.ContainsFunc(rd.p.Options.ExcludeCatalogs, rd.s.Names) {
		return FaultCatalogExcluded
	}
	for c := range rd.p.View.Catalogs() {
		if rd.s.Names(c.Key) {
			return FaultCatalogNotVisible
		}
	}
	return FaultCatalog
}

// reaches reports whether a catalog of the list has what the Subscription names
// and sets the fault if none does. It is asked when no candidate was found
// there: what is installed may still meet the request.
func (rd *subscriptionReader) reaches(catalogs []int) bool {
	kind := FaultPackage
	for _, c := range catalogs {
		pkg := rd.p.Universe.Catalogs[c].Snapshot.Package(rd.s.Package)
		if pkg == nil {
			continue
		}
		kind = max(kind, rd.channelFault(pkg))
	}
	if kind == FaultNoBundles {
		return true
	}
	rd.fail(kind, catalogs)
	return false
}

// channelFault says what keeps a package from offering candidates; of several
// catalogs the one that came furthest tells.
func (rd *subscriptionReader) channelFault(pkg *catalog.Package) FaultKind {
	starting := rd.cur == nil && rd.s.StartingCSV != ""
	if rd.s.Channel != "" {
		channel := pkg.Channel(rd.s.Channel)
		switch {
		case channel == nil:
			return FaultChannel
		case starting:
			return FaultStartingCSV
		case channel.Fault != "":
			return FaultChannelOrder
		}
		return FaultNoBundles
	}
	if starting {
		return FaultStartingCSV
	}
	if !slices.ContainsFunc(pkg.Channels, func(c *catalog.Channel) bool { return c.Fault == "" }) {
		return FaultChannelOrder
	}
	return FaultNoBundles
}

// add appends a candidate unless it is there already. A catalog's entry that
// is an installed bundle stands for that bundle.
func (rd *subscriptionReader) add(v solver.Var, at candidate.Place) {
	if real, ok := rd.p.Aliases[v]; ok {
		v = real
	}
	if rd.seen == nil {
		rd.seen = make(map[solver.Var]bool)
		for _, known := range rd.r.Candidates {
			rd.seen[known] = true
		}
	}
	if rd.seen[v] {
		return
	}
	rd.seen[v] = true
	rd.r.Add(v, at)
}

// addShared appends the candidates of a list of the universe, which other
// requests use as well.
func (rd *subscriptionReader) addShared(l *candidate.List) {
	candidates := rd.p.numbered(l.Candidates)
	if len(rd.r.Candidates) == 0 && !slices.ContainsFunc(candidates, rd.p.aliased) {
		rd.r.Candidates, rd.r.Places = slices.Clip(candidates), slices.Clip(l.Places)
		return
	}
	for i, v := range candidates {
		rd.add(v, l.Places[i])
	}
}

// readCatalog adds what a catalog offers, if anything.
func (rd *subscriptionReader) readCatalog(c int) {
	pkg := rd.p.Universe.Catalogs[c].Snapshot.Package(rd.s.Package)
	if pkg == nil {
		return
	}
	switch {
	case rd.cur != nil && rd.cur.Held() != nil:
		// Only the installed bundle will do.
	case rd.cur != nil:
		rd.addUpdates(c, rd.updateChannels(pkg))
	case rd.s.StartingCSV != "":
		rd.addStarting(c, pkg)
	case rd.s.Channel != "":
		if channel := pkg.Channel(rd.s.Channel); channel != nil {
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
		if rd.s.Channel != "" && channel.Name != rd.s.Channel {
			continue
		}
		i, ok := channel.Index(rd.s.StartingCSV)
		if !ok || channel.Entries[i].Bundle < 0 {
			continue
		}
		v := rd.p.Number(c, channel.Entries[i].Bundle)
		if !channel.Entries[i].Candidate() {
			rd.p.Extras = append(rd.p.Extras, v)
		}
		rd.add(v, candidate.Place{Channel: channel, Entry: i})
		return
	}
}

// adoptKept lets another Subscription to a package that is installed be met by
// keeping what is installed, unless it asks for another bundle by name.
func (rd *subscriptionReader) adoptKept() {
	for _, i := range rd.p.managed[rd.s.Package] {
		if rd.s.StartingCSV == "" || rd.s.StartingCSV == rd.p.Installed[i].Name() {
			rd.add(rd.p.InstalledVar(i), candidate.Place{})
		}
	}
}

// currentPlace returns where the named catalogs list the installed bundle.
func (rd *subscriptionReader) currentPlace(named []int) candidate.Place {
	for _, c := range named {
		pkg := rd.p.Universe.Catalogs[c].Snapshot.Package(rd.s.Package)
		if pkg == nil {
			continue
		}
		for _, channel := range rd.updateChannels(pkg) {
			if i, ok := channel.Index(rd.cur.Name()); ok {
				return candidate.Place{Channel: channel, Entry: i}
			}
		}
	}
	return candidate.Place{}
}
