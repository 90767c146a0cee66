package resolver

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// answer turns a solution of the problem into a Resolution.
type answer struct {
	p *problem
	meetings
	// chosen tells how each selected catalog bundle came in, by number.
	chosen map[solver.Var]chosen
	// asked are the constraints of the selected bundles.
	asked []askedConstraint
	// requests and serving are the indices of the requests and of the constraints
	// that each selected bundle meets.
	requests, serving [][]int
	out               *result.Resolution
}

// askedConstraint is a constraint of a selected bundle. The formula is in the
// numbers of the answer's problem; owner and origin are those of the problem
// that the bundle belongs to.
type askedConstraint struct {
	by      *problem
	owner   solver.Var
	formula solver.Formula
	origin  int32
	// metBy are the indices of the selected bundles of the answer that meet it.
	metBy []int
}

// chosen is a catalog bundle of the answer with the place through which it was
// reached.
type chosen struct {
	bundle  *catalog.Bundle
	catalog int
	at      entryPlace
}

// asked lists the constraints of the selected bundles.
func (p *problem) asked(selected []solver.Selection) []askedConstraint {
	var list []askedConstraint
	for _, sel := range selected {
		for _, rule := range p.Rules(sel.Var) {
			if p.origins[rule.Origin].kind == result.ReasonDependency {
				list = append(list, askedConstraint{by: p, owner: sel.Var, formula: rule.Formula, origin: rule.Origin})
			}
		}
	}
	return list
}

// resolution makes the answer from what was selected; foreign are constraints of
// what other problems selected.
func (p *problem) resolution(selected []solver.Selection, foreign []askedConstraint) *result.Resolution {
	a := answer{
		p:      p,
		asked:  append(p.asked(selected), foreign...),
		chosen: make(map[solver.Var]chosen, len(selected)),
		out:    &result.Resolution{Namespace: p.namespace, Approval: p.approval()},
	}
	if p.extension != nil {
		a.out.Extension = p.extension.Name
	}
	vars := make([]solver.Var, len(selected))
	for i, sel := range selected {
		vars[i] = sel.Var
	}
	a.meetings = newMeetings(vars)
	a.findMet()
	for n, sel := range selected {
		if p.asInstalled(sel.Var) == nil {
			a.install(n, sel)
		}
	}
	a.keep()
	a.findUnneeded()
	a.warn()
	return a.out
}

// approval is Manual if any Subscription of the namespace asks for it.
func (p *problem) approval() result.Approval {
	for i := range p.state.subscriptions {
		if p.state.subscriptions[i].Manual {
			return result.Manual
		}
	}
	return result.Automatic
}

func (a *answer) install(n int, sel solver.Selection) {
	catalog, id := a.p.locate(sel.Var)
	b := a.p.universe.catalogs[catalog].snapshot.Bundle(id)
	c := chosen{bundle: b, catalog: catalog, at: a.p.reached(sel, b)}
	a.chosen[sel.Var] = c
	in := result.Install{
		Bundle:     b.Name,
		Package:    b.Package,
		Version:    b.Version.String(),
		Release:    string(b.Release),
		Catalog:    a.p.universe.catalogs[catalog].key,
		Image:      b.Image,
		For:        a.serves(n),
		Place:      sel.Place,
		Properties: b.Properties,
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
func (p *problem) reached(sel solver.Selection, b *catalog.Bundle) entryPlace {
	if sel.Owner == solver.None && sel.Rule >= 0 {
		at, _ := p.requests[sel.Rule-p.firstRoot].place(sel.Var)
		return at
	}
	if p.universe.byVersion || len(b.Places) == 0 {
		c, _ := p.locate(sel.Var)
		return firstPlace(p.universe.catalogs[c].snapshot.Package(b.Package), b.Name, func(*catalog.Channel) bool { return true })
	}
	best := b.Places[0]
	return entryPlace{best.Channel, best.Entry}
}

// findMet finds who meets which request and which constraint.
func (a *answer) findMet() {
	lists := make([][]int, 2*len(a.selected))
	a.requests, a.serving = lists[:len(a.selected)], lists[len(a.selected):]
	var met []int
	for i := range a.p.requests {
		met = a.among(a.p.requests[i].candidates, met[:0])
		for _, n := range met {
			a.requests[n] = append(a.requests[n], i)
		}
	}
	met = nil
	for i := range a.asked {
		from := len(met)
		met = a.of(a.asked[i].formula, met)
		a.asked[i].metBy = met[from:]
		for _, n := range met[from:] {
			if known := a.serving[n]; len(known) == 0 || known[len(known)-1] != i {
				a.serving[n] = append(known, i)
			}
		}
	}
}

// serves lists the requests and constraints that the n-th selected bundle meets.
func (a *answer) serves(n int) []result.Served {
	var list []result.Served
	for _, i := range a.requests[n] {
		list = append(list, a.p.requests[i].served())
	}
	for _, i := range a.serving[n] {
		c := a.asked[i]
		if c.by == a.p && c.owner == a.selected[n] {
			continue
		}
		served := result.Served{
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

// keep lists what is kept and what is replaced, both by name.
func (a *answer) keep() {
	for i := range a.p.installed {
		b := &a.p.installed[i]
		if b.foreign {
			continue
		}
		n := a.at(a.p.installedVar(i))
		if n < 0 {
			a.out.Replaced = append(a.out.Replaced, b.name())
			continue
		}
		a.out.Kept = append(a.out.Kept, result.Kept{
			Bundle:  b.name(),
			Package: b.packageName(),
			Version: b.version.String(),
			For:     a.serves(n),

			Properties: b.properties,
		})
	}
}

// add adds a warning.
func (a *answer) add(kind result.WarningKind, subject string, d result.Detail) {
	a.out.Warnings = append(a.out.Warnings, result.Warning{Kind: kind, Subject: subject, Detail: d})
}

// resolutionsOf turns a solution into one answer a part.
func resolutionsOf(m *model, s *solver.Solution) []*result.Resolution {
	if len(m.parts) == 1 {
		return []*result.Resolution{m.parts[0].resolution(s.Selected, nil)}
	}
	selected := make([][]solver.Selection, len(m.parts))
	for _, sel := range s.Selected {
		i := m.of(sel.Var).index
		selected[i] = append(selected[i], sel)
	}
	foreign := make([][]askedConstraint, len(m.parts))
	for i, p := range m.parts {
		for _, n := range p.neighbours {
			foreign[n.index] = append(foreign[n.index], p.asked(selected[i])...)
		}
	}
	resolutions := make([]*result.Resolution, len(m.parts))
	for i, p := range m.parts {
		resolutions[i] = p.resolution(selected[i], foreign[i])
	}
	return resolutions
}
