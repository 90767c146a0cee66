package fix

import (
	"iter"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// The sizes of changes: correcting a name asks least of people, deleting what
// is installed most.
const (
	sizeRename = iota
	sizeField
	sizeChannel
	sizeCatalog
	sizeHold
	sizeAllow
	sizeVisible
	sizeGroup
	sizeDeleteCSV
	sizeDrop
	sizeCluster
	sizeDropInstalled
)

// maxAlternatives bounds how many other values of one field are tried.
const maxAlternatives = 4

// subscriptionChanges lists what may be changed about a Subscription.
func subscriptionChanges(p *encode.Part, r *encode.Request) []change {
	s := r.Subscription
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
			for _, name := range missing.Nearest(s.StartingCSV, p.Stepping(entryNames(p, r.Fault.Catalogs, s))) {
				set(result.FixStartingCSV, sizeRename, name, func(s *cluster.Subscription) { s.StartingCSV = name })
			}
		}
		set(result.FixStartingCSV, sizeField, "", func(s *cluster.Subscription) { s.StartingCSV = "" })
	}
	for _, channel := range otherChannels(p, r) {
		set(result.FixChannel, sizeChannel, channel, func(s *cluster.Subscription) { s.Channel = channel })
	}
	for _, k := range otherCatalogs(p, r) {
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
	return append(list, dropSubscription(p, r))
}

// dropSubscription deletes a request, and what it alone has installed.
func dropSubscription(p *encode.Part, r *encode.Request) change {
	s := r.Subscription
	csv := ""
	if r.Current >= 0 && len(p.Installed[r.Current].Subscriptions) == 1 {
		csv = p.Installed[r.Current].Name()
	}
	c := change{
		fix:  result.Fix{Kind: result.FixDrop, Request: result.Subscription, Namespace: p.JointNamespace(), Subject: s.Name, Bundle: csv},
		size: sizeDrop,
		apply: func(in *encode.Inputs) {
			editNamespace(in, p.Namespace, func(n *inventory.Namespace) {
				n.Subscriptions = without(n.Subscriptions, func(o cluster.Subscription) bool { return o.Name == s.Name })
				n.CSVs = without(n.CSVs, func(o cluster.ClusterServiceVersion) bool { return o.Name == csv })
			})
		},
	}
	if csv != "" {
		c.size = sizeDropInstalled
	}
	return c
}

// deleteInstalled deletes an installed bundle that no request manages.
func deleteInstalled(p *encode.Part, v solver.Var) change {
	name := p.NameOf(v)
	return change{
		fix:  result.Fix{Kind: result.FixDeleteCSV, Namespace: p.JointNamespace(), Subject: name, Unmanaged: true},
		size: sizeDeleteCSV,
		apply: func(in *encode.Inputs) {
			editNamespace(in, p.Namespace, func(n *inventory.Namespace) {
				n.CSVs = without(n.CSVs, func(o cluster.ClusterServiceVersion) bool { return o.Name == name })
			})
		},
	}
}

// otherChannels lists the channels that a Subscription could name instead: the
// nearest names, then the others in their order.
func otherChannels(p *encode.Part, r *encode.Request) []string {
	s := r.Subscription
	if s.Channel == "" {
		return nil
	}
	catalogs := namedBy(p, s)
	names := missing.ChannelNames(p, catalogs, s.Package)
	if r.Fault != nil && r.Fault.Kind == encode.FaultChannel {
		names = append(missing.Nearest(s.Channel, p.Stepping(slices.Values(names))), names...)
	}
	names = slices.DeleteFunc(candidate.Distinct(names), func(name string) bool { return name == s.Channel })
	return names[:min(len(names), maxAlternatives)]
}

// namedBy returns the visible catalogs that a Subscription asks.
func namedBy(p *encode.Part, s *cluster.Subscription) []int {
	var list []int
	for i := range p.Universe.Catalogs {
		if s.Catalog == "" || s.Names(p.Universe.Catalogs[i].Key) {
			list = append(list, i)
		}
	}
	return list
}

// otherCatalogs lists the visible catalogs that have the package and that the
// Subscription does not ask.
func otherCatalogs(p *encode.Part, r *encode.Request) []catalog.Key {
	var keys []catalog.Key
	for i := range p.Universe.Catalogs {
		c := &p.Universe.Catalogs[i]
		if s := r.Subscription; s.Catalog != "" && !s.Names(c.Key) && c.Snapshot.Package(s.Package) != nil {
			keys = append(keys, c.Key)
		}
	}
	return keys[:min(len(keys), maxAlternatives)]
}

// entryNames yields the entries that a startingCSV could name.
func entryNames(p *encode.Part, catalogs []int, s *cluster.Subscription) iter.Seq[string] {
	return func(yield func(string) bool) {
		for pkg := range p.Packages(catalogs, s.Package) {
			for _, c := range pkg.Channels {
				if s.Channel != "" && s.Channel != c.Name {
					continue
				}
				for i := range c.Entries {
					if !yield(c.Entries[i].Name) {
						return
					}
				}
			}
		}
	}
}

// makeVisible lets the namespace see a catalog; for a ClusterExtension, it makes
// the catalog available.
func makeVisible(p *encode.Part, c *cache.Catalog) change {
	made := change{
		fix:  result.Fix{Kind: result.FixVisible, Namespace: p.JointNamespace(), Subject: c.Key.String(), VisibleTo: p.Namespace},
		size: sizeVisible,
		apply: func(in *encode.Inputs) {
			in.Visible = append(slices.Clip(in.Visible), inventory.VisibleCatalog{Namespace: p.Namespace, Catalog: c.Key})
		},
	}
	switch {
	case slices.Contains(p.Options.ExcludeCatalogs, c.Key):
		made.fix.Excluded = true // visibility wins over exclusion
	case p.Extension != nil:
		made.apply = func(in *encode.Inputs) { makeAvailable(in, c.Key.Name) }
	}
	return made
}

// ruleChanges lists what may be changed about a rule of a bundle.
func ruleChanges(p *encode.Part, o encode.Origin) []change {
	switch o.Kind {
	case result.ReasonDependency:
		return visibleChanges(p, o)
	case result.ReasonSystem:
		return []change{allow(p, o.Bundle)}
	case result.ReasonOperatorGroup:
		return groupChanges(p, o.Bundle)
	case result.ReasonKubernetes:
		return []change{updateKubernetes(p, o.Bundle)}
	case result.ReasonOneAPI:
		return ownerChanges(p, o.Bundle)
	}
	return nil
}

// visibleChanges lists the catalogs that could meet a constraint if they were
// seen.
func visibleChanges(p *encode.Part, o encode.Origin) []change {
	var list []change
	e := p.ConstraintOf(o).Expr
	for _, c := range missing.UncountedCatalogs(p) {
		ids, _, err := c.Snapshot.Matches(p.Ctx, e, p.Facts)
		if err == nil && len(ids) > 0 && int(ids[0]) < c.Snapshot.Candidates() {
			list = append(list, makeVisible(p, c))
		}
	}
	return list
}

// allow lets the caller's policy allow one bundle.
func allow(p *encode.Part, v solver.Var) change {
	b := p.Ref(v)
	return change{
		fix:  result.Fix{Kind: result.FixAllow, Namespace: p.JointNamespace(), Subject: b.Name},
		size: sizeAllow,
		apply: func(in *encode.Inputs) {
			changed, judge := *in.Options, in.Options.SystemConstraint
			changed.SystemConstraint = allowing(judge, p.Namespace, b)
			in.Options = &changed
		},
	}
}

// groupChanges lists other targets of the OperatorGroup under which a bundle
// can run.
func groupChanges(p *encode.Part, v solver.Var) []change {
	m := p.Bundle(v).Properties.Metadata()
	if m == nil || p.OperatorGroup == nil {
		return nil
	}
	group := p.OperatorGroup.Group
	var list []change
	set := func(value string, targets []string) {
		list = append(list, change{
			fix:  result.Fix{Kind: result.FixGroup, Namespace: p.JointNamespace(), Subject: group.Name, Value: value},
			size: sizeGroup,
			apply: func(in *encode.Inputs) {
				editNamespace(in, p.Namespace, func(n *inventory.Namespace) {
					n.Groups = slices.Clone(n.Groups)
					for i := range n.Groups {
						g := &n.Groups[i]
						g.TargetNamespaces, g.Selector, g.HasStatus, g.StatusNamespaces = targets, nil, false, nil
					}
				})
			},
		})
	}
	if m.Supports(properties.AllNamespaces) {
		set("", nil)
	}
	if m.Supports(properties.OwnNamespace) {
		set(p.Namespace, []string{p.Namespace})
	}
	return list
}

// ownerChanges lists how the owners of a bundle's kinds can be removed: other
// ClusterExtensions, and what Subscriptions have installed.
func ownerChanges(p *encode.Part, v solver.Var) []change {
	var list []change
	set := p.Bundle(v).Properties
	for i := range p.Installed {
		b := &p.Installed[i]
		owns := func(api properties.GVK) bool {
			return slices.ContainsFunc(b.Properties.GVKs(), func(own properties.GVK) bool { return inventory.KindOf(own) == inventory.KindOf(api) })
		}
		if !b.Foreign || !slices.ContainsFunc(set.GVKs(), owns) {
			continue
		}
		if b.CSV.Namespace == "" {
			list = append(list, dropExtension(p, b))
		} else {
			list = append(list, deleteForeign(b))
		}
	}
	return list
}

// dropExtension deletes the ClusterExtension that has installed a bundle.
func dropExtension(p *encode.Part, b *encode.InstalledBundle) change {
	owner := ""
	for i := range p.Cluster.Objects.ClusterExtensions {
		if e := &p.Cluster.Objects.ClusterExtensions[i]; e.Installed != nil && e.Installed.Name == b.Name() && slices.Contains(b.Packages, e.Package) {
			owner = e.Name
		}
	}
	return change{
		fix:  result.Fix{Kind: result.FixDrop, Request: result.ClusterExtension, Subject: owner},
		size: sizeDropInstalled,
		apply: func(in *encode.Inputs) {
			changed := *in.Cluster
			changed.Objects.ClusterExtensions = without(changed.Objects.ClusterExtensions, func(e cluster.ClusterExtension) bool { return e.Name == owner })
			changed.SortExtensions()
			in.Cluster = &changed
		},
	}
}

// deleteForeign deletes a bundle of a namespace together with its
// Subscriptions, which would bring it back.
func deleteForeign(b *encode.InstalledBundle) change {
	namespace, name := b.CSV.Namespace, b.Name()
	return change{
		fix:  result.Fix{Kind: result.FixDeleteCSV, Subject: namespace + "/" + name, Managed: len(b.Subscriptions) > 0},
		size: sizeDropInstalled,
		apply: func(in *encode.Inputs) {
			editNamespace(in, namespace, func(n *inventory.Namespace) {
				n.CSVs = without(n.CSVs, func(o cluster.ClusterServiceVersion) bool { return o.Name == name })
				n.Subscriptions = without(n.Subscriptions, func(s cluster.Subscription) bool { return s.InstalledCSV == name })
			})
		},
	}
}

// updateKubernetes updates the cluster as far as a bundle needs.
func updateKubernetes(p *encode.Part, v solver.Var) change {
	least := p.Bundle(v).Properties.Metadata().MinKubeVersion
	return change{
		fix:  result.Fix{Kind: result.FixCluster, Subject: "Kubernetes", Value: least},
		size: sizeCluster,
		apply: func(in *encode.Inputs) {
			changed := *in.Cluster
			changed.Objects.KubernetesVersion = least
			in.Cluster = &changed
		},
	}
}

// unselected names catalogs that have the package of a ClusterExtension and that
// its selector does not match.
func unselected(p *encode.Part, r *encode.Request) []string {
	var names []string
	for c := range p.Universe.Catalogs {
		catalog := &p.Universe.Catalogs[c]
		labels := inventory.CatalogLabels(p.View.Catalog(catalog.Key), p.Cluster.ClusterCatalog(catalog.Key.Name))
		if !r.Extension.Selector.Matches(labels) && catalog.Snapshot.Package(r.Extension.Package) != nil {
			names = append(names, catalog.Key.Name)
		}
	}
	return names[:min(len(names), maxAlternatives)]
}

// extensionChanges lists what may be changed about a ClusterExtension.
func extensionChanges(p *encode.Part, r *encode.Request) []change {
	e := r.Extension
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
		for _, name := range unselected(p, r) {
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
