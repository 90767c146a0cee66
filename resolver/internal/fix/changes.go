package fix

import (
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

// deleteInstalled deletes an installed bundle that no request manages.
func deleteInstalled(p *encode.Part, v solver.Var) change {
	name := p.NameOf(v)
	return change{
		fix:   result.Fix{Kind: result.FixDeleteCSV, Namespace: p.JointNamespace(), Subject: name, Unmanaged: true},
		size:  sizeDeleteCSV,
		apply: deleting(p.Namespace, name, func(cluster.Subscription) bool { return false }),
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
	case p.ClusterWide:
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

// visibleChanges lists the catalogs that could satisfy a constraint if they were
// seen.
func visibleChanges(p *encode.Part, o encode.Origin) []change {
	var list []change
	for c := range missing.UncountedMatches(p, p.ConstraintOf(o).Expr) {
		list = append(list, makeVisible(p, c))
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
			editCluster(in, func(c *inventory.Cluster) {
				c.Objects.ClusterExtensions = without(c.Objects.ClusterExtensions, func(e cluster.ClusterExtension) bool { return e.Name == owner })
				c.SortExtensions()
			})
		},
	}
}

// deleteForeign deletes a bundle of a namespace together with its
// Subscriptions, which would bring it back.
func deleteForeign(b *encode.InstalledBundle) change {
	namespace, name := b.CSV.Namespace, b.Name()
	return change{
		fix:   result.Fix{Kind: result.FixDeleteCSV, Subject: namespace + "/" + name, Managed: len(b.Subscriptions) > 0},
		size:  sizeDropInstalled,
		apply: deleting(namespace, name, func(s cluster.Subscription) bool { return s.InstalledCSV == name }),
	}
}

// updateKubernetes updates the cluster as far as a bundle needs.
func updateKubernetes(p *encode.Part, v solver.Var) change {
	least := p.Bundle(v).Properties.Metadata().MinKubeVersion
	return change{
		fix:  result.Fix{Kind: result.FixCluster, Subject: "Kubernetes", Value: least},
		size: sizeCluster,
		apply: func(in *encode.Inputs) {
			editCluster(in, func(c *inventory.Cluster) { c.Objects.KubernetesVersion = least })
		},
	}
}

// requestChanges lists what may be changed about a request, by its kind.
func requestChanges(p *encode.Part, r *encode.Request) []change {
	switch wish := r.Wish.(type) {
	case encode.Subscription:
		return subscriptionChanges(p, r, wish)
	case *encode.Extension:
		return extensionChanges(p, r, wish.Object)
	}
	return nil
}
