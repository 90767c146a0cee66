package resolver

import (
	"fmt"
	"slices"
	"strings"

	catalogpkg "github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/solver"
)

// warn fills in what the answer should make people look at.
func (a *answer) warn() {
	for _, w := range a.p.visibility.warnings {
		a.warnf(w)
	}
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
	a.out.Warnings = sortWarnings(a.out.Warnings)
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
		var listed *catalogpkg.Bundle
		if id := at.at().Bundle; id >= 0 {
			listed = a.p.universe.catalogs[catalog].snapshot.Bundle(id)
		}
		a.warnDeprecated(catalog, b.name(), listed, at.channel.Package, at.channel)
		a.warnBelowHead(v, catalog, b.name(), at)
	}
}

// catalogOf returns the catalog that a channel of the universe belongs to.
func (p *problem) catalogOf(channel *catalogpkg.Channel) int {
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
func (a *answer) warnOf(v solver.Var, catalog int, b *catalogpkg.Bundle, at entryPlace) {
	if at.channel != nil && !a.p.requestedByExtension(v) {
		a.warnDeprecated(catalog, b.Name, b, at.channel.Package, at.channel)
		a.warnBelowHead(v, catalog, b.Name, at)
	}
	if _, limited := b.Properties.MaxOpenShift(); !limited && b.Properties.States(properties.TypeMaxOpenShift) {
		a.warnf(Warning{Kind: WarnOpenShiftLimit, Subject: b.Name,
			Message: fmt.Sprintf("%s states an %s that cannot be read; it counts as having no limit", b.Name, properties.TypeMaxOpenShift)})
	}
}

// warnDeprecated tells of deprecations of the bundle, its channel and package;
// bundle and channel may be unknown.
func (a *answer) warnDeprecated(catalog int, name string, b *catalogpkg.Bundle, pkgName string, channel *catalogpkg.Channel) {
	add := func(what, message string) {
		a.warnf(Warning{Kind: WarnDeprecation, Subject: name, Message: what + " is deprecated: " + oneLine(message)})
	}
	if pkg := a.p.universe.catalogs[catalog].snapshot.Package(pkgName); pkg != nil && pkg.Deprecation != "" {
		add("package "+pkg.Name, pkg.Deprecation)
	}
	if channel != nil && channel.Deprecation != "" {
		add("channel "+channel.Name+" of package "+pkgName, channel.Deprecation)
	}
	if b != nil && b.Deprecation != "" {
		add("bundle "+b.Name, b.Deprecation)
	}
}

// warnBelowHead tells of a choice that is not the head of its channel.
func (a *answer) warnBelowHead(v solver.Var, catalog int, name string, at entryPlace) {
	head := at.channel.Head()
	if a.p.extension != nil || head == nil || head.Name == name {
		return
	}
	message := fmt.Sprintf("%s is below %s, the head of channel %s of package %s", name, head.Name, at.channel.Name, at.channel.Package)
	if why := a.belowHeadText(v, catalog, at); why != "" {
		message += ": " + why
	}
	a.warnf(Warning{Kind: WarnBelowHead, Subject: name, Message: message})
}

// belowHeadText says in a few words why a choice is below the head, where that
// can be seen without solving again.
func (a *answer) belowHeadText(v solver.Var, catalog int, at entryPlace) string {
	p := a.p
	for _, i := range a.requests[a.at(v)] {
		r := &p.requests[i]
		switch {
		case r.current >= 0 && p.installed[r.current].held():
			return "its operator is not upgradeable now" + conditionText(p.installed[r.current].hold)
		case r.current >= 0 && p.installedVar(r.current) != v:
			return "an update goes one step at a time"
		case r.subscription != nil && r.subscription.StartingCSV != "" && r.current < 0:
			return "startingCSV asks for it"
		}
	}
	head := at.channel.Head()
	if head.Bundle == catalogpkg.NoBundle {
		return "the head cannot be used" + p.quarantineText([]int{catalog}, at.channel.Package)
	}
	return p.hopeless(p.universe.number(catalog, head.Bundle))
}

// hopeless says why a bundle can never be selected, if that is to be seen from
// its own rules: it is forbidden, or requires what no bundle has.
func (p *problem) hopeless(v solver.Var) string {
	if _, installed := p.aliases[v]; installed {
		return ""
	}
	for _, rule := range p.Rules(v) {
		o := p.origins[rule.Origin]
		choice, ok := rule.Formula.(*solver.Choice)
		if !ok || len(positive(choice, nil)) > 0 {
			continue
		}
		if o.kind != ReasonDependency {
			return p.nameOf(v) + " " + o.detail
		}
		e := p.constraintOf(o).Expr
		lack, _, _ := strings.Cut(p.lack(e)[0].Text, nearestText) // it is no slip of the user's
		return fmt.Sprintf("%s requires %s, but %s", p.nameOf(v), e, lack)
	}
	return ""
}

// maxQuarantineWarnings is how many faults of a package in a catalog are told one
// by one.
const maxQuarantineWarnings = 100

// warnQuarantine tells what faults took from a package that is asked for.
func (a *answer) warnQuarantine(r *request) {
	for i, c := range a.p.universe.catalogs {
		faults := a.p.quarantined(i, r.packageName())
		if more := len(faults) - maxQuarantineWarnings; more > 0 {
			faults = faults[:maxQuarantineWarnings]
			a.warnf(Warning{Kind: WarnQuarantine, Subject: r.packageName(),
				Message: fmt.Sprintf("catalog %s: %d more faults of package %s", c.key, more, r.packageName())})
		}
		for _, f := range faults {
			a.warnf(Warning{Kind: WarnQuarantine, Subject: r.packageName(),
				Message: fmt.Sprintf("catalog %s: %s", c.key, f.Error())})
		}
	}
}
