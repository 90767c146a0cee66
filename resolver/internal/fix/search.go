// Package fix looks for changes of the inputs with which a failed problem can be
// resolved. Every change is tried before it is shown.
package fix

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Limits of the search for fixes. A try costs about as much as a resolution.
const (
	maxFixes    = 5
	maxTries    = 40
	maxTogether = 6 // changes that one fix may be made of
	// maxDeletions is how many requests and bundles the very last resort deletes:
	// a longer list is no advice.
	maxDeletions = 6
)

// change is a change of the inputs that may help.
type change struct {
	fix result.Fix
	// size ranks changes: the smaller, the less it asks of people.
	size  int
	apply func(in *encode.Inputs)
}

// Fixer looks for changes with which a failed problem can be resolved.
type Fixer struct {
	Ctx context.Context
	In  encode.Inputs
	// Read makes the problem of inputs.
	Read  func(context.Context, context.CancelFunc, encode.Inputs) (*encode.Model, error)
	tries int
}

// outcome is what a try came to.
type outcome struct {
	in     encode.Inputs
	solved bool
	m      *encode.Model
	core   []solver.Reason
}

// try resolves inputs with changes. ok is false if there is no outcome: the inputs
// cannot be read, or the context ended. The core of a failure is left out
// unless it is asked for, as it costs most of the time.
func (f *Fixer) try(in encode.Inputs, core bool, list ...change) (o outcome, ok bool) {
	for _, c := range list {
		c.apply(&in)
	}
	ctx, stop := context.WithCancel(f.Ctx)
	defer stop()
	m, err := f.Read(ctx, stop, in)
	if err != nil {
		return outcome{}, false
	}
	options := encode.SolverOptions(in.Options)
	options.NoCore = !core
	_, err = solver.Solve(ctx, m, options)
	if m.Ended() != nil {
		return outcome{}, false
	}
	if unsatisfiable := (*solver.Unsatisfiable)(nil); errors.As(err, &unsatisfiable) {
		// The problem is still asked for texts, so it must not look like one
		// whose context has ended.
		m.Restart(f.Ctx)
		return outcome{in: in, m: m, core: unsatisfiable.Core}, true
	}
	return outcome{in: in, solved: err == nil, m: m}, err == nil
}

// mayTry counts a try, and reports whether it is allowed.
func (f *Fixer) mayTry() bool {
	f.tries++
	return f.tries <= maxTries && f.Ctx.Err() == nil
}

// Search returns changes that were tried and help, the smallest first: every
// single one that is known, or else the first combination, which begins with a
// change that removes this failure only to uncover another one.
func (f *Fixer) Search(m *encode.Model, core []solver.Reason) []result.Fix {
	var found []result.Fix
	var open []change
	for _, c := range changes(m, core) {
		if len(found) == maxFixes || !f.mayTry() {
			break
		}
		switch o, ok := f.try(f.In, false, c); {
		case !ok:
		case o.solved:
			found = append(found, c.fix)
		default:
			open = append(open, c)
		}
	}
	if len(found) > 0 {
		return found // a single change is always smaller
	}
	for _, c := range open {
		if !f.mayTry() {
			break
		}
		o, ok := f.try(f.In, true, c)
		if !ok || o.solved || !c.progresses(m, core, o) {
			continue
		}
		if all, ok := f.complete(c, o); ok {
			return []result.Fix{combined(f.needed(all))}
		}
	}
	return nil
}

// complete adds further changes until everything can be resolved.
func (f *Fixer) complete(first change, o outcome) ([]change, bool) {
	all := []change{first}
	for range maxTogether - 1 {
		progress := false
		for _, c := range changes(o.m, o.core) {
			if !f.mayTry() {
				return nil, false
			}
			next, ok := f.try(o.in, true, c)
			if !ok || !next.solved && !c.progresses(o.m, o.core, next) {
				continue
			}
			all = append(all, c)
			if next.solved {
				return all, true
			}
			o, progress = next, true
			break
		}
		if !progress {
			return nil, false
		}
	}
	return nil, false
}

// progresses reports whether a failure that remains after a change is worth
// following: it is another one, or less is left to fail.
func (c change) progresses(m *encode.Model, core []solver.Reason, o outcome) bool {
	return c.deletes() || !overlap(m, core, o)
}

// deletes reports whether a change deletes a request or an installed bundle.
func (c change) deletes() bool {
	return c.fix.Kind == result.FixDrop || c.fix.Kind == result.FixDeleteCSV
}

// overlap reports whether a failure still has a request of the first one in
// its core.
func overlap(m *encode.Model, core []solver.Reason, o outcome) bool {
	type demand struct {
		namespace, request, installed string
		// fault is what a ClusterExtension names that is not there: package, channel
		// and version are looked for in turn.
		fault encode.FaultKind
	}
	demands := func(m *encode.Model, core []solver.Reason) []demand {
		var list []demand
		for _, r := range core {
			switch r.Kind {
			case solver.KindRoot:
				p, asked := m.Root(r.Rule)
				d := demand{namespace: p.JointNamespace(), request: asked.Name()}
				if p.ClusterWide() && asked.Fault != nil {
					d.fault = asked.Fault.Kind
				}
				list = append(list, d)
			case solver.KindGiven:
				p := m.Of(r.Var)
				list = append(list, demand{namespace: p.JointNamespace(), installed: p.NameOf(r.Var)})
			}
		}
		return list
	}
	first := demands(m, core)
	return slices.ContainsFunc(demands(o.m, o.core), func(d demand) bool { return slices.Contains(first, d) })
}

// changes lists what may remove a core, the smallest changes first and each
// once.
func changes(m *encode.Model, core []solver.Reason) []change {
	var list []change
	for _, r := range core {
		switch r.Kind {
		case solver.KindRoot:
			p, asked := m.Root(r.Rule)
			list = append(list, requestChanges(p, asked)...)
		case solver.KindGiven:
			list = append(list, deleteInstalled(m.Of(r.Var), r.Var))
		case solver.KindRule:
			p, o := m.OriginOf(r.Var, r.Rule)
			list = append(list, ruleChanges(p, o)...)
		}
	}
	slices.SortStableFunc(list, func(a, b change) int { return cmp.Compare(a.size, b.size) })
	type identity struct {
		kind                      result.FixKind
		namespace, subject, value string
	}
	seen := map[identity]bool{}
	return slices.DeleteFunc(list, func(c change) bool {
		key := identity{c.fix.Kind, c.fix.Namespace, c.fix.Subject, c.fix.Value}
		known := seen[key]
		seen[key] = true
		return known
	})
}
