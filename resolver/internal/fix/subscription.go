package fix

import (
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// subscriptionChanges lists what may be changed about a Subscription.
func subscriptionChanges(p *encode.Part, r *encode.Request, s *cluster.Subscription) []change {
	var list []change
	set := func(kind result.FixKind, size int, value string, edit func(s *cluster.Subscription)) {
		list = append(list, change{
			fix:   result.Fix{Kind: kind, Request: result.Subscription, Namespace: p.JointNamespace(), Subject: s.Name, Value: value, Package: s.Package},
			size:  size,
			apply: func(in *encode.Inputs) { editSubscription(in, p.Namespace, s.Name, edit) },
		})
	}
	if r.Fault != nil && r.Fault.Kind == encode.FaultPackage {
		for _, name := range missing.Nearest(s.Package, missing.PackageNames(p, r.Fault.Catalogs)) {
			set(result.FixRename, sizeRename, name, func(s *cluster.Subscription) { s.Package = name })
		}
	}
	if s.StartingCSV != "" && r.Current < 0 {
		if r.Fault != nil && r.Fault.Kind == encode.FaultStartingCSV {
			for _, name := range missing.Nearest(s.StartingCSV, p.Stepping(missing.EntryNames(p, r.Fault.Catalogs, s.Package, s.Channel))) {
				set(result.FixStartingCSV, sizeRename, name, func(s *cluster.Subscription) { s.StartingCSV = name })
			}
		}
		set(result.FixStartingCSV, sizeField, "", func(s *cluster.Subscription) { s.StartingCSV = "" })
	}
	for _, channel := range otherChannels(p, r, s) {
		set(result.FixChannel, sizeChannel, channel, func(s *cluster.Subscription) { s.Channel = channel })
	}
	for _, k := range otherCatalogs(p, s) {
		set(result.FixCatalog, sizeCatalog, k.String(), func(s *cluster.Subscription) { s.Catalog, s.CatalogNamespace = k.Name, k.Namespace })
	}
	for _, c := range missing.UncountedCatalogs(p) {
		if c.Snapshot.Package(s.Package) != nil && (s.Catalog == "" || s.Names(c.Key)) {
			list = append(list, makeVisible(p, c))
		}
	}
	if r.Current >= 0 && p.Installed[r.Current].Held() != nil {
		name := p.Installed[r.Current].Name()
		list = append(list, change{
			fix:  result.Fix{Kind: result.FixHold, Namespace: p.JointNamespace(), Subject: name},
			size: sizeHold,
			apply: func(in *encode.Inputs) {
				editNamespace(in, p.Namespace, func(n *inventory.Namespace) {
					n.Conditions = maps.Clone(n.Conditions)
					delete(n.Conditions, name)
				})
			},
		})
	}
	return append(list, dropRequest(p, r))
}

// dropRequest deletes a request, and what it alone has installed.
func dropRequest(p *encode.Part, r *encode.Request) change {
	name, csv, size := r.Name(), "", sizeDrop
	if r.Current >= 0 && len(p.Installed[r.Current].Subscriptions) == 1 {
		csv, size = p.Installed[r.Current].Name(), sizeDropInstalled
	}
	return change{
		fix:   result.Fix{Kind: result.FixDrop, Request: result.Subscription, Namespace: p.JointNamespace(), Subject: name, Bundle: csv},
		size:  size,
		apply: deleting(p.Namespace, csv, func(s cluster.Subscription) bool { return s.Name == name }),
	}
}

// otherChannels lists the channels that a Subscription could name instead: the
// nearest names, then the others in their order.
func otherChannels(p *encode.Part, r *encode.Request, s *cluster.Subscription) []string {
	if s.Channel == "" {
		return nil
	}
	var named []int // the visible catalogs that the Subscription names
	for i := range p.Universe.Catalogs {
		if s.Catalog == "" || s.Names(p.Universe.Catalogs[i].Key) {
			named = append(named, i)
		}
	}
	names := missing.ChannelNames(p, named, s.Package)
	if r.Fault != nil && r.Fault.Kind == encode.FaultChannel {
		names = append(missing.Nearest(s.Channel, p.Stepping(slices.Values(names))), names...)
	}
	names = slices.DeleteFunc(words.Distinct(names), func(name string) bool { return name == s.Channel })
	return names[:min(len(names), maxAlternatives)]
}

// otherCatalogs lists the visible catalogs that have the package and that the
// Subscription does not name.
func otherCatalogs(p *encode.Part, s *cluster.Subscription) []catalog.Key {
	var keys []catalog.Key
	for i := range p.Universe.Catalogs {
		c := &p.Universe.Catalogs[i]
		if s.Catalog != "" && !s.Names(c.Key) && c.Snapshot.Package(s.Package) != nil {
			keys = append(keys, c.Key)
		}
	}
	return keys[:min(len(keys), maxAlternatives)]
}
