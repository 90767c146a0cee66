package resolver

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// offer is one bundle that a catalog has for a ClusterExtension.
type offer struct {
	v       solver.Var
	bundle  *catalog.Bundle
	pkg     properties.Package
	catalog int
}

// addOffers makes what the best catalog offers the candidates of the request.
func (p *problem) addOffers(asked *askedExtension, r *request, offers [][]offer) error {
	if len(offers) == 0 {
		r.fault = &requestFault{kind: p.extensionFault(asked, r.looked), catalogs: r.looked}
		return nil
	}
	best, err := p.bestOffer(asked, offers)
	if err != nil {
		return err
	}
	if r.current >= 0 {
		p.stateAsOffered(asked, best[0].catalog)
	}
	if first, ok := p.selectable(best); ok && p.options.RejectDependencies && len(first.Constraints) > 0 {
		r.fault = &requestFault{kind: faultDependencies, catalogs: r.looked, bundle: first}
		return nil
	}
	r.looked = []int{best[0].catalog}
	for _, o := range best {
		v := o.v
		if real, ok := p.aliases[v]; ok {
			v = real
		} else if r.current >= 0 {
			p.exclude(v, p.installedVar(r.current))
		}
		r.add(v, asked.place(p, o))
	}
	return nil
}

// offers returns the bundles of a catalog that meet the request, best first.
func (p *problem) offers(asked *askedExtension, c int) []offer {
	snapshot := p.universe.catalogs[c].snapshot
	pkg := snapshot.Package(asked.Package)
	if pkg == nil {
		return nil
	}
	channels := asked.channels(pkg)
	var list []offer
	for _, id := range pkg.Bundles {
		b := snapshot.Bundle(id)
		o := offer{v: p.number(c, id), bundle: b, catalog: c, pkg: releaseOf(b)}
		if !asked.accepts(b.Version) {
			continue
		}
		if asked.Installed != nil && same(o.pkg, asked.installed) {
			list = append(list, o)
			continue
		}
		if len(asked.Channels) > 0 && !lists(channels, b.Name) {
			continue
		}
		if asked.Installed != nil && !asked.SelfCertified && !asked.succeeds(channels, b.Name) {
			continue
		}
		list = append(list, o)
	}
	slices.SortStableFunc(list, func(a, b offer) int {
		return cmp.Or(deprecated(a.bundle)-deprecated(b.bundle), b.pkg.Compare(a.pkg), cmp.Compare(a.v, b.v))
	})
	return list
}

// channels returns those of the package that the request allows.
func (a *askedExtension) channels(pkg *catalog.Package) []*catalog.Channel {
	if len(a.Channels) == 0 {
		return pkg.Channels
	}
	var list []*catalog.Channel
	for _, c := range pkg.Channels {
		if slices.Contains(a.Channels, c.Name) {
			list = append(list, c)
		}
	}
	return list
}

func lists(channels []*catalog.Channel, bundle string) bool {
	return slices.ContainsFunc(channels, func(c *catalog.Channel) bool { return c.Entry(bundle) != nil })
}

// succeeds reports whether an entry of the channels updates what is installed.
func (a *askedExtension) succeeds(channels []*catalog.Channel, bundle string) bool {
	for _, c := range channels {
		e := c.Entry(bundle)
		if e != nil && (e.Replaces == a.Installed.Name || slices.Contains(e.Skips, a.Installed.Name) ||
			e.SkipRange.Contains(a.installed.Version)) {
			return true
		}
	}
	return false
}

// place is the first channel that lists an offered bundle.
func (a *askedExtension) place(p *problem, o offer) entryPlace {
	pkg := p.universe.catalogs[o.catalog].snapshot.Package(a.Package)
	return firstPlace(pkg, o.bundle.Name, func(c *catalog.Channel) bool {
		return len(a.Channels) == 0 || slices.Contains(a.Channels, c.Name)
	})
}

// selectable returns the best bundle of the offers that the publisher lets anyone
// select: one marked olm.deprecated can be kept only. Without any, it returns the
// best one, and false.
func (p *problem) selectable(offers []offer) (*catalog.Bundle, bool) {
	for _, o := range offers {
		if _, kept := p.aliases[o.v]; kept || !o.bundle.Properties.Deprecated() {
			return o.bundle, true
		}
	}
	return offers[0].bundle, false
}

// bestOffer returns the offers of the catalog whose best bundle wins: not
// deprecated first, then by priority. A catalog all of whose bundles are marked
// olm.deprecated comes last, as it has nothing to offer. Several of the same rank
// are an *Ambiguous error.
func (p *problem) bestOffer(asked *askedExtension, offers [][]offer) ([]offer, error) {
	priority := func(o []offer) int { return p.universe.catalogs[o[0].catalog].priority }
	rank := func(a, b []offer) int {
		x, offersX := p.selectable(a)
		y, offersY := p.selectable(b)
		switch {
		case offersX && !offersY:
			return -1
		case offersY && !offersX:
			return 1
		}
		return cmp.Or(deprecated(x)-deprecated(y), cmp.Compare(priority(b), priority(a)))
	}
	best := slices.MinFunc(offers, rank)
	var tied []string
	for _, o := range offers {
		if rank(o, best) == 0 {
			tied = append(tied, p.universe.catalogs[o[0].catalog].key.Name)
		}
	}
	if len(tied) > 1 {
		slices.Sort(tied)
		return nil, &result.Ambiguous{Package: asked.Package, Priority: priority(best), Catalogs: tied}
	}
	return best, nil
}
