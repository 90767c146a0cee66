package encode

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/solver"
)

// Head implements Wish.
func (a *Extension) Head(p *Part, r *Request) Head {
	free := *a.Object
	free.SelfCertified = true
	rd := extensionReader{Part: p, Extension: &Extension{&free, a.versions, a.installed}}
	for _, c := range r.Looked {
		if offers := rd.offers(c); len(offers) > 0 {
			best, _ := rd.selectable(offers)
			o := offers[slices.IndexFunc(offers, func(o offer) bool { return o.bundle == best })]
			head := Head{c, candidate.FirstPlace(p.Catalogs[c].Package(best.Package), best.Name, a.Object.Channels...), best.Name}
			if installed, ok := p.Aliases[o.v]; ok {
				head.Name = p.NameOf(installed)
			}
			return head
		}
	}
	return Head{}
}

// Channels implements Wish.
func (a *Extension) Channels(p *Part) []string {
	if len(a.Object.Channels) == 0 {
		return nil
	}
	return p.channelNames(a.Object.Package, a.looked(p), func(*catalog.Channel) bool { return true })
}

// looked are the catalogs that the selector of the request matches.
func (a *Extension) looked(p *Part) []int {
	var looked []int
	for c := range p.Catalogs {
		if a.Object.Selector.Matches(inventory.LabelsOf(p.Cluster, p.View.Catalog(p.Catalogs[c].Key))) {
			looked = append(looked, c)
		}
	}
	return looked
}

// InChannel implements Wish.
func (a *Extension) InChannel(name string) Wish {
	o := *a.Object
	o.Channels = []string{name}
	return &Extension{&o, a.versions, a.installed}
}

// UpdatesOf implements Wish.
func (a *Extension) UpdatesOf(p *Part, name string, version semver.Version) []solver.Var {
	o := *a.Object
	o.Installed = &cluster.InstalledExtension{Name: name}
	from := candidate.WithRelease(properties.Package{Name: o.Package, Version: version})
	if a.Object.Installed != nil && a.Object.Installed.Name == name {
		from = a.installed // with its release
	}
	rd := extensionReader{p, &Extension{&o, a.versions, from}}
	var updates []solver.Var
	for _, c := range a.looked(p) {
		for _, o := range rd.offers(c) {
			if o.bundle.Name != name {
				updates = append(updates, o.v)
			}
		}
	}
	return updates
}

// Target implements Wish.
func (a *Extension) Target(p *Part, r *Request, to string) string {
	if to == "" {
		return a.Head(p, r).Name
	}
	return p.target(r, a.looked(p), to)
}
