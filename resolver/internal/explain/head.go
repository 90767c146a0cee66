package explain

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// head is which requests cannot be satisfied, and why.
func (d *derivation) head() *result.Conflict {
	head := &result.Conflict{Causes: d.causes}
	if d.asked != solver.None {
		asked := model.Ref(d.m.Model, d.asked)
		head.Asked = &asked
	}
	var parts []*model.Part // which start the core
	for _, r := range d.core {
		switch r.Kind {
		case solver.KindRoot:
			p, asked := d.m.Root(r.Rule)
			head.Requests = append(head.Requests, asked.Asked(p, asked))
			parts = append(parts, p)
			continue
		case solver.KindGiven:
			head.Installed = append(head.Installed, model.Ref(d.m.Model, r.Var))
		case solver.KindSelect:
			if r.Var != d.asked {
				head.Chosen = append(head.Chosen, model.Ref(d.m.Model, r.Var))
			}
		default:
			continue
		}
		parts = append(parts, d.m.Model.Of(r.Var))
	}
	switch parts = slices.Compact(parts); len(parts) {
	case 0:
		head.Scope = d.m.Model.Parts[0].Scope
	case 1:
		head.Scope = parts[0].Scope
	}
	return head
}
