package resolver_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Claims about answers: why a bundle is selected or is not, and warnings.

func (c *claims) isSelected(at at, d result.Args) {
	kept := slices.ContainsFunc(c.answer.Kept, func(k result.Kept) bool { return k.Bundle.Name == at.r.Args().Subject })
	installs := slices.ContainsFunc(c.answer.Installs, func(i result.Install) bool { return i.Bundle.Name == at.r.Args().Subject })
	switch {
	case at.r.Code() != words.NotSelected:
		c.want(at.r.Code() == words.IsKept && kept || at.r.Code() == words.IsSelected && installs || c.isForeign(at.r.Args().Subject), "it is not")
	default:
		c.want(!kept && !installs, "it is selected")
	}
}

// unasked: no request is for the package, and nothing selected requires the bundle.
func (c *claims) unasked(at at) {
	for _, s := range c.subscriptions(at.home) {
		c.want(s.Package != at.r.Args().Package, "Subscription %s asks for its package", s.Name)
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
					return o.name == at.r.Args().Bundle && o.pkg() == at.r.Args().Package && len(c.namesakes(o)) == 1
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
	switch r.Kind() {
	case words.KindOfSubscription, words.KindHold:
		return c.meets(r.Args().Request)
	case words.KindDependency:
		list := c.positive(r.Args().Constraint)
		if len(list) == 1 {
			return c.candidates(c.home(r.Args().Namespace), list[0])
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

// isChosen: the bundle is the best possible candidate of the obligation.
func (c *claims) isChosen(at at, d result.Args) {
	list := c.obligation(at.r)
	if list == nil {
		return
	}
	c.want(slices.ContainsFunc(list, func(b *stated) bool { return b.name == d.Other }), "%s is no candidate", d.Other)
	if request := d.Request != nil; request || c.extension == nil {
		c.want(int(d.Count) == distinct(list, request), "%d candidates: %s", len(list), list)
	}
}

func (c *claims) preferred(at at, d result.Args) {
	name := at.r.Args().Bundle
	for _, r := range at.r.Because()[1:] {
		c.checked[string(r.Code())]++
		c.prefers(at.home, name, d.Other, &r)
	}
	obligation := at.r.Because()[0]
	at.r, at.node = &obligation, nil
	c.reason(at)
	list := c.obligation(&obligation)
	can := func(name string) bool {
		return list == nil || slices.ContainsFunc(list, func(b *stated) bool { return b.name == name })
	}
	c.want(slices.Contains(c.selected(), name) || c.isForeign(name), "%s is not selected", name)
	c.want(can(name), "%s is no candidate", name)
	if d.Other != "" {
		c.want(can(d.Other), "%s is no candidate", d.Other)
		c.want(d.Place < d.Count, "the places")
	}
}

// prefers: what decides between two candidates is so.
func (c *claims) prefers(home, first, other string, r *result.Reason) {
	d := r.Args()
	catalogs := func(a, b *stated) bool {
		return a.key() == d.Catalog && b.key().String() == d.Other && a.key() != b.key()
	}
	priorities := func(a, b *stated) bool {
		return catalogs(a, b) && strconv.Itoa(a.catalog.Priority) == d.Has && strconv.Itoa(b.catalog.Priority) == d.Limit
	}
	in := func(b *stated, channel string) *catalog.Entry {
		if at := b.catalog.Snapshot.Package(b.bundle.Package).Channel(channel); at != nil {
			return at.Entry(b.name)
		}
		return nil
	}
	c.want(slices.ContainsFunc(c.bundles(home), func(a *stated) bool {
		return a.name == first && slices.ContainsFunc(c.bundles(home), func(b *stated) bool {
			if b.name != other || a.installed || r.Code() != words.UpdateFirst && b.installed {
				return false
			}
			switch r.Code() {
			case words.UpdateFirst:
				return b.installed
			case words.NotDeprecatedFirst:
				return a.bundle.Deprecation == "" && b.bundle.Deprecation != ""
			case words.NamedCatalogFirst:
				return catalogs(a, b) && slices.ContainsFunc(c.subscriptions(home), func(s cluster.Subscription) bool { return s.Names(a.key()) && !s.Names(b.key()) })
			case words.OwnCatalogFirst:
				return catalogs(a, b) && slices.ContainsFunc(c.chosen(), func(by *stated) bool { return by.installed || by.key() == a.key() })
			case words.HigherPriority:
				return priorities(a, b) && a.catalog.Priority > b.catalog.Priority
			case words.OwnNamespaceFirst:
				return priorities(a, b) && d.Has == d.Limit && a.key().Namespace == home && b.key().Namespace != home
			case words.CatalogName:
				return priorities(a, b) && d.Has == d.Limit && a.key().Compare(b.key()) < 0 && (b.key().Namespace != home || a.key().Namespace == home)
			case words.DefaultChannel:
				pkg := a.catalog.Snapshot.Package(a.bundle.Package)
				return a.key() == b.key() && pkg.DefaultChannel == d.Channel && in(a, d.Channel) != nil && (b.bundle.Package != pkg.Name ||
					slices.ContainsFunc(pkg.Channels, func(x *catalog.Channel) bool { return x.Name != d.Channel && x.Entry(b.name) != nil }))
			case words.PackageName:
				return a.key() == b.key() && a.bundle.Package < b.bundle.Package
			case words.ChannelName:
				return a.key() == b.key() && a.bundle.Package == b.bundle.Package && d.Channel < d.Other && in(a, d.Channel) != nil && in(b, d.Other) != nil
			case words.HigherVersion:
				return a.key() == b.key() && a.bundle.Package == b.bundle.Package && a.version.Compare(b.version) >= 0
			case words.SameVersion:
				return a.bundle.Package == b.bundle.Package && a.bundle.Version.EQ(b.bundle.Version) && a.version.Compare(b.version) >= 0
			case words.NearerHead:
				above, below := in(a, d.Channel), in(b, d.Channel)
				return a.key() == b.key() && above != nil && below != nil && above.Depth < below.Depth
			}
			return r.Code() == words.OneStep
		})
	}), "%s does not decide between %s and %s", r.Code(), first, other)
	if d.Has != "" {
		c.changesPriority(first, other, d)
	}
}

// changesPriority: with a higher priority of the other catalog, its bundle comes first.
func (c *claims) changesPriority(first, other string, d result.Args) {
	var catalogs []cache.Catalog
	for x := range c.Problem.Catalogs.Catalogs() {
		if catalogs = append(catalogs, *x); x.Key.String() == d.Other {
			has, _ := strconv.Atoi(d.Has)
			catalogs[len(catalogs)-1].Priority = has + 1
		}
	}
	p := c.Problem
	p.Catalogs = cache.NewView(catalogs)
	e, err := resolver.New().WhyNot(c.ctx, p, c.answer.Scope, other)
	if err != nil {
		return // perhaps nothing can be selected then
	}
	var look func(e *result.Explanation)
	look = func(e *result.Explanation) {
		if r := e.Reason; r.Code() == words.Preferred && r.Args().Bundle == first && r.Args().Other == other {
			for _, by := range r.Because()[1:] {
				c.want(by.Args().Catalog != d.Catalog || by.Args().Other != d.Other, "it still is with a higher priority: %s", by.Message())
			}
		}
		for _, child := range e.Because {
			look(child)
		}
	}
	look(e.Why)
}

func (c *claims) unreached(at at, d result.Args) {
	c.checkRequest(d.Request)
	s, e := c.object(d.Request)
	var named []*stated
	for _, b := range c.bundles(c.home(d.Request.Key.Namespace)) {
		if b.name == at.r.Args().Bundle && b.bundle != nil && b.bundle.Package == at.r.Args().Package && (len(found(d).Catalogs) == 0 || found(d).Catalogs[0] == b.key()) {
			named = append(named, b)
		}
	}
	c.want(len(named) > 0, "there is no such bundle")
	some := func(holds func(b *stated) bool, otherwise string) {
		c.want(slices.ContainsFunc(named, holds), "%s", otherwise)
	}
	c.because(at, d.Request, d.Request.Installed, d)
	channel := func(b *stated) *catalog.Channel {
		return b.catalog.Snapshot.Package(b.bundle.Package).Channel(d.Channel)
	}
	switch at.r.Code() {
	case words.UpdatesHeld:
		c.want(d.Request.Hold != nil, "there is no hold")
	case words.CatalogNotAsked:
		some(func(b *stated) bool { return !s.Names(b.key()) }, "the request names the catalog")
	case words.NotInChannel:
		some(func(b *stated) bool {
			ch := b.catalog.Snapshot.Package(s.Package).Channel(s.Channel)
			return ch == nil || ch.Entry(b.name) == nil
		}, "the channel lists it")
	case words.NotInChannels:
		some(func(b *stated) bool { return !c.listed(e, b) }, "a channel lists it")
	case words.OtherStartingCSV:
		c.want(s.StartingCSV != "" && s.StartingCSV != at.r.Args().Bundle, "startingCSV is %q", s.StartingCSV)
	case words.BelowInstalled:
		some(func(b *stated) bool { return channel(b) != nil && leadsDown(channel(b), b.name, s.InstalledCSV) }, "it is not below")
	case words.SkippedUpdate:
		some(func(b *stated) bool { return channel(b) != nil && skippedBy(channel(b), b.name) != "" }, "nothing skips it")
	case words.OtherUpdates:
		some(func(b *stated) bool {
			return s.Channel == "" && !slices.ContainsFunc(d.Names, func(name string) bool {
				ch := b.catalog.Snapshot.Package(s.Package).Channel(name)
				return ch == nil || ch.Entry(b.name) != nil
			})
		}, "such a channel lists it")
	case words.NoUpdate:
		cur := c.installedAs(s.Namespace, s.InstalledCSV)
		some(func(b *stated) bool {
			return !slices.ContainsFunc(b.catalog.Snapshot.Package(s.Package).Channels, func(ch *catalog.Channel) bool {
				entry := ch.Entry(b.name)
				return slices.Contains(d.Names, ch.Name) && entry != nil && succeeds(entry, cur.name, cur.version)
			})
		}, "an edge leads to it")
	case words.Unlisted:
		some(func(b *stated) bool { return d.Request.Installed != "" || !c.installs(s, b) }, "it is offered")
		for _, b := range named[:min(1, len(named))] {
			if len(named) == 1 {
				c.unlisted(b, d.Err.(*result.Unlisted))
			}
		}
	case words.CatalogUnselected:
		c.want(!slices.Contains(keysOf(c.asked(d.Request)), d.Searched.Catalogs[0]), "the selector matches it")
	case words.OutOfRange:
		some(func(b *stated) bool { return b.version.String() == d.Has && !accepts(e.Version, b.version) }, "it is in range")
	case words.NoSuccessorOf:
		some(func(b *stated) bool { return !c.succeedsInstalled(e, b) }, "it succeeds it")
	case words.BetterCatalog:
		some(func(b *stated) bool { return c.offers(e, b) }, "the catalog does not offer it")
		c.want(!slices.Contains(d.Names, d.Searched.Catalogs[0].String()), "it is the catalog of the best bundle")
		c.want(d.Other == "" || slices.ContainsFunc(c.visible(at.home), func(x *cache.Catalog) bool {
			return slices.Contains(d.Names, x.Key.String()) && (d.Has == "" || strconv.Itoa(x.Priority) == d.Has) && len(x.Snapshot.Named(d.Other)) > 0
		}), "%v does not have %s", d.Names, d.Other)
	}
}

func (c *claims) deprecation(at at, d result.Args) {
	c.want(slices.ContainsFunc(c.visible(at.home), func(x *cache.Catalog) bool {
		pkg := x.Snapshot.Package(d.Package)
		switch {
		case pkg == nil:
			return false
		case d.Bundle != "":
			return slices.ContainsFunc(contents(x), func(b *catalog.Bundle) bool {
				return b.Name == d.Bundle && b.Package == d.Package && b.Deprecation == d.Said
			})
		case d.Channel != "":
			return pkg.Channel(d.Channel) != nil && pkg.Channel(d.Channel).Deprecation == d.Said
		}
		return pkg.Deprecation == d.Said
	}), "no catalog states that")
}

func (c *claims) belowHead(at at, d result.Args) {
	name := at.r.Args().Subject
	if d.Request != nil {
		c.belowBest(at, name, d)
		return
	}
	var heads []*stated
	for _, x := range c.visible(at.home) {
		pkg := x.Snapshot.Package(d.Package)
		if pkg == nil || pkg.Channel(d.Channel) == nil || pkg.Channel(d.Channel).Head() == nil || pkg.Channel(d.Channel).Head().Name != d.Other ||
			(pkg.Channel(d.Channel).Entry(name) == nil) != (at.r.Code() == words.NotListed) {
			continue
		}
		heads = append(heads, &stated{name: d.Other, catalog: x})
	}
	c.want(len(heads) > 0 && name != d.Other, "no channel has that head and lists it (%s)", at.r.Code())
	c.want(slices.Contains(c.selected(), name), "it is not selected")
	var requests []cluster.Subscription
	for _, s := range c.subscriptions(at.home) {
		if slices.ContainsFunc(c.meets(requestOf(&s)), func(b *stated) bool { return b.name == name }) {
			requests = append(requests, s)
		}
	}
	var first *result.Reason
	if because := at.r.Because(); len(because) > 0 {
		first = &because[0]
	}
	switch {
	case first == nil:
	case first.Code() == words.NotUpgradeable:
		hold := c.hold(at.home, name)
		c.want(hold != nil && *hold == *first.Args().Err.(*result.Hold), "the hold is %v", hold)
	case first.Code() == words.OneStep:
		c.want(slices.ContainsFunc(requests, func(s cluster.Subscription) bool {
			return c.current(&s) != nil && s.InstalledCSV != name && slices.ContainsFunc(heads, func(h *stated) bool {
				return !slices.ContainsFunc(c.meets(requestOf(&s)), func(b *stated) bool { return b.name == d.Other && b.key() == h.key() })
			})
		}), "the head could have been taken at once")
	case first.Code() == words.ByStartingCSV:
		c.want(slices.ContainsFunc(requests, func(s cluster.Subscription) bool { return s.StartingCSV == name }), "no startingCSV asks for it")
	}
	c.because(at, nil, name, d)
}

// because checks what the reason follows from: bundles that can never be selected, and
// dead ends of a request, by default that of the dead end.
func (c *claims) because(at at, of *result.Request, name string, d result.Args) {
	for _, r := range at.r.Because() {
		switch r.Code() {
		case words.OneStep, words.ByStartingCSV, words.NotUpgradeable:
		case words.DeadEnd:
			if of == nil {
				of = requestOf(&cluster.Subscription{Namespace: at.home, Name: r.Args().Request.Key.Name})
			}
			c.deadEnd(of, name, d, r.Args().Names)
		case words.Conflict:
			at.r, at.node = &r, nil
			c.head(at, r.Args())
		case words.Subscription, words.Extension, words.Hold, words.Requires, words.RequiresAny:
			c.noCandidate(at, &r, name, d.Other)
		case words.Preferred:
			at.r, at.node = &r, nil
			c.reason(at)
		case words.Installed, words.Stays, words.StaysLeftOut:
			c.want(slices.ContainsFunc(c.bundles(at.home), func(b *stated) bool { return b.installed && b.name == name }), "%s is not installed", name)
		default:
			c.hopeless(at, &r)
		}
	}
}

// noCandidate: an obligation selects the bundle, and does not reach the better one or
// prefers what is installed.
func (c *claims) noCandidate(at at, why *result.Reason, name, better string) {
	if len(why.Because()) > 0 {
		c.hopeless(at, why)
		return
	}
	at.r, at.node = why, nil
	c.reason(at)
	list := c.obligation(why)
	if list == nil {
		return
	}
	c.want(slices.ContainsFunc(list, func(b *stated) bool { return b.name == name }), "%s is no candidate", name)
	c.want(!slices.ContainsFunc(list, func(b *stated) bool { return b.name == better && !b.named }) ||
		slices.ContainsFunc(list, func(b *stated) bool { return b.installed && b.name == name }), "%s is a candidate", better)
}

// belowBest: a ClusterExtension has a better bundle than the one that is selected.
func (c *claims) belowBest(at at, name string, d result.Args) {
	c.want(slices.Contains(c.selected(), name), "it is not selected")
	best := slices.ContainsFunc(c.bundles(c.home("")), func(b *stated) bool {
		return !b.installed && b.name == d.Other && b.pkg() == d.Package
	})
	c.want(best && name != d.Other && d.Request.Key.Name == c.extension.Name, "there is no better one of that name")
	c.because(at, d.Request, name, d)
}

// deadEnd: nothing but what is installed meets the request, and other channels have
// entries that state that they update it.
func (c *claims) deadEnd(r *result.Request, name string, d result.Args, others []string) {
	extension := r.Key.Kind == cluster.KindExtension
	for _, b := range c.meets(r) {
		c.want(b.name == name || extension, "%s can meet it", b.name)
	}
	from := c.asked(r)
	if !extension && !c.Problem.Options.NamedUpdates {
		from = c.visible(c.home(r.Key.Namespace))
	}
	for _, channel := range others {
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

func (c *claims) hopeless(at at, rule *result.Reason) {
	at.r, at.node, at.unasked = rule, nil, true
	c.reason(at)
	if because := rule.Because(); len(because) > 0 {
		at.r, at.requires = &because[0], rule.Args().Constraint
		c.reason(at)
	}
}

func (c *claims) forcedChoice(at at, d result.Args) {
	offered := c.meets(&result.Request{Key: cluster.RequestKey{Kind: cluster.KindExtension}})
	for _, name := range []string{at.r.Args().Subject, d.Other} {
		c.want(name == c.installedName() || slices.ContainsFunc(offered, func(b *stated) bool { return b.name == name }), "%s does not meet it", name)
	}
	c.want(slices.Contains(c.selected(), at.r.Args().Subject) && !slices.Contains(c.selected(), d.Other), "the best one is selected")
	for _, why := range at.r.Because() {
		c.want(why.Args().Bundle == d.Other || why.Args().Conflict != nil, "another bundle")
	}
	c.because(at, nil, at.r.Args().Subject, d)
}

func (c *claims) installedName() string {
	if c.extension.Installed == nil {
		return ""
	}
	return c.extension.Installed.Name
}

func (c *claims) catalogFault(at at, d result.Args) {
	of := c.Problem.Catalogs.Catalog(d.Catalog)
	c.want(c.sees(at.home, of), "the catalog is not visible")
	fault, _ := d.Err.(catalog.Fault)
	c.want(d.Count > 0 || hasFault(of, d.Err) && fault.Quarantines, "the catalog has no such fault")
}

func (c *claims) catalogLeftOut(at at, d result.Args) {
	for x := range c.Problem.Catalogs.Catalogs() {
		c.want(x.Key.String() != at.r.Args().Subject || !c.sees(at.home, x), "the catalog can be used")
	}
	c.want(at.r.Code() != words.CatalogUnnamed || !slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool {
		return s.Namespace == at.home && at.r.Args().Subject == catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}.String()
	}), "a Subscription names it")
}

func (c *claims) noTargets(_ at, d result.Args) {
	c.want(len(c.targets(c.group(d.Namespace, ""))) == 0, "the group has targets")
}

func (c *claims) secondProvider(at at, d result.Args) {
	c.want(d.Owner.Namespace != at.home && d.Owner.Chosen != slices.ContainsFunc(c.objects.CSVs, func(v cluster.ClusterServiceVersion) bool {
		return v.Namespace == d.Owner.Namespace && v.Name == d.Other
	}), "that is not installed there, or is")
	for _, kind := range d.APIs {
		c.want(slices.ContainsFunc(c.answer.Installs, func(i result.Install) bool {
			return i.Bundle.Name == at.r.Args().Subject && slices.ContainsFunc(i.Properties.GVKs(), func(api properties.GVK) bool { return api.Group == kind.Group && api.Kind == kind.Kind })
		}), "it does not provide it")
	}
}

func (c *claims) apiVersions(_ at, d result.Args) {
	c.want(d.Has != d.Limit && d.Namespace != d.Owner.Namespace, "they are the same")
}

func (c *claims) droppedVersions(at at, d result.Args) {
	c.want(slices.Contains(c.answer.Replaced, at.r.Args().Subject), "it is not replaced")
	for _, api := range d.APIs {
		c.want(!slices.ContainsFunc(c.answer.Installs, func(i result.Install) bool { return i.Properties.Provides(api) }), "it is installed anew")
		c.want(!slices.ContainsFunc(c.answer.Kept, func(k result.Kept) bool { return k.Properties.Provides(api) }), "it is kept")
	}
}

// plainWarning checks the warnings that have no further arguments.
func (c *claims) plainWarning(at at, _ result.Args) {
	w := at.r
	switch w.Code() {
	case words.Unneeded:
		c.want(slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Generated }), "nothing came as a dependency")
	case words.StartUnread, words.StartLeft:
		d := w.Args()
		c.want(slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool {
			return s.Key() == d.Request.Key && s.StartingCSV == d.Subject && (s.InstalledCSV == d.Other) == (w.Code() == words.StartUnread)
		}), "no Subscription has that startingCSV")
	case words.ChosenAnyway:
		d := w.Args()
		c.want(!slices.Contains(c.selected(), d.Subject) && slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Key() == d.Request.Key }), "it is selected")
		c.want(d.Limit == "" == slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Manual }), "who approves is another")
	case words.UpdateElsewhere:
		d := w.Args()
		c.want(slices.Contains(c.selected(), d.Subject) && !slices.ContainsFunc(c.asked(d.Request), func(x *cache.Catalog) bool { return x.Key == d.Catalog }), "the request names the catalog")
	case words.SelectorDropped:
		c.want(slices.ContainsFunc(c.objects.OperatorGroups, func(g cluster.OperatorGroup) bool { return slices.Equal(g.Dropped, w.Args().Names) }), "no group has them")
	case words.OpenShiftLimit, words.AboveLimit, words.NeverInstalled:
		c.want(slices.Contains(c.selected(), w.Args().Subject), "it is not selected")
	default:
		c.want(false, "nothing is known of kind %q", w.Kind())
	}
}

// paths checks why no updates lead to the heads of what is installed.
func (c *claims) paths() {
	for _, s := range c.subscriptions(c.home("")) {
		_, err := resolver.New().Path(c.ctx, c.Problem, s.Key(), "")
		var none *result.NoPath
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

func (c *claims) blocked(namespace string, none *result.NoPath, b result.BlockedUpdate) {
	switch why := b.Err.(type) {
	case *result.Hold:
		hold := c.hold(namespace, b.From)
		c.want(hold != nil && *hold == *why, "the hold is %v", hold)
	case *result.Unlisted:
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
