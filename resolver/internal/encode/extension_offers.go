package encode

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
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
func (p *Part) addOffers(asked *askedExtension, r *Request, offers [][]offer) error {
	if len(offers) == 0 {
		r.Fault = &requestFault{Kind: p.extensionFault(asked, r.Looked), Catalogs: r.Looked}
		return nil
	}
	best, err := p.bestOffer(asked, offers)
	if err != nil {
		return err
	}
	if r.Current >= 0 {
		p.stateAsOffered(asked, best[0].catalog)
	}
	if first, ok := p.selectable(best); ok && p.Options.RejectDependencies && len(first.Constraints) > 0 {
		r.Fault = &requestFault{Kind: FaultDependencies, Catalogs: r.Looked, Bundle: first}
		return nil
	}
	r.Looked = []int{best[0].catalog}
	for _, o := range best {
		v := o.v
		if real, ok := p.Aliases[v]; ok {
			v = real
		} else if r.Current >= 0 {
			p.exclude(v, p.InstalledVar(r.Current))
		}
		r.Add(v, asked.place(p, o))
	}
	return nil
}

// offers returns the bundles of a catalog that meet the request, best first.
func (p *Part) offers(asked *askedExtension, c int) []offer {
	snapshot := p.Universe.Catalogs[c].Snapshot
	pkg := snapshot.Package(asked.Package)
	if pkg == nil {
		return nil
	}
	channels := asked.AllowedChannels(pkg)
	var list []offer
	for _, id := range pkg.Bundles {
		b := snapshot.Bundle(id)
		o := offer{v: p.Number(c, id), bundle: b, catalog: c, pkg: candidate.ReleaseOf(b)}
		if !asked.Accepts(b.Version) {
			continue
		}
		if asked.Installed != nil && candidate.Same(o.pkg, asked.installed) {
			list = append(list, o)
			continue
		}
		if len(asked.Channels) > 0 && !Lists(channels, b.Name) {
			continue
		}
		if asked.Installed != nil && !asked.SelfCertified && !asked.Succeeds(channels, b.Name) {
			continue
		}
		list = append(list, o)
	}
	slices.SortStableFunc(list, func(a, b offer) int {
		return cmp.Or(candidate.Deprecated(a.bundle)-candidate.Deprecated(b.bundle), b.pkg.Compare(a.pkg), cmp.Compare(a.v, b.v))
	})
	return list
}

// AllowedChannels returns those of the package that the request allows.
func (a *askedExtension) AllowedChannels(pkg *catalog.Package) []*catalog.Channel {
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

func Lists(channels []*catalog.Channel, bundle string) bool {
	return slices.ContainsFunc(channels, func(c *catalog.Channel) bool { return c.Entry(bundle) != nil })
}

// Succeeds reports whether an entry of the channels updates what is installed.
func (a *askedExtension) Succeeds(channels []*catalog.Channel, bundle string) bool {
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
func (a *askedExtension) place(p *Part, o offer) candidate.Place {
	pkg := p.Universe.Catalogs[o.catalog].Snapshot.Package(a.Package)
	return candidate.FirstPlace(pkg, o.bundle.Name, func(c *catalog.Channel) bool {
		return len(a.Channels) == 0 || slices.Contains(a.Channels, c.Name)
	})
}

// selectable returns the best bundle of the offers that the publisher lets anyone
// select: one marked olm.deprecated can be kept only. Without any, it returns the
// best one, and false.
func (p *Part) selectable(offers []offer) (*catalog.Bundle, bool) {
	for _, o := range offers {
		if _, kept := p.Aliases[o.v]; kept || !o.bundle.Properties.Deprecated() {
			return o.bundle, true
		}
	}
	return offers[0].bundle, false
}

// bestOffer returns the offers of the catalog whose best bundle wins: not
// deprecated first, then by priority. A catalog all of whose bundles are marked
// olm.deprecated comes last, as it has nothing to offer. Several of the same rank
// are an *Ambiguous error.
func (p *Part) bestOffer(asked *askedExtension, offers [][]offer) ([]offer, error) {
	priority := func(o []offer) int { return p.Universe.Catalogs[o[0].catalog].Priority }
	rank := func(a, b []offer) int {
		x, offersX := p.selectable(a)
		y, offersY := p.selectable(b)
		switch {
		case offersX && !offersY:
			return -1
		case offersY && !offersX:
			return 1
		}
		return cmp.Or(candidate.Deprecated(x)-candidate.Deprecated(y), cmp.Compare(priority(b), priority(a)))
	}
	best := slices.MinFunc(offers, rank)
	var tied []string
	for _, o := range offers {
		if rank(o, best) == 0 {
			tied = append(tied, p.Universe.Catalogs[o[0].catalog].Key.Name)
		}
	}
	if len(tied) > 1 {
		slices.Sort(tied)
		return nil, &result.Ambiguous{Package: asked.Package, Priority: priority(best), Catalogs: tied}
	}
	return best, nil
}
