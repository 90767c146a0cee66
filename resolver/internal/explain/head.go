package explain

import (
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// head is who cannot have what they ask for, and why.
func (d *derivation) head() result.Conflict {
	head := result.Conflict{Causes: d.causes}
	switch p, one := d.demander(); {
	case p.ClusterWide():
		head.Extension = d.m.Extension
	case one:
		head.Namespace = p.Namespace
	}
	if d.asked != solver.None {
		asked := encode.Ref(d.m, d.asked)
		head.Asked = &asked
	}
	for _, r := range d.core {
		switch {
		case r.Kind == solver.KindRoot:
			p, asked := d.m.Root(r.Rule)
			head.Requests = append(head.Requests, p.Asked(asked))
		case r.Kind == solver.KindGiven:
			head.Installed = append(head.Installed, encode.Ref(d.m, r.Var))
		case r.Kind == solver.KindSelect && r.Var != d.asked:
			head.Chosen = append(head.Chosen, encode.Ref(d.m, r.Var))
		}
	}
	return head
}

// demander returns a problem whose demands start the core, and whether there is
// only one.
func (d *derivation) demander() (first *encode.Part, one bool) {
	one = true
	for _, r := range d.core {
		var p *encode.Part
		switch r.Kind {
		case solver.KindRoot:
			p, _ = d.m.Root(r.Rule)
		case solver.KindGiven, solver.KindSelect:
			p = d.m.Of(r.Var)
		default:
			continue
		}
		if first == nil {
			first = p
		}
		one = one && p == first
	}
	if first == nil {
		first = d.m.Parts[0]
	}
	return first, one
}
