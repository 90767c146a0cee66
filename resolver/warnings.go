package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// warn fills in what the answer should make people look at.
func (a *answer) warn() {
	a.out.Warnings = append(a.out.Warnings, a.p.visibility.warnings...)
	if a.p.extension != nil {
		a.warnExtension()
	}
	for _, v := range a.selected {
		if c, ok := a.chosen[v]; ok {
			a.warnOf(v, c.catalog, c.bundle, c.at)
			continue
		}
		a.warnKept(v)
	}
	for i := range a.p.requests {
		a.warnQuarantine(&a.p.requests[i])
	}
	a.out.Warnings = result.SortWarnings(a.out.Warnings)
}

// warnKept looks at an installed bundle through the Subscription that it
// belongs to and its entry in the catalog.
func (a *answer) warnKept(v solver.Var) {
	b := a.p.asInstalled(v)
	for _, i := range b.subscriptions {
		r := &a.p.requests[i]
		at, _ := r.place(v)
		if at.channel == nil {
			a.warnUnlisted(b, r.subscription)
			continue
		}
		catalog := a.p.catalogOf(at.channel)
		var listed *cache.Bundle
		if id := at.at().Bundle; id >= 0 {
			listed = a.p.universe.catalogs[catalog].snapshot.Bundle(id)
		}
		a.warnDeprecated(catalog, b.name(), listed, at.channel.Package, at.channel)
		a.warnBelowHead(v, catalog, b.name(), at)
	}
}

// catalogOf returns the catalog that a channel of the universe belongs to.
func (p *problem) catalogOf(channel *cache.Channel) int {
	return slices.IndexFunc(p.universe.catalogs, func(c visibleCatalog) bool {
		pkg := c.snapshot.Package(channel.Package)
		return pkg != nil && pkg.Channel(channel.Name) == channel
	})
}

// warnUnlisted looks at an installed bundle that its channel does not list any
// more: what is said of the package and the channel still concerns it.
func (a *answer) warnUnlisted(b *installedBundle, s *Subscription) {
	if b.own == noCatalog {
		return
	}
	if pkg := a.p.universe.catalogs[b.own].snapshot.Package(s.Package); pkg != nil {
		a.warnDeprecated(b.own, b.name(), nil, pkg.Name, pkg.Channel(s.Channel))
	}
}

// warnOf looks at a newly selected bundle.
func (a *answer) warnOf(v solver.Var, catalog int, b *cache.Bundle, at entryPlace) {
	if at.channel != nil && !a.p.requestedByExtension(v) {
		a.warnDeprecated(catalog, b.Name, b, at.channel.Package, at.channel)
		a.warnBelowHead(v, catalog, b.Name, at)
	}
	if _, limited := b.Properties.MaxOpenShift(); limited {
		return
	}
	for t := range b.Properties.Types() {
		if t == properties.TypeMaxOpenShift {
			a.add(result.WarnOpenShiftLimit, b.Name, nil)
		}
	}
}

// warnDeprecated states deprecations of the bundle, its channel and package;
// bundle and channel may be unknown.
func (a *answer) warnDeprecated(catalog int, name string, b *cache.Bundle, pkgName string, channel *cache.Channel) {
	if pkg := a.p.universe.catalogs[catalog].snapshot.Package(pkgName); pkg != nil {
		a.addDeprecation(name, result.Deprecation{Package: pkgName, Message: pkg.Deprecation})
	}
	if channel != nil {
		a.addDeprecation(name, result.Deprecation{Package: pkgName, Channel: channel.Name, Message: channel.Deprecation})
	}
	if b != nil {
		a.addDeprecation(name, result.Deprecation{Package: pkgName, Bundle: b.Name, Message: b.Deprecation})
	}
}

// addDeprecation adds a warning if there is a message.
func (a *answer) addDeprecation(subject string, d result.Deprecation) {
	if d.Message != "" {
		a.add(result.WarnDeprecation, subject, d)
	}
}

// warnBelowHead states a choice that is not the head of its channel.
func (a *answer) warnBelowHead(v solver.Var, catalog int, name string, at entryPlace) {
	head := at.channel.Head()
	if a.p.extension != nil || head == nil || head.Name == name {
		return
	}
	a.add(result.WarnBelowHead, name, result.BelowHead{
		Head: head.Name, Channel: at.channel.Name, Package: at.channel.Package, Why: a.belowHeadCause(v, catalog, at),
	})
}

// belowHeadCause says why a choice is below the head, where that can be seen
// without solving again.
func (a *answer) belowHeadCause(v solver.Var, catalog int, at entryPlace) result.BelowHeadCause {
	p := a.p
	for _, i := range a.requests[a.at(v)] {
		r := &p.requests[i]
		switch {
		case r.current >= 0 && p.installed[r.current].held() != nil:
			return result.BelowHeadCause{Hold: p.installed[r.current].held()}
		case r.current >= 0 && p.installedVar(r.current) != v:
			return result.BelowHeadCause{OneStep: true}
		case r.subscription != nil && r.subscription.StartingCSV != "" && r.current < 0:
			return result.BelowHeadCause{StartingCSV: true}
		}
	}
	head := at.channel.Head()
	if head.Bundle == cache.NoBundle {
		return result.BelowHeadCause{HeadUnusable: true, Faults: p.faults([]int{catalog}, at.channel.Package)}
	}
	return result.BelowHeadCause{Hopeless: hopeless(p, p.number(catalog, head.Bundle))}
}

// hopeless says why a bundle can never be selected, if that is to be seen from
// its own rules: it is forbidden, or requires what no bundle has.
func hopeless(p *problem, v solver.Var) *result.Hopeless {
	if _, installed := p.aliases[v]; installed {
		return nil
	}
	for _, rule := range p.Rules(v) {
		choice, ok := rule.Formula.(*solver.Choice)
		if !ok || len(positive(choice, nil)) > 0 {
			continue
		}
		why := &result.Hopeless{Rule: ruleReason(p, p.origins[rule.Origin])}
		if why.Rule.Constraint != nil {
			why.Missing = &p.lack(why.Rule.Constraint)[0].Reason
		}
		return why
	}
	return nil
}

// maxFaultWarnings is how many faults of a package in a catalog are stated one
// by one.
const maxFaultWarnings = 100

// warnQuarantine states what faults took from a package that is asked for.
func (a *answer) warnQuarantine(r *request) {
	for i, c := range a.p.universe.catalogs {
		faults := a.p.quarantined(i, r.packageName())
		if more := len(faults) - maxFaultWarnings; more > 0 {
			faults = faults[:maxFaultWarnings]
			a.add(result.WarnQuarantine, r.packageName(), result.MoreFaults{Catalog: c.key, Count: more})
		}
		for _, f := range faults {
			a.add(result.WarnQuarantine, r.packageName(), result.CatalogFault{Catalog: c.key, Fault: f})
		}
	}
}
