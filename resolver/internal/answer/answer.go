// Package answer turns a solution into Resolutions: the bundles that are installed, kept and
// replaced, the obligations that each satisfies, and warnings. It compares a problem with its
// answers after changes, and turns answers into requests that state them.
package answer

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// answer builds the Resolution of one Part.
type answer struct {
	p *model.Part
	// scope has the requests of the Part.
	scope *request.Scoped
	satisfiers
	selection *selection
	// required are the constraints of the selected bundles, with those of other Parts that
	// bundles of this one may satisfy.
	required []obligation
	// requests and serving have, by selected bundle, the indices of the requests and of
	// the constraints that it satisfies.
	requests, serving [][]int
	out               *result.Resolution
}

// extent is how much of an answer is wanted.
type extent bool

const (
	whole extent = false
	// moves are the bundles that are installed, with the requests they are for, and those that
	// are replaced.
	moves extent = true
)

// obligation is a constraint of a selected bundle, its owner, which belongs to the Part by.
type obligation struct {
	by      *model.Part
	owner   solver.Var
	formula solver.Formula
	origin  int32
	// satisfiers are the indices of the answer's selected bundles that satisfy it.
	satisfiers []int
}

// requirements returns the constraints of selected bundles of a Part.
func requirements(p *model.Part, selected []solver.Selection) []obligation {
	var list []obligation
	for _, sel := range selected {
		for _, rule := range p.Rules(sel.Var) {
			if p.Origins[rule.Origin].Code == words.Requires {
				list = append(list, obligation{by: p, owner: sel.Var, formula: rule.Formula, origin: rule.Origin})
			}
		}
	}
	return list
}

// newAnswer returns the answer of a scope with its selected bundles and their obligations. foreign
// are the constraints of other scopes' bundles.
func newAnswer(of *request.Scoped, selected []solver.Selection, foreign []obligation, want extent) *answer {
	a := &answer{p: of.Part, scope: of}
	if want == whole {
		a.required = append(requirements(of.Part, selected), foreign...)
	}
	a.satisfiers = newSatisfiers(words.Mapped(selected, func(sel solver.Selection) solver.Var { return sel.Var }))
	a.findObligations()
	return a
}

// resolution builds the Resolution of a scope from its selected bundles.
func resolution(of *request.Scoped, selected []solver.Selection, all *selection, foreign []obligation, want extent) *result.Resolution {
	p, a := of.Part, newAnswer(of, selected, foreign, want)
	a.selection = all
	a.out = &result.Resolution{Scope: p.Scope}
	a.out.Approval, a.out.ManualFor = Approval(p.State)
	installs := 0
	for _, sel := range selected {
		if p.AsInstalled(sel.Var) == nil {
			installs++
		}
	}
	a.out.Installs = make([]result.Install, 0, installs)
	for n, sel := range selected {
		if p.AsInstalled(sel.Var) == nil {
			a.install(n, sel, want)
		}
	}
	if replaced := a.keep(want); want == whole {
		a.warnDropped(replaced)
		a.findUnneeded()
		a.warn()
		if rights, first := MissingRights(all.m, p, selected); rights != nil {
			roles := rights.Roles(p.In.Cluster, p.NameOf(first))
			a.out.Grants = &roles
		}
	}
	return a.out
}

// Approval returns how the InstallPlans of a namespace are approved, and the Subscriptions that
// say so, unless all do.
func Approval(n *cluster.NamespaceObjects) (mode string, manual []cluster.RequestKey) {
	mode = words.Automatic
	for i := range n.Subscriptions {
		if s := &n.Subscriptions[i]; s.Manual {
			mode, manual = words.Manual, append(manual, s.Key())
		}
	}
	if len(manual) == len(n.Subscriptions) {
		manual = nil
	}
	return mode, manual
}

// install adds the n-th selected bundle, a new one.
func (a *answer) install(n int, sel solver.Selection, want extent) {
	c, id := a.p.Locate(sel.Var)
	b := a.p.Catalogs[c].Snapshot.Bundle(id)
	at := a.placeOf(sel, b)
	in := result.Install{
		Bundle:     b.Key(a.p.Catalogs[c].Key),
		Version:    b.Version,
		Release:    string(b.Release),
		Image:      b.Image,
		For:        a.serves(n),
		Place:      sel.Place,
		Properties: b.Properties,
	}
	if e := at.At(); e != nil {
		in.Channel, in.Replaces = at.Channel.Name, e.Replaces
	}
	if replaced := a.p.Excludes[sel.Var]; len(replaced) > 0 {
		in.Replaces = a.p.AsInstalled(replaced[0]).Name()
	}
	a.out.Installs = append(a.out.Installs, in)
	if want == whole {
		a.warnInstalled(sel.Var, b, at)
	}
}

// placeOf returns the channel entry through which a bundle was selected: that of the request
// it was selected for, else the preferred one of its package.
func (a *answer) placeOf(sel solver.Selection, b *catalog.Bundle) catalog.Place {
	if sel.Owner == solver.None && sel.Rule >= 0 {
		return a.scope.Requests[sel.Rule-a.scope.First].List.Place(sel.Var)
	}
	if !a.p.Kind.Span.ByChannel || len(b.Places) == 0 {
		c, _ := a.p.Locate(sel.Var)
		return model.FirstPlace(a.p.Catalogs[c].Snapshot.Package(b.Package), b.Name)
	}
	return b.Places[0]
}

// findObligations finds which requests and constraints each selected bundle satisfies.
func (a *answer) findObligations() {
	lists := make([][]int, 2*len(a.selected))
	a.requests, a.serving = lists[:len(a.selected)], lists[len(a.selected):]
	var found []int
	for i := range a.scope.Requests {
		found = a.among(a.scope.Requests[i].List.Candidates, found[:0])
		for _, n := range found {
			a.requests[n] = append(a.requests[n], i)
		}
	}
	found = nil
	for i := range a.required {
		from := len(found)
		found = a.of(a.required[i].formula, found)
		a.required[i].satisfiers = found[from:]
		for _, n := range found[from:] {
			if known := a.serving[n]; len(known) == 0 || known[len(known)-1] != i {
				a.serving[n] = append(known, i)
			}
		}
	}
}

// serves returns the obligations that the n-th selected bundle satisfies, without its own.
func (a *answer) serves(n int) []result.Obligation {
	var list []result.Obligation
	for _, i := range a.requests[n] {
		list = append(list, result.Obligation{Request: a.scope.Requests[i].Key()})
	}
	for _, i := range a.serving[n] {
		c := a.required[i]
		if c.by == a.p && c.owner == a.selected[n] {
			continue
		}
		obligation := result.Obligation{
			Bundle:     c.by.NameOf(c.owner),
			Constraint: c.by.ConstraintOf(c.by.Origins[c.origin]).Expr.String(),
		}
		if c.by != a.p {
			obligation.Namespace = c.by.Namespace
		}
		list = append(list, obligation)
	}
	return list
}

// keep adds the installed bundles that are kept, if the whole answer is wanted, and those that
// are replaced, both by name. It returns the latter.
func (a *answer) keep(want extent) (replaced []*model.InstalledBundle) {
	for i := range a.p.Installed {
		b := &a.p.Installed[i]
		if b.Foreign {
			continue
		}
		n := a.at(a.p.InstalledVar(i))
		if n < 0 {
			a.out.Replaced, replaced = append(a.out.Replaced, b.Name()), append(replaced, b)
			continue
		}
		if want == moves {
			continue
		}
		kept := result.Kept{
			Bundle:     catalog.BundleKey{Name: b.Name(), Package: b.PackageName()},
			Version:    b.Version,
			For:        a.serves(n),
			Properties: b.Properties,
		}
		if b.Own != model.NoCatalog {
			kept.Bundle.Catalog = a.p.Catalogs[b.Own].Key
		}
		a.out.Kept = append(a.out.Kept, kept)
		a.warnKept(b, a.selected[n])
	}
	return replaced
}

// add adds warnings.
func (a *answer) add(list ...result.Reason) { a.out.Warnings = append(a.out.Warnings, list...) }

// ResolutionsOf turns a solution into one Resolution per Part.
func ResolutionsOf(m *world.Problem, s *solver.Solution) []*result.Resolution {
	return resolutionsOf(m, s, whole)
}

// MovesOf is [ResolutionsOf] with no more than carrying an answer out takes: the bundles that
// are installed, with the requests they are for, and those that are replaced. The warnings about
// the others take most of the time of an answer.
func MovesOf(m *world.Problem, s *solver.Solution) []*result.Resolution {
	return resolutionsOf(m, s, moves)
}

func resolutionsOf(m *world.Problem, s *solver.Solution, want extent) []*result.Resolution {
	all := &selection{m: m.Model, all: s.Selected}
	if len(m.Model.Parts) == 1 {
		return []*result.Resolution{resolution(&m.Scopes[0], s.Selected, all, nil, want)}
	}
	selected := make([][]solver.Selection, len(m.Model.Parts))
	for _, sel := range s.Selected {
		i := m.Model.Of(sel.Var).Index
		selected[i] = append(selected[i], sel)
	}
	foreign := make([][]obligation, len(m.Model.Parts))
	for i, p := range m.Model.Parts {
		for _, n := range p.Neighbors {
			foreign[n.Index] = append(foreign[n.Index], requirements(p, selected[i])...)
		}
	}
	resolutions := make([]*result.Resolution, len(m.Model.Parts))
	for i := range m.Scopes {
		resolutions[i] = resolution(&m.Scopes[i], selected[i], all, foreign[i], want)
	}
	return resolutions
}
