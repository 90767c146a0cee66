package fix

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// DropAll is the last resort: to delete all requests that block the others.
func (f *Fixer) DropAll(m *encode.Model, blocking []result.Served) []result.Fix {
	var all []change
	for i := range m.Demands {
		if p, r := m.Root(i); slices.Contains(blocking, p.Named(r)) {
			all = append(all, dropRequest(p, r))
		}
	}
	if o, ok := f.try(f.In, false, all...); !ok || !o.solved || len(all) == 0 {
		return nil
	}
	if len(all) <= maxDeletions {
		all = f.needed(all)
	}
	return []result.Fix{combined(all)}
}

// DeleteAll is the very last resort, where not even leaving requests out helps:
// what is installed fails by itself. It deletes a request or an installed bundle
// of each failure that comes up, until none does.
func (f *Fixer) DeleteAll(m *encode.Model, core []solver.Reason) []result.Fix {
	var all []change
	o := outcome{in: f.In, m: m, core: core}
	for ok := true; len(all) < maxDeletions && f.mayTry(); {
		list := changes(o.m, o.core)
		i := slices.IndexFunc(list, change.deletes)
		if i < 0 {
			return nil
		}
		all = append(all, list[i])
		if o, ok = f.try(o.in, true, list[i]); !ok {
			return nil
		}
		if o.solved {
			return []result.Fix{combined(f.needed(all))}
		}
	}
	return nil
}

// needed leaves out changes without which the others help as well, until there are
// none. They are few.
func (f *Fixer) needed(all []change) []change {
	for i := len(all) - 1; i >= 0; i-- {
		others := slices.Delete(slices.Clone(all), i, i+1)
		if o, ok := f.try(f.In, false, others...); ok && o.solved && len(others) > 0 {
			all, i = others, len(others) // those behind may not be needed any more
		}
	}
	return all
}

// combined is the fix that makes all the changes.
func combined(all []change) result.Fix {
	fix := all[0].fix
	for _, c := range all[1:] {
		fix.More = append(fix.More, c.fix)
	}
	return fix
}
