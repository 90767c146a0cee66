package resolver_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// Claims about answers: why a bundle is selected or is not, and warnings.

func (c *claims) isSelected(at at, d result.Selected) {
	kept := slices.ContainsFunc(c.answer.Kept, func(k result.Kept) bool { return k.Bundle.Name == at.r.Subject })
	installs := slices.ContainsFunc(c.answer.Installs, func(i result.Install) bool { return i.Bundle.Name == at.r.Subject })
	switch {
	case at.r.Kind != result.ReasonNotSelected:
		c.want(d.Kept && kept || !d.Kept && installs || c.isForeign(at.r.Subject), "it is not")
	default:
		c.want(!kept && !installs, "it is selected")
	}
}

// unasked: no request is for the package, and nothing selected requires the bundle.
func (c *claims) unasked(at at) {
	for _, s := range c.subscriptions(at.home) {
		c.want(s.Package != at.r.Package, "Subscription %s asks for its package", s.Name)
	}
	for _, b := range c.chosen() {
		for _, r := range b.requires {
			if c.extension != nil && b.installed {
				continue // which catalog says what it states is not known here
			}
			list := c.positive(r.Expr)
			if len(list) != 1 || len(c.negative(r.Expr)) > 0 && !c.bundleScope() {
				continue // what names the bundle may hold without it
			}
			for _, e := range list {
				c.want(!slices.ContainsFunc(c.candidates(at.home, e), func(o *stated) bool {
					return o.name == at.r.Bundle && o.pkg() == at.r.Package && len(c.namesakes(o)) == 1
				}), "%s requires %s", b.name, e)
			}
		}
	}
}

// namesakes are the bundles of the same name.
func (c *claims) namesakes(b *stated) []*stated {
	var list []*stated
	for _, o := range c.bundles(b.namespace) {
		if o.name == b.name {
			list = append(list, o)
		}
	}
	return list
}

// chosen are the bundles of the answer.
func (c *claims) chosen() []*stated {
	var list []*stated
	for _, b := range c.bundles(c.home("")) {
		if b.installed && !b.foreign && slices.ContainsFunc(c.answer.Kept, func(k result.Kept) bool { return k.Bundle.Name == b.name }) ||
			b.bundle != nil && slices.ContainsFunc(c.answer.Installs, func(i result.Install) bool { return i.Bundle.Name == b.name && i.Bundle.Catalog == b.key() }) {
			list = append(list, b)
		}
	}
	return list
}

// obligation lists what can meet one, nil if that is not so simple.
func (c *claims) obligation(r *result.Reason) []*stated {
	switch d := r.Detail.(type) {
	case result.Requested:
		if d.Request.Key.Kind == cluster.KindSubscription {
			return c.meets(d.Request)
		}
	case result.Requires:
		list := c.positive(r.Constraint)
		if len(list) == 1 {
			return c.candidates(c.home(r.Namespace), list[0])
		}
	}
	return nil
}

// distinct counts bundles, those that only a startingCSV reaches if named is set.
func distinct(list []*stated, named bool) int {
	seen := map[*stated]bool{}
	for _, b := range list {
		if named || !b.named {
			seen[b] = true
		}
	}
	return len(seen)
}

func (c *claims) isChosen(at at, d result.Chosen) {
	r := *at.r
	if r.Detail = d.Obligation; r.Detail == nil {
		return
	}
	at.r, at.node = &r, nil
	c.reason(at)
	list := c.obligation(&r)
	if list == nil {
		return
	}
	c.want(slices.ContainsFunc(list, func(b *stated) bool { return b.name == d.Bundle }), "%s is no candidate", d.Bundle)
	if _, request := r.Detail.(result.Requested); request || c.extension == nil {
		c.want(d.Of == distinct(list, request), "%d candidates: %s", len(list), list)
	}
}

func (c *claims) preferred(at at, d result.Preferred) {
	name := at.r.Bundle
	at.r, at.node = &d.Obligation, nil
	c.reason(at)
	list := c.obligation(&d.Obligation)
	can := func(name string) bool {
		return list == nil || slices.ContainsFunc(list, func(b *stated) bool { return b.name == name })
	}
	c.want(slices.Contains(c.selected(), name) || c.isForeign(name), "%s is not selected", name)
	c.want(can(name), "%s is no candidate", name)
	if d.Other != "" {
		c.want(can(d.Other), "%s is no candidate", d.Other)
		c.want(d.Place < d.OtherPlace, "the places")
	}
}

func (c *claims) unreached(at at, d result.Unreached) {
	c.checkRequest(d.Request)
	s, e := c.object(d.Request)
	var named []*stated
	for _, b := range c.bundles(c.home(d.Request.Key.Namespace)) {
		if b.name == at.r.Bundle && b.bundle != nil && b.bundle.Package == at.r.Package && (d.Why.Catalog == catalog.Key{} || d.Why.Catalog == b.key()) {
			named = append(named, b)
		}
	}
	c.want(len(named) > 0, "there is no such bundle")
	some := func(holds func(b *stated) bool, otherwise string) {
		c.want(slices.ContainsFunc(named, holds), "%s", otherwise)
	}
	if d.Why.Next != nil {
		c.hopeless(at, d.Why.Next)
	} else if d.Why.DeadEnd != nil {
		c.deadEnd(d.Request, d.Request.Installed, result.BelowHead{Package: d.Request.Package, DeadEnd: d.Why.DeadEnd})
	}
	channel := func(b *stated) *catalog.Channel {
		return b.catalog.Snapshot.Package(b.bundle.Package).Channel(d.Why.Channel)
	}
	switch d.Why.Kind {
	case result.UpdatesHeld:
		c.want(d.Request.Hold != nil, "there is no hold")
	case result.OtherCatalog:
		some(func(b *stated) bool { return !s.Names(b.key()) }, "the request names the catalog")
	case result.OtherChannel:
		some(func(b *stated) bool {
			ch := b.catalog.Snapshot.Package(s.Package).Channel(s.Channel)
			return ch == nil || ch.Entry(b.name) == nil
		}, "the channel lists it")
	case result.OtherChannels:
		some(func(b *stated) bool { return !c.listed(e, b) }, "a channel lists it")
	case result.OtherStartingCSV:
		c.want(s.StartingCSV != "" && s.StartingCSV != at.r.Bundle, "startingCSV is %q", s.StartingCSV)
	case result.BelowInstalled:
		some(func(b *stated) bool { return channel(b) != nil && leadsDown(channel(b), b.name, s.InstalledCSV) }, "it is not below")
	case result.SkippedUpdate:
		some(func(b *stated) bool { return channel(b) != nil && skippedBy(channel(b), b.name) != "" }, "nothing skips it")
	case result.OtherUpdates:
		some(func(b *stated) bool {
			return s.Channel == "" && !slices.ContainsFunc(d.Why.Channels, func(name string) bool {
				ch := b.catalog.Snapshot.Package(s.Package).Channel(name)
				return ch == nil || ch.Entry(b.name) != nil
			})
		}, "such a channel lists it")
	case result.NoUpdate:
		cur := c.installedAs(s.Namespace, s.InstalledCSV)
		some(func(b *stated) bool {
			return !slices.ContainsFunc(b.catalog.Snapshot.Package(s.Package).Channels, func(ch *catalog.Channel) bool {
				entry := ch.Entry(b.name)
				return slices.Contains(d.Why.Channels, ch.Name) && entry != nil && succeeds(entry, cur.name, cur.version)
			})
		}, "an edge leads to it")
	case result.NotListed:
		some(func(b *stated) bool { return d.Request.Installed != "" || !c.installs(s, b) }, "it is offered")
		for _, b := range named[:min(1, len(named))] {
			if len(named) == 1 {
				c.unlisted(b, d.Why.Unlisted)
			}
		}
	case result.UnselectedCatalog:
		c.want(!slices.Contains(keysOf(c.asked(d.Request)), d.Why.Catalog), "the selector matches it")
	case result.OutOfRange:
		some(func(b *stated) bool { return b.version.String() == d.Why.Version && !accepts(e.Version, b.version) }, "it is in range")
	case result.NotSuccessor:
		some(func(b *stated) bool { return !c.succeedsInstalled(e, b) }, "it succeeds it")
	case result.BetterCatalog:
		some(func(b *stated) bool { return c.offers(e, b) }, "the catalog does not offer it")
	}
}

func (c *claims) deprecation(at at, d result.Deprecation) {
	c.want(slices.ContainsFunc(c.visible(at.home), func(x *cache.Catalog) bool {
		pkg := x.Snapshot.Package(d.Package)
		switch {
		case pkg == nil:
			return false
		case d.Bundle != "":
			return slices.ContainsFunc(contents(x), func(b *catalog.Bundle) bool {
				return b.Name == d.Bundle && b.Package == d.Package && b.Deprecation == d.Message
			})
		case d.Channel != "":
			return pkg.Channel(d.Channel) != nil && pkg.Channel(d.Channel).Deprecation == d.Message
		}
		return pkg.Deprecation == d.Message
	}), "no catalog states that")
}

func (c *claims) belowHead(at at, d result.BelowHead) {
	name := at.r.Subject
	if d.Request.Name != "" {
		c.belowBest(name, d)
		return
	}
	var heads []*stated
	for _, x := range c.visible(at.home) {
		pkg := x.Snapshot.Package(d.Package)
		if pkg == nil || pkg.Channel(d.Channel) == nil || pkg.Channel(d.Channel).Head() == nil || pkg.Channel(d.Channel).Head().Name != d.Head ||
			(pkg.Channel(d.Channel).Entry(name) == nil) != d.Unlisted {
			continue
		}
		heads = append(heads, &stated{name: d.Head, catalog: x})
	}
	c.want(len(heads) > 0 && name != d.Head, "no channel has that head and lists it (%t)", !d.Unlisted)
	c.want(slices.Contains(c.selected(), name), "it is not selected")
	var requests []cluster.Subscription
	for _, s := range c.subscriptions(at.home) {
		if slices.ContainsFunc(c.meets(requestOf(&s)), func(b *stated) bool { return b.name == name }) {
			requests = append(requests, s)
		}
	}
	switch {
	case d.Hold != nil:
		hold := c.hold(at.home, name)
		c.want(hold != nil && *hold == *d.Hold, "the hold is %v", hold)
	case d.OneStep:
		c.want(slices.ContainsFunc(requests, func(s cluster.Subscription) bool {
			return c.current(&s) != nil && s.InstalledCSV != name && slices.ContainsFunc(heads, func(h *stated) bool {
				return !slices.ContainsFunc(c.meets(requestOf(&s)), func(b *stated) bool { return b.name == d.Head && b.key() == h.key() })
			})
		}), "the head could have been taken at once")
	case d.StartingCSV:
		c.want(slices.ContainsFunc(requests, func(s cluster.Subscription) bool { return s.StartingCSV == name }), "no startingCSV asks for it")
	}
	if d.Hopeless != nil {
		c.hopeless(at, d.Hopeless)
	}
	if d.DeadEnd != nil {
		c.deadEnd(requestOf(&cluster.Subscription{Namespace: at.home, Name: d.DeadEnd.Request.Key.Name}), name, d)
	}
}

// belowBest: a ClusterExtension has a better bundle than the one that is selected.
func (c *claims) belowBest(name string, d result.BelowHead) {
	c.want(slices.Contains(c.selected(), name), "it is not selected")
	best := slices.ContainsFunc(c.bundles(c.home("")), func(b *stated) bool {
		return !b.installed && b.name == d.Head && b.pkg() == d.Package
	})
	c.want(best && name != d.Head && d.Request.Name == c.extension.Name, "there is no better one of that name")
	if d.DeadEnd != nil {
		c.deadEnd(&result.Request{Key: cluster.RequestKey{Kind: cluster.KindExtension, Name: d.Request.Name}}, name, d)
	}
}

// deadEnd: nothing but what is installed meets the request, and other channels have
// entries that state that they update it.
func (c *claims) deadEnd(r *result.Request, name string, d result.BelowHead) {
	for _, b := range c.meets(r) {
		c.want(b.name == name || d.Request.Name != "", "%s can meet it", b.name)
	}
	from := c.asked(r)
	if d.Request.Name == "" && c.Problem.Options.Updates != policy.UpdatesNamed {
		from = c.visible(c.home(r.Key.Namespace))
	}
	for _, channel := range d.DeadEnd.Others {
		c.want(slices.ContainsFunc(from, func(x *cache.Catalog) bool {
			pkg := x.Snapshot.Package(d.Package)
			return pkg != nil && pkg.Channel(channel) != nil && slices.ContainsFunc(pkg.Channel(channel).Entries, func(e catalog.Entry) bool {
				return e.Bundle != catalog.NoBundle && (e.Replaces == name || slices.Contains(e.Skips, name) || !e.SkipRange.IsZero())
			})
		}), "nothing in channel %s states that it updates it", channel)
	}
}

func requestOf(s *cluster.Subscription) *result.Request {
	return &result.Request{Key: s.Key()}
}

func (c *claims) hopeless(at at, d *result.Hopeless) {
	at.r = &d.Rule
	c.reason(at)
	if d.Missing != nil {
		at.r, at.requires = d.Missing, d.Rule.Constraint
		c.reason(at)
	}
}

func (c *claims) forcedChoice(at at, d result.ForcedChoice) {
	offered := c.meets(&result.Request{Key: cluster.RequestKey{Kind: cluster.KindExtension}})
	for _, name := range []string{at.r.Subject, d.Best} {
		c.want(name == c.installedName() || slices.ContainsFunc(offered, func(b *stated) bool { return b.name == name }), "%s does not meet it", name)
	}
	c.want(slices.Contains(c.selected(), at.r.Subject) && !slices.Contains(c.selected(), d.Best), "the best one is selected")
	if d.Why != nil {
		c.want(d.Why.Rule.Bundle == d.Best, "another bundle")
		c.hopeless(at, d.Why)
	}
}

func (c *claims) installedName() string {
	if c.extension.Installed == nil {
		return ""
	}
	return c.extension.Installed.Name
}

func (c *claims) catalogFault(at at, d result.CatalogFault) {
	of := c.Problem.Catalogs.Catalog(d.Catalog)
	c.want(c.sees(at.home, of), "the catalog is not visible")
	c.want(d.More > 0 || hasFault(of, d.Fault) && d.Fault.Quarantines, "the catalog has no such fault")
}

func (c *claims) catalogLeftOut(at at, d result.CatalogLeftOut) {
	for x := range c.Problem.Catalogs.Catalogs() {
		c.want(x.Key.String() != at.r.Subject || !c.sees(at.home, x), "the catalog can be used")
	}
	c.want(!d.Unnamed || !slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool {
		return s.Namespace == at.home && at.r.Subject == catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}.String()
	}), "a Subscription names it")
}

func (c *claims) noTargets(_ at, d result.NoTargets) {
	c.want(len(c.targets(c.group(d.Namespace, ""))) == 0, "the group has targets")
}

func (c *claims) apiVersions(_ at, d result.APIVersions) {
	c.want(d.Versions != d.OtherVersions && d.Namespace != d.OtherNamespace, "they are the same")
}

func (c *claims) droppedVersions(at at, d result.DroppedVersions) {
	c.want(slices.Contains(c.answer.Replaced, at.r.Subject), "it is not replaced")
	for _, api := range d.APIs {
		c.want(!slices.ContainsFunc(c.answer.Installs, func(i result.Install) bool { return i.Properties.Provides(api) }), "it is installed anew")
		c.want(!slices.ContainsFunc(c.answer.Kept, func(k result.Kept) bool { return k.Properties.Provides(api) }), "it is kept")
	}
}

// noOperatorGroup and others check the warnings that need no Detail.
func (c *claims) plainWarning(w *result.Warning) {
	switch w.Kind {
	case result.WarnNoOperatorGroup:
		c.want(c.group(w.Subject, "") == nil && len(c.objects.OperatorGroups) > 0, "there is a group")
	case result.WarnUnneeded:
		c.want(slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Generated }), "nothing came as a dependency")
	case result.WarnOpenShiftLimit:
		c.want(slices.Contains(c.selected(), w.Subject), "it is not selected")
	default:
		c.want(false, "nothing is known of kind %q", w.Kind)
	}
}

// paths checks why no updates lead to the heads of what is installed.
func (c *claims) paths() {
	for _, s := range c.subscriptions(c.home("")) {
		_, err := resolver.New().Path(c.ctx, c.Problem, s.Key(), "")
		var none *updates.NoPath
		if c.extension != nil || !errors.As(err, &none) {
			continue
		}
		for _, b := range none.Blocked {
			c.told = fmt.Sprintf("path: %s cannot follow %s: %v", b.To, b.From, b.Err)
			c.checked[fmt.Sprintf("path %T", b.Err)]++
			c.blocked(s.Namespace, none, b)
		}
	}
}

func (c *claims) blocked(namespace string, none *updates.NoPath, b updates.BlockedUpdate) {
	switch why := b.Err.(type) {
	case *result.Hold:
		hold := c.hold(namespace, b.From)
		c.want(hold != nil && *hold == *why, "the hold is %v", hold)
	case result.Unlisted:
		of := slices.DeleteFunc(c.visible(namespace), func(x *cache.Catalog) bool {
			pkg := x.Snapshot.Package(none.Package)
			return pkg == nil || pkg.Channel(why.Channel) == nil || pkg.Channel(why.Channel).Entry(b.To) == nil
		})
		c.want(len(of) > 0, "no channel %s lists it", why.Channel)
		if len(of) == 1 {
			c.entry(of[0], none.Package, b.To, why)
		}
	case *result.NotSatisfiable:
		if b.From == none.From && b.Channel == "" { // the others are about what would be installed then
			c.forced = true
			c.explanation(why.Explanation, at{home: namespace})
			c.forced = false
		}
	default:
		c.want(false, "nothing checks a %T", b.Err)
	}
}
