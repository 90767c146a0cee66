package resolver

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
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
	called := s.Name + p.here()
	var list []change
	set := func(kind FixKind, size int, value, text string, edit func(s *Subscription)) {
		list = append(list, change{
			fix:   Fix{Kind: kind, Namespace: p.home(), Subject: s.Name, Value: value, Text: text},
			size:  size,
			apply: func(in *inputs) { in.editSubscription(p.namespace, s.Name, edit) },
		})
	}
	if r.fault != nil && r.fault.kind == faultPackage {
		for _, name := range nearest(s.Package, p.packageNames(r.fault.catalogs)) {
			set(FixRename, sizeRename, name, fmt.Sprintf("let Subscription %s ask for package %s", called, name),
				func(s *Subscription) { s.Package = name })
		}
	}
	if s.StartingCSV != "" && r.current < 0 {
		if r.fault != nil && r.fault.kind == faultStartingCSV {
			for _, name := range nearest(s.StartingCSV, p.stepping(p.entryNames(r.fault.catalogs, s))) {
				set(FixStartingCSV, sizeRename, name, fmt.Sprintf("set startingCSV of Subscription %s to %s", called, name),
					func(s *Subscription) { s.StartingCSV = name })
			}
		}
		set(FixStartingCSV, sizeField, "", fmt.Sprintf("remove startingCSV from Subscription %s", called),
			func(s *Subscription) { s.StartingCSV = "" })
	}
	for _, channel := range p.otherChannels(r) {
		set(FixChannel, sizeChannel, channel, fmt.Sprintf("set the channel of Subscription %s to %s", called, channel),
			func(s *Subscription) { s.Channel = channel })
	}
	for _, k := range p.otherCatalogs(r) {
		set(FixCatalog, sizeCatalog, k.String(), fmt.Sprintf("let Subscription %s take package %s from catalog %s", called, s.Package, k),
			func(s *Subscription) { s.Catalog, s.CatalogNamespace = k.Name, k.Namespace })
	}
	for _, c := range p.unseen() {
		if c.Snapshot.Package(s.Package) != nil && (s.Catalog == "" || s.names(c.Key)) {
			list = append(list, p.makeVisible(c))
		}
	}
	if p.holds(r) {
		name := p.installed[r.current].name()
		list = append(list, change{
			fix: Fix{Kind: FixHold, Namespace: p.home(), Subject: name,
				Text: fmt.Sprintf("let OperatorCondition %s%s allow updates (Upgradeable)", name, p.here())},
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
		fix:  Fix{Kind: FixDrop, Namespace: p.home(), Subject: s.Name, Text: "delete Subscription " + s.Name + p.here()},
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
		c.fix.Text += " and ClusterServiceVersion " + csv
	}
	return c
}

// deleteInstalled deletes an installed bundle that no request manages.
func (p *problem) deleteInstalled(v solver.Var) change {
	name := p.nameOf(v)
	return change{
		fix: Fix{Kind: FixDeleteCSV, Namespace: p.home(), Subject: name,
			Text: fmt.Sprintf("delete ClusterServiceVersion %s%s, which no Subscription manages", name, p.here())},
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
		fix: Fix{Kind: FixVisible, Namespace: p.home(), Subject: c.Key.String(),
			Text: fmt.Sprintf("make catalog %s visible to namespace %s", c.Key, p.namespace)},
		size:  sizeVisible,
		apply: func(in *inputs) { in.visible = append(slices.Clip(in.visible), sight{p.namespace, c.Key}) },
	}
	switch {
	case slices.Contains(p.options.ExcludeCatalogs, c.Key):
		// Visibility wins over exclusion.
		made.fix.Text = fmt.Sprintf("do not exclude catalog %s", c.Key)
	case p.extension != nil:
		made.fix.Text = fmt.Sprintf("make catalog %s available", c.Key)
		made.apply = func(in *inputs) { in.makeAvailable(c.Key.Name) }
	}
	return made
}

// ruleChanges lists what may be changed about a rule of a bundle.
func (p *problem) ruleChanges(o origin) []change {
	switch o.kind {
	case ReasonDependency:
		return p.visibleChanges(o)
	case ReasonSystem:
		return []change{p.allow(o.bundle)}
	case ReasonOperatorGroup:
		return p.groupChanges(o.bundle)
	case ReasonKubernetes:
		return []change{p.updateKubernetes(o.bundle)}
	case ReasonOneAPI:
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
		fix:  Fix{Kind: FixAllow, Namespace: p.home(), Subject: b.Name, Text: fmt.Sprintf("let the policy allow %s%s", b.Name, p.here())},
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
	m := p.universe.bundle(v).Properties.Metadata()
	if m == nil || p.operatorGroup == nil {
		return nil
	}
	group := p.operatorGroup.group
	var list []change
	set := func(value, text string, targets []string) {
		list = append(list, change{
			fix: Fix{Kind: FixGroup, Namespace: p.home(), Subject: group.Name, Value: value,
				Text: fmt.Sprintf("let OperatorGroup %s%s target %s", group.Name, p.here(), text)},
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
		set("", "all namespaces", nil)
	}
	if m.Supports(properties.OwnNamespace) {
		set(p.namespace, "only its own namespace", []string{p.namespace})
	}
	return list
}

// ownerChanges lists how the owners of a bundle's kinds can be removed: other
// ClusterExtensions, and what Subscriptions have installed.
func (p *problem) ownerChanges(v solver.Var) []change {
	var list []change
	set := p.universe.bundle(v).Properties
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
		fix:  Fix{Kind: FixDrop, Subject: owner, Text: "delete ClusterExtension " + owner},
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
	text := "delete " + csvSubject(namespace, name)
	if len(b.subscriptions) > 0 {
		text += " and its Subscription"
	}
	return change{
		fix:  Fix{Kind: FixDeleteCSV, Subject: namespace + "/" + name, Text: text},
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
	least := p.universe.bundle(v).Properties.Metadata().MinKubeVersion
	return change{
		fix:  Fix{Kind: FixCluster, Subject: "Kubernetes", Value: least, Text: fmt.Sprintf("update the cluster to Kubernetes %s or newer", least)},
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
	set := func(kind FixKind, size int, value, text string, edit func(e *ClusterExtension)) {
		list = append(list, change{
			fix:   Fix{Kind: kind, Subject: e.Name, Value: value, Text: text},
			size:  size,
			apply: func(in *inputs) { in.editExtension(e.Name, edit) },
		})
	}
	if r.fault != nil && r.fault.kind == faultPackage {
		for _, name := range nearest(e.Package, p.packageNames(r.fault.catalogs)) {
			set(FixRename, sizeRename, name, fmt.Sprintf("let ClusterExtension %s ask for package %s", e.Name, name),
				func(e *ClusterExtension) { e.Package = name })
		}
	}
	if r.fault != nil && r.fault.kind == faultChannel {
		for _, asked := range e.Channels {
			for _, channel := range nearest(asked, slices.Values(p.channelNames(r.fault.catalogs, e.Package))) {
				set(FixChannel, sizeRename, channel, fmt.Sprintf("let ClusterExtension %s ask for channel %s", e.Name, channel),
					func(e *ClusterExtension) { e.Channels = []string{channel} })
			}
		}
	}
	if e.Version != "" {
		set(FixVersion, sizeField, "", fmt.Sprintf("remove the version range %q from ClusterExtension %s", e.Version, e.Name),
			func(e *ClusterExtension) { e.Version = "" })
	}
	if len(e.Channels) > 0 {
		set(FixChannel, sizeChannel, "", fmt.Sprintf("remove the channels from ClusterExtension %s", e.Name),
			func(e *ClusterExtension) { e.Channels = nil })
	}
	if !e.Selector.Empty() {
		set(FixSelector, sizeCatalog, "", fmt.Sprintf("remove the selector from ClusterExtension %s", e.Name),
			func(e *ClusterExtension) { e.Selector = nil })
		for _, name := range p.unselected(r) {
			set(FixCatalog, sizeCatalog, name, fmt.Sprintf("let the selector of ClusterExtension %s choose catalog %s (label %s)", e.Name, name, LabelMetadataName),
				func(e *ClusterExtension) {
					e.Selector = &Selector{MatchLabels: map[string]string{LabelMetadataName: name}}
				})
		}
	}
	if e.Installed != nil && !e.SelfCertified {
		set(FixPolicy, sizeCatalog, "SelfCertified", fmt.Sprintf("set upgradeConstraintPolicy of ClusterExtension %s to SelfCertified", e.Name),
			func(e *ClusterExtension) { e.SelfCertified = true })
	}
	for _, c := range p.unseen() {
		if c.Snapshot.Package(e.Package) != nil {
			list = append(list, p.makeVisible(c))
		}
	}
	return list
}
