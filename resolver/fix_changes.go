package resolver

import (
	"iter"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
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
func (p *problem) subscriptionChanges(r *request) []change {
	s := r.subscription
	var list []change
	set := func(kind result.FixKind, size int, value string, edit func(s *Subscription)) {
		list = append(list, change{
			fix:   result.Fix{Kind: kind, Request: result.Subscription, Namespace: p.home(), Subject: s.Name, Value: value, Package: s.Package},
			size:  size,
			apply: func(in *inputs) { in.editSubscription(p.namespace, s.Name, edit) },
		})
	}
	if r.fault != nil && r.fault.kind == faultPackage {
		for _, name := range nearest(s.Package, p.packageNames(r.fault.catalogs)) {
			set(result.FixRename, sizeRename, name, func(s *Subscription) { s.Package = name })
		}
	}
	if s.StartingCSV != "" && r.current < 0 {
		if r.fault != nil && r.fault.kind == faultStartingCSV {
			for _, name := range nearest(s.StartingCSV, p.stepping(p.entryNames(r.fault.catalogs, s))) {
				set(result.FixStartingCSV, sizeRename, name, func(s *Subscription) { s.StartingCSV = name })
			}
		}
		set(result.FixStartingCSV, sizeField, "", func(s *Subscription) { s.StartingCSV = "" })
	}
	for _, channel := range p.otherChannels(r) {
		set(result.FixChannel, sizeChannel, channel, func(s *Subscription) { s.Channel = channel })
	}
	for _, k := range p.otherCatalogs(r) {
		set(result.FixCatalog, sizeCatalog, k.String(), func(s *Subscription) { s.Catalog, s.CatalogNamespace = k.Name, k.Namespace })
	}
	for _, c := range p.unseen() {
		if c.Snapshot.Package(s.Package) != nil && (s.Catalog == "" || s.names(c.Key)) {
			list = append(list, p.makeVisible(c))
		}
	}
	if r.current >= 0 && p.installed[r.current].held() != nil {
		name := p.installed[r.current].name()
		list = append(list, change{
			fix:  result.Fix{Kind: result.FixHold, Namespace: p.home(), Subject: name},
			size: sizeHold,
			apply: func(in *inputs) {
				in.editNamespace(p.namespace, func(n *namespaceState) {
					n.conditions = maps.Clone(n.conditions)
					delete(n.conditions, name)
				})
			},
		})
	}
	return append(list, p.dropSubscription(r))
}

// dropSubscription deletes a request, and what it alone has installed.
func (p *problem) dropSubscription(r *request) change {
	s := r.subscription
	csv := ""
	if r.current >= 0 && len(p.installed[r.current].subscriptions) == 1 {
		csv = p.installed[r.current].name()
	}
	c := change{
		fix:  result.Fix{Kind: result.FixDrop, Request: result.Subscription, Namespace: p.home(), Subject: s.Name, Bundle: csv},
		size: sizeDrop,
		apply: func(in *inputs) {
			in.editNamespace(p.namespace, func(n *namespaceState) {
				n.subscriptions = without(n.subscriptions, func(o Subscription) bool { return o.Name == s.Name })
				n.csvs = without(n.csvs, func(o ClusterServiceVersion) bool { return o.Name == csv })
			})
		},
	}
	if csv != "" {
		c.size = sizeDropInstalled
	}
	return c
}

// deleteInstalled deletes an installed bundle that no request manages.
func (p *problem) deleteInstalled(v solver.Var) change {
	name := p.nameOf(v)
	return change{
		fix:  result.Fix{Kind: result.FixDeleteCSV, Namespace: p.home(), Subject: name, Unmanaged: true},
		size: sizeDeleteCSV,
		apply: func(in *inputs) {
			in.editNamespace(p.namespace, func(n *namespaceState) {
				n.csvs = without(n.csvs, func(o ClusterServiceVersion) bool { return o.Name == name })
			})
		},
	}
}

// otherChannels lists the channels that a Subscription could name instead: the
// nearest names, then the others in their order.
func (p *problem) otherChannels(r *request) []string {
	s := r.subscription
	if s.Channel == "" {
		return nil
	}
	catalogs := p.namedBy(s)
	names := p.channelNames(catalogs, s.Package)
	if r.fault != nil && r.fault.kind == faultChannel {
		names = append(nearest(s.Channel, p.stepping(slices.Values(names))), names...)
	}
	names = slices.DeleteFunc(distinct(names), func(name string) bool { return name == s.Channel })
	return names[:min(len(names), maxAlternatives)]
}

// namedBy returns the visible catalogs that a Subscription asks.
func (p *problem) namedBy(s *Subscription) []int {
	var list []int
	for i := range p.universe.catalogs {
		if s.Catalog == "" || s.names(p.universe.catalogs[i].key) {
			list = append(list, i)
		}
	}
	return list
}

// otherCatalogs lists the visible catalogs that have the package and that the
// Subscription does not ask.
func (p *problem) otherCatalogs(r *request) []catalog.Key {
	var keys []catalog.Key
	for i := range p.universe.catalogs {
		c := &p.universe.catalogs[i]
		if s := r.subscription; s.Catalog != "" && !s.names(c.key) && c.snapshot.Package(s.Package) != nil {
			keys = append(keys, c.key)
		}
	}
	return keys[:min(len(keys), maxAlternatives)]
}

// entryNames yields the entries that a startingCSV could name.
func (p *problem) entryNames(catalogs []int, s *Subscription) iter.Seq[string] {
	return func(yield func(string) bool) {
		for pkg := range p.packages(catalogs, s.Package) {
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
func (p *problem) makeVisible(c *cache.Catalog) change {
	made := change{
		fix:   result.Fix{Kind: result.FixVisible, Namespace: p.home(), Subject: c.Key.String(), VisibleTo: p.namespace},
		size:  sizeVisible,
		apply: func(in *inputs) { in.visible = append(slices.Clip(in.visible), sight{p.namespace, c.Key}) },
	}
	switch {
	case slices.Contains(p.options.ExcludeCatalogs, c.Key):
		made.fix.Excluded = true // visibility wins over exclusion
	case p.extension != nil:
		made.apply = func(in *inputs) { in.makeAvailable(c.Key.Name) }
	}
	return made
}

// ruleChanges lists what may be changed about a rule of a bundle.
func (p *problem) ruleChanges(o origin) []change {
	switch o.kind {
	case result.ReasonDependency:
		return p.visibleChanges(o)
	case result.ReasonSystem:
		return []change{p.allow(o.bundle)}
	case result.ReasonOperatorGroup:
		return p.groupChanges(o.bundle)
	case result.ReasonKubernetes:
		return []change{p.updateKubernetes(o.bundle)}
	case result.ReasonOneAPI:
		return p.ownerChanges(o.bundle)
	}
	return nil
}

// visibleChanges lists the catalogs that could meet a constraint if they were
// seen.
func (p *problem) visibleChanges(o origin) []change {
	var list []change
	e := p.constraintOf(o).Expr
	for _, c := range p.unseen() {
		ids, _, err := c.Snapshot.Matches(p.ctx, e, p.facts)
		if err == nil && len(ids) > 0 && int(ids[0]) < c.Snapshot.Candidates() {
			list = append(list, p.makeVisible(c))
		}
	}
	return list
}

// allow lets the caller's policy allow one bundle.
func (p *problem) allow(v solver.Var) change {
	b := p.ref(v)
	return change{
		fix:  result.Fix{Kind: result.FixAllow, Namespace: p.home(), Subject: b.Name},
		size: sizeAllow,
		apply: func(in *inputs) {
			changed, judge := *in.options, in.options.SystemConstraint
			changed.SystemConstraint = allowing(judge, p.namespace, b)
			in.options = &changed
		},
	}
}

// groupChanges lists other targets of the OperatorGroup under which a bundle
// can run.
func (p *problem) groupChanges(v solver.Var) []change {
	m := p.bundle(v).Properties.Metadata()
	if m == nil || p.operatorGroup == nil {
		return nil
	}
	group := p.operatorGroup.group
	var list []change
	set := func(value string, targets []string) {
		list = append(list, change{
			fix:  result.Fix{Kind: result.FixGroup, Namespace: p.home(), Subject: group.Name, Value: value},
			size: sizeGroup,
			apply: func(in *inputs) {
				in.editNamespace(p.namespace, func(n *namespaceState) {
					n.groups = slices.Clone(n.groups)
					for i := range n.groups {
						g := &n.groups[i]
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
		set(p.namespace, []string{p.namespace})
	}
	return list
}

// ownerChanges lists how the owners of a bundle's kinds can be removed: other
// ClusterExtensions, and what Subscriptions have installed.
func (p *problem) ownerChanges(v solver.Var) []change {
	var list []change
	set := p.bundle(v).Properties
	for i := range p.installed {
		b := &p.installed[i]
		owns := func(api properties.GVK) bool {
			return slices.ContainsFunc(b.properties.GVKs(), func(own properties.GVK) bool { return kindOf(own) == kindOf(api) })
		}
		if !b.foreign || !slices.ContainsFunc(set.GVKs(), owns) {
			continue
		}
		if b.csv.Namespace == "" {
			list = append(list, p.dropExtension(b))
		} else {
			list = append(list, deleteForeign(b))
		}
	}
	return list
}

// dropExtension deletes the ClusterExtension that has installed a bundle.
func (p *problem) dropExtension(b *installedBundle) change {
	owner := ""
	for i := range p.cluster.objects.ClusterExtensions {
		if e := &p.cluster.objects.ClusterExtensions[i]; e.Installed != nil && e.Installed.Name == b.name() && slices.Contains(b.packages, e.Package) {
			owner = e.Name
		}
	}
	return change{
		fix:  result.Fix{Kind: result.FixDrop, Request: result.ClusterExtension, Subject: owner},
		size: sizeDropInstalled,
		apply: func(in *inputs) {
			changed := *in.cluster
			changed.objects.ClusterExtensions = without(changed.objects.ClusterExtensions, func(e ClusterExtension) bool { return e.Name == owner })
			changed.sortExtensions()
			in.cluster = &changed
		},
	}
}

// deleteForeign deletes a bundle of a namespace together with its
// Subscriptions, which would bring it back.
func deleteForeign(b *installedBundle) change {
	namespace, name := b.csv.Namespace, b.name()
	return change{
		fix:  result.Fix{Kind: result.FixDeleteCSV, Subject: namespace + "/" + name, Managed: len(b.subscriptions) > 0},
		size: sizeDropInstalled,
		apply: func(in *inputs) {
			in.editNamespace(namespace, func(n *namespaceState) {
				n.csvs = without(n.csvs, func(o ClusterServiceVersion) bool { return o.Name == name })
				n.subscriptions = without(n.subscriptions, func(s Subscription) bool { return s.InstalledCSV == name })
			})
		},
	}
}

// updateKubernetes updates the cluster as far as a bundle needs.
func (p *problem) updateKubernetes(v solver.Var) change {
	least := p.bundle(v).Properties.Metadata().MinKubeVersion
	return change{
		fix:  result.Fix{Kind: result.FixCluster, Subject: "Kubernetes", Value: least},
		size: sizeCluster,
		apply: func(in *inputs) {
			changed := *in.cluster
			changed.objects.KubernetesVersion = least
			in.cluster = &changed
		},
	}
}

// unselected names catalogs that have the package of a ClusterExtension and that
// its selector does not match.
func (p *problem) unselected(r *request) []string {
	var names []string
	for c := range p.universe.catalogs {
		catalog := &p.universe.catalogs[c]
		labels := catalogLabels(p.view.Catalog(catalog.key), p.cluster.clusterCatalog(catalog.key.Name))
		if !r.extension.Selector.Matches(labels) && catalog.snapshot.Package(r.extension.Package) != nil {
			names = append(names, catalog.key.Name)
		}
	}
	return names[:min(len(names), maxAlternatives)]
}

// extensionChanges lists what may be changed about a ClusterExtension.
func (p *problem) extensionChanges(r *request) []change {
	e := r.extension
	var list []change
	set := func(size int, fix result.Fix, edit func(e *ClusterExtension)) {
		fix.Request, fix.Subject = result.ClusterExtension, e.Name
		list = append(list, change{fix: fix, size: size, apply: func(in *inputs) { in.editExtension(e.Name, edit) }})
	}
	if r.fault != nil && r.fault.kind == faultPackage {
		for _, name := range nearest(e.Package, p.packageNames(r.fault.catalogs)) {
			set(sizeRename, result.Fix{Kind: result.FixRename, Value: name}, func(e *ClusterExtension) { e.Package = name })
		}
	}
	if r.fault != nil && r.fault.kind == faultChannel {
		for _, asked := range e.Channels {
			for _, channel := range nearest(asked, slices.Values(p.channelNames(r.fault.catalogs, e.Package))) {
				set(sizeRename, result.Fix{Kind: result.FixChannel, Value: channel}, func(e *ClusterExtension) { e.Channels = []string{channel} })
			}
		}
	}
	if e.Version != "" {
		set(sizeField, result.Fix{Kind: result.FixVersion, From: e.Version}, func(e *ClusterExtension) { e.Version = "" })
	}
	if len(e.Channels) > 0 {
		set(sizeChannel, result.Fix{Kind: result.FixChannel}, func(e *ClusterExtension) { e.Channels = nil })
	}
	if !e.Selector.Empty() {
		set(sizeCatalog, result.Fix{Kind: result.FixSelector}, func(e *ClusterExtension) { e.Selector = nil })
		for _, name := range p.unselected(r) {
			set(sizeCatalog, result.Fix{Kind: result.FixCatalog, Value: name, From: LabelMetadataName}, func(e *ClusterExtension) {
				e.Selector = &Selector{MatchLabels: map[string]string{LabelMetadataName: name}}
			})
		}
	}
	if e.Installed != nil && !e.SelfCertified {
		set(sizeCatalog, result.Fix{Kind: result.FixPolicy, Value: "SelfCertified"}, func(e *ClusterExtension) { e.SelfCertified = true })
	}
	for _, c := range p.unseen() {
		if c.Snapshot.Package(e.Package) != nil {
			list = append(list, p.makeVisible(c))
		}
	}
	return list
}
