package request

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// extensionReader reads a ClusterExtension: what is installed in the cluster, and its
// candidates.
type extensionReader struct {
	p *model.Part
	e *Extension
}

// newExtensionReader parses a ClusterExtension.
func newExtensionReader(scope cluster.Scope, in *model.Inputs) (scopeReader, error) {
	object := in.Cluster.Extension(scope.Name)
	if object == nil {
		return nil, words.ErrNoObject
	}
	e, err := readExtension(object)
	return &extensionReader{e: e}, err
}

func (rd *extensionReader) visible(_ cluster.Scope, in *model.Inputs) (inventory.Visibility, error) {
	seen := extensions.Visible(rd.e.Object.Key().Scope(), in)
	if len(seen.Unhealthy) > 0 {
		return seen, &result.CatalogsUnhealthy{Scope: rd.e.Object.Key().Scope(), Catalogs: seen.Unhealthy}
	}
	return seen, nil
}

func (rd *extensionReader) read(p *model.Part) ([]Request, error) {
	rd.p = p
	if err := rd.readCluster(); err != nil {
		return nil, err
	}
	return []Request{rd.readRequest()}, nil
}

// readCluster reads everything that is installed in the cluster. The bundle of this
// ClusterExtension comes first. All others are Foreign.
func (rd *extensionReader) readCluster() error {
	if rd.e.Object.Installed != nil {
		own := rd.installedBundle(rd.e.Object, rd.e.installed)
		own.Requested = true
		rd.p.Regroup(&own)
		rd.p.Installed = append(rd.p.Installed, own)
		for c := range rd.p.Catalogs {
			if id := rd.find(c, rd.e.installed); id != catalog.NoBundle {
				rd.p.AddAlias(rd.p.Number(c, id), rd.p.InstalledVar(0))
			}
		}
	}
	rd.p.Owners = map[properties.GVK]*cluster.ClusterExtension{}
	for _, other := range rd.p.In.Cluster.Extensions() {
		if other.Name == rd.e.Object.Name || other.Installed == nil {
			continue
		}
		pkg, err := installedPackage(other)
		if err != nil {
			return &result.InvalidInput{Subject: "ClusterExtension " + other.Name, Err: err}
		}
		b := rd.installedBundle(other, pkg)
		b.Foreign, b.Constraints = true, nil
		rd.p.Installed = append(rd.p.Installed, b)
		for _, api := range b.Properties.GVKs() {
			if _, ok := rd.p.Owners[inventory.KindOf(api)]; !ok {
				rd.p.Owners[inventory.KindOf(api)] = other
			}
		}
	}
	namespaces := rd.p.In.Cluster.Namespaces()
	more := 0
	for _, namespace := range namespaces {
		more += len(inventory.InstalledIn(rd.p.In.Cluster, namespace))
	}
	rd.p.Installed = slices.Grow(rd.p.Installed, more)
	for _, namespace := range namespaces {
		for _, b := range inventory.InstalledIn(rd.p.In.Cluster, namespace) {
			own := model.InstalledBundle{CSV: b.CSV, Properties: b.Properties, Own: model.NoCatalog, Foreign: true}
			_ = readVersion(&own) // the version is only displayed
			rd.p.Installed = append(rd.p.Installed, own)
		}
	}
	return nil
}

// installedBundle returns the installed bundle of a ClusterExtension. Its properties come
// from the first catalog that has it. If none has it, only its package is known.
func (rd *extensionReader) installedBundle(e *cluster.ClusterExtension, pkg properties.Package) model.InstalledBundle {
	b := model.InstalledBundle{
		CSV:      &cluster.ClusterServiceVersion{Name: e.Installed.Name},
		Version:  pkg.Version,
		Packages: []string{e.Package},
		Own:      model.NoCatalog,
	}
	for c := range rd.p.Catalogs {
		if rd.stateAs(&b, c, pkg) {
			return b
		}
	}
	stated := properties.NewProperty(properties.TypePackage, map[string]string{"packageName": e.Package, "version": pkg.Version.String()})
	b.Properties, _ = properties.Decode([]properties.Property{stated}, nil)
	return b
}

// stateAs gives an installed bundle the properties and constraints that a catalog states
// for it, and reports whether the catalog has it.
func (rd *extensionReader) stateAs(b *model.InstalledBundle, c int, pkg properties.Package) bool {
	id := rd.find(c, pkg)
	if id == catalog.NoBundle {
		return false
	}
	found := rd.p.Catalogs[c].Snapshot.Bundle(id)
	b.Properties, b.Constraints, b.Own = found.Properties, found.Constraints, c
	return true
}

// find returns the bundle of a catalog that is the installed one, or NoBundle.
func (rd *extensionReader) find(c int, installed properties.Package) catalog.ID {
	if pkg := rd.p.Catalogs[c].Snapshot.Package(installed.Name); pkg != nil {
		for _, id := range pkg.Bundles {
			if model.Same(Release(rd.p.In, rd.p.Catalogs[c].Snapshot.Bundle(id)), installed) {
				return id
			}
		}
	}
	return catalog.NoBundle
}

// readRequest finds the candidates: the offers of the best catalog.
func (rd *extensionReader) readRequest() Request {
	r := Request{Object: rd.e, Current: -1}
	if rd.e.Object.Installed != nil {
		r.Current = 0 // readCluster puts it first
	}
	var offers [][]offer
	r.Looked = rd.e.looked(rd.p)
	for _, c := range r.Looked {
		if list := rd.offers(c); len(list) > 0 {
			offers = append(offers, list)
		}
	}
	rd.addOffers(&r, offers)
	return r
}

// fault returns why no catalog has an offer.
func (rd *extensionReader) fault(catalogs []int) *Fault {
	f := &Fault{Kind: FaultPackage, Catalogs: catalogs}
	for c, pkg := range rd.p.Packages(catalogs, rd.e.Object.Package) {
		f.Kind = max(f.Kind, FaultChannel)
		channels := rd.e.channels(pkg)
		if len(channels) == 0 && len(rd.e.Object.Channels) > 0 {
			continue
		}
		f.Kind = max(f.Kind, FaultVersion)
		if slices.ContainsFunc(pkg.Bundles, func(id catalog.ID) bool {
			b := rd.p.Catalogs[c].Snapshot.Bundle(id)
			return rd.e.Accepts(b.Version) && rd.e.lists(channels, b.Name)
		}) {
			f.Kind = FaultNoSuccessor
		}
	}
	if f.Kind == FaultNoSuccessor {
		rd.explainNoSuccessor(f)
	}
	return f
}

// explainNoSuccessor notes whether catalogs and channels have the installed bundle, and its
// successors outside the range.
func (rd *extensionReader) explainNoSuccessor(f *Fault) {
	f.Gone, f.Unlisted = true, true
	for c, pkg := range rd.p.Packages(f.Catalogs, rd.e.Object.Package) {
		channels, snapshot := rd.e.channels(pkg), rd.p.Catalogs[c].Snapshot
		if at := rd.find(c, rd.e.installed); at != catalog.NoBundle {
			f.Gone = false
			f.Unlisted = f.Unlisted && !rd.e.lists(channels, snapshot.Bundle(at).Name)
		}
		for _, id := range pkg.Bundles {
			b := snapshot.Bundle(id)
			update := rd.e.succeeds(channels, b.Name) && !model.Same(Release(rd.p.In, b), rd.e.installed) // a range may cover its own entry
			if update && !slices.Contains(f.OutOfRange, b.Name) {
				f.OutOfRange = append(f.OutOfRange, b.Name)
			}
		}
	}
}

// offer is a bundle of a catalog that satisfies a ClusterExtension.
type offer struct {
	v       solver.Var
	bundle  *catalog.Bundle
	pkg     properties.Package
	catalog int
}

// addOffers makes the offers of the best catalog the candidates of the request.
func (rd *extensionReader) addOffers(r *Request, offers [][]offer) {
	if len(offers) == 0 {
		r.Fault = rd.fault(r.Looked)
		return
	}
	best := rd.bestOffer(offers)
	if best == nil {
		return
	}
	if r.Current >= 0 {
		// If the best catalog has the installed bundle, its statement of it counts.
		if own := &rd.p.Installed[r.Current]; rd.stateAs(own, best[0].catalog, rd.e.installed) {
			rd.p.Regroup(own)
		}
	}
	if first, ok := rd.selectable(best); ok {
		if refusals := rd.rejected(first); len(refusals) > 0 {
			r.Fault = &Fault{Kind: FaultRefused, Catalogs: r.Looked, Bundle: first, Refusals: refusals}
			return
		}
	}
	r.Looked = []int{best[0].catalog}
	pkg := rd.p.Catalogs[best[0].catalog].Snapshot.Package(rd.e.Object.Package)
	for _, o := range best {
		if rd.p.In.Options.AsOLMv1 && len(rd.rejected(o.bundle)) > 0 {
			break // OLM v1 would refuse it, and never falls back to a worse one
		}
		v := o.v
		if r.Current >= 0 {
			rd.p.Exclude(v, rd.p.InstalledVar(r.Current))
		}
		if installed, ok := rd.p.Aliases[v]; ok {
			v = installed
		}
		r.List.Add(v, model.FirstPlace(pkg, o.bundle.Name, rd.e.Object.Channels...))
	}
}

// AtHead reports whether what a request would get is its head. OLM v1 goes on to no bundle of the same
// version and release.
func AtHead(p *model.Part, r *Request, v solver.Var) bool {
	head := r.Head(p, r)
	if head.Name == p.NameOf(v) || head.Name == "" || p.Kind.Span.ByChannel || p.AsInstalled(v) != nil {
		return head.Name == p.NameOf(v)
	}
	c, id := p.Locate(v)
	best := p.Catalogs[head.Catalog].Snapshot.Find(r.PackageName(), head.Name)
	return best != nil && model.Same(Release(p.In, best), Release(p.In, p.Catalogs[c].Snapshot.Bundle(id)))
}

// Release returns the version and release of a catalog's bundle, as OLM v1 reads them.
func Release(in *model.Inputs, b *catalog.Bundle) properties.Package {
	if GateRelease.On(ProfileOf(in.Options, in.Cluster)) {
		return model.ReleaseOf(b)
	}
	return model.WithRelease(properties.Package{Version: b.Version})
}

// offers returns the bundles of a catalog that satisfy the request, best first.
func (rd *extensionReader) offers(c int) []offer {
	pkg := rd.p.Catalogs[c].Snapshot.Package(rd.e.Object.Package)
	if pkg == nil {
		return nil
	}
	channels := rd.e.channels(pkg)
	var list []offer
	for _, id := range pkg.Bundles {
		b := rd.p.Catalogs[c].Snapshot.Bundle(id)
		o := offer{v: rd.p.Number(c, id), bundle: b, catalog: c, pkg: Release(rd.p.In, b)}
		reached := !rd.e.onlySuccessors() || model.Same(o.pkg, rd.e.installed) || rd.e.succeeds(channels, b.Name)
		if rd.e.Accepts(b.Version) && rd.e.lists(channels, b.Name) && reached {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b offer) int {
		return cmp.Or(model.Deprecated(a.bundle)-model.Deprecated(b.bundle), b.pkg.Compare(a.pkg), cmp.Compare(a.v, b.v))
	})
	return list
}

// onlySuccessors reports whether the update policy admits only successors of the installed
// bundle.
func (a *Extension) onlySuccessors() bool {
	return a.Object.Installed != nil && !a.Object.SelfCertified
}

// channels returns the channels of a package that the request admits.
func (a *Extension) channels(pkg *catalog.Package) []*catalog.Channel {
	if len(a.Object.Channels) == 0 {
		return pkg.Channels
	}
	return model.ChannelsNamed(pkg, a.Object.Channels)
}

// lists reports whether one of the channels lists a bundle. A request that names no channel
// admits unlisted bundles, too.
func (a *Extension) lists(channels []*catalog.Channel, bundle string) bool {
	return len(a.Object.Channels) == 0 || slices.ContainsFunc(channels, func(c *catalog.Channel) bool { return c.Entry(bundle) != nil })
}

// succeeds reports whether an entry of the channels updates the installed bundle to this one.
func (a *Extension) succeeds(channels []*catalog.Channel, bundle string) bool {
	return slices.ContainsFunc(channels, func(c *catalog.Channel) bool {
		e := c.Entry(bundle)
		return e != nil && e.Updates(a.Object.Installed.Name, &a.installed.Version)
	})
}

// selectable returns the best offer that can be selected: one marked olm.deprecated can only
// be kept. If there is none, it returns the best offer and false.
func (rd *extensionReader) selectable(offers []offer) (*catalog.Bundle, bool) {
	for _, o := range offers {
		if _, kept := rd.p.Aliases[o.v]; kept || !o.bundle.Properties.Deprecated() {
			return o.bundle, true
		}
	}
	return offers[0].bundle, false
}

// bestOffer returns the offers of the best catalog: one with a selectable bundle first, then
// one whose best bundle is not deprecated, then the highest priority. If several catalogs
// have the same rank, it returns nil and the Part is refused as *Ambiguous, unless it is
// refused already.
func (rd *extensionReader) bestOffer(offers [][]offer) []offer {
	priority := func(o []offer) int { return rd.p.Catalogs[o[0].catalog].Priority }
	rank := func(a, b []offer) int {
		x, offersX := rd.selectable(a)
		y, offersY := rd.selectable(b)
		switch {
		case offersX && !offersY:
			return -1
		case offersY && !offersX:
			return 1
		}
		return cmp.Or(model.Deprecated(x)-model.Deprecated(y), cmp.Compare(priority(b), priority(a)))
	}
	best := slices.MinFunc(offers, rank)
	first, _ := rd.selectable(best)
	tied := &result.Ambiguous{Package: rd.e.Object.Package, Priority: priority(best), Bundle: first.Name, SameImage: first.Image != ""}
	for _, o := range offers {
		if rank(o, best) == 0 {
			b, _ := rd.selectable(o)
			tied.Catalogs = append(tied.Catalogs, rd.p.Catalogs[o[0].catalog].Key.Name)
			if tied.SameImage = tied.SameImage && b.Image == first.Image; b.Name != first.Name {
				tied.Bundle = ""
			}
		}
	}
	if len(tied.Catalogs) > 1 {
		slices.Sort(tied.Catalogs)
		rd.e.tied = true
		if rd.p.Refused == nil {
			rd.p.Refused = tied
		}
		return nil
	}
	return best
}
