package request

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/solver"
)

func (a *Extension) Head(p *model.Part, r *Request) Head {
	free := *a.Object
	free.SelfCertified = true
	rd := extensionReader{p: p, e: &Extension{&free, a.versions, a.installed, a.tied}}
	for _, c := range r.Looked {
		if offers := rd.offers(c); len(offers) > 0 {
			best, _ := rd.selectable(offers)
			o := offers[slices.IndexFunc(offers, func(o offer) bool { return o.bundle == best })]
			head := Head{c, model.FirstPlace(p.Catalogs[c].Snapshot.Package(best.Package), best.Name, a.Object.Channels...), best.Name}
			if installed, ok := p.Aliases[o.v]; ok {
				head.Name = p.NameOf(installed)
			}
			return head
		}
	}
	return Head{}
}

func (a *Extension) Channels(p *model.Part) []string {
	if len(a.Object.Channels) == 0 {
		return nil
	}
	return channelNames(p, a.Object.Package, a.looked(p), func(*catalog.Channel) bool { return true })
}

// looked returns the indices of the catalogs that the selector matches.
func (a *Extension) looked(p *model.Part) []int {
	var looked []int
	for c := range p.Catalogs {
		if a.Object.Selector.Matches(inventory.LabelsOf(p.In.Cluster, p.In.View.Catalog(p.Catalogs[c].Key))) {
			looked = append(looked, c)
		}
	}
	return looked
}

func (a *Extension) InChannel(name string) Object {
	o := *a.Object
	o.Channels = []string{name}
	return &Extension{&o, a.versions, a.installed, a.tied}
}

func (a *Extension) UpdatesOf(p *model.Part, name string, version semver.Version) []solver.Var {
	o := *a.Object
	o.Installed = &cluster.InstalledExtension{Name: name}
	from := model.WithRelease(properties.Package{Name: o.Package, Version: version})
	if a.Object.Installed != nil && a.Object.Installed.Name == name {
		from = a.installed // with its release
	}
	rd := extensionReader{p, &Extension{&o, a.versions, from, a.tied}}
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

// UnusableUpdates implements Object: all bundles of a package are candidates, whatever its
// channels.
func (a *Extension) UnusableUpdates(*model.Part, string, semver.Version) []UnusableUpdate { return nil }

func (a *Extension) Target(p *model.Part, r *Request, name string) string {
	if name == "" {
		return a.Head(p, r).Name
	}
	return target(p, r, a.looked(p), name)
}
