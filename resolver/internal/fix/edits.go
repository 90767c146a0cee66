package fix

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// editsOf returns the edits that may change a member of a core.
func (n *node) editsOf(r solver.Reason) []request.Edit {
	switch r.Kind {
	case solver.KindRoot:
		if r.Rule < 0 {
			return n.hiddenEdits()
		}
		p, req := n.try.Problem.Root(r.Rule)
		list := n.requestEdits(p, req)
		for _, v := range req.List.Candidates {
			// A bundle that another request has installed counts in place of the catalog's.
			if b := p.AsInstalled(v); b != nil && !b.Foreign && (req.Current < 0 || v != p.InstalledVar(req.Current)) {
				list = append(list, n.identityEdits(p, b.Name(), "")...)
			}
		}
		return list
	case solver.KindGiven:
		p := n.try.Problem.Model.Of(r.Var)
		if b := p.AsInstalled(r.Var); b.Foreign {
			return n.foreignEdits(p, b)
		} else {
			return n.givenEdits(p, b)
		}
	case solver.KindGroup:
		var list []request.Edit
		for _, p := range n.try.Problem.Model.Parts {
			list = append(list, n.inferredEdits(p)...)
		}
		return list
	case solver.KindRule:
		p, o := n.try.Problem.Model.OriginOf(r.Var, r.Rule)
		return n.ruleEdits(p, o, r)
	}
	return nil
}

// refusalEdits returns the edits that may change why a problem is refused.
func (n *node) refusalEdits() []request.Edit {
	if !n.try.Refused {
		return nil
	}
	for _, scoped := range n.try.Problem.Scopes {
		p := scoped.Part
		unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](p.Refused)
		switch {
		case ok:
			return n.healthEdits(p, unhealthy)
		case is[*result.Ambiguous](p.Refused):
			return n.requestEdits(p, &scoped.Requests[0])
		case p.Refused != nil && len(p.State.Groups) == 0:
			return createEdits(p)
		case p.Refused != nil:
			return n.groupEdits(p)
		}
	}
	return nil
}

// ownGroups are the OperatorGroups that come with OLM, those of OpenShift and upstream.
var ownGroups = []result.Object{
	{Kind: words.ObjectOperatorGroup, Namespace: "openshift-operators", Name: "global-operators"},
	{Kind: words.ObjectOperatorGroup, Namespace: "operators", Name: "global-operators"},
	{Kind: words.ObjectOperatorGroup, Namespace: "olm", Name: "olm-operators"},
}

// groupEdits returns edits that delete one of several OperatorGroups, but none that came with
// OLM. There are none if deleting the changes that are left still leaves several.
func (n *node) groupEdits(p *model.Part) []request.Edit {
	if several := len(p.State.Groups); several < 2 || several-1 > maxChanges-len(n.objects) {
		return nil
	}
	var list []request.Edit
	for _, g := range p.State.Groups {
		o := result.Object{Kind: words.ObjectOperatorGroup, Namespace: p.Namespace, Name: g.Name}
		if !slices.Contains(ownGroups, o) {
			list = append(list, request.Edit{Kind: request.EditDeleteGroup, Object: o, Steps: []result.Step{{Object: o}}})
		}
	}
	return list
}

// createEdits returns edits that create the OperatorGroup of a namespace that has none: it targets
// the namespace itself, or all.
func createEdits(p *model.Part) []request.Edit {
	o := result.Object{Kind: words.ObjectOperatorGroup, Namespace: p.Namespace, Name: p.Namespace}
	return words.Mapped([][]string{{p.Namespace}, nil}, func(targets []string) request.Edit {
		group := cluster.OperatorGroup{Namespace: o.Namespace, Name: o.Name, TargetNamespaces: targets}
		return request.Edit{Kind: request.EditCreateGroup, Object: o, Steps: []result.Step{{Object: o, Create: &cluster.Objects{OperatorGroups: []cluster.OperatorGroup{group}}}}}
	})
}

// healthEdits returns edits that withdraw unhealthy catalogs: a CatalogSource that no
// Subscription names, or a ClusterCatalog. There are none of these if the changes that are left still
// leave one unhealthy. Others are options of the caller.
func (n *node) healthEdits(p *model.Part, e *result.CatalogsUnhealthy) []request.Edit {
	exclude := request.Edit{Kind: request.EditOption}
	var list []request.Edit
	many := len(e.Catalogs) > maxChanges-len(n.objects)
	for _, c := range e.Catalogs {
		o := result.Object{Kind: words.ObjectOptions, Namespace: c.Key.Namespace, Name: c.Key.Name}
		exclude.Steps = append(exclude.Steps, result.Step{Object: o, Field: words.FieldExcludedCatalogs, To: true})
		switch o = objectOfCatalog(c.Key); {
		case many:
		case o.Kind == words.ObjectClusterCatalog && n.try.In.Cluster.ClusterCatalog(o.Name) != nil:
			list = append(list, request.Edit{Kind: request.EditAvailability, Object: o, Steps: []result.Step{
				{Object: o, Field: words.FieldAvailability, From: "Available", To: "Unavailable"},
			}})
		case n.unnamed(c.Key):
			list = append(list, request.Edit{Kind: request.EditDeleteSource, Object: o, Steps: []result.Step{{Object: o}}})
		}
	}
	exclude.Object = exclude.Steps[0].Object
	list = append(list, exclude)
	if p.Kind.Lenient {
		o := result.Object{Kind: words.ObjectOptions}
		list = append(list, request.Edit{Kind: request.EditOption, Object: o, Steps: []result.Step{{Object: o, Field: words.FieldLenientHealth, To: true}}})
	}
	return list
}

// unnamed reports whether a catalog has a CatalogSource that no Subscription names.
func (n *node) unnamed(k catalog.Key) bool {
	declared := slices.ContainsFunc(n.try.In.Cluster.ClusterScoped().CatalogSources, func(c cluster.CatalogSource) bool { return c.Key == k })
	return declared && !slices.ContainsFunc(n.try.In.Cluster.Namespaces(), func(namespace string) bool {
		return slices.ContainsFunc(n.try.In.Cluster.In(namespace).Subscriptions, func(s cluster.Subscription) bool { return s.Names(k) })
	})
}

// objectOfCatalog returns the object that declares a catalog.
func objectOfCatalog(k catalog.Key) result.Object {
	if k.Namespace == "" {
		return result.Object{Kind: words.ObjectClusterCatalog, Name: k.Name}
	}
	return result.Object{Kind: words.ObjectCatalogSource, Namespace: k.Namespace, Name: k.Name}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// ruleEdits returns the edits that may change a rule of a bundle.
func (n *node) ruleEdits(p *model.Part, o model.Origin, r solver.Reason) []request.Edit {
	var list []request.Edit
	switch o.Code {
	case words.WrongMode, words.StaticGroup, words.TakenAPI, words.SharedAPI:
		for _, other := range n.try.Problem.Model.Parts { // any of them may have the common targets
			list = append(list, n.targetEdits(other)...)
		}
		if args := o.Why.Args(); o.Code == words.TakenAPI && args.Other != "" { // else a static annotation states it
			list = append(list, narrowEdits(n, args.Owner.Namespace)...)
		}
	case words.Requires:
		list = append(n.visibleEdits(p), n.inferredEdits(p)...)
		e := p.ConstraintOf(o).Expr
		for c := range explain.UncountedMatches(p, e) {
			list = append(list, n.catalogEdits(p, c.Key)...)
		}
		for _, b := range explain.Unoffered(p, e) {
			list = append(list, n.identityEdits(p, b.Name, b.Package)...)
		}
	case words.Replaces:
		// The rule is that an update takes the place of what these have installed.
		for _, i := range n.updating(r) {
			list = append(list, n.editsOf(cause.RootDemand(i))...)
		}
	case words.OwnedBeside, words.Owned, words.OtherVersions:
		for i := range p.Installed {
			if b := &p.Installed[i]; b.Foreign && sharesKind(b.Properties, p.PropertiesOf(o.Bundle)) {
				list = append(list, n.foreignEdits(p, b)...)
			}
		}
	case words.Pinned:
		list = append(list, request.WithoutPins(p, p.Ref(o.Bundle).Bundle.Package))
	case words.Forbidden:
		list = append(list, exempt(p, o, words.FieldSystemConstraint))
	case words.Denied:
		e, ref := exempt(p, o, words.FieldException), p.Ref(o.Bundle)
		e.Version, e.Other = &ref.Version, &result.Other{Kind: result.OtherPolicy, Bundle: ref.Bundle, Constraints: o.Why.Rules()}
		list = append(list, e)
	}
	return list
}

// exempt returns the edit that lets a bundle be selected whatever a rule of the caller says.
func exempt(p *model.Part, o model.Origin, field string) request.Edit {
	object := result.Object{Kind: words.ObjectOptions, Namespace: p.Namespace, Name: p.Ref(o.Bundle).Bundle.Name}
	return request.Edit{Kind: request.EditOption, Object: object, Steps: []result.Step{{Object: object, Field: field}}}
}

func sharesKind(a, b *properties.Set) bool {
	return slices.ContainsFunc(a.GVKs(), func(api properties.GVK) bool {
		return slices.ContainsFunc(b.GVKs(), func(own properties.GVK) bool { return inventory.KindOf(own) == inventory.KindOf(api) })
	})
}

// requestEdits returns the edits of a request, and those of other objects that decide about
// this request alone.
func (n *node) requestEdits(p *model.Part, r *request.Request) []request.Edit {
	object := objectOf(r.Key())
	list := slices.DeleteFunc(r.Edits(p, r, n.s.goal != nil || n.stuck), func(e request.Edit) bool {
		// A ClusterExtension of another package is created first, and its fields are set
		// afterwards. A request with something installed keeps its package.
		return n.has(e.Object, e.Kind) || e.Kind == request.EditName &&
			(n.has(e.Object, request.EditReinstall) || e.Object.Kind == words.ObjectExtension && n.changes(e.Object))
	})
	if s := n.try.In.Cluster.Subscription(r.Key()); s != nil {
		list = append(list, n.installEdits(p, r, object, s)...)
		list = append(list, n.moveEdits(p, r, object, s)...)
		list = append(list, n.visibleEdits(p)...)
	}
	for _, c := range explain.UncountedCatalogs(p) {
		if c.Snapshot.Package(r.PackageName()) != nil && r.Takes(c.Key) {
			list = append(list, n.catalogEdits(p, c.Key)...)
		}
	}
	return list
}

// installEdits returns edits that install anew what a Subscription has, override its
// OperatorCondition, or give the request up unless another edit changes it.
func (n *node) installEdits(p *model.Part, r *request.Request, o result.Object, s *cluster.Subscription) []request.Edit {
	var list []request.Edit
	if r.Current >= 0 {
		b := &p.Installed[r.Current]
		csv := result.Object{Kind: words.ObjectCSV, Namespace: p.Namespace, Name: b.Name()}
		if n.inUpdate(p.Namespace, b) {
			list = append(list, n.forwardEdits(p, b.CSV)...)
		} else if n.s.installedBy(o) == b.Name() && !n.has(o, request.EditReinstall) {
			made := n.given(p.Namespace, s) // its fields are set after it is created
			made.InstalledCSV, made.Observed = "", cluster.Observed{}
			list = append(list, request.Edit{Kind: request.EditReinstall, Object: o, Steps: []result.Step{
				{Object: o}, {Object: csv}, {Object: o, Create: &cluster.Objects{Subscriptions: []cluster.Subscription{made}}},
			}})
		}
		if b.Held() != nil {
			list = append(list, overrideEdit(p, b))
		}
	}
	if !s.Asked() && !n.changes(o) {
		list = append(list, request.Edit{Kind: request.EditGiveUp, Object: o, Steps: []result.Step{{Object: o}}})
	}
	return list
}

// given returns a Subscription as it is without the edits.
func (n *node) given(namespace string, s *cluster.Subscription) cluster.Subscription {
	list := n.s.in.In.Cluster.In(namespace).Subscriptions
	return list[slices.IndexFunc(list, func(o cluster.Subscription) bool { return o.Name == s.Name })]
}

// overrideEdit returns an edit that overrides the OperatorCondition of a bundle.
func overrideEdit(p *model.Part, b *model.InstalledBundle) request.Edit {
	o := result.Object{Kind: words.ObjectCondition, Namespace: p.Namespace, Name: b.Name()}
	return request.Edit{Kind: request.EditHold, Object: o, Steps: []result.Step{Override(p.State, o)}}
}

// Override returns the step that overrides an OperatorCondition of a namespace: its operator
// is upgradeable then.
func Override(n *cluster.NamespaceObjects, o result.Object) result.Step {
	var stated []cluster.Condition
	for i := range n.Conditions {
		if n.Conditions[i].Name == o.Name {
			stated = n.Conditions[i].Overrides
		}
	}
	to := slices.DeleteFunc(slices.Clone(stated), func(c cluster.Condition) bool { return request.Slip(c.Type, words.ConditionUpgradeable) })
	to = append(to, cluster.Condition{Type: words.ConditionUpgradeable, Status: "True", Reason: "Overridden", Message: "An administrator allows the update."})
	step := result.Step{Object: o, Field: words.FieldOverrides, To: to}
	if len(stated) > 0 {
		step.From = stated
	}
	return step
}

// givenEdits returns edits that delete a bundle without a request, or with the request that is
// given up. A bundle of an update is no orphan and never deleted: OLM moves on from it.
func (n *node) givenEdits(p *model.Part, b *model.InstalledBundle) []request.Edit {
	if n.inUpdate(p.Namespace, b) {
		return n.forwardEdits(p, b.CSV)
	}
	csv := result.Object{Kind: words.ObjectCSV, Namespace: p.Namespace, Name: b.Name()}
	steps := []result.Step{{Object: csv}}
	if e := n.givenUp(p.Namespace, b.Name()); e != nil {
		return []request.Edit{{Kind: request.EditGoesAlong, Object: e.Object, Steps: steps}}
	}
	if len(n.s.in.In.Cluster.In(p.Namespace).Installers[b.Name()]) > 0 {
		return nil // several requests that were given up have it
	}
	return []request.Edit{{Kind: request.EditDelete, Object: csv, Steps: steps}}
}

// inUpdate reports whether OLM replaces a bundle, or puts it in the place of what a Subscription
// has, as the cluster is without the edits.
func (n *node) inUpdate(namespace string, b *model.InstalledBundle) bool {
	return inventory.InUpdate(n.s.in.In.Cluster.In(namespace), b.CSV)
}

// forwardEdits returns an edit of the OperatorGroup with which OLM moves on from the Failed end
// of the chain that replaces a ClusterServiceVersion.
func (n *node) forwardEdits(p *model.Part, csv *cluster.ClusterServiceVersion) []request.Edit {
	s := Forward(p.State)
	if s == nil || !inventory.EndsInFailure(p.State, csv) {
		return nil
	}
	return []request.Edit{{Kind: request.EditForward, Object: s.Object, Reaches: true, Steps: []result.Step{*s}}}
}

// Forward returns the step with which OLM moves on from what failed in a namespace; nil if it does
// already. OLM and resolution read an OperatorGroup only if it is the namespace's only one.
func Forward(n *cluster.NamespaceObjects) *result.Step {
	if len(n.Groups) != 1 || n.Groups[0].FailForward {
		return nil
	}
	o := result.Object{Kind: words.ObjectOperatorGroup, Namespace: n.Groups[0].Namespace, Name: n.Groups[0].Name}
	return &result.Step{Object: o, Field: words.FieldUpgradeStrategy, From: "Default", To: words.StrategyFailForward}
}

// SearchForward finds the fix with which OLM moves on from what a request has installed, which
// is in phase Failed. Resolution itself does not wait for that.
func SearchForward(given *world.Try, key cluster.RequestKey) result.Help {
	return whole(given, func() result.Help {
		s := newSearch(given)
		s.goal = Advances{Request: key}
		p, r := given.Problem.Root(given.Problem.RootOf(key))
		var list []proposal
		for _, e := range (&node{s: s, try: given}).forwardEdits(p, p.Installed[r.Current].CSV) {
			if n := s.try([]request.Edit{e}); n.solved {
				list = append(list, s.proposalOf(n))
			}
		}
		return result.Help{Fixes: listOf(list), Search: result.SearchComplete}
	})
}

// foreignEdits returns an edit that deletes a bundle outside of the resolved scopes, with its
// requests. There is none of what OLM is replacing. What runs under OLM v0 never makes room for
// a ClusterExtension: OLM v1 refuses the definitions that stay. A ClusterExtension that has
// installed nothing is given up itself.
func (n *node) foreignEdits(p *model.Part, b *model.InstalledBundle) []request.Edit {
	if n.inUpdate(b.CSV.Namespace, b) {
		return nil
	}
	alone, r := !p.Kind.Namespaced, &n.try.Problem.Scopes[p.Index].Requests[0]
	giveUp := func(o result.Object) []request.Edit {
		return []request.Edit{{Kind: request.EditGiveUp, Object: o, Steps: []result.Step{{Object: o}}, Reaches: true}}
	}
	for _, e := range n.try.In.Cluster.Extensions() {
		if b.CSV.Namespace != "" || e.Installed == nil || e.Installed.Name != b.Name() || !slices.Contains(b.Packages, e.Package) {
			continue
		}
		if !alone || r.Current >= 0 {
			return giveUp(objectOf(e.Key()))
		}
		given := giveUp(objectOf(r.Key()))
		if e.Package == r.PackageName() {
			given[0].Serves = e.Key().String()
		}
		return given
	}
	if alone && b.CSV.Namespace != "" {
		if r.Current >= 0 {
			return nil
		}
		given := giveUp(objectOf(r.Key()))
		given[0].Runs = b.CSV.Namespace + "/" + b.Name()
		return given
	}
	o := result.Object{Kind: words.ObjectCSV, Namespace: b.CSV.Namespace, Name: b.Name()}
	made := request.Edit{Kind: request.EditDelete, Object: o, Reaches: true}
	for _, s := range p.In.Cluster.In(b.CSV.Namespace).Subscriptions {
		if s.InstalledCSV == b.Name() {
			made.Kind, made.Object = request.EditGiveUp, objectOf(s.Key())
			made.Steps = append(made.Steps, result.Step{Object: made.Object})
		}
	}
	made.Steps = append(made.Steps, result.Step{Object: o})
	return []request.Edit{made}
}

// identityEdits returns edits that make a bundle a candidate although it is installed, or
// although only startingCSV reaches it.
func (n *node) identityEdits(p *model.Part, name, pkg string) []request.Edit {
	var list []request.Edit
	of := n.try.Problem.Scopes[p.Index]
	for i := range of.Requests {
		r := &of.Requests[i]
		has := r.Current >= 0 && p.Installed[r.Current].Name() == name
		if !has && (pkg == "" || r.PackageName() != pkg) || !p.Kind.OnlyUpdates {
			continue
		}
		for _, e := range n.requestEdits(p, r) {
			if e.Kind == request.EditReinstall || has && e.Kind == request.EditGiveUp || !has && (e.Kind == request.EditChannel || e.Kind == request.EditSource) ||
				e.Kind == request.EditStart && e.Steps[0].To == name {
				e.Reaches = true
				list = append(list, e)
			}
		}
	}
	if i := p.InstalledIndex(name); i >= 0 && len(p.Installed[i].Subscriptions) == 0 && !p.Installed[i].Foreign {
		for _, e := range n.givenEdits(p, &p.Installed[i]) {
			e.Reaches = true
			list = append(list, e)
		}
	}
	return list
}

// inferredEdits returns edits of the requests from which it is inferred what an installed
// bundle states: those that give up a Subscription, which names its package, and all of a
// ClusterExtension, which chooses the catalog that states its bundle.
func (n *node) inferredEdits(p *model.Part) []request.Edit {
	var list []request.Edit
	of := n.try.Problem.Scopes[p.Index]
	for i := range of.Requests {
		r := &of.Requests[i]
		if r.Current < 0 {
			continue
		}
		b := &p.Installed[r.Current]
		if _, stated := b.CSV.Annotations[cluster.AnnotationProperties]; stated || b.CSV.Stated != nil {
			continue
		}
		for _, e := range n.requestEdits(p, r) {
			if e.Kind == request.EditGiveUp || !p.Kind.Namespaced {
				e.Reaches = true
				list = append(list, e)
			}
		}
	}
	return list
}

// visibleEdits returns an edit that removes the annotation that hides the global catalogs.
func (n *node) visibleEdits(p *model.Part) []request.Edit {
	name := inventory.GlobalsLeftOutBy(p.State)
	if name == "" {
		return nil
	}
	o := result.Object{Kind: words.ObjectOperatorGroup, Namespace: p.Namespace, Name: name}
	return []request.Edit{{Kind: request.EditExclude, Object: o, Reaches: true, Steps: []result.Step{{Object: o, Field: words.FieldExcludeGlobal, From: "true"}}}}
}

// catalogEdits returns edits that let a catalog count although it is not available or excluded.
func (n *node) catalogEdits(p *model.Part, k catalog.Key) []request.Edit {
	var list []request.Edit
	o := objectOfCatalog(k)
	ofCluster := o.Kind == words.ObjectClusterCatalog
	if declared := n.try.In.Cluster.ClusterCatalog(k.Name); ofCluster && declared != nil && declared.Unavailable {
		list = append(list, request.Edit{Kind: request.EditAvailability, Object: o, Reaches: true, Steps: []result.Step{
			{Object: o, Field: words.FieldAvailability, From: "Unavailable", To: "Available"},
		}})
	}
	if slices.Contains(n.try.In.Options.ExcludeCatalogs, k) && (ofCluster || inventory.Sees(p.State, p.Namespace, k, n.try.In.Options)) {
		o := result.Object{Kind: words.ObjectOptions, Namespace: k.Namespace, Name: k.Name}
		list = append(list, request.Edit{Kind: request.EditOption, Object: o, Steps: []result.Step{{Object: o, Field: words.FieldExcludedCatalogs, From: true}}})
	}
	return list
}

// targetEdits returns edits of the OperatorGroup's targets: all namespaces, or its own.
func (n *node) targetEdits(p *model.Part) []request.Edit {
	if p.OperatorGroup == nil {
		return nil
	}
	return setTargets(n, p.OperatorGroup.Group.OperatorGroup, nil, []string{p.Namespace})
}

// narrowEdits returns the edit that has the OperatorGroup of another namespace target only that, if what
// runs there goes on.
func narrowEdits(n *node, namespace string) []request.Edit {
	groups := n.try.In.Cluster.In(namespace).Groups
	if len(groups) != 1 || slices.Contains(n.try.In.Scopes, cluster.InNamespace(namespace)) {
		return nil
	}
	narrow := groups[0]
	narrow.TargetNamespaces, narrow.StatusNamespaces, narrow.Selector = []string{namespace}, nil, nil
	if slices.ContainsFunc(inventory.Counting(n.try.In.Cluster.In(namespace)), func(v *cluster.ClusterServiceVersion) bool {
		return inventory.NewGroup(&narrow).Lacks(v.Metadata) != ""
	}) {
		return nil
	}
	return setTargets(n, &groups[0], narrow.TargetNamespaces)
}

// setTargets returns the edits that give an OperatorGroup other targets.
func setTargets(n *node, g *cluster.OperatorGroup, all ...[]string) []request.Edit {
	o := result.Object{Kind: words.ObjectOperatorGroup, Namespace: g.Namespace, Name: g.Name}
	if n.has(o, request.EditTargets) || n.has(o, request.EditCreateGroup) {
		return nil
	}
	var list []request.Edit
	for _, targets := range all {
		if targets != nil && slices.Contains(ownGroups, o) {
			continue // it is there for what watches all namespaces
		}
		e := request.Edit{Kind: request.EditTargets, Object: o, Reaches: true}
		if !slices.Equal(targets, g.TargetNamespaces) {
			e.Steps = append(e.Steps, result.Step{Object: o, Field: words.FieldTargets, From: listed(g.TargetNamespaces), To: listed(targets)})
		}
		if g.Selector != nil {
			e.Steps = append(e.Steps, result.Step{Object: o, Field: words.FieldTargetSelector, From: *g.Selector})
		}
		if len(e.Steps) > 0 {
			list = append(list, e)
		}
	}
	return list
}

// listed returns the value of a field that holds several, nil if it is empty.
func listed(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// moveEdits returns edits that move a Subscription to a namespace whose OperatorGroup fits, or
// to a new one of its own. What it has installed is installed anew, and only moves if OLM fails
// it where it is.
func (n *node) moveEdits(p *model.Part, r *request.Request, o result.Object, s *cluster.Subscription) []request.Edit {
	if r.Current >= 0 && (!n.s.unfit() || n.s.installedBy(o) == "") || n.changes(o) || n.moves() || len(n.s.given.Problem.Model.In.Scopes) > 1 {
		return nil
	}
	known, required := n.try.In.Cluster.Namespaces(), false
	if !n.s.unfit() && !n.mayMove(p, r, o) {
		if known, required = haveRequired(n.try, n.core, p), true; len(known) == 0 {
			return nil
		}
	}
	var set *properties.Set
	var modes *properties.Metadata
	if len(r.List.Candidates) > 0 {
		set = p.PropertiesOf(r.List.Candidates[0])
		modes = set.Metadata()
	}
	if r.Current >= 0 {
		modes = p.Installed[r.Current].CSV.Metadata
	}
	var list []request.Edit
	for _, other := range known {
		if other == p.Namespace || reserved(other) || len(list) == maxMoves {
			continue
		}
		p.Pace.Step(1)
		rule, _, err := inventory.GroupRuleOf(n.try.In.Cluster, other)
		taken := slices.ContainsFunc(n.try.In.Cluster.In(other).Subscriptions, func(o cluster.Subscription) bool { return o.Name == s.Name || o.Package == s.Package })
		if err != nil || rule == nil || taken {
			continue
		}
		if set != nil {
			if refused := rule.Refuses(set, func(string) bool { return false }); refused != nil {
				continue
			}
		}
		if group := inventory.GroupOf(n.try.In.Cluster, other); r.Current >= 0 && (group == nil || group.Lacks(modes) != "") {
			continue
		}
		list = append(list, moveEdit(o, s, other, n.s.unfit()))
	}
	if created := n.ownNamespace(p, s); created != "" && !required {
		e := moveEdit(o, s, created, n.s.unfit())
		group := cluster.OperatorGroup{Namespace: created, Name: created, TargetNamespaces: []string{created}}
		if onlyEverywhere(modes) {
			group.TargetNamespaces = nil
		}
		e.Steps = slices.Insert(e.Steps, len(e.Steps)-1,
			result.Step{Object: result.Object{Kind: words.ObjectNamespace, Name: created}, Create: &cluster.Objects{Namespaces: []cluster.Namespace{{Name: created}}}},
			result.Step{Object: result.Object{Kind: words.ObjectOperatorGroup, Namespace: created, Name: created}, Create: &cluster.Objects{OperatorGroups: []cluster.OperatorGroup{group}}})
		list = append(list, e)
	}
	return list
}

// reserved reports whether a namespace belongs to Kubernetes, OpenShift or OLM, so that nothing of
// others is moved there.
func reserved(namespace string) bool {
	return namespace == "olm" || namespace == "operator-lifecycle-manager" || strings.HasPrefix(namespace, "kube-") ||
		strings.HasPrefix(namespace, "openshift-") && namespace != "openshift-operators"
}

func (n *node) moves() bool {
	return slices.ContainsFunc(n.edits, func(e request.Edit) bool { return e.Kind == request.EditMove })
}

// ofGroup reports whether a rule is one of OperatorGroups.
func ofGroup(c words.Code) bool {
	return c == words.WrongMode || c == words.StaticGroup || c == words.TakenAPI || c == words.SharedAPI
}

// onlyEverywhere reports whether metadata supports no install mode but that for all namespaces.
func onlyEverywhere(m *properties.Metadata) bool {
	return slices.Equal(m.Supported(), []properties.InstallMode{properties.AllNamespaces})
}

// mayMove reports whether a move may help: the core is about more than the request itself, or
// the other namespace sees other catalogs. A second copy of what runs is no help.
func (n *node) mayMove(p *model.Part, r *request.Request, o result.Object) bool {
	if n.besideOrphan(p, r) {
		return false
	}
	if slices.ContainsFunc(p.Catalogs, func(c model.Catalog) bool { return c.Key.Namespace == p.Namespace }) {
		return true
	}
	return r.Fault == nil && slices.ContainsFunc(n.core, func(r solver.Reason) bool {
		if r.Kind == solver.KindRule {
			_, origin := n.try.Problem.Model.OriginOf(r.Var, r.Rule)
			return ofGroup(origin.Code)
		}
		of, demand := n.object(r)
		return demand && of != o
	})
}

// haveRequired returns the namespaces in which something runs that satisfies a requirement of a core.
func haveRequired(t *world.Try, core []solver.Reason, p *model.Part) (names []string) {
	var required []constraints.Constraint
	for _, r := range core {
		if r.Kind != solver.KindRule {
			continue
		}
		if of, origin := t.Problem.Model.OriginOf(r.Var, r.Rule); of == p && origin.Code == words.Requires && !model.Compound(of.ConstraintOf(origin).Expr) {
			required = append(required, of.ConstraintOf(origin))
		}
	}
	for _, name := range t.In.Cluster.Namespaces() {
		p.Pace.Step(1)
		if slices.ContainsFunc(inventory.InstalledIn(t.In.Cluster, name), func(b inventory.Installed) bool {
			return b.CSV.Phase == world.PhaseSucceeded && slices.ContainsFunc(required, func(c constraints.Constraint) bool {
				yes, err := model.MatchesSet(p.Pace.Ctx, c.Expr, b.Properties, rules.Facts{})
				return yes && err == nil
			})
		}) {
			names = append(names, name)
		}
	}
	return names
}

// besideOrphan reports whether an installed bundle without Subscription is in the way of a
// request: one with the package or the name of a candidate, or with an API of the first.
func (n *node) besideOrphan(p *model.Part, r *request.Request) bool {
	return slices.ContainsFunc(n.core, func(reason solver.Reason) bool {
		if reason.Kind != solver.KindGiven {
			return false
		}
		b := p.AsInstalled(reason.Var)
		if b == nil || b.Foreign || len(b.Subscriptions) > 0 {
			return false
		}
		return b.PackageName() == r.PackageName() || slices.ContainsFunc(r.List.Candidates, func(v solver.Var) bool { return p.NameOf(v) == b.Name() }) ||
			len(r.List.Candidates) > 0 && sharesKind(p.PropertiesOf(r.List.Candidates[0]), b.Properties)
	})
}

// moveEdit returns an edit that moves a Subscription; what it has installed goes first, if that
// is said.
func moveEdit(o result.Object, s *cluster.Subscription, to string, installed bool) request.Edit {
	moved := *s
	moved.Namespace, moved.InstalledCSV, moved.Observed = to, "", cluster.Observed{}
	e := request.Edit{Kind: request.EditMove, Object: o, Steps: []result.Step{{Object: o}}}
	if installed {
		e.Steps = append(e.Steps, result.Step{Object: result.Object{Kind: words.ObjectCSV, Namespace: s.Namespace, Name: s.InstalledCSV}})
	}
	e.Steps = append(e.Steps, result.Step{Object: objectOf(moved.Key()), Create: &cluster.Objects{Subscriptions: []cluster.Subscription{moved}}})
	return e
}

// ownNamespace returns a name for a new namespace, empty if the OperatorGroup here would watch
// it. Where install modes are the reason that does not matter, unless APIs collide.
func (n *node) ownNamespace(p *model.Part, s *cluster.Subscription) string {
	name := s.Package
	if !words.IsLabel(fmt.Sprintf("%s-%d", name, maxOwn)) {
		return ""
	}
	taken := func() bool {
		_, known := slices.BinarySearch(n.try.In.Cluster.Namespaces(), name)
		return known || slices.ContainsFunc(n.try.In.Cluster.ClusterScoped().Namespaces, func(o cluster.Namespace) bool { return o.Name == name })
	}
	for i := 2; taken(); i++ {
		if i > maxOwn {
			return ""
		}
		name = fmt.Sprintf("%s-%d", s.Package, i)
	}
	byMode := n.s.unfit() || slices.ContainsFunc(n.core, func(r solver.Reason) bool {
		if r.Kind != solver.KindRule {
			return false
		}
		_, origin := n.try.Problem.Model.OriginOf(r.Var, r.Rule)
		return origin.Code == words.WrongMode
	})
	if group := inventory.GroupOf(n.s.given.In.Cluster, p.Namespace); group == nil || group.Watches(name) && !byMode {
		return ""
	}
	return name
}

// sortEdits puts edits of one object together, and those that create it anew first.
func sortEdits(list []request.Edit) {
	rank := func(e request.Edit) int {
		if e.Kind == request.EditReinstall || e.Kind == request.EditGiveUp || e.Kind == request.EditMove ||
			e.Kind == request.EditName && e.Object.Kind == words.ObjectExtension {
			return 0
		}
		return 1
	}
	slices.SortFunc(list, func(a, b request.Edit) int {
		return cmp.Or(compareObjects(a.Object, b.Object), cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Key(), b.Key()))
	})
}
