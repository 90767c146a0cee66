package fix

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
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
	called := s.Name + p.Here()
	var list []change
	set := func(kind result.FixKind, size int, value, text string, edit func(s *cluster.Subscription)) {
		list = append(list, change{
			fix:   result.Fix{Kind: kind, Namespace: p.JointNamespace(), Subject: s.Name, Value: value, Text: text},
			size:  size,
			apply: func(in *encode.Inputs) { editSubscription(in, p.Namespace, s.Name, edit) },
		})
	}
	if r.Fault != nil && r.Fault.Kind == encode.FaultPackage {
		for _, name := range result.Nearest(s.Package, missing.PackageNames(p, r.Fault.Catalogs)) {
			set(result.FixRename, sizeRename, name, fmt.Sprintf("let Subscription %s ask for package %s", called, name),
				func(s *cluster.Subscription) { s.Package = name })
		}
	}
	if s.StartingCSV != "" && r.Current < 0 {
		if r.Fault != nil && r.Fault.Kind == encode.FaultStartingCSV {
			for _, name := range result.Nearest(s.StartingCSV, p.Stepping(entryNames(p, r.Fault.Catalogs, s))) {
				set(result.FixStartingCSV, sizeRename, name, fmt.Sprintf("set startingCSV of Subscription %s to %s", called, name),
					func(s *cluster.Subscription) { s.StartingCSV = name })
			}
		}
		set(result.FixStartingCSV, sizeField, "", fmt.Sprintf("remove startingCSV from Subscription %s", called),
			func(s *cluster.Subscription) { s.StartingCSV = "" })
	}
	for _, channel := range otherChannels(p, r) {
		set(result.FixChannel, sizeChannel, channel, fmt.Sprintf("set the channel of Subscription %s to %s", called, channel),
			func(s *cluster.Subscription) { s.Channel = channel })
	}
	for _, k := range otherCatalogs(p, r) {
		set(result.FixCatalog, sizeCatalog, k.String(), fmt.Sprintf("let Subscription %s take package %s from catalog %s", called, s.Package, k),
			func(s *cluster.Subscription) { s.Catalog, s.CatalogNamespace = k.Name, k.Namespace })
	}
	for _, c := range missing.Uncounted(p) {
		if c.Snapshot.Package(s.Package) != nil && (s.Catalog == "" || s.Names(c.Key)) {
			list = append(list, makeVisible(p, c))
		}
	}
	if p.Holds(r) {
		name := p.Installed[r.Current].Name()
		list = append(list, change{
			fix: result.Fix{Kind: result.FixHold, Namespace: p.JointNamespace(), Subject: name,
				Text: fmt.Sprintf("let OperatorCondition %s%s allow updates (Upgradeable)", name, p.Here())},
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
		fix:  result.Fix{Kind: result.FixDrop, Namespace: p.JointNamespace(), Subject: s.Name, Text: "delete Subscription " + s.Name + p.Here()},
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
		c.fix.Text += " and ClusterServiceVersion " + csv
	}
	return c
}

// deleteInstalled deletes an installed bundle that no request manages.
func deleteInstalled(p *encode.Part, v solver.Var) change {
	name := p.NameOf(v)
	return change{
		fix: result.Fix{Kind: result.FixDeleteCSV, Namespace: p.JointNamespace(), Subject: name,
			Text: fmt.Sprintf("delete ClusterServiceVersion %s%s, which no Subscription manages", name, p.Here())},
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
		names = append(result.Nearest(s.Channel, p.Stepping(slices.Values(names))), names...)
	}
	names = slices.DeleteFunc(result.Distinct(names), func(name string) bool { return name == s.Channel })
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
func otherCatalogs(p *encode.Part, r *encode.Request) []cache.Key {
	var keys []cache.Key
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
		fix: result.Fix{Kind: result.FixVisible, Namespace: p.JointNamespace(), Subject: c.Key.String(),
			Text: fmt.Sprintf("make catalog %s visible to namespace %s", c.Key, p.Namespace)},
		size: sizeVisible,
		apply: func(in *encode.Inputs) {
			in.Visible = append(slices.Clip(in.Visible), inventory.VisibleCatalog{Namespace: p.Namespace, Catalog: c.Key})
		},
	}
	switch {
	case slices.Contains(p.Options.ExcludeCatalogs, c.Key):
		// Visibility wins over exclusion.
		made.fix.Text = fmt.Sprintf("do not exclude catalog %s", c.Key)
	case p.Extension != nil:
		made.fix.Text = fmt.Sprintf("make catalog %s available", c.Key)
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
	for _, c := range missing.Uncounted(p) {
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
		fix:  result.Fix{Kind: result.FixAllow, Namespace: p.JointNamespace(), Subject: b.Name, Text: fmt.Sprintf("let the policy allow %s%s", b.Name, p.Here())},
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
	set := func(value, text string, targets []string) {
		list = append(list, change{
			fix: result.Fix{Kind: result.FixGroup, Namespace: p.JointNamespace(), Subject: group.Name, Value: value,
				Text: fmt.Sprintf("let OperatorGroup %s%s target %s", group.Name, p.Here(), text)},
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
		set("", "all namespaces", nil)
	}
	if m.Supports(properties.OwnNamespace) {
		set(p.Namespace, "only its own namespace", []string{p.Namespace})
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
		fix:  result.Fix{Kind: result.FixDrop, Subject: owner, Text: "delete ClusterExtension " + owner},
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
	text := "delete " + inventory.CSVSubject(namespace, name)
	if len(b.Subscriptions) > 0 {
		text += " and its Subscription"
	}
	return change{
		fix:  result.Fix{Kind: result.FixDeleteCSV, Subject: namespace + "/" + name, Text: text},
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
		fix:  result.Fix{Kind: result.FixCluster, Subject: "Kubernetes", Value: least, Text: fmt.Sprintf("update the cluster to Kubernetes %s or newer", least)},
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
	set := func(kind result.FixKind, size int, value, text string, edit func(e *cluster.ClusterExtension)) {
		list = append(list, change{
			fix:   result.Fix{Kind: kind, Subject: e.Name, Value: value, Text: text},
			size:  size,
			apply: func(in *encode.Inputs) { editExtension(in, e.Name, edit) },
		})
	}
	if r.Fault != nil && r.Fault.Kind == encode.FaultPackage {
		for _, name := range result.Nearest(e.Package, missing.PackageNames(p, r.Fault.Catalogs)) {
			set(result.FixRename, sizeRename, name, fmt.Sprintf("let ClusterExtension %s ask for package %s", e.Name, name),
				func(e *cluster.ClusterExtension) { e.Package = name })
		}
	}
	if r.Fault != nil && r.Fault.Kind == encode.FaultChannel {
		for _, asked := range e.Channels {
			for _, channel := range result.Nearest(asked, slices.Values(missing.ChannelNames(p, r.Fault.Catalogs, e.Package))) {
				set(result.FixChannel, sizeRename, channel, fmt.Sprintf("let ClusterExtension %s ask for channel %s", e.Name, channel),
					func(e *cluster.ClusterExtension) { e.Channels = []string{channel} })
			}
		}
	}
	if e.Version != "" {
		set(result.FixVersion, sizeField, "", fmt.Sprintf("remove the version range %q from ClusterExtension %s", e.Version, e.Name),
			func(e *cluster.ClusterExtension) { e.Version = "" })
	}
	if len(e.Channels) > 0 {
		set(result.FixChannel, sizeChannel, "", fmt.Sprintf("remove the channels from ClusterExtension %s", e.Name),
			func(e *cluster.ClusterExtension) { e.Channels = nil })
	}
	if !e.Selector.Empty() {
		set(result.FixSelector, sizeCatalog, "", fmt.Sprintf("remove the selector from ClusterExtension %s", e.Name),
			func(e *cluster.ClusterExtension) { e.Selector = nil })
		for _, name := range unselected(p, r) {
			set(result.FixCatalog, sizeCatalog, name, fmt.Sprintf("let the selector of ClusterExtension %s choose catalog %s (label %s)", e.Name, name, inventory.LabelMetadataName),
				func(e *cluster.ClusterExtension) {
					e.Selector = &cluster.Selector{MatchLabels: map[string]string{inventory.LabelMetadataName: name}}
				})
		}
	}
	if e.Installed != nil && !e.SelfCertified {
		set(result.FixPolicy, sizeCatalog, "SelfCertified", fmt.Sprintf("set upgradeConstraintPolicy of ClusterExtension %s to SelfCertified", e.Name),
			func(e *cluster.ClusterExtension) { e.SelfCertified = true })
	}
	for _, c := range missing.Uncounted(p) {
		if c.Snapshot.Package(e.Package) != nil {
			list = append(list, makeVisible(p, c))
		}
	}
	return list
}
