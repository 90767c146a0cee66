package encode

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Request is a Subscription or a ClusterExtension with the bundles that can
// meet it.
type Request struct {
	Subscription *cluster.Subscription
	Extension    *cluster.ClusterExtension
	// Current is the installed bundle, as an index into problem.installed, or
	// -1.
	Current int
	// candidateList may share its slices with other requests.
	candidate.List
	// Fault says why there are no candidates, where there are none.
	Fault *requestFault
	// Looked are the catalogs that the request may be met from, where that is
	// not to be seen from the candidates.
	Looked []int
}

// Served names the request.
func (r *Request) Served() result.Served {
	if r.Extension != nil {
		return result.Served{Extension: r.Extension.Name}
	}
	return result.Served{Subscription: r.Subscription.Name}
}

// Named names a request, and its namespace where there are several.
func (p *Part) Named(r *Request) result.Served {
	s := r.Served()
	s.Namespace = p.JointNamespace()
	return s
}

// Name is that of the object.
func (r *Request) Name() string {
	if r.Extension != nil {
		return r.Extension.Name
	}
	return r.Subscription.Name
}

// PackageName is the package that the request asks for.
func (r *Request) PackageName() string {
	if r.Extension != nil {
		return r.Extension.Package
	}
	return r.Subscription.Package
}

// FaultKind says what a request names that is not there.
type FaultKind uint8

const (
	FaultNoPackageName FaultKind = iota + 1
	FaultCatalog
	FaultCatalogNotVisible
	FaultCatalogExcluded
	FaultCatalogUnhealthy
	FaultPackage
	FaultChannel
	FaultChannelOrder
	FaultStartingCSV
	FaultNoBundles
	FaultVersion
	FaultNoSuccessor
	FaultDependencies
)

// requestFault says why a request has no candidates.
type requestFault struct {
	Kind FaultKind
	// Catalogs are the indices of those that were looked at.
	Catalogs []int
	// Bundle is the one at fault, if one is.
	Bundle *catalog.Bundle
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

// readSubscription finds what can meet the Subscription with the given index.
func (p *Part) readSubscription(index int) Request {
	s := &p.State.Subscriptions[index]
	r := Request{Subscription: s, Current: p.installedIndex(s.InstalledCSV)}
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
	if rd.askedUnhealthy() {
		rd.fail(FaultCatalogUnhealthy, nil)
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
	rd.r.Fault = &requestFault{Kind: kind, Catalogs: catalogs}
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
	return nil, false
}

// askedUnhealthy reports whether a catalog that could have served the request
// is left out because it is unhealthy.
func (rd *subscriptionReader) askedUnhealthy() bool {
	return slices.ContainsFunc(rd.p.Visibility.Unhealthy, func(c result.UnhealthyCatalog) bool {
		return rd.s.Catalog == "" || rd.s.Names(c.Key)
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
