package resolver_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// checkRequest compares a request with its object.
func (c *claims) checkRequest(r *result.Request) {
	s, e := c.object(r)
	switch {
	case s == nil && e == nil:
		c.want(false, "there is no %s %s", r.Key.Kind, r.Key.Name)
	case e != nil:
		installed := ""
		if e.Installed != nil {
			installed = e.Installed.Name
		}
		c.want(r.Package == e.Package && r.Version == e.Version && slices.Equal(r.Channels, e.Channels) && r.Installed == installed, "the object is %+v", *e)
	default:
		channels := slices.DeleteFunc([]string{s.Channel}, func(name string) bool { return name == "" })
		from := catalog.Key{}
		if s.Catalog != "" {
			from = catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}
		}
		installed, hold := "", (*result.Hold)(nil)
		if cur := c.current(s); cur != nil {
			installed, hold = cur.Name, c.hold(s.Namespace, cur.Name)
		}
		c.want(r.Package == s.Package && slices.Equal(r.Channels, channels) && r.Catalog == from && r.StartingCSV == s.StartingCSV &&
			r.Installed == installed && (r.Hold == nil) == (hold == nil), "the object is %+v, and %q is installed", *s, installed)
		c.want(r.Hold == nil || hold == nil || *r.Hold == *hold, "the condition states %+v", hold)
	}
}

// packagesOf are those of the request in the catalogs that it asks.
func (c *claims) packagesOf(r *result.Request) []*catalog.Package {
	var list []*catalog.Package
	for _, from := range c.asked(r) {
		if pkg := from.Snapshot.Package(r.Package); pkg != nil {
			list = append(list, pkg)
		}
	}
	return list
}

// channelsOf are the channels that the request allows.
func (c *claims) channelsOf(r *result.Request) []*catalog.Channel {
	var list []*catalog.Channel
	for _, pkg := range c.packagesOf(r) {
		for _, ch := range pkg.Channels {
			if len(r.Channels) == 0 || slices.Contains(r.Channels, ch.Name) {
				list = append(list, ch)
			}
		}
	}
	return list
}

// packaged are the bundles of the package in the catalogs that the request asks.
func (c *claims) packaged(r *result.Request) []*stated {
	from := keysOf(c.asked(r))
	return slices.DeleteFunc(slices.Clone(c.bundles(c.home(r.Key.Namespace))), func(b *stated) bool {
		return b.bundle == nil || b.bundle.Package != r.Package || !slices.Contains(from, b.key())
	})
}

func (c *claims) noSuchCatalog(at at, d result.Args) {
	c.checkRequest(d.Request)
	s, _ := c.object(d.Request)
	c.want(len(c.asked(d.Request)) == 0, "the catalog can be used")
	excluded := slices.ContainsFunc(c.Problem.Options.ExcludeCatalogs, s.Names)
	there := slices.ContainsFunc(slices.Collect(c.Problem.Catalogs.Catalogs()), func(x *cache.Catalog) bool { return s.Names(x.Key) })
	c.want((at.r.Code() == words.CatalogExcluded) == excluded, "excluded: %t", excluded)
	c.want(excluded || (d.Owner != nil) == there, "the catalog is there: %t", there)
	c.want(d.Owner == nil || (d.Owner.Name != "") == slices.ContainsFunc(slices.Collect(c.Problem.Catalogs.Catalogs()), func(x *cache.Catalog) bool {
		return s.Names(x.Key) && c.leftOut(s.Namespace, x.Key)
	}), "the group leaves it out: %+v", d.Owner)
	for _, name := range d.Names {
		c.want(slices.ContainsFunc(c.visible(s.Namespace), func(x *cache.Catalog) bool { return x.Key.Name == name }) ||
			slices.ContainsFunc(slices.Collect(c.Problem.Catalogs.Catalogs()), func(x *cache.Catalog) bool { return x.Key.String() == name }), "no catalog %s is given", name)
	}
}

func (c *claims) catalogUnhealthy(at at, d result.Args) {
	s, _ := c.object(at.request)
	for _, u := range d.Err.(*result.CatalogsUnhealthy).Catalogs {
		of := c.Problem.Catalogs.Catalog(u.Key)
		c.want(of == nil || !c.sees(s.Namespace, of), "catalog %s can be used", u.Key)
		c.want(s.Catalog == "" || s.Names(u.Key), "catalog %s is not asked", u.Key)
	}
}

func (c *claims) noChannel(_ at, d result.Args) {
	c.checkRequest(d.Request)
	c.want(len(c.channelsOf(d.Request)) == 0, "there is such a channel")
	var names []string
	for _, pkg := range c.packagesOf(d.Request) {
		for _, ch := range pkg.Channels {
			names = append(names, ch.Name)
		}
	}
	slices.Sort(names)
	c.want(slices.Equal(slices.Compact(names), d.Names), "the channels are %v", names)
}

func (c *claims) channelUnusable(at at, d result.Args) {
	c.checkRequest(d.Request)
	var all, told []string
	for _, ch := range c.channelsOf(d.Request) {
		all = append(all, ch.Name+": "+ch.Fault)
		c.want(ch.Fault != "" && len(ch.Order) == 0, "channel %s has an order", ch.Name)
	}
	for _, r := range at.r.Because() {
		told = append(told, r.Args().Channel+": "+r.Args().Said)
	}
	c.sameSet(told, all)
}

func (c *claims) noStartingCSV(at at, d result.Args) {
	c.checkRequest(d.Request)
	var listed []string
	for _, ch := range c.channelsOf(d.Request) {
		for _, e := range ch.Entries {
			listed = append(listed, e.Name)
			c.want(e.Name != d.Request.StartingCSV || e.Bundle == catalog.NoBundle, "channel %s has that bundle", ch.Name)
		}
	}
	c.want((at.r.Code() == words.LostStartingCSV) == slices.Contains(listed, d.Request.StartingCSV), "the channels list %v", listed)
	c.want(d.Request.Installed == "", "%s is installed", d.Request.Installed)
	for _, name := range d.Names {
		c.want(slices.Contains(listed, name), "the channels list %v", listed)
	}
	c.faultsOf(d.Request, d)
}

func (c *claims) noBundles(_ at, d result.Args) {
	c.checkRequest(d.Request)
	c.faultsOf(d.Request, d)
	_, e := c.object(d.Request)
	if e == nil {
		return
	}
	var versions []semver.Version
	for _, b := range c.packaged(d.Request) {
		if c.listed(e, b) {
			versions = append(versions, b.version)
		}
	}
	c.want(d.Request.Version != "" || len(versions) == 0, "the channels have %v", versions)
	if d.Request.Version != "" {
		c.sameSet(texts(found(d).Versions), texts(versions))
	}
}

func (c *claims) noSuccessor(at at, d result.Args) {
	c.checkRequest(d.Request)
	c.faultsOf(d.Request, d)
	e := c.extension
	c.want(!e.SelfCertified, "any version will do")
	var outOfRange []string
	gone, unlisted := true, true
	for _, b := range c.packaged(d.Request) {
		if released(b.bundle) == installedRelease(e.Installed) {
			gone = false
			unlisted = unlisted && !c.listed(e, b)
			c.want(!c.listed(e, b) || !accepts(e.Version, b.version), "%s is offered still", b.name)
		}
		if c.succeedsInstalled(e, b) {
			c.want(!accepts(e.Version, b.version), "%s succeeds it", b.name)
			if released(b.bundle) != installedRelease(e.Installed) { // no bundle is its own update
				outOfRange = append(outOfRange, b.name)
			}
		}
	}
	slices.Sort(outOfRange)
	c.sameSet(d.Names, slices.Compact(outOfRange))
	c.want((at.r.Code() == words.SuccessorGone) == gone, "gone: %t", gone)
	c.want(gone || (at.r.Code() == words.SuccessorUnlisted) == unlisted, "unlisted: %t", unlisted)
}

func (c *claims) isRefused(at at, d result.Args) {
	o := c.Problem.Options
	c.want(o.RejectDependencies || o.AsOLMv1, "the caller accepts what OLM v1 refuses")
	c.want(len(at.r.Because()) > 0, "there is no refusal")
	for _, r := range at.r.Because() {
		c.want(o.AsOLMv1 || r.Kind() == words.KindDependency, "only dependencies are rejected")
		c.want(r.Args().Bundle == d.Other, "%s is another bundle", r.Args().Bundle)
		at.r = &r
		c.reason(at)
	}
}

// refuses checks what OLM v1 refuses about a bundle that the request leads to, or that is
// installed for it.
func (c *claims) refuses(at at, d result.Args) {
	c.want(slices.ContainsFunc(slices.Concat(c.meets(&result.Request{Key: c.extension.Key()}), c.bundles("")), func(b *stated) bool {
		if b.name != d.Bundle || b.foreign {
			return false
		}
		switch at.r.Code() {
		case words.RefusedDependency:
			return !slices.ContainsFunc(d.Names, func(name string) bool {
				return !slices.ContainsFunc(b.requires, func(r constraints.Constraint) bool { return r.Expr.String() == name })
			})
		case words.RefusedAPIService:
			return slices.Equal(b.set.Metadata().APIServices(), d.APIs)
		}
		return modesRefused(c.facts.Problem.Options.OLMv1, b.set.Metadata(), c.extension)
	}), "no such bundle states that")
}

// refusesDefinition checks that the cluster and a bundle have definitions that differ so.
func (c *claims) refusesDefinition(at at, d result.Args) {
	in := c.facts.Problem.Cluster.Objects()
	definition := func(name string) (has cluster.Definition) {
		for _, one := range in.Definitions {
			if one.Name == name {
				has = one
			}
		}
		return has
	}
	c.want(slices.ContainsFunc(c.bundles(""), func(b *stated) bool {
		if b.name != d.Bundle || b.foreign {
			return false
		}
		if at.r.Code() == words.RefusedOwned {
			return !slices.ContainsFunc(d.Names, func(name string) bool {
				has := definition(name)
				return has.Owner == c.extension.Name || !slices.ContainsFunc(b.set.GVKs(), func(api properties.GVK) bool { return api.Group == has.Group && api.Kind == has.Names.Kind })
			})
		}
		has := definition(d.Other)
		for _, of := range b.set.Objects().Definitions {
			switch {
			case of.Name() != d.Other:
			case d.Said == "spec.scope":
				return has.Scope == d.Has && of.Scope == d.Limit && d.Has != d.Limit
			case d.Said != "":
				return has.Names.Kind == d.Has && of.Names.Kind == d.Limit && d.Has != d.Limit
			default:
				return !slices.ContainsFunc(d.Names, func(version string) bool {
					return !slices.Contains(has.Stored, version) || slices.ContainsFunc(of.Versions, func(v properties.DefinedVersion) bool { return v.Name == version })
				})
			}
		}
		return false
	}), "no such bundle has that definition")
}

// refusesRights checks that OLM installs with the account, and that no role that was given to it by name
// or as a member of a group has one of the rights.
func (c *claims) refusesAccount(at at, d result.Args) {
	given := c.facts.Problem.Cluster.Objects().ServiceAccounts
	c.want(len(given) > 0 && !slices.ContainsFunc(given, func(a cluster.ServiceAccount) bool { return a.Name == d.Other }), "the account is there")
	c.refusesRights(at, d)
}

func (c *claims) refusesRights(at at, d result.Args) {
	in := c.facts.Problem.Cluster.Objects()
	home := c.home("")
	c.want(slices.ContainsFunc(in.OperatorGroups, func(g cluster.OperatorGroup) bool { return g.Namespace == home && g.ServiceAccount == d.Other }), "no such account")
	has := map[string][]cluster.Right{}
	for _, b := range slices.Concat(in.RoleBindings, in.ClusterRoleBindings) {
		for _, s := range b.Subjects {
			if s.Name == d.Other || strings.HasPrefix(s.Name, "system:") {
				for _, role := range slices.Concat(in.Roles, in.ClusterRoles) {
					if role.Name == b.Role.Name {
						has[b.Namespace] = append(has[b.Namespace], role.Rules...)
					}
				}
			}
		}
	}
	for _, name := range d.Names {
		right, namespace, found := strings.Cut(name, " in namespace ")
		if !found {
			right, found = strings.CutSuffix(name, " in the whole cluster")
		}
		verbs, of, _ := strings.Cut(right, " ")
		of, _, _ = strings.Cut(of, " named ")
		resources, group, _ := strings.Cut(of, " of ")
		c.want(found && verbs != "" && resources != "", "%q is no right", name)
		for _, verb := range strings.Split(verbs, ",") {
			for _, resource := range strings.Split(resources, ",") {
				for _, r := range slices.Concat(has[""], has[namespace]) {
					c.want(!r.Permits(group, resource) || !slices.Contains(r.Verbs, verb) && !slices.Contains(r.Verbs, "*"), "%s has %q", d.Other, name)
				}
			}
		}
	}
}

// faultsOf checks that faults are those that took something of the package.
func (c *claims) faultsOf(r *result.Request, d result.Args) {
	for _, f := range found(d).Faults {
		c.want(slices.ContainsFunc(c.asked(r), func(x *cache.Catalog) bool { return hasFault(x, f) }), "no catalog has the fault %v", f)
		c.want(f.Quarantines && f.Package == r.Package, "the fault takes nothing of the package: %v", f)
	}
}

func found(d result.Args) result.Searched {
	if d.Searched == nil {
		return result.Searched{}
	}
	return *d.Searched
}

func hasFault(of *cache.Catalog, fault error) bool {
	return slices.ContainsFunc(of.Snapshot.Faults(), func(f catalog.Fault) bool { return f.WithoutFile() == fault })
}

// searched checks where something was looked for: in all visible catalogs or, for
// a request, in those that it asks.
func (c *claims) searched(at at, d result.Args) {
	want := keysOf(c.visible(at.home))
	if at.request != nil {
		want = keysOf(c.asked(at.request))
	}
	c.sameSet(texts(d.Searched.Catalogs), texts(want))
	c.want(d.Searched.Namespace == at.home, "the namespace is %q", at.home)
	if len(d.Searched.Catalogs) == 0 && d.Searched.Namespace == "" {
		c.want(d.Searched.Unselected == (len(c.visible("")) > 0), "available are %v", keysOf(c.visible("")))
	}
}

func (c *claims) missingPackage(at at, d result.Args) {
	c.searched(at, d)
	if at.requires != nil {
		c.want(slices.ContainsFunc(rangesOf(at.requires, at.r.Args().Package), func(r versionrange.Range) bool {
			return len(c.candidates(at.home, constraints.Package{Name: at.r.Args().Package, Range: r})) == 0
		}), "what is installed is in range")
	}
	for _, k := range d.Searched.Catalogs {
		c.want(c.Problem.Catalogs.Catalog(k).Snapshot.Package(at.r.Args().Package) == nil, "catalog %s has it", k)
	}
	for _, name := range d.Names {
		c.want(slices.ContainsFunc(d.Searched.Catalogs, func(k catalog.Key) bool { return c.Problem.Catalogs.Catalog(k).Snapshot.Package(name) != nil }), "no catalog has package %s", name)
	}
	for _, f := range d.Searched.Faults {
		c.want(slices.ContainsFunc(c.visible(at.home), func(x *cache.Catalog) bool { return hasFault(x, f) }), "no catalog has the fault %v", f)
	}
}

func (c *claims) missingVersion(at at, d result.Args) {
	required := d.Constraint.(constraints.Package).Range
	c.noCandidates(at, constraints.Package{Name: at.r.Args().Package, Range: required})
	var keys []catalog.Key
	var versions, inRange []semver.Version
	for _, b := range c.bundles(at.home) {
		if b.bundle == nil || b.bundle.Package != at.r.Args().Package {
			continue
		}
		versions = append(versions, b.version)
		if required.Contains(b.version) {
			inRange = append(inRange, b.version)
			c.want(!b.offered || b.isInstalled, "%s of catalog %s is in range and offered", b.name, b.key())
		}
	}
	for _, x := range c.visible(at.home) {
		if x.Snapshot.Package(at.r.Args().Package) != nil {
			keys = append(keys, x.Key)
		}
	}
	c.sameSet(texts(d.Searched.Catalogs), texts(keys))
	c.sameSet(texts(found(d).Versions), texts(versions))
	c.sameSet(versionTexts(d.Bundles), texts(inRange))
	names := texts(versions)
	slices.Sort(names)
	c.sameSet(at.r.Names(), slices.Compact(names))
	c.want(slices.IsSortedFunc(d.Searched.Versions, semver.Version.Compare), "not sorted")
}

func versionTexts(refs []result.BundleRef) []string {
	var list []string
	for _, b := range refs {
		list = append(list, b.Version.String())
	}
	return list
}

func bundleNames(refs []result.BundleRef) []string {
	var list []string
	for _, b := range refs {
		list = append(list, b.Bundle.Name)
	}
	return list
}

// matching lists the bundles of catalogs that satisfy an expression.
func (c *claims) matching(namespace string, e constraints.Expr) []*stated {
	return slices.DeleteFunc(slices.Clone(c.bundles(namespace)), func(b *stated) bool { return b.bundle == nil || !c.matches(namespace, e, b) })
}

// noCandidates checks that nothing satisfies an expression.
func (c *claims) noCandidates(at at, e constraints.Expr) {
	for _, b := range c.candidates(at.home, e) {
		// Which catalog says what an extension has installed states is not known here.
		c.want(c.extension != nil && b.managed, "%s satisfies it", b.name)
	}
}

func (c *claims) missingAPI(at at, d result.Args) {
	c.searched(at, d)
	c.noCandidates(at, constraints.GVK{GVK: at.r.API()})
	var notOffered, others []string
	for _, b := range c.bundles(at.home) {
		if b.bundle == nil {
			continue
		}
		if b.set.Provides(at.r.API()) {
			notOffered = append(notOffered, b.name)
			c.want(!b.offered || b.isInstalled, "%s of catalog %s provides it and is offered", b.name, b.key())
		}
		for _, api := range b.set.GVKs() {
			if api.Group == at.r.API().Group && api.Kind == at.r.API().Kind && api.Version != at.r.API().Version && (b.offered && c.extension == nil || c.extension != nil && onAnyChain(b)) {
				others = append(others, api.String())
			}
		}
	}
	c.sameSet(bundleNames(d.Bundles), notOffered)
	var told []string
	for _, other := range at.r.Because() {
		o := other.Args()
		told = append(told, o.APIs[0].String())
		c.want(slices.ContainsFunc(c.bundles(at.home), func(b *stated) bool {
			return b.bundle != nil && b.bundle.Package == o.Package && b.set.Provides(o.APIs[0])
		}), "package %s does not provide %s", o.Package, o.APIs[0])
	}
	slices.Sort(told)
	slices.Sort(others)
	c.sameSet(slices.Compact(told), slices.Compact(others))
}

func onAnyChain(b *stated) bool { return len(b.bundle.Places) > 0 }

func (c *claims) noMatch(at at, d result.Args) {
	c.searched(at, d)
	parts := []constraints.Expr{constraints.Label{Label: at.r.Args().Subject}}
	if at.r.Kind() != "missingLabel" {
		parts = partsNamed(at.requires, at.r.Args().Subject)
	}
	c.want(len(parts) > 0, "nothing of that is required")
	for _, e := range parts {
		c.noCandidates(at, e)
		var names []string
		for _, b := range c.matching(at.home, e) {
			names = append(names, b.name)
		}
		c.sameSet(bundleNames(d.Bundles), names)
	}
}

// partsNamed are the parts of an expression that read so.
func partsNamed(e constraints.Expr, text string) []constraints.Expr {
	return slices.DeleteFunc(partsOf(e), func(part constraints.Expr) bool { return part.String() != text })
}

func (c *claims) ruleFailed(at at, d result.Args) {
	failed := func(b *stated, says string) (ok bool) {
		for _, part := range partsOf(at.requires) {
			verdict, _, err := constraints.Match(c.ctx, part, b.set, c.cluster(at.home))
			ok = ok || verdict == rules.Failed && (says == "" || err.Error() == says)
		}
		return ok
	}
	c.want(slices.ContainsFunc(c.of(at.r), func(b *stated) bool { return failed(b, d.Err.Error()) }), "no rule fails so on it")
	never := strings.Contains(c.told, "its author must correct it")
	for _, b := range c.bundles(at.home) {
		c.want(!never || b.bundle == nil || b.bundle.Package != d.Package || !c.matches(at.home, at.requires, b), "%s satisfies the rule", b.name)
	}
}

func (c *claims) notOffered(at at, d result.Args) {
	list := c.find(result.BundleRef{Namespace: at.home, Bundle: catalog.BundleKey{Name: at.r.Args().Bundle, Catalog: at.r.Args().Catalog}})
	c.want(len(list) > 0, "there is no such bundle")
	for _, b := range list {
		switch d.Constraint.(type) {
		case constraints.GVK:
			c.want(slices.ContainsFunc(apisOf(at.requires), b.set.Provides), "it provides no API that is required")
		case constraints.Package:
			c.want(slices.ContainsFunc(rangesOf(at.requires, b.bundle.Package), func(r versionrange.Range) bool { return r.Contains(b.version) }), "it is in no range that is required")
		default:
			c.want(slices.ContainsFunc(partsOf(at.requires), func(e constraints.Expr) bool { return c.matches(at.home, e, b) }), "it satisfies nothing that is required")
		}
		if at.r.Code() == words.InstalledInstead {
			c.want(b.isInstalled, "it is not installed")
			continue
		}
		c.want(!b.offered, "it is offered")
		c.unlisted(b, d.Err.(*result.Unlisted))
	}
}

func apisOf(e constraints.Expr) []properties.GVK {
	var list []properties.GVK
	for _, part := range constraints.Parts(e) {
		if g, ok := part.(constraints.GVK); ok {
			list = append(list, g.GVK)
		}
	}
	return list
}

func rangesOf(e constraints.Expr, pkg string) []versionrange.Range {
	var list []versionrange.Range
	for _, part := range constraints.Parts(e) {
		if p, ok := part.(constraints.Package); ok && p.Name == pkg {
			list = append(list, p.Range)
		}
	}
	return list
}

// unlisted checks why no channel offers a bundle.
func (c *claims) unlisted(b *stated, why *result.Unlisted) {
	pkg := b.catalog.Snapshot.Package(b.bundle.Package)
	if why.Channel == "" {
		for _, ch := range pkg.Channels {
			c.want(ch.Entry(b.name) == nil, "channel %s lists it", ch.Name)
		}
		return
	}
	ch := pkg.Channel(why.Channel)
	if ch == nil || ch.Entry(b.name) == nil {
		c.want(false, "channel %s does not list it", why.Channel)
		return
	}
	switch {
	case why.NoBundle:
		c.noBundle(b.catalog, ch.Entry(b.name), why)
	case why.Skipped:
		c.want(skippedBy(ch, b.name) != "", "nothing in channel %s skips it", ch.Name)
	case why.Fault != "":
		c.want(ch.Fault == why.Fault, "the fault of channel %s is %q", ch.Name, ch.Fault)
	default:
		c.want(ch.Fault == "" && !onChain(ch, b.name), "it is on the chain of channel %s", ch.Name)
	}
}

// noBundle checks that an entry has no bundle: the catalog has none, or a fault takes
// it away.
func (c *claims) noBundle(of *cache.Catalog, e *catalog.Entry, why *result.Unlisted) {
	c.want(e.Bundle == catalog.NoBundle, "the entry has a bundle")
	if why.Quarantine != nil {
		c.want(hasFault(of, why.Quarantine), "the catalog has no such fault")
		return
	}
	c.want(len(of.Snapshot.Named(e.Name)) == 0, "the catalog has such a bundle")
}

// unusable checks why an entry of a channel cannot be selected.
func (c *claims) unusable(at at, d result.Args) {
	of := c.Problem.Catalogs.Catalog(at.r.Args().Catalog)
	c.want(c.sees(at.home, of), "the catalog is not visible")
	c.entry(of, at.r.Args().Package, at.r.Args().Bundle, d.Err.(*result.Unlisted))
}

func (c *claims) entry(of *cache.Catalog, pkg, name string, why *result.Unlisted) {
	ch := of.Snapshot.Package(pkg).Channel(why.Channel)
	e := ch.Entry(name)
	switch {
	case e == nil:
		c.want(false, "channel %s does not list it", ch.Name)
	case why.NoBundle:
		c.noBundle(of, e, why)
	case why.Skipped:
		c.want(skippedBy(ch, e.Name) != "", "nothing skips it")
	default:
		c.want(!onChain(ch, e.Name), "it is on the chain")
	}
}

func (c *claims) quarantined(at at, d result.Args) {
	of := c.Problem.Catalogs.Catalog(at.r.Args().Catalog)
	c.want(c.sees(at.home, of), "the catalog is not visible")
	if d.Err != nil {
		c.want(hasFault(of, d.Err), "the catalog has no such fault")
	}
	if at.r.API().Kind != "" {
		c.want(slices.Contains(of.Snapshot.LostProviders(), catalog.LostProvider{API: at.r.API(), Package: at.r.Args().Package, Bundle: at.r.Args().Bundle}), "no bundle was lost that provides it")
		c.want(d.Err != nil, "no fault is named")
		return
	}
	var fault catalog.Fault
	errors.As(d.Err, &fault)
	c.want(fault.Quarantines && (fault.Package == at.r.Args().Package || fault.Bundle == at.r.Args().Bundle), "the fault takes nothing of the package")
}

func (c *claims) elsewhere(at at, d result.Args) {
	of := c.Problem.Catalogs.Catalog(at.r.Args().Catalog)
	has := func(b *catalog.Bundle) bool {
		if at.r.Args().Package == "" {
			pkg, version, _ := strings.Cut(at.r.Args().Bundle, "@")
			return b.Name == at.r.Args().Bundle || b.Package == pkg && b.Version.String() == version
		}
		return b.Name == at.r.Args().Bundle && b.Package == at.r.Args().Package && slices.ContainsFunc(partsOf(at.requires), func(e constraints.Expr) bool {
			return c.matches(at.home, e, &stated{set: b.Properties})
		})
	}
	pkg := at.r.Args().Bundle == "" && of.Snapshot.Package(at.r.Args().Package) != nil
	c.want(pkg || slices.ContainsFunc(contents(of), has), "catalog %s does not have it", of.Key)
	switch at.r.Code() {
	case words.NotAskedCatalog:
		c.want(c.sees(at.home, of) && !slices.Contains(keysOf(c.asked(at.request)), of.Key), "the request asks it, or cannot")
	case words.ExcludedCatalog:
		c.want(slices.Contains(c.Problem.Options.ExcludeCatalogs, of.Key), "it is not excluded")
	case words.UnhealthyCatalog:
		c.want(!of.Healthy() || !c.sees(at.home, of), "it is healthy")
	default:
		c.want(!c.sees(at.home, of) && d.Owner.Namespace == at.home, "it is visible")
		c.want((d.Owner.Name != "") == c.leftOut(at.home, of.Key), "group %q leaves it out", d.Owner.Name)
	}
}

func partsOf(e constraints.Expr) []constraints.Expr {
	var list []constraints.Expr
	for _, part := range constraints.Parts(e) {
		list = append(list, part)
	}
	return list
}

func contents(x *cache.Catalog) []*catalog.Bundle {
	list := make([]*catalog.Bundle, x.Snapshot.Len())
	for id := range list {
		list[id] = x.Snapshot.Bundle(catalog.ID(id))
	}
	return list
}
