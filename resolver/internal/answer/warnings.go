package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// warn fills in what the answer should make people look at.
func (a *answer) warn() {
	for _, w := range a.p.Visibility.Warnings {
		a.warnf(w)
	}
	if a.p.Extension != nil {
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
	a.out.Warnings = sortWarnings(a.out.Warnings)
}

// warnKept looks at an installed bundle through the Subscription that it
// belongs to and its entry in the catalog.
func (a *answer) warnKept(v solver.Var) {
	b := a.p.AsInstalled(v)
	for _, i := range b.Subscriptions {
		r := &a.p.Requests[i]
		at, _ := r.Place(v)
		if at.Channel == nil {
			a.warnUnlisted(b, r.Subscription)
			continue
		}
		catalog := catalogOf(a.p, at.Channel)
		var listed *cache.Bundle
		if id := at.At().Bundle; id >= 0 {
			listed = a.p.Universe.Catalogs[catalog].Snapshot.Bundle(id)
		}
		a.warnDeprecated(catalog, b.Name(), listed, at.Channel.Package, at.Channel)
		a.warnBelowHead(v, catalog, b.Name(), at)
	}
}

// catalogOf returns the catalog that a channel of the universe belongs to.
func catalogOf(p *encode.Part, channel *cache.Channel) int {
	return slices.IndexFunc(p.Universe.Catalogs, func(c candidate.Catalog) bool {
		pkg := c.Snapshot.Package(channel.Package)
		return pkg != nil && pkg.Channel(channel.Name) == channel
	})
}

// warnUnlisted looks at an installed bundle that its channel does not list any
// more: what is said of the package and the channel still concerns it.
func (a *answer) warnUnlisted(b *encode.InstalledBundle, s *cluster.Subscription) {
	if b.Own == candidate.NoCatalog {
		return
	}
	if pkg := a.p.Universe.Catalogs[b.Own].Snapshot.Package(s.Package); pkg != nil {
		a.warnDeprecated(b.Own, b.Name(), nil, pkg.Name, pkg.Channel(s.Channel))
	}
}

// warnOf looks at a newly selected bundle.
func (a *answer) warnOf(v solver.Var, catalog int, b *cache.Bundle, at candidate.Place) {
	if at.Channel != nil && !requestedByExtension(a.p, v) {
		a.warnDeprecated(catalog, b.Name, b, at.Channel.Package, at.Channel)
		a.warnBelowHead(v, catalog, b.Name, at)
	}
	if _, limited := b.Properties.MaxOpenShift(); limited {
		return
	}
	for t := range b.Properties.Types() {
		if t == properties.TypeMaxOpenShift {
			a.warnf(result.Warning{Kind: result.WarnOpenShiftLimit, Subject: b.Name,
				Message: fmt.Sprintf("%s states an %s that cannot be read; it counts as having no limit", b.Name, t)})
		}
	}
}

// warnDeprecated tells of deprecations of the bundle, its channel and package;
// bundle and channel may be unknown.
func (a *answer) warnDeprecated(catalog int, name string, b *cache.Bundle, pkgName string, channel *cache.Channel) {
	add := func(what, message string) {
		a.warnf(result.Warning{Kind: result.WarnDeprecation, Subject: name, Message: what + " is deprecated: " + result.OneLine(message)})
	}
	if pkg := a.p.Universe.Catalogs[catalog].Snapshot.Package(pkgName); pkg != nil && pkg.Deprecation != "" {
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
func (a *answer) warnBelowHead(v solver.Var, catalog int, name string, at candidate.Place) {
	head := at.Channel.Head()
	if a.p.Extension != nil || head == nil || head.Name == name {
		return
	}
	message := fmt.Sprintf("%s is below %s, the head of channel %s of package %s", name, head.Name, at.Channel.Name, at.Channel.Package)
	if why := a.belowHeadText(v, catalog, at); why != "" {
		message += ": " + why
	}
	a.warnf(result.Warning{Kind: result.WarnBelowHead, Subject: name, Message: message})
}

// belowHeadText says in a few words why a choice is below the head, where that
// can be seen without solving again.
func (a *answer) belowHeadText(v solver.Var, catalog int, at candidate.Place) string {
	p := a.p
	for _, i := range a.requests[a.At(v)] {
		r := &p.Requests[i]
		switch {
		case r.Current >= 0 && p.Installed[r.Current].Held():
			return "its operator is not upgradeable now" + result.ConditionText(p.Installed[r.Current].Hold)
		case r.Current >= 0 && p.InstalledVar(r.Current) != v:
			return "an update goes one step at a time"
		case r.Subscription != nil && r.Subscription.StartingCSV != "" && r.Current < 0:
			return "startingCSV asks for it"
		}
	}
	head := at.Channel.Head()
	if head.Bundle == cache.NoBundle {
		return "the head cannot be used" + missing.QuarantineText(p, []int{catalog}, at.Channel.Package)
	}
	return hopeless(p, p.Number(catalog, head.Bundle))
}

// hopeless says why a bundle can never be selected, if that is to be seen from
// its own rules: it is forbidden, or requires what no bundle has.
func hopeless(p *encode.Part, v solver.Var) string {
	if _, installed := p.Aliases[v]; installed {
		return ""
	}
	for _, rule := range p.Rules(v) {
		o := p.Origins[rule.Origin]
		choice, ok := rule.Formula.(*solver.Choice)
		if !ok || len(candidate.Positive(choice, nil)) > 0 {
			continue
		}
		if o.Kind != result.ReasonDependency {
			return p.NameOf(v) + " " + o.Detail
		}
		e := p.ConstraintOf(o).Expr
		lack, _, _ := strings.Cut(missing.Find(p, e)[0].Text, result.NearestText) // it is no slip of the user's
		return fmt.Sprintf("%s requires %s, but %s", p.NameOf(v), e, lack)
	}
	return ""
}

// maxQuarantineWarnings is how many faults of a package in a catalog are told one
// by one.
const maxQuarantineWarnings = 100

// warnQuarantine tells what faults took from a package that is asked for.
func (a *answer) warnQuarantine(r *encode.Request) {
	for i, c := range a.p.Universe.Catalogs {
		faults := missing.Quarantined(a.p, i, r.PackageName())
		if more := len(faults) - maxQuarantineWarnings; more > 0 {
			faults = faults[:maxQuarantineWarnings]
			a.warnf(result.Warning{Kind: result.WarnQuarantine, Subject: r.PackageName(),
				Message: fmt.Sprintf("catalog %s: %d more faults of package %s", c.Key, more, r.PackageName())})
		}
		for _, f := range faults {
			a.warnf(result.Warning{Kind: result.WarnQuarantine, Subject: r.PackageName(),
				Message: fmt.Sprintf("catalog %s: %s", c.Key, f.Error())})
		}
	}
}
