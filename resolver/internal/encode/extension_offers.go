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
func (rd *extensionReader) addOffers(r *Request, offers [][]offer) error {
	if len(offers) == 0 {
		r.Fault = rd.fault(r.Looked)
		return nil
	}
	best, err := rd.bestOffer(offers)
	if err != nil {
		return err
	}
	if r.Current >= 0 {
		// What is kept is kept as the catalog has it whose offers win, if it does.
		if own := &rd.Installed[r.Current]; rd.stateAs(own, best[0].catalog, rd.installed) {
			rd.regroup(own)
		}
	}
	if first, ok := rd.selectable(best); ok && rd.Options.RejectDependencies && len(first.Constraints) > 0 {
		r.Fault = &Fault{Kind: FaultDependencies, Catalogs: r.Looked, Bundle: first}
		return nil
	}
	r.Looked = []int{best[0].catalog}
	for _, o := range best {
		v := o.v
		if installed, ok := rd.Aliases[v]; ok {
			v = installed
		} else if r.Current >= 0 {
			rd.exclude(v, rd.InstalledVar(r.Current))
		}
		r.Add(v, rd.place(o))
	}
	return nil
}

// offers returns the bundles of a catalog that satisfy the request, best first.
func (rd *extensionReader) offers(c int) []offer {
	pkg := rd.Catalogs[c].Package(rd.Object.Package)
	if pkg == nil {
		return nil
	}
	channels := rd.channels(pkg)
	var list []offer
	for _, id := range pkg.Bundles {
		b := rd.Catalogs[c].Bundle(id)
		o := offer{v: rd.Number(c, id), bundle: b, catalog: c, pkg: candidate.ReleaseOf(b)}
		listed := len(rd.Object.Channels) == 0 || lists(channels, b.Name)
		reached := !rd.onlySuccessors() || candidate.Same(o.pkg, rd.installed) || rd.succeeds(channels, b.Name)
		if rd.accepts(b.Version) && listed && reached {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b offer) int {
		return cmp.Or(candidate.Deprecated(a.bundle)-candidate.Deprecated(b.bundle), b.pkg.Compare(a.pkg), cmp.Compare(a.v, b.v))
	})
	return list
}

// onlySuccessors reports whether the policy of updates admits successors only.
func (a *Extension) onlySuccessors() bool {
	return a.Object.Installed != nil && !a.Object.SelfCertified
}

// channels returns those of the package that the request allows.
func (a *Extension) channels(pkg *catalog.Package) []*catalog.Channel {
	if len(a.Object.Channels) == 0 {
		return pkg.Channels
	}
	var list []*catalog.Channel
	for _, c := range pkg.Channels {
		if slices.Contains(a.Object.Channels, c.Name) {
			list = append(list, c)
		}
	}
	return list
}

func lists(channels []*catalog.Channel, bundle string) bool {
	return slices.ContainsFunc(channels, func(c *catalog.Channel) bool { return c.Entry(bundle) != nil })
}

// succeeds reports whether an entry of the channels updates what is installed.
func (a *Extension) succeeds(channels []*catalog.Channel, bundle string) bool {
	for _, c := range channels {
		e := c.Entry(bundle)
		if e != nil && (e.Replaces == a.Object.Installed.Name || slices.Contains(e.Skips, a.Object.Installed.Name) ||
			e.SkipRange.Contains(a.installed.Version)) {
			return true
		}
	}
	return false
}

// place is the first channel that lists an offered bundle.
func (rd *extensionReader) place(o offer) candidate.Place {
	pkg := rd.Catalogs[o.catalog].Package(rd.Object.Package)
	return candidate.FirstPlace(pkg, o.bundle.Name, func(c *catalog.Channel) bool {
		return len(rd.Object.Channels) == 0 || slices.Contains(rd.Object.Channels, c.Name)
	})
}

// selectable returns the best bundle of the offers that the publisher lets anyone
// select: one marked olm.deprecated can be kept only. Without any, it returns the
// best one, and false.
func (rd *extensionReader) selectable(offers []offer) (*catalog.Bundle, bool) {
	for _, o := range offers {
		if _, kept := rd.Aliases[o.v]; kept || !o.bundle.Properties.Deprecated() {
			return o.bundle, true
		}
	}
	return offers[0].bundle, false
}

// bestOffer returns the offers of the catalog whose best bundle wins: not
// deprecated first, then by priority. A catalog all of whose bundles are marked
// olm.deprecated comes last, as it has nothing to offer. Several of the same rank
// are an *Ambiguous error.
func (rd *extensionReader) bestOffer(offers [][]offer) ([]offer, error) {
	priority := func(o []offer) int { return rd.Catalogs[o[0].catalog].Priority }
	rank := func(a, b []offer) int {
		x, offersX := rd.selectable(a)
		y, offersY := rd.selectable(b)
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
			tied = append(tied, rd.Catalogs[o[0].catalog].Key.Name)
		}
	}
	if len(tied) > 1 {
		slices.Sort(tied)
		return nil, &result.Ambiguous{Package: rd.Object.Package, Priority: priority(best), Catalogs: tied}
	}
	return best, nil
}
