package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// request is a Subscription or a ClusterExtension with the bundles that can
// meet it.
type request struct {
	subscription *Subscription
	extension    *ClusterExtension
	// current is the installed bundle, as an index into problem.installed, or
	// -1.
	current int
	// candidateList may share its slices with other requests.
	candidateList
	// fault says why there are no candidates, where there are none.
	fault *requestFault
	// looked are the catalogs that the request may be met from, where that is
	// not to be seen from the candidates.
	looked []int
}

// served names the request.
func (r *request) served() result.Served {
	if r.extension != nil {
		return result.Served{Extension: r.extension.Name}
	}
	return result.Served{Subscription: r.subscription.Name}
}

// named names a request, and its namespace where there are several.
func (p *problem) named(r *request) result.Served {
	s := r.served()
	s.Namespace = p.home()
	return s
}

// name is that of the object.
func (r *request) name() string {
	if r.extension != nil {
		return r.extension.Name
	}
	return r.subscription.Name
}

// packageName is the package that the request asks for.
func (r *request) packageName() string {
	if r.extension != nil {
		return r.extension.Package
	}
	return r.subscription.Package
}

// faultKind says what a request names that is not there.
type faultKind uint8

const (
	faultNoPackageName faultKind = iota + 1
	faultCatalog
	faultCatalogNotVisible
	faultCatalogExcluded
	faultCatalogUnhealthy
	faultPackage
	faultChannel
	faultChannelOrder
	faultStartingCSV
	faultNoBundles
	faultVersion
	faultNoSuccessor
	faultDependencies
)

// requestFault says why a request has no candidates.
type requestFault struct {
	kind faultKind
	// catalogs are the indices of those that were looked at.
	catalogs []int
	// bundle is the one at fault, if one is.
	bundle *catalog.Bundle
}

// subscriptionReader finds the candidates of one Subscription.
type subscriptionReader struct {
	p *problem
	s *Subscription
	// cur is the installed bundle or nil; self its number.
	cur  *installedBundle
	self solver.Var
	r    *request
	seen map[solver.Var]bool
}

// readSubscription finds what can meet the Subscription with the given index.
func (p *problem) readSubscription(index int) request {
	s := &p.state.subscriptions[index]
	r := request{subscription: s, current: p.installedIndex(s.InstalledCSV)}
	rd := subscriptionReader{p: p, s: s, r: &r}
	if r.current >= 0 {
		rd.cur = &p.installed[r.current]
		rd.self = p.installedVar(r.current)
	}
	rd.read()
	return r
}

func (rd *subscriptionReader) read() {
	if rd.s.Package == "" {
		rd.fail(faultNoPackageName, nil)
		return
	}
	if rd.askedUnhealthy() {
		rd.fail(faultCatalogUnhealthy, nil)
		return
	}
	named, ok := rd.namedCatalogs()
	if !ok {
		return
	}
	for _, c := range named {
		rd.readCatalog(c)
	}
	if len(rd.r.candidates) == 0 && !rd.reaches(named) {
		return
	}
	if rd.cur == nil {
		rd.adoptKept()
	} else {
		if rd.p.options.Updates == UpdatesVisible {
			for c := range rd.p.universe.catalogs {
				if !slices.Contains(named, c) {
					rd.readCatalog(c)
				}
			}
		}
		rd.add(rd.self, rd.currentPlace(named))
	}
	if len(rd.r.candidates) == 0 {
		rd.fail(faultNoBundles, named)
	}
}

func (rd *subscriptionReader) fail(kind faultKind, catalogs []int) {
	rd.r.fault = &requestFault{kind: kind, catalogs: catalogs}
	rd.r.candidateList = candidateList{}
}

// namedCatalogs returns the catalogs that the Subscription names, in order of
// preference: all visible ones if it names none, and every visible one of that
// name if it names no namespace.
func (rd *subscriptionReader) namedCatalogs() ([]int, bool) {
	var named []int
	for i, c := range rd.p.universe.catalogs {
		if rd.s.Catalog == "" || rd.s.names(c.key) {
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
	return slices.ContainsFunc(rd.p.visibility.unhealthy, func(c result.UnhealthyCatalog) bool {
		return rd.s.Catalog == "" || rd.s.names(c.Key)
	})
}

// catalogFault says why no visible catalog is the one that is named.
func (rd *subscriptionReader) catalogFault() faultKind {
	if slices.ContainsFunc(rd.p.options.ExcludeCatalogs, rd.s.names) {
		return faultCatalogExcluded
	}
	for c := range rd.p.view.Catalogs() {
		if rd.s.names(c.Key) {
			return faultCatalogNotVisible
		}
	}
	return faultCatalog
}

// reaches reports whether a catalog of the list has what the Subscription names
// and sets the fault if none does. It is asked when no candidate was found
// there: what is installed may still meet the request.
func (rd *subscriptionReader) reaches(catalogs []int) bool {
	kind := faultPackage
	for _, c := range catalogs {
		pkg := rd.p.universe.catalogs[c].snapshot.Package(rd.s.Package)
		if pkg == nil {
			continue
		}
		kind = max(kind, rd.channelFault(pkg))
	}
	if kind == faultNoBundles {
		return true
	}
	rd.fail(kind, catalogs)
	return false
}

// channelFault says what keeps a package from offering candidates; of several
// catalogs the one that came furthest tells.
func (rd *subscriptionReader) channelFault(pkg *catalog.Package) faultKind {
	starting := rd.cur == nil && rd.s.StartingCSV != ""
	if rd.s.Channel != "" {
		channel := pkg.Channel(rd.s.Channel)
		switch {
		case channel == nil:
			return faultChannel
		case starting:
			return faultStartingCSV
		case channel.Fault != "":
			return faultChannelOrder
		}
		return faultNoBundles
	}
	if starting {
		return faultStartingCSV
	}
	if !slices.ContainsFunc(pkg.Channels, func(c *catalog.Channel) bool { return c.Fault == "" }) {
		return faultChannelOrder
	}
	return faultNoBundles
}

// add appends a candidate unless it is there already. A catalog's entry that
// is an installed bundle stands for that bundle.
func (rd *subscriptionReader) add(v solver.Var, at entryPlace) {
	if real, ok := rd.p.aliases[v]; ok {
		v = real
	}
	if rd.seen == nil {
		rd.seen = make(map[solver.Var]bool)
		for _, known := range rd.r.candidates {
			rd.seen[known] = true
		}
	}
	if rd.seen[v] {
		return
	}
	rd.seen[v] = true
	rd.r.add(v, at)
}

// addShared appends the candidates of a list of the universe, which other
// requests use as well.
func (rd *subscriptionReader) addShared(l *candidateList) {
	candidates := rd.p.numbered(l.candidates)
	if len(rd.r.candidates) == 0 && !slices.ContainsFunc(candidates, rd.p.aliased) {
		rd.r.candidates, rd.r.places = slices.Clip(candidates), slices.Clip(l.places)
		return
	}
	for i, v := range candidates {
		rd.add(v, l.places[i])
	}
}

// readCatalog adds what a catalog offers, if anything.
func (rd *subscriptionReader) readCatalog(c int) {
	pkg := rd.p.universe.catalogs[c].snapshot.Package(rd.s.Package)
	if pkg == nil {
		return
	}
	switch {
	case rd.cur != nil && rd.cur.held() != nil:
		// Only the installed bundle will do.
	case rd.cur != nil:
		rd.addUpdates(c, rd.updateChannels(pkg))
	case rd.s.StartingCSV != "":
		rd.addStarting(c, pkg)
	case rd.s.Channel != "":
		if channel := pkg.Channel(rd.s.Channel); channel != nil {
			rd.addShared(rd.p.universe.channelCandidates(c, channel))
		}
	default:
		rd.addShared(rd.p.universe.packageCandidates(c, pkg))
	}
}

// addStarting adds the bundle that startingCSV names: from the channel, or
// from the first channel that lists it. It need not be a candidate otherwise.
func (rd *subscriptionReader) addStarting(c int, pkg *catalog.Package) {
	for _, channel := range preferredChannels(pkg) {
		if rd.s.Channel != "" && channel.Name != rd.s.Channel {
			continue
		}
		i, ok := channel.Index(rd.s.StartingCSV)
		if !ok || channel.Entries[i].Bundle < 0 {
			continue
		}
		v := rd.p.number(c, channel.Entries[i].Bundle)
		if !channel.Entries[i].Candidate() {
			rd.p.extras = append(rd.p.extras, v)
		}
		rd.add(v, entryPlace{channel, i})
		return
	}
}

// adoptKept lets another Subscription to a package that is installed be met by
// keeping what is installed, unless it asks for another bundle by name.
func (rd *subscriptionReader) adoptKept() {
	for _, i := range rd.p.managed[rd.s.Package] {
		if rd.s.StartingCSV == "" || rd.s.StartingCSV == rd.p.installed[i].name() {
			rd.add(rd.p.installedVar(i), entryPlace{})
		}
	}
}

// currentPlace returns where the named catalogs list the installed bundle.
func (rd *subscriptionReader) currentPlace(named []int) entryPlace {
	for _, c := range named {
		pkg := rd.p.universe.catalogs[c].snapshot.Package(rd.s.Package)
		if pkg == nil {
			continue
		}
		for _, channel := range rd.updateChannels(pkg) {
			if i, ok := channel.Index(rd.cur.name()); ok {
				return entryPlace{channel, i}
			}
		}
	}
	return entryPlace{}
}
