package answer

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// warn fills in what the answer should make people look at.
func (a *answer) warn() {
	a.out.Warnings = append(a.out.Warnings, a.p.Visibility.Warnings...)
	if a.p.ClusterWide() {
		a.warnExtension()
	}
	for _, v := range a.Selected {
		if c, ok := a.chosen[v]; ok {
			a.warnOf(v, c.catalog, c.bundle, c.at)
			continue
		}
		a.warnKept(v)
	}
	for i := range a.p.Requests {
		a.warnQuarantine(&a.p.Requests[i])
	}
	a.out.Warnings = result.SortWarnings(a.out.Warnings)
}

// warnKept looks at an installed bundle through the Subscription that it
// belongs to and its entry in the catalog.
func (a *answer) warnKept(v solver.Var) {
	b := a.p.AsInstalled(v)
	for _, i := range b.Subscriptions {
		r := &a.p.Requests[i]
		at, _ := r.Place(v)
		if at.Channel == nil {
			a.warnUnlisted(b, a.p.Asked(r))
			continue
		}
		of := catalogOf(a.p, at.Channel)
		var listed *catalog.Bundle
		if id := at.At().Bundle; id >= 0 {
			listed = a.p.Universe.Catalogs[of].Snapshot.Bundle(id)
		}
		a.warnDeprecated(of, b.Name(), listed, at.Channel.Package, at.Channel)
		a.warnBelowHead(v, of, b.Name(), at)
	}
}

// catalogOf returns the catalog that a channel of the universe belongs to.
func catalogOf(p *encode.Part, channel *catalog.Channel) int {
	return slices.IndexFunc(p.Universe.Catalogs, func(c candidate.Catalog) bool {
		pkg := c.Snapshot.Package(channel.Package)
		return pkg != nil && pkg.Channel(channel.Name) == channel
	})
}

// warnUnlisted looks at an installed bundle that its channel does not list any
// more: what is said of the package and the channel still concerns it.
func (a *answer) warnUnlisted(b *encode.InstalledBundle, asked *result.Request) {
	if b.Own == candidate.NoCatalog {
		return
	}
	if pkg := a.p.Universe.Catalogs[b.Own].Snapshot.Package(asked.Package); pkg != nil {
		var channel *catalog.Channel
		if len(asked.Channels) > 0 {
			channel = pkg.Channel(asked.Channels[0])
		}
		a.warnDeprecated(b.Own, b.Name(), nil, pkg.Name, channel)
	}
}

// warnOf looks at a newly selected bundle.
func (a *answer) warnOf(v solver.Var, catalog int, b *catalog.Bundle, at candidate.Place) {
	if at.Channel != nil && !requestedByExtension(a.p, v) {
		a.warnDeprecated(catalog, b.Name, b, at.Channel.Package, at.Channel)
		a.warnBelowHead(v, catalog, b.Name, at)
	}
	if _, limited := b.Properties.MaxOpenShift(); limited {
		return
	}
	if b.Properties.States(properties.TypeMaxOpenShift) {
		a.add(result.WarnOpenShiftLimit, b.Name, nil)
	}
}

// warnDeprecated states deprecations of the bundle, its channel and package;
// bundle and channel may be unknown.
func (a *answer) warnDeprecated(catalog int, name string, b *catalog.Bundle, pkgName string, channel *catalog.Channel) {
	if pkg := a.p.Universe.Catalogs[catalog].Snapshot.Package(pkgName); pkg != nil {
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
func (a *answer) warnBelowHead(v solver.Var, catalog int, name string, at candidate.Place) {
	head := at.Channel.Head()
	if a.p.ClusterWide() || head == nil || head.Name == name {
		return
	}
	below := result.BelowHead{Head: head.Name, Channel: at.Channel.Name, Package: at.Channel.Package}
	a.belowHeadCause(&below, v, catalog, at)
	a.add(result.WarnBelowHead, name, below)
}

// belowHeadCause says why a choice is below the head, where that can be seen
// without solving again.
func (a *answer) belowHeadCause(below *result.BelowHead, v solver.Var, of int, at candidate.Place) {
	p, head := a.p, at.Channel.Head()
	toHead := func(r *encode.Request) bool {
		return head.Bundle != catalog.NoBundle && slices.Contains(r.Candidates, p.Number(of, head.Bundle))
	}
	for _, i := range a.requests[a.At(v)] {
		r := &p.Requests[i]
		switch {
		case r.Current >= 0 && p.Installed[r.Current].Held() != nil:
			below.Hold = p.Installed[r.Current].Held()
		case r.Current >= 0 && p.InstalledVar(r.Current) != v && !toHead(r):
			below.OneStep = true
		case r.Current < 0 && p.Asked(r).StartingCSV != "":
			below.StartingCSV = true
		default:
			continue
		}
		return
	}
	if head.Bundle == catalog.NoBundle {
		below.HeadUnusable, below.Faults = true, missing.Faults(p, []int{of}, at.Channel.Package)
	} else {
		below.Hopeless = hopeless(p, p.Number(of, head.Bundle))
	}
}

// hopeless says why a bundle can never be selected, if that is to be seen from
// its own rules: it is forbidden, or requires what no bundle has.
func hopeless(p *encode.Part, v solver.Var) *result.Hopeless {
	if _, installed := p.Aliases[v]; installed {
		return nil
	}
	for _, rule := range p.Rules(v) {
		choice, ok := rule.Formula.(*solver.Choice)
		if !ok || len(candidate.Positive(choice, nil)) > 0 {
			continue
		}
		why := &result.Hopeless{Rule: encode.RuleReason(p, p.Origins[rule.Origin])}
		if why.Rule.Constraint != nil {
			why.Missing = &missing.Find(p, why.Rule.Constraint)[0].Reason
		}
		return why
	}
	return nil
}

// maxFaultWarnings is how many faults of a package in a catalog are stated one
// by one.
const maxFaultWarnings = 100

// warnQuarantine states what faults took from a package that is asked for.
func (a *answer) warnQuarantine(r *encode.Request) {
	for i, c := range a.p.Universe.Catalogs {
		faults := missing.Quarantined(a.p, i, r.PackageName())
		if more := len(faults) - maxFaultWarnings; more > 0 {
			faults = faults[:maxFaultWarnings]
			a.add(result.WarnQuarantine, r.PackageName(), result.CatalogFault{Catalog: c.Key, More: more})
		}
		for _, f := range faults {
			a.add(result.WarnQuarantine, r.PackageName(), result.CatalogFault{Catalog: c.Key, Fault: f})
		}
	}
}
