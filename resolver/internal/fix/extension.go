package fix

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
)

// unselected names catalogs that have the package of a ClusterExtension and that
// its selector does not match.
func unselected(p *model.Part, e *cluster.ClusterExtension) []string {
	var names []string
	for c := range p.Catalogs {
		catalog := &p.Catalogs[c]
		labels := inventory.LabelsOf(p.In.Cluster, p.In.View.Catalog(catalog.Key))
		if !e.Selector.Matches(labels) && catalog.Snapshot.Package(e.Package) != nil {
			names = append(names, catalog.Key.Name)
		}
	}
	return names[:min(len(names), maxAlternatives)]
}

// extensionChanges lists what may be changed about a ClusterExtension.
func extensionChanges(p *model.Part, r *request.Request, e *cluster.ClusterExtension) []change {
	var list []change
	object := objectOf(fixes.ObjectExtension, "", e.Name)
	set := func(size int, field fixes.Field, from, to any, edit func(e *cluster.ClusterExtension)) change {
		return change{
			steps: []fixes.Step{{Object: object, Field: field, From: from, To: to}},
			size:  size,
			apply: func(in *model.Inputs) { editExtension(in, e.Name, edit) },
		}
	}
	if r.Fault != nil && r.Fault.Kind == request.FaultPackage {
		for _, name := range missing.Nearest(e.Package, missing.PackageNames(p, r.Fault.Catalogs)) {
			list = append(list, set(sizeName, fixes.FieldExtensionPackage, e.Package, name, func(e *cluster.ClusterExtension) { e.Package = name }))
		}
	}
	if r.Fault != nil && r.Fault.Kind == request.FaultChannel {
		for _, asked := range e.Channels {
			for _, channel := range missing.Nearest(asked, slices.Values(missing.ChannelNames(p, r.Fault.Catalogs, e.Package))) {
				c := inChannel(p, r, channel)
				c.size = sizeName
				list = append(list, c)
			}
		}
	}
	if e.Version != "" {
		admit := func(to string) change {
			return set(sizeField, fixes.FieldExtensionVersion, e.Version, value(to), func(e *cluster.ClusterExtension) { e.Version = to })
		}
		every := admit("")
		every.closer = func(o *outcome) (less []change) {
			for _, to := range widened(o, r) {
				less = append(less, admit(to))
			}
			return less
		}
		list = append(list, every)
	}
	if len(e.Channels) > 0 {
		list = append(list, set(sizeChannel, fixes.FieldExtensionChannels, e.Channels, nil, func(e *cluster.ClusterExtension) { e.Channels = nil }))
	}
	if !e.Selector.Empty() {
		list = append(list, set(sizeCatalog, fixes.FieldExtensionSelector, *e.Selector, nil, func(e *cluster.ClusterExtension) { e.Selector = nil }))
		for _, name := range unselected(p, e) {
			to := cluster.Selector{MatchLabels: map[string]string{inventory.LabelMetadataName: name}}
			list = append(list, set(sizeCatalog, fixes.FieldExtensionSelector, *e.Selector, to, func(e *cluster.ClusterExtension) { e.Selector = &to }))
		}
	}
	if e.Installed != nil && !e.SelfCertified {
		anyUpdate := set(sizeCatalog, fixes.FieldExtensionPolicy, "CatalogProvided", "SelfCertified", func(e *cluster.ClusterExtension) { e.SelfCertified = true })
		anyUpdate.risk = fixes.RiskWidens
		list = append(list, anyUpdate)
	}
	for _, c := range missing.UncountedCatalogs(p) {
		if c.Snapshot.Package(e.Package) != nil {
			list = append(list, makeVisible(p, c))
		}
	}
	return list
}
