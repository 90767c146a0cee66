package resolver_test

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// subjects are the bundles that a sentence begins with.
func (c *claims) subjects(at at) []*stated {
	if at.node == nil || len(at.node.Bundles) == 0 {
		list := c.of(at.r)
		c.want(len(list) > 0, "there is no bundle %s in catalog %q", at.r.Args().Bundle, at.r.Args().Catalog)
		return list
	}
	var list []*stated
	for _, ref := range at.node.Bundles {
		found := c.find(ref)
		c.want(len(found) > 0, "there is no bundle %+v", ref)
		list = append(list, found...)
	}
	return list
}

// each checks all bundles that a sentence begins with.
func (c *claims) each(at at, holds func(b *stated) bool, otherwise string) {
	for _, b := range c.subjects(at) {
		c.want(holds(b) || c.twin(b, holds), "%s %s", b.name, otherwise)
	}
}

// twin reports whether a claim holds for another of the bundles that stand for what
// an extension has installed.
func (c *claims) twin(b *stated, holds func(b *stated) bool) bool {
	return b.installed && slices.ContainsFunc(c.bundles(b.namespace), func(o *stated) bool { return o.installed && o.name == b.name && holds(o) })
}

func states(b *stated, e constraints.Expr) bool {
	return slices.ContainsFunc(b.requires, func(r constraints.Constraint) bool {
		return constraints.Key(r.Expr) == constraints.Key(e) && r.Expr.FailureMessage() == e.FailureMessage()
	})
}

func (c *claims) requires(at at, d result.Args) {
	c.want(len(at.r.Because()) == 0 || at.unasked, "that is for causes only")
	if at.r.Code() != words.RequiresAny {
		c.each(at, func(b *stated) bool { return states(b, at.r.Args().Constraint) }, "does not require it")
		return
	}
	pkg := at.r.Args().Constraint.(constraints.Package).Name
	c.each(at, func(b *stated) bool {
		return slices.ContainsFunc(b.requires, func(r constraints.Constraint) bool {
			p, ok := r.Expr.(constraints.Package)
			return ok && p.Name == pkg
		})
	}, "does not require the package")
	for _, x := range c.visible(at.home) {
		c.want(x.Snapshot.Package(pkg) == nil, "catalog %s has the package", x.Key)
	}
}

// takesPlace: the bundle is what a Subscription, or the extension, could update to.
func (c *claims) takesPlace(at at, d result.Args) {
	for _, b := range c.subjects(at) {
		var places []string
		add := func(r *result.Request, installed string) {
			if installed != b.name && slices.ContainsFunc(c.meets(r), func(m *stated) bool { return m == b }) && !slices.Contains(places, installed) {
				places = append(places, installed)
			}
		}
		if e := c.extension; e != nil && e.Installed != nil {
			add(&result.Request{Key: e.Key()}, e.Installed.Name)
		} else {
			for _, s := range c.subscriptions(c.home(b.namespace)) {
				if c.current(&s) != nil {
					add(&result.Request{Key: s.Key()}, s.InstalledCSV)
				}
			}
		}
		if c.answer == nil {
			c.sameSet(d.Names, places)
		}
		for _, name := range d.Names {
			c.want(slices.Contains(places, name), "%s takes the place of %v", b.name, places)
		}
	}
}

func (c *claims) isInstalled(at at, _ result.Args) {
	c.each(at, func(b *stated) bool { return b.isInstalled }, "is not installed")
}

func (c *claims) stays(at at, d result.Args) {
	c.want(d.Request.Key.Name == c.extension.Name, "another extension")
	c.mustStay(result.BundleRef{Bundle: catalog.BundleKey{Name: at.r.Args().Bundle}, Installed: true})
}

func (c *claims) staysLeftOut(at at, d result.Args) {
	if c.extension != nil {
		c.want(c.extension.Installed != nil && c.extension.Installed.Name == at.r.Args().Bundle, "%s does not have it installed", d.Request.Key)
		return
	}
	c.want(slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool {
		return s.Key() == d.Request.Key && s.InstalledCSV == at.r.Args().Bundle
	}), "%s does not have it installed", d.Request.Key)
}

func (c *claims) openShiftTooNew(at at, d result.Args) {
	v, err := semver.ParseTolerant(c.objects.OpenShiftVersion)
	has := properties.MajorMinor{Major: v.Major, Minor: v.Minor}
	highest, limitErr := semver.ParseTolerant(d.Limit)
	told := properties.MajorMinor{Major: highest.Major, Minor: highest.Minor}
	c.want(err == nil && limitErr == nil && d.Has == has.String() && has.Compare(told) > 0, "the cluster has %s", c.objects.OpenShiftVersion)
	c.each(at, func(b *stated) bool {
		limit, ok := b.set.MaxOpenShift()
		return ok && limit.Compare(told) <= 0 && (limit == told || b.name != at.r.Args().Bundle)
	}, "states no such limit")
}

func (c *claims) kubernetesTooOld(at at, d result.Args) {
	v, err := semver.ParseTolerant(c.objects.KubernetesVersion)
	least, leastErr := semver.ParseTolerant(d.Limit)
	c.want(err == nil && leastErr == nil && v.LT(least) && v.String() == d.Has, "the cluster has %s", c.objects.KubernetesVersion)
	c.each(at, func(b *stated) bool {
		if b.set.Metadata() == nil {
			return false
		}
		own, err := semver.ParseTolerant(b.set.Metadata().MinKubeVersion)
		return err == nil && own.GE(least) && (own.EQ(least) || b.name != at.r.Args().Bundle)
	}, "states no such limit")
}

func (c *claims) pinned(at at, d result.Args) {
	c.want(slices.ContainsFunc(c.Problem.Options.Pins, func(p policy.Pin) bool {
		return (p.Namespace == "" || p.Namespace == at.home) && p.Package == d.Package && p.Bundle == d.Other && p.Version == d.Limit
	}), "there is no such pin")
	c.each(at, func(b *stated) bool {
		return b.bundle.Package == d.Package && (b.name != d.Other || d.Limit != "" && d.Limit != b.version.String()) &&
			(d.Other != "" || d.Limit != b.version.String())
	}, "is allowed by the pin")
}

func (c *claims) forbidden(at at, d result.Args) {
	c.each(at, func(b *stated) bool {
		allowed, why := c.Problem.Options.SystemConstraint(c.ctx, policy.Candidate{
			Namespace: at.home, Bundle: catalog.BundleKey{Catalog: b.key(), Name: b.name, Package: b.bundle.Package}, Version: b.version, Properties: b.set,
		})
		return !allowed && strings.Join(strings.Fields(why), " ") == d.Said
	}, "is not forbidden so")
}

// judged: the rules of policies that are named count here with this severity, and a bundle
// breaks those about candidates. What answers break is the oracle's to judge.
func (c *claims) judged(at at, d result.Args) {
	warn := at.r.Code() == words.PolicyWarning
	about := map[string]bool{}
	var of []*policy.Policy
	for _, p := range c.Problem.Options.Policies {
		judges := &policy.Policy{Name: p.Name}
		for _, r := range p.Candidates {
			if r.In(at.home) && r.Warn == warn {
				about[r.String()] = true
				judges.Candidates = append(judges.Candidates, r)
			}
		}
		for _, r := range p.Changes {
			about[r.String()] = about[r.String()] || r.In(at.home) && r.Warn == warn
		}
		of = append(of, judges)
	}
	for _, name := range d.Names {
		c.want(about[name], "%s does not count here so", name)
	}
	breaks := func(b *stated) bool {
		list, _, err := policy.Place{Facts: rules.Facts{Namespace: at.home}}.Rules(of).Candidate(c.ctx, &policy.Bundle{
			Bundle: catalog.BundleKey{Catalog: b.key(), Name: b.name, Package: b.bundle.Package}, Version: b.version, Properties: b.set,
		}, nil)
		said := texts(list)
		return err == nil && (strings.Join(said, "; ") == d.Said || slices.Contains(said, d.Said))
	}
	switch {
	case at.r.Code() == words.Denied:
		c.each(at, breaks, "does not break these rules")
	case warn && slices.Contains(c.selected(), d.Subject):
		c.want(slices.ContainsFunc(c.bundles(at.home), func(b *stated) bool { return !b.installed && b.name == d.Subject && breaks(b) }), "it does not break the rule")
	}
}

func (c *claims) owned(at at, d result.Args) {
	beside, api := at.r.Code() == words.OwnedBeside, d.APIs[0]
	c.want(beside == (c.extension != nil), "for an extension: %t", c.extension != nil)
	c.want(beside || c.Problem.Options.SingleOwner, "kinds may have several owners")
	c.owner(at, d, api)
	c.each(at, func(b *stated) bool {
		return providesKind(b.set, api) && (api.Version == "" || b.set.Provides(api))
	}, "does not provide it")
}

func (c *claims) otherVersions(at at, d result.Args) {
	c.want(c.Problem.Options.SameVersions, "versions may differ")
	if d.Limit != "" {
		c.owner(at, d, d.APIs[0])
	}
	c.each(at, func(b *stated) bool { return versionsOf(b.set, d.APIs[0]) == d.Has }, "does not provide it so")
	c.want(d.Limit != d.Has, "the versions are the same")
}

func versionsOf(set *properties.Set, kind properties.GVK) string {
	var list []string
	for _, api := range set.GVKs() {
		if api.Group == kind.Group && api.Kind == kind.Kind {
			list = append(list, api.Version)
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// owner checks that somebody else provides a kind.
func (c *claims) owner(at at, d result.Args, kind properties.GVK) {
	var owners []*stated
	switch {
	case d.Request != nil:
		for i := range c.objects.ClusterExtensions {
			if e := &c.objects.ClusterExtensions[i]; e.Name == d.Request.Key.Name && e != c.extension {
				owners = c.installedExtension(e)
			}
		}
	case d.Owner.Chosen:
		return // by the same call
	default:
		c.want(d.Owner.Namespace != at.home || c.extension != nil, "that is the same namespace")
		owners = slices.DeleteFunc(c.installedIn(d.Owner.Namespace, false), func(b *stated) bool { return b.name != d.Owner.Name })
	}
	c.want(slices.ContainsFunc(owners, func(b *stated) bool { return providesKind(b.set, kind) }), "the owner does not provide it")
}

func providesKind(set *properties.Set, api properties.GVK) bool {
	return slices.ContainsFunc(set.GVKs(), func(g properties.GVK) bool { return g.Group == api.Group && g.Kind == api.Kind })
}

// group is the OperatorGroup of a namespace, nil if there is none.
// group is the OperatorGroup of a namespace: of several the named one.
func (c *claims) group(namespace, name string) *cluster.OperatorGroup {
	for i := range c.objects.OperatorGroups {
		if g := &c.objects.OperatorGroups[i]; g.Namespace == namespace && (name == "" || g.Name == name) {
			return g
		}
	}
	return nil
}

func (c *claims) groupRefuses(at at, d result.Args) {
	own := c.group(at.home, "")
	if at.r.Code() == words.WrongMode {
		mode := properties.InstallMode(d.Limit)
		c.want(own.Name == d.Owner.Name && slices.Contains(c.modes(own), mode), "the group needs %v", c.modes(own))
		c.each(at, func(b *stated) bool {
			return b.set.Metadata().StatesModes() && !b.set.Metadata().Supports(mode) && b.set.Metadata().SupportedText() == d.Has
		}, "supports it")
		return
	}
	api := d.APIs[0]
	c.each(at, func(b *stated) bool { return b.set.Provides(api) }, "does not provide it")
	if at.r.Code() == words.StaticGroup {
		c.want(own.Name == d.Owner.Name && own.StaticProvidedAPIs && !c.groupProvides(own, api), "the group is not static, or lists it")
		return
	}
	other := c.group(d.Owner.Namespace, d.Owner.Name)
	c.want(d.Owner.Namespace != at.home && other != nil && c.share(own, other), "the groups share no namespace")
	if at.r.Code() == words.SharedAPI {
		c.want(c.Problem.Options.Jointly && slices.ContainsFunc(c.bundles(d.Owner.Namespace), func(b *stated) bool { return b.set.Provides(api) }), "no bundle there provides it")
		return
	}
	c.want(other.Name == d.Owner.Name && c.groupProvides(other, api), "that group does not provide it")
}

// modes are the install modes that a group needs.
func (c *claims) modes(g *cluster.OperatorGroup) []properties.InstallMode {
	targets := c.targets(g)
	switch {
	case len(targets) == 0:
		return nil
	case len(targets) > 1 && slices.Contains(targets, g.Namespace):
		return []properties.InstallMode{properties.MultiNamespace, properties.OwnNamespace}
	case len(targets) > 1:
		return []properties.InstallMode{properties.MultiNamespace}
	case targets[0] == "":
		return []properties.InstallMode{properties.AllNamespaces}
	case targets[0] == g.Namespace:
		return []properties.InstallMode{properties.OwnNamespace}
	}
	return []properties.InstallMode{properties.SingleNamespace}
}

// groupProvides reports whether the annotation of a group lists an API or, unless
// it is static, an installed member provides it.
func (c *claims) groupProvides(g *cluster.OperatorGroup, api properties.GVK) bool {
	text := api.Kind + "." + api.Version + "." + api.Group
	return slices.Contains(strings.Split(g.Annotations[words.AnnotationProvidedAPIs], ","), text) ||
		!g.StaticProvidedAPIs && slices.ContainsFunc(c.installedIn(g.Namespace, false), func(b *stated) bool { return b.set.Provides(api) })
}

func (c *claims) share(a, b *cluster.OperatorGroup) bool {
	of, with := append(slices.Clone(c.targets(a)), a.Namespace), append(slices.Clone(c.targets(b)), b.Namespace)
	return slices.Contains(of, "") || slices.Contains(with, "") ||
		slices.ContainsFunc(of, func(name string) bool { return slices.Contains(with, name) })
}

// atMostOne: all the bundles that the node names are in the group.
func (c *claims) atMostOne(at at, d result.Args) {
	kind := at.r.API().Version == ""
	c.want(d.OneInCluster == (c.extension != nil || c.Problem.Options.Jointly && c.Problem.Options.SingleOwner && d.Namespace == "" && kind), "the whole cluster: %t", d.OneInCluster)
	c.want(!c.Problem.Options.Jointly || d.OneInCluster || slices.Contains(c.Scopes, cluster.InNamespace(d.Namespace)), "the namespace is %q", d.Namespace)
	if at.node == nil {
		return
	}
	c.want(len(at.node.Bundles) > 1, "there is only one")
	c.each(at, func(b *stated) bool {
		switch at.r.Kind() {
		case words.KindOnePackage:
			return packageStated(b) == at.r.Args().Package
		case "oneName":
			return b.name == at.r.Args().Bundle
		}
		return kind && providesKind(b.set, at.r.API()) || b.set.Provides(at.r.API())
	}, "is no member")
}

func packageStated(b *stated) string {
	p, _ := b.set.Package()
	return p.Name
}

func (c *claims) member(at at, d result.Args) {
	c.each(at, func(b *stated) bool {
		switch {
		case at.r.API().Version != "":
			return b.set.Provides(at.r.API())
		case at.r.API().Kind != "":
			return providesKind(b.set, at.r.API())
		case at.r.Code() == words.SamePackage:
			return packageStated(b) == d.Other
		}
		return b.name == d.Other
	}, "is no member")
}

func (c *claims) canSatisfy(at at, _ result.Args) {
	c.serves(at, at.node.Bundles)
}

// serves checks that bundles can meet the request or constraint of the node above.
func (c *claims) serves(at at, refs []result.BundleRef) {
	for _, ref := range refs {
		c.want(at.request == nil && at.requires == nil || slices.ContainsFunc(c.demand(at), func(b *stated) bool { return b.is(ref) }), "%s cannot meet it", ref.Bundle.Name)
	}
}

// demand lists what may meet the request or constraint of the node above: of a
// compound one, any of its parts.
func (c *claims) demand(at at) []*stated {
	if at.request != nil {
		list := c.meets(at.request)
		for _, b := range slices.Clone(list) {
			list = append(list, c.standsFor(b))
		}
		return list
	}
	var list []*stated
	for _, e := range c.positive(at.requires) {
		list = append(list, c.candidates(at.home, e)...)
	}
	return list
}

func (c *claims) bundleScope() bool { return c.Problem.Options.BundleScope }

// positive are the parts of a constraint that bundles are selected for, and negative
// those that exclude bundles.
func (c *claims) positive(e constraints.Expr) []constraints.Expr {
	if c.bundleScope() {
		return []constraints.Expr{e}
	}
	return leaves(constraints.Normalize(e), false)
}

func (c *claims) negative(e constraints.Expr) []constraints.Expr {
	return leaves(constraints.Normalize(e), true)
}

// leaves of a normalized expression that are negated, or are not.
func leaves(e constraints.Expr, negated bool) []constraints.Expr {
	var list, parts []constraints.Expr
	switch e := e.(type) {
	case constraints.Not:
		if negated {
			list = append(list, e.Exprs[0])
		}
	case constraints.All:
		parts = e.Exprs
	case constraints.Any:
		parts = e.Exprs
	default:
		if !negated {
			list = append(list, e)
		}
	}
	for _, part := range parts {
		list = append(list, leaves(part, negated)...)
	}
	return list
}

// excluded: the bundles of the node are what the rule above excludes.
func (c *claims) excluded(at at) {
	switch {
	case at.refuses != nil && at.refuses.Owner.Namespace != "":
		c.each(at, func(b *stated) bool {
			return b.namespace == at.refuses.Owner.Namespace && b.set.Provides(at.refuses.APIs[0])
		}, "does not provide it there")
	case at.differs != nil:
		c.each(at, func(b *stated) bool {
			versions := versionsOf(b.set, at.differs.APIs[0])
			return versions != "" && versions != at.differs.Has
		}, "does not provide it in other versions")
	case at.requires == nil:
		c.want(false, "nothing is required above")
	default:
		c.each(at, func(b *stated) bool {
			return slices.ContainsFunc(c.negative(at.requires), func(e constraints.Expr) bool { return c.matches(at.home, e, b) })
		}, "does not match what is excluded")
	}
}

// requested compares the bundles that can meet a request with those that are told.
func (c *claims) requested(at at, d result.Args) {
	c.checkRequest(d.Request)
	if because := at.r.Because(); len(because) > 0 {
		c.unsatisfied(at, d, &because[0])
		return
	}
	if c.forced {
		return
	}
	var told [][]result.BundleRef
	if len(d.Bundles) > 0 {
		told = append(told, d.Bundles)
	}
	if at.node != nil && !at.node.Fact && len(at.node.Bundles) > 0 {
		told = append(told, at.node.Bundles)
	}
	for _, refs := range told {
		c.want(slices.ContainsFunc(c.alternatives(d.Request), func(want []*stated) bool { return sameBundles(refs, want) }), "%s can satisfy it", c.alternatives(d.Request))
	}
}

// alternatives are what can meet a request; of an extension, in each catalog.
func (c *claims) alternatives(r *result.Request) [][]*stated {
	all := c.meets(r)
	if r.Key.Kind == cluster.KindSubscription {
		return [][]*stated{all}
	}
	var list [][]*stated
	for _, x := range c.asked(r) {
		var of []*stated
		for _, b := range all {
			if b.key() == x.Key {
				of = append(of, c.standsFor(b))
			}
		}
		list = append(list, of)
	}
	return list
}

func sameBundles(refs []result.BundleRef, want []*stated) bool {
	return !slices.ContainsFunc(refs, func(r result.BundleRef) bool {
		return !slices.ContainsFunc(want, func(b *stated) bool { return b.is(r) })
	}) &&
		!slices.ContainsFunc(want, func(b *stated) bool { return !slices.ContainsFunc(refs, b.is) })
}

func (c *claims) unsatisfied(at at, d result.Args, fault *result.Reason) {
	switch fault.Code() {
	case words.Refused, words.CatalogsUnhealthy:
	default:
		c.want(len(c.meets(d.Request)) == 0 || d.Request.Package == "", "%s can satisfy it", c.meets(d.Request))
	}
	at.request, at.requires, at.node, at.r = d.Request, nil, nil, fault
	at.home = c.home(d.Request.Key.Namespace)
	c.reason(at)
}

// head: who asks is there, and the causes are facts of the derivation.
func (c *claims) head(at at, args result.Args) {
	d := args.Conflict
	for _, r := range d.Requests {
		c.checkRequest(r)
		c.want(at.node == nil || strings.Contains(c.told, string(r.Key.Kind)), "it is a %s", r.Key.Kind)
		c.want(d.Scope.Namespace() == "" || c.home(r.Key.Namespace) == d.Scope.Namespace(), "%s is in another namespace", r.Key.Name)
	}
	c.want(d.Scope.Extension() == "" || c.extension.Name == d.Scope.Extension(), "another extension")
	// That no request may change it is what the node of the bundle states.
	for _, ref := range d.Installed {
		c.want(slices.ContainsFunc(c.find(ref), func(b *stated) bool { return b.foreign || b.installed }), "%s is not installed", ref.Bundle.Name)
	}
	for _, ref := range d.Chosen {
		c.want(c.answer == nil || slices.Contains(c.selected(c.answers...), ref.Bundle.Name) || c.isForeign(ref.Bundle.Name), "%s is not selected", ref.Bundle.Name)
	}
	c.want(d.Asked == nil || len(c.find(*d.Asked)) > 0, "there is no such bundle")
	if at.node == nil {
		return // justifications have the derivation
	}
	for _, cause := range d.Causes {
		c.want(within(at.node, cause.Fact), "the cause %q is not in the derivation", cause.Fact.Text())
		if cause.RequiredBy != nil {
			c.want(within(cause.RequiredBy, cause.Fact), "what requires it does not lead to %q", cause.Fact.Text())
		}
		if cause.Excluder == nil {
			continue
		}
		c.want(within(cause.Excluder, cause.Fact), "what excludes it does not lead to %q", cause.Fact.Text())
		c.want(slices.ContainsFunc(c.negative(cause.Excluder.Reason.Args().Constraint), func(e constraints.Expr) bool {
			return constraints.Key(e) == constraints.Key(cause.Absent)
		}), "%q does not exclude %s", cause.Excluder.Text(), cause.Absent)
		for _, ref := range cause.Fact.Bundles {
			for _, b := range c.find(ref) {
				c.want(c.matches(c.home(cause.Excluder.Reason.Args().Namespace), cause.Absent, b) || c.extension != nil && b.installed, "%s does not satisfy %s", b.name, cause.Absent)
			}
		}
	}
}

func within(root, node *result.Explanation) bool {
	seen := map[*result.Explanation]bool{}
	var find func(e *result.Explanation) bool
	find = func(e *result.Explanation) bool {
		if e == node {
			return true
		}
		if seen[e] {
			return false
		}
		seen[e] = true
		return slices.ContainsFunc(e.Because, find)
	}
	return find(root)
}

// mustStay: it is installed, and no Subscription names it.
func (c *claims) mustStay(ref result.BundleRef) {
	found := c.find(ref)
	c.want(len(found) > 0, "%s is not installed", ref.Bundle.Name)
	c.want(slices.ContainsFunc(found, func(b *stated) bool { return b.foreign || b.installed && !b.managed }), "a request names %s", ref.Bundle.Name)
}

// selected are the names of the bundles of the answer, and of further ones.
func (c *claims) selected(of ...*result.Resolution) []string {
	var names []string
	for _, answer := range append(of, c.answer) {
		for _, i := range answer.Installs {
			names = append(names, i.Bundle.Name)
		}
		for _, k := range answer.Kept {
			names = append(names, k.Bundle.Name)
		}
	}
	return names
}

// isForeign reports whether a bundle is installed beside an extension.
func (c *claims) isForeign(name string) bool {
	return slices.ContainsFunc(c.bundles(c.home("")), func(b *stated) bool { return b.foreign && b.name == name })
}

// plain checks the reasons that have no further arguments.
func (c *claims) plain(at at, _ result.Args) {
	ref := result.BundleRef{Namespace: at.r.Args().Namespace, Bundle: catalog.BundleKey{Name: at.r.Args().Bundle, Catalog: at.r.Args().Catalog}, Installed: at.r.Args().Catalog == catalog.Key{}}
	switch at.r.Code() {
	case words.Installed:
		c.want(c.extension == nil, "others than Subscriptions may name it")
		c.mustStay(ref)
	case words.Deprecated:
		c.each(at, func(b *stated) bool { return b.set.Deprecated() }, "is not deprecated")
	case words.Selected:
		c.want(c.answer == nil || slices.Contains(c.selected(), at.r.Args().Bundle) || c.isForeign(at.r.Args().Bundle), "%s is not selected", at.r.Args().Bundle)
	case words.Asked:
		c.want(len(c.find(ref)) > 0, "there is no such bundle")
	case words.Committed:
	case words.Part:
		c.want(at.requires != nil && slices.ContainsFunc(partsOf(at.requires), func(e constraints.Expr) bool { return constraints.Key(e) == constraints.Key(at.r.Args().Constraint) }), "that is no part of what is required")
	case words.Excluded:
		c.excluded(at)
	case words.Unasked:
		c.unasked(at)
	default:
		c.want(false, "nothing is known of kind %q", at.r.Kind())
	}
}
