package encode

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
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
			head := Head{Catalog: p.Catalogs[c].Key, Name: best.Name}
			if installed, ok := p.Aliases[o.v]; ok {
				head.Name = p.NameOf(installed)
			}
			if at := rd.place(o); at.Channel != nil {
				head.Channel = at.Channel.Name
			}
			return head
		}
	}
	return Head{}
}

// InChannel implements Wish.
func (a *Extension) InChannel(name string) Wish {
	o := *a.Object
	o.Channels = []string{name}
	return &Extension{&o, a.versions, a.installed}
}

// UpdatesOf implements Wish.
func (a *Extension) UpdatesOf(p *Part, name string, version semver.Version) []string {
	o := *a.Object
	o.Installed = &cluster.InstalledExtension{Name: name}
	rd := extensionReader{p, &Extension{&o, a.versions, candidate.WithRelease(properties.Package{Name: o.Package, Version: version})}}
	var names []string
	for c := range p.Catalogs {
		if !rd.selects(c) {
			continue
		}
		for _, offer := range rd.offers(c) {
			if offer.bundle.Name != name {
				names = append(names, offer.bundle.Name)
			}
		}
	}
	return names
}

// Target implements Wish.
func (a *Extension) Target(p *Part, r *Request, to string) string {
	if to == "" {
		return a.Head(p, r).Name
	}
	rd, looked := extensionReader{p, a}, []int(nil)
	for c := range p.Catalogs {
		if rd.selects(c) {
			looked = append(looked, c)
		}
	}
	return p.target(r, looked, to)
}

// selects reports whether the selector of the request matches a catalog.
func (rd *extensionReader) selects(c int) bool {
	return rd.Object.Selector.Matches(rd.Cluster.LabelsOf(rd.View.Catalog(rd.Catalogs[c].Key)))
}
