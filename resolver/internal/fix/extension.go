package fix

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/result"
)

// unselected names catalogs that have the package of a ClusterExtension and that
// its selector does not match.
func unselected(p *encode.Part, e *cluster.ClusterExtension) []string {
	var names []string
	for c := range p.Catalogs {
		catalog := &p.Catalogs[c]
		labels := p.Cluster.LabelsOf(p.View.Catalog(catalog.Key))
		if !e.Selector.Matches(labels) && catalog.Snapshot.Package(e.Package) != nil {
			names = append(names, catalog.Key.Name)
		}
	}
	return names[:min(len(names), maxAlternatives)]
}

// extensionChanges lists what may be changed about a ClusterExtension.
func extensionChanges(p *encode.Part, r *encode.Request, e *cluster.ClusterExtension) []change {
	var list []change
	set := func(size int, fix result.Fix, edit func(e *cluster.ClusterExtension)) {
		fix.Request, fix.Subject = result.ClusterExtension, e.Name
		list = append(list, change{fix: fix, size: size, apply: func(in *encode.Inputs) { editExtension(in, e.Name, edit) }})
	}
	if r.Fault != nil && r.Fault.Kind == encode.FaultPackage {
		for _, name := range missing.Nearest(e.Package, missing.PackageNames(p, r.Fault.Catalogs)) {
			set(sizeRename, result.Fix{Kind: result.FixRename, Value: name}, func(e *cluster.ClusterExtension) { e.Package = name })
		}
	}
	if r.Fault != nil && r.Fault.Kind == encode.FaultChannel {
		for _, asked := range e.Channels {
			for _, channel := range missing.Nearest(asked, slices.Values(missing.ChannelNames(p, r.Fault.Catalogs, e.Package))) {
				set(sizeRename, result.Fix{Kind: result.FixChannel, Value: channel}, func(e *cluster.ClusterExtension) { e.Channels = []string{channel} })
			}
		}
	}
	if e.Version != "" {
		set(sizeField, result.Fix{Kind: result.FixVersion, From: e.Version}, func(e *cluster.ClusterExtension) { e.Version = "" })
	}
	if len(e.Channels) > 0 {
		set(sizeChannel, result.Fix{Kind: result.FixChannel}, func(e *cluster.ClusterExtension) { e.Channels = nil })
	}
	if !e.Selector.Empty() {
		set(sizeCatalog, result.Fix{Kind: result.FixSelector}, func(e *cluster.ClusterExtension) { e.Selector = nil })
		for _, name := range unselected(p, e) {
			set(sizeCatalog, result.Fix{Kind: result.FixCatalog, Value: name, From: inventory.LabelMetadataName}, func(e *cluster.ClusterExtension) {
				e.Selector = &cluster.Selector{MatchLabels: map[string]string{inventory.LabelMetadataName: name}}
			})
		}
	}
	if e.Installed != nil && !e.SelfCertified {
		set(sizeCatalog, result.Fix{Kind: result.FixPolicy, Value: "SelfCertified"}, func(e *cluster.ClusterExtension) { e.SelfCertified = true })
	}
	for _, c := range missing.UncountedCatalogs(p) {
		if c.Snapshot.Package(e.Package) != nil {
			list = append(list, makeVisible(p, c))
		}
	}
	return list
}
