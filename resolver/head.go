package resolver

import (
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// head is who cannot have what they ask for, and why.
func (d *derivation) head() result.Conflict {
	head := result.Conflict{Causes: d.causes}
	switch p, one := d.demander(); {
	case p.extension != nil:
		head.Extension = p.extension.Name
	case one:
		head.Namespace = p.namespace
	}
	if d.asked != solver.None {
		asked := ref(d.m, d.asked)
		head.Asked = &asked
	}
	for _, r := range d.core {
		switch {
		case r.Kind == solver.KindRoot:
			p, asked := d.m.root(r.Rule)
			head.Requests = append(head.Requests, p.requested(asked))
		case r.Kind == solver.KindGiven:
			head.Installed = append(head.Installed, ref(d.m, r.Var))
		case r.Kind == solver.KindSelect && r.Var != d.asked:
			head.Chosen = append(head.Chosen, ref(d.m, r.Var))
		}
	}
	return head
}

// demander returns a problem whose demands start the core, and whether there is
// only one.
func (d *derivation) demander() (first *problem, one bool) {
	one = true
	for _, r := range d.core {
		var p *problem
		switch r.Kind {
		case solver.KindRoot:
			p, _ = d.m.root(r.Rule)
		case solver.KindGiven, solver.KindSelect:
			p = d.m.of(r.Var)
		default:
			continue
		}
		if first == nil {
			first = p
		}
		one = one && p == first
	}
	if first == nil {
		first = d.m.parts[0]
	}
	return first, one
}
