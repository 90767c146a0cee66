package fix

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/solver"
)

// DropAll is the last resort: to delete all requests that block the others.
func (f *Fixer) DropAll(m *engine.Problem, blocking []cluster.RequestKey) []fixes.Fix {
	var all []change
	for i := range m.Model.Demands {
		if p, r := m.Root(i); slices.Contains(blocking, r.Key()) {
			all = append(all, dropRequest(p, r))
		}
	}
	if len(all) > maxDeletions { // to find which of them are needed costs too much
		if o := f.try(f.In, false, all...); o != nil && o.solved() {
			return []fixes.Fix{fixed(o, all...)}
		}
		return nil
	}
	if len(all) == 0 {
		return nil
	}
	if o := f.try(f.In, false, all...); o == nil || !o.solved() {
		return nil
	}
	return f.combined(all)
}

// DeleteAll is the very last resort, where not even leaving requests out helps:
// what is installed fails by itself. It deletes a request or an installed bundle
// of each failure that comes up, until none does.
func (f *Fixer) DeleteAll(m *engine.Problem, core []solver.Reason) []fixes.Fix {
	var all []change
	o := &outcome{in: f.In, m: m, core: core}
	for len(all) < maxDeletions && f.Ctx.Err() == nil {
		list := slices.DeleteFunc(changes(o.m, o.core), func(c change) bool { return !c.deletes() })
		if len(list) == 0 {
			return nil
		}
		// What is installed fails, so deleting that comes first.
		next := slices.MinFunc(list, func(a, b change) int { return cmp.Compare(a.size, b.size) })
		all = append(all, next)
		if o = f.try(o.in, true, next); o == nil {
			return nil
		}
		if o.solved() {
			return f.combined(all)
		}
	}
	f.Limited = true
	return nil
}
