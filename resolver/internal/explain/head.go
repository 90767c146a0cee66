package explain

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// head is which requests cannot be satisfied, and why.
func (d *derivation) head() result.Conflict {
	head := result.Conflict{Causes: d.causes}
	if d.asked != solver.None {
		asked := encode.Ref(d.m, d.asked)
		head.Asked = &asked
	}
	var parts []*encode.Part // which start the core
	for _, r := range d.core {
		switch r.Kind {
		case solver.KindRoot:
			p, asked := d.m.Root(r.Rule)
			head.Requests = append(head.Requests, p.Asked(asked))
			parts = append(parts, p)
			continue
		case solver.KindGiven:
			head.Installed = append(head.Installed, encode.Ref(d.m, r.Var))
		case solver.KindSelect:
			if r.Var != d.asked {
				head.Chosen = append(head.Chosen, encode.Ref(d.m, r.Var))
			}
		default:
			continue
		}
		parts = append(parts, d.m.Of(r.Var))
	}
	switch parts = slices.Compact(parts); len(parts) {
	case 0:
		head.Scope = d.m.Parts[0].Scope
	case 1:
		head.Scope = parts[0].Scope
	}
	return head
}
