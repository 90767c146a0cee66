package fix

import (
	"cmp"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/solver"
)

// The sizes of changes of one risk: correcting a name asks least of people,
// deleting a request most.
const (
	sizeName = iota
	sizeField
	sizeChannel
	sizeCatalog
	sizeMove
	sizeVisible
	sizeGroup
	sizeHold
	sizeAllow
	sizeDeleteCSV
	sizeDrop
	sizeCluster
)

// maxAlternatives bounds how many other values of one field are tried.
const maxAlternatives = 4

// deleteInstalled deletes an installed bundle that no request manages.
func deleteInstalled(p *model.Part, v solver.Var) change {
	b := p.AsInstalled(v)
	return change{
		steps:   []fixes.Step{{Object: objectOf(fixes.ObjectCSV, p.Namespace, b.Name()), Unmanaged: true}},
		risk:    fixes.RiskRemoves,
		size:    sizeDeleteCSV,
		removes: []fixes.Version{versionOf(b)},
		apply:   deleting(p.Namespace, b.Name(), func(cluster.Subscription) bool { return false }),
	}
}

func objectOf(kind fixes.ObjectKind, namespace, name string) fixes.Object {
	return fixes.Object{Kind: kind, Namespace: namespace, Name: name}
}

// makeVisible has a catalog counted: the caller does not exclude it, a ClusterCatalog is
// available, and no OperatorGroup leaves a global one out. For a catalog of another
// namespace nothing does.
func makeVisible(p *model.Part, c *cache.Catalog) change {
	made := change{risk: fixes.RiskWidens, size: sizeVisible}
	declared, group := p.In.Cluster.ClusterCatalog(c.Key.Name), inventory.GlobalsLeftOutBy(p.State)
	if slices.Contains(p.In.Options.ExcludeCatalogs, c.Key) {
		made.steps = append(made.steps, fixes.Step{Object: objectOf(fixes.ObjectOptions, "", c.Key.String()), Field: fixes.FieldExcludedCatalogs})
	}
	switch {
	case p.ClusterWide && declared != nil && declared.Unavailable:
		made.steps = append(made.steps, fixes.Step{
			Object: objectOf(fixes.ObjectClusterCatalog, "", c.Key.Name), Field: fixes.FieldAvailability,
			From: "Unavailable", To: "Available",
		})
	case p.ClusterWide || inventory.Sees(p.State, p.Namespace, c.Key, p.In.Options):
	case !slices.Contains(p.In.Options.Globals(), c.Key.Namespace):
		return change{}
	default:
		made.steps = append(made.steps, fixes.Step{
			Object: objectOf(fixes.ObjectOperatorGroup, p.Namespace, group), Field: fixes.FieldExcludeGlobal, From: "true",
		})
	}
	made.apply = func(in *model.Inputs) {
		changed := *in.Options
		changed.ExcludeCatalogs = without(changed.ExcludeCatalogs, func(k catalog.Key) bool { return k == c.Key })
		in.Options = &changed
		if p.ClusterWide {
			makeAvailable(in, c.Key.Name)
			return
		}
		editNamespace(in, p.Namespace, func(n *cluster.NamespaceObjects) {
			n.Groups = edited(n.Groups, func(g *cluster.OperatorGroup) bool { return g.Name == group }, func(g *cluster.OperatorGroup) {
				g.Annotations = maps.Clone(g.Annotations)
				delete(g.Annotations, cluster.AnnotationExcludeGlobal)
			})
		})
	}
	return made
}

// ruleChanges lists what may be changed about a rule of a bundle.
func ruleChanges(p *model.Part, o model.Origin) []change {
	switch o.Code {
	case code.Requires:
		return visibleChanges(p, o)
	case code.Forbidden:
		return []change{allow(p, o.Bundle, o.Args.Said)}
	case code.WrongMode, code.StaticGroup, code.TakenAPI, code.SharedAPI:
		return groupChanges(p, o.Bundle)
	case code.Kubernetes:
		return []change{updateKubernetes(p, o.Bundle)}
	case code.OwnedBeside, code.Owned, code.OtherVersions:
		return ownerChanges(p, o.Bundle)
	}
	return nil
}

// visibleChanges lists the catalogs that could satisfy a constraint if they were
// seen.
func visibleChanges(p *model.Part, o model.Origin) []change {
	var list []change
	for c := range missing.UncountedMatches(p, p.ConstraintOf(o).Expr) {
		list = append(list, makeVisible(p, c))
	}
	return list
}

// allow lets the caller's policy allow one bundle.
func allow(p *model.Part, v solver.Var, why string) change {
	b := p.Ref(v)
	return change{
		steps: []fixes.Step{{Object: objectOf(fixes.ObjectOptions, p.Namespace, b.Bundle.Name), Field: fixes.FieldSystemConstraint, Refused: why}},
		risk:  fixes.RiskOverrides,
		size:  sizeAllow,
		apply: func(in *model.Inputs) {
			changed, judge := *in.Options, in.Options.SystemConstraint
			changed.SystemConstraint = allowing(judge, p.Namespace, b)
			in.Options = &changed
		},
	}
}

// groupChanges lists other targets of the OperatorGroup under which a bundle
// can run.
func groupChanges(p *model.Part, v solver.Var) []change {
	m := p.Bundle(v).Properties.Metadata()
	if m == nil || p.OperatorGroup == nil {
		return nil
	}
	group := p.OperatorGroup.Group
	object := objectOf(fixes.ObjectOperatorGroup, group.OperatorGroup.Namespace, group.OperatorGroup.Name)
	var watching []string
	for i := range p.Installed {
		watching = append(watching, p.Installed[i].Name())
	}
	var list []change
	set := func(targets []string, steps ...fixes.Step) {
		if len(steps) == 0 {
			return
		}
		steps[0].Watching = watching
		list = append(list, change{
			steps: steps, risk: fixes.RiskWidens, size: sizeGroup,
			apply: func(in *model.Inputs) {
				editNamespace(in, p.Namespace, func(n *cluster.NamespaceObjects) {
					n.Groups = slices.Clone(n.Groups)
					for i := range n.Groups {
						g := &n.Groups[i]
						g.TargetNamespaces, g.Selector, g.HasStatus, g.StatusNamespaces = targets, nil, false, nil
					}
				})
			},
		})
	}
	targets := fixes.Step{Object: object, Field: fixes.FieldTargets, From: values(group.OperatorGroup.TargetNamespaces)}
	if m.Supports(properties.AllNamespaces) {
		var steps []fixes.Step
		if len(group.OperatorGroup.TargetNamespaces) > 0 {
			steps = append(steps, targets)
		}
		if group.OperatorGroup.Selector != nil {
			steps = append(steps, fixes.Step{Object: object, Field: fixes.FieldTargetSelector, From: *group.OperatorGroup.Selector})
		}
		set(nil, steps...)
	}
	if m.Supports(properties.OwnNamespace) {
		own := []string{p.Namespace}
		targets.To = own
		set(own, targets)
	}
	return list
}

// ownerChanges lists how the owners of a bundle's kinds can be removed: other
// ClusterExtensions, and what Subscriptions have installed.
func ownerChanges(p *model.Part, v solver.Var) []change {
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
			list = append(list, deleteForeign(p, b))
		}
	}
	return list
}

// dropExtension deletes the ClusterExtension that has installed a bundle.
func dropExtension(p *model.Part, b *model.InstalledBundle) change {
	owner := ""
	for _, e := range p.In.Cluster.Objects().ClusterExtensions {
		if e.Installed != nil && e.Installed.Name == b.Name() && slices.Contains(b.Packages, e.Package) {
			owner = e.Name
		}
	}
	return change{
		steps:   []fixes.Step{{Object: objectOf(fixes.ObjectExtension, "", owner)}},
		risk:    fixes.RiskRemoves,
		size:    sizeDrop,
		removes: []fixes.Version{versionOf(b)},
		apply: func(in *model.Inputs) {
			in.Cluster = in.Cluster.WithObjects(func(o *cluster.Objects) {
				o.ClusterExtensions = without(o.ClusterExtensions, func(e cluster.ClusterExtension) bool { return e.Name == owner })
			})
		},
	}
}

// deleteForeign deletes a bundle of a namespace together with its
// Subscriptions, which would bring it back.
func deleteForeign(p *model.Part, b *model.InstalledBundle) change {
	namespace, name := b.CSV.Namespace, b.Name()
	made := change{
		risk:    fixes.RiskRemoves,
		size:    sizeDrop,
		removes: []fixes.Version{versionOf(b)},
		apply:   deleting(namespace, name, func(s cluster.Subscription) bool { return s.InstalledCSV == name }),
	}
	subscriptions := p.In.Cluster.In(namespace).Subscriptions
	for i := range subscriptions {
		if subscriptions[i].InstalledCSV == name {
			made.steps = append(made.steps, fixes.Step{Object: objectOf(fixes.ObjectSubscription, namespace, subscriptions[i].Name)})
		}
	}
	made.steps = append(made.steps, fixes.Step{Object: objectOf(fixes.ObjectCSV, namespace, name), Unmanaged: len(made.steps) == 0})
	return made
}

// updateKubernetes updates the cluster as far as a bundle needs.
func updateKubernetes(p *model.Part, v solver.Var) change {
	least := p.Bundle(v).Properties.Metadata().MinKubeVersion
	return change{
		steps: []fixes.Step{{
			Object: objectOf(fixes.ObjectCluster, "", ""), Field: fixes.FieldKubernetesVersion,
			From: p.In.Cluster.Objects().KubernetesVersion, To: least,
		}},
		risk: fixes.RiskWidens,
		size: sizeCluster,
		apply: func(in *model.Inputs) {
			in.Cluster = in.Cluster.WithObjects(func(o *cluster.Objects) { o.KubernetesVersion = least })
		},
	}
}

// requestChanges lists what may be changed about a request, by its kind.
func requestChanges(p *model.Part, r *request.Request) []change {
	switch wish := r.Object.(type) {
	case request.Subscription:
		return subscriptionChanges(p, r, wish)
	case *request.Extension:
		return extensionChanges(p, r, wish.Object)
	}
	return nil
}

// moves lists the other namespaces whose OperatorGroup admits what a Subscription
// would install, where that of its own does not.
func moves(p *model.Part, r *request.Request, refused []solver.Var) []change {
	wish, ok := r.Object.(request.Subscription)
	at := slices.IndexFunc(refused, func(v solver.Var) bool { return slices.Contains(r.List.Candidates, v) })
	if !ok || r.Current >= 0 || at < 0 {
		return nil
	}
	set, s := p.Bundle(refused[at]).Properties, wish.Object
	var list []change
	for _, other := range p.In.Cluster.Namespaces() {
		rule, _, err := inventory.GroupRuleOf(p.In.Cluster, other, true)
		state := p.In.Cluster.In(other)
		named := slices.ContainsFunc(state.Subscriptions, func(o cluster.Subscription) bool { return o.Name == s.Name || o.Package == s.Package })
		if other == p.Namespace || err != nil || named {
			continue
		}
		if _, refused := rule.Refuses(set, func(string) bool { return false }); refused != nil {
			continue
		}
		list = append(list, change{
			steps: []fixes.Step{{
				Object: objectOf(fixes.ObjectSubscription, p.Namespace, s.Name), Field: fixes.FieldNamespace,
				From: p.Namespace, To: other,
			}},
			size: sizeMove,
			also: other,
			apply: func(in *model.Inputs) {
				deleting(p.Namespace, "", func(o cluster.Subscription) bool { return o.Name == s.Name })(in)
				moved := *s
				moved.Namespace = other
				editNamespace(in, other, func(n *cluster.NamespaceObjects) {
					n.Subscriptions = append(slices.Clone(n.Subscriptions), moved)
					slices.SortFunc(n.Subscriptions, func(a, b cluster.Subscription) int { return cmp.Compare(a.Name, b.Name) })
				})
			},
		})
	}
	return list[:min(len(list), maxAlternatives)]
}
