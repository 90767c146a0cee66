package fix

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// DeleteAll is the very last resort, where not even leaving requests out helps:
// what is installed fails by itself. It deletes a request or an installed bundle
// of each failure that comes up, until none does.
func (f *Fixer) DeleteAll(m *encode.Model, core []solver.Reason) []result.Fix {
	var all []change
	in := f.In
	for len(all) < maxDeletions && f.spend() {
		list := changes(m, core)
		i := slices.IndexFunc(list, func(c change) bool { return c.fix.Kind == result.FixDrop || c.fix.Kind == result.FixDeleteCSV })
		if i < 0 {
			return nil
		}
		all = append(all, list[i])
		list[i].apply(&in)
		o, ok := f.try(in, true)
		if !ok {
			return nil
		}
		if o.solved {
			return []result.Fix{combined(f.needed(all))}
		}
		m, core = o.m, o.core
	}
	return nil
}

// needed leaves out changes without which the others help as well, until there are
// none. They are few.
func (f *Fixer) needed(all []change) []change {
	for i := len(all) - 1; i >= 0; i-- {
		others := slices.Delete(slices.Clone(all), i, i+1)
		in := f.In
		for _, c := range others {
			c.apply(&in)
		}
		if o, ok := f.try(in, false); ok && o.solved && len(others) > 0 {
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
