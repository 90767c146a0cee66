package resolver

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/solver"
)

// answer turns a solution of the problem into a Resolution.
type answer struct {
	p        *problem
	selected []solver.Var
	// chosen tells how each selected catalog bundle came in, by number.
	chosen map[solver.Var]chosen
	// requests are the indices of those that a selected bundle meets.
	requests map[solver.Var][]int
	// asked are the constraints of the selected bundles.
	asked []askedConstraint
	out   *Resolution
}

// askedConstraint is a constraint of a selected bundle. The formula is in the
// numbers of the answer's problem; owner and origin are those of the problem
// that the bundle belongs to.
type askedConstraint struct {
	by      *problem
	owner   solver.Var
	formula solver.Formula
	origin  int32
}

// chosen is a catalog bundle of the answer with the place through which it was
// reached.
type chosen struct {
	bundle  *cache.Bundle
	catalog int
	at      entryPlace
}

// asked lists the constraints of the selected bundles.
func (p *problem) asked(selected []solver.Selection) []askedConstraint {
	var list []askedConstraint
	for _, sel := range selected {
		for _, rule := range p.Rules(sel.Var) {
			if p.origins[rule.Origin].kind == ReasonDependency {
				list = append(list, askedConstraint{p, sel.Var, rule.Formula, rule.Origin})
			}
		}
	}
	return list
}

// resolution makes the answer from what was selected; foreign are constraints of
// what other problems selected.
func (p *problem) resolution(selected []solver.Selection, foreign []askedConstraint) *Resolution {
	a := answer{
		p:        p,
		asked:    append(p.asked(selected), foreign...),
		chosen:   make(map[solver.Var]chosen, len(selected)),
		requests: make(map[solver.Var][]int, len(selected)),
		out:      &Resolution{Namespace: p.namespace, Approval: p.approval()},
	}
	if p.extension != nil {
		a.out.Extension = p.extension.Name
	}
	for _, sel := range selected {
		a.selected = append(a.selected, sel.Var)
		a.requests[sel.Var] = nil
	}
	for i := range p.requests {
		for _, v := range p.requests[i].candidates {
			if met, ok := a.requests[v]; ok {
				a.requests[v] = append(met, i)
			}
		}
	}
	for _, sel := range selected {
		if p.asInstalled(sel.Var) == nil {
			a.install(sel)
		}
	}
	a.keep()
	a.findUnneeded()
	a.warn()
	return a.out
}

// approval is Manual if any Subscription of the namespace asks for it.
func (p *problem) approval() Approval {
	for i := range p.state.subscriptions {
		if p.state.subscriptions[i].Manual {
			return Manual
		}
	}
	return Automatic
}

func (a *answer) install(sel solver.Selection) {
	catalog, id := a.p.universe.locate(sel.Var)
	b := a.p.universe.catalogs[catalog].snapshot.Bundle(id)
	c := chosen{bundle: b, catalog: catalog, at: a.p.reached(sel, b)}
	a.chosen[sel.Var] = c
	in := Install{
		Bundle:     b.Name,
		Package:    b.Package,
		Version:    b.Version.String(),
		Release:    string(b.Release),
		Catalog:    a.p.universe.catalogs[catalog].key,
		Image:      b.Image,
		For:        a.serves(sel.Var),
		Place:      sel.Place,
		properties: b.Properties,
	}
	if e := c.at.at(); e != nil {
		in.Channel, in.Replaces = c.at.channel.Name, e.Replaces
	}
	if replaced := a.p.excludes[sel.Var]; len(replaced) > 0 {
		in.Replaces = a.p.asInstalled(replaced[0]).name()
	}
	a.out.Installs = append(a.out.Installs, in)
}

// reached returns the place through which the obligation that selected a
// bundle reached it.
func (p *problem) reached(sel solver.Selection, b *cache.Bundle) entryPlace {
	if sel.Owner == solver.None && sel.Rule >= 0 {
		at, _ := p.requests[sel.Rule].place(sel.Var)
		return at
	}
	if p.universe.byVersion || len(b.Places) == 0 {
		c, _ := p.universe.locate(sel.Var)
		return firstPlace(p.universe.catalogs[c].snapshot.Package(b.Package), b.Name, func(*cache.Channel) bool { return true })
	}
	best := b.Places[0]
	return entryPlace{best.Channel, best.Entry}
}

// serves lists the requests and constraints that v meets.
func (a *answer) serves(v solver.Var) []Served {
	var list []Served
	for _, i := range a.requests[v] {
		list = append(list, a.p.requests[i].served())
	}
	for _, c := range a.asked {
		if c.by == a.p && c.owner == v || !meets(c.formula, v) {
			continue
		}
		served := Served{
			Bundle:     c.by.nameOf(c.owner),
			Constraint: c.by.constraintOf(c.by.origins[c.origin]).Expr.String(),
		}
		if c.by != a.p {
			served.Namespace = c.by.namespace
		}
		list = append(list, served)
	}
	return list
}

// meets reports whether v satisfies a choice of the formula.
func meets(f solver.Formula, v solver.Var) bool {
	has := func(part solver.Formula) bool { return meets(part, v) }
	switch f := f.(type) {
	case *solver.Choice:
		return slices.Contains(f.Also, v) ||
			slices.ContainsFunc(f.Candidates, func(segment []solver.Var) bool { return slices.Contains(segment, v) })
	case *solver.And:
		return slices.ContainsFunc(f.Parts, has)
	case *solver.Or:
		return slices.ContainsFunc(f.Parts, has)
	}
	return false
}

// nameOf is the bundle's name.
func (p *problem) nameOf(v solver.Var) string {
	if b := p.asInstalled(v); b != nil {
		return b.name()
	}
	return p.universe.bundle(v).Name
}

// constraintOf returns the constraint that a dependency rule comes from.
func (p *problem) constraintOf(o origin) constraints.Constraint {
	if b := p.asInstalled(o.bundle); b != nil {
		return b.constraints[o.constraint]
	}
	return p.universe.bundle(o.bundle).Constraints[o.constraint]
}

// keep lists what is kept and what is replaced, both by name.
func (a *answer) keep() {
	for i := range a.p.installed {
		b := &a.p.installed[i]
		if b.foreign {
			continue
		}
		v := a.p.installedVar(i)
		if !slices.Contains(a.selected, v) {
			a.out.Replaced = append(a.out.Replaced, b.name())
			continue
		}
		a.out.Kept = append(a.out.Kept, Kept{
			Bundle:  b.name(),
			Package: b.packageName(),
			Version: b.version.String(),
			For:     a.serves(v),

			properties: b.properties,
		})
	}
}

func (a *answer) warnf(w Warning) { a.out.Warnings = append(a.out.Warnings, w) }

// sortWarnings brings warnings into their order and drops repeats.
func sortWarnings(list []Warning) []Warning {
	slices.SortFunc(list, func(x, y Warning) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Subject, y.Subject), cmp.Compare(x.Message, y.Message))
	})
	return slices.Compact(list)
}
