// Package fix looks for changes of the inputs with which a failed problem can be
// resolved. Every change is tried before it is shown.
package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/solver"
)

// Limits of the search for fixes. A try costs about as much as a resolution.
const (
	maxFixes    = 5
	maxTries    = 40
	maxTogether = 6 // changes that one fix may be made of
	// maxDeletions is how many requests and bundles the very last resort deletes:
	// a longer list is no advice.
	maxDeletions = 8
)

// change is a change of the inputs that may help.
type change struct {
	steps []fixes.Step
	risk  fixes.Risk
	// size ranks changes of one risk: the smaller, the less it asks of people.
	size  int
	apply func(in *model.Inputs)
	// removes are the installed bundles that go.
	removes []fixes.Version
	// also is a namespace that must still be resolved, too.
	also string
	// closer lists changes that ask less than this one, the best first, if
	// this one helps as the outcome says.
	closer func(o *outcome) []change
}

// Fixer looks for changes with which a failed problem can be resolved.
type Fixer struct {
	Ctx    context.Context
	Engine *engine.Engine
	In     model.Inputs
	tries  int
	// Limited is set if a limit kept a change from being tried.
	Limited bool
}

// outcome is what a try came to.
type outcome struct {
	in model.Inputs
	m  *engine.Problem
	// solution is nil if there is none, and core says why if that was requested.
	solution *solver.Solution
	core     []solver.Reason
	// also is the outcome in another namespace.
	also *outcome
}

func (o *outcome) solved() bool { return o.solution != nil && (o.also == nil || o.also.solved()) }

// try resolves inputs with changes. It returns nil if there is no outcome: the
// inputs cannot be read, or the context ended. The core of a failure is left out
// unless it is requested, as it costs most of the time.
func (f *Fixer) try(in model.Inputs, core bool, list ...change) *outcome {
	also := ""
	for _, c := range list {
		c.apply(&in)
		also = cmp.Or(also, c.also)
	}
	o := f.resolve(in, core)
	if o != nil && o.solved() && also != "" && !slices.Contains(in.Scopes, cluster.InNamespace(also)) {
		in.Scopes = []cluster.Scope{cluster.InNamespace(also)}
		if o.also = f.resolve(in, false); o.also == nil {
			return nil
		}
	}
	return o
}

func (f *Fixer) resolve(in model.Inputs, core bool) *outcome {
	ctx, stop := context.WithCancel(f.Ctx)
	defer stop()
	m, err := f.Engine.Read(ctx, stop, in)
	if err != nil {
		return nil
	}
	options := engine.SolverOptions(in.Options)
	options.NoCore = !core
	o := &outcome{in: in, m: m}
	o.solution, err = solver.Solve(ctx, m.Model, options)
	if m.Model.Pace.Ended() != nil {
		return nil
	}
	if unsatisfiable := (*solver.Unsatisfiable)(nil); errors.As(err, &unsatisfiable) {
		o.solution, o.core = nil, unsatisfiable.Core
	} else if err != nil {
		_, ended := errors.AsType[*solver.Incomplete](err)
		f.Limited = f.Limited || ended
		return nil
	}
	// Texts still come from the problem, so it must not look like one whose
	// context has ended.
	m.Model.Pace.Restart(f.Ctx)
	return o
}

// mayTry counts a try, and reports whether it is allowed.
func (f *Fixer) mayTry() bool {
	f.tries++
	f.Limited = f.Limited || f.tries > maxTries
	return f.tries <= maxTries && f.Ctx.Err() == nil
}

// Search returns changes that were tried and help, the safest first, then the
// smallest: every single one that is known, or else the first combination, which
// begins with a change that removes this failure only to uncover another one.
func (f *Fixer) Search(m *engine.Problem, core []solver.Reason) []fixes.Fix {
	var found []fixes.Fix
	var open []change
	tried := map[string]bool{}
	for _, c := range changes(m, core) {
		if len(found) >= maxFixes || !f.mayTry() {
			break
		}
		tried[c.identity()] = true
		switch o := f.try(f.In, false, c); {
		case o == nil:
		case o.solved():
			less, whole := f.closer(c, o, tried), fixed(o, c)
			found = append(found, less...)
			if len(less) == 0 || !reflect.DeepEqual(less[0].Then, whole.Then) {
				found = append(found, whole)
			}
		case c.also == "": // no further change is about a request that has moved
			open = append(open, c)
		}
	}
	if len(found) > 0 {
		// What a change removes shows only when it is tried. A single one is always smaller.
		slices.SortStableFunc(found, func(a, b fixes.Fix) int { return cmp.Compare(a.Risk, b.Risk) })
		return found[:min(len(found), maxFixes)]
	}
	for _, c := range open {
		if !f.mayTry() {
			break
		}
		o := f.try(f.In, true, c)
		if o == nil || o.solved() || !c.progresses(m, core, o) {
			continue
		}
		if all := f.complete(c, o); all != nil {
			return f.combined(all)
		}
	}
	return nil
}

// closer returns the first change that asks less than one that helps and was not
// tried before.
func (f *Fixer) closer(c change, o *outcome, tried map[string]bool) []fixes.Fix {
	if c.closer == nil {
		return nil
	}
	for _, less := range c.closer(o) {
		if tried[less.identity()] {
			continue
		}
		if !f.mayTry() {
			break
		}
		if o := f.try(f.In, false, less); o != nil && o.solved() {
			return []fixes.Fix{fixed(o, less)}
		}
	}
	return nil
}

// complete adds further changes until everything can be resolved.
func (f *Fixer) complete(first change, o *outcome) []change {
	all := []change{first}
	for range maxTogether - 1 {
		progress := false
		for _, c := range changes(o.m, o.core) {
			if c.also != "" {
				continue
			}
			if !f.mayTry() {
				return nil
			}
			next := f.try(o.in, true, c)
			if next == nil || !next.solved() && !c.progresses(o.m, o.core, next) {
				continue
			}
			all = append(all, c)
			if next.solved() {
				return all
			}
			o, progress = next, true
			break
		}
		if !progress {
			return nil
		}
	}
	return nil
}

// combined is the fix that makes all the changes that are needed.
func (f *Fixer) combined(all []change) []fixes.Fix {
	before := fixed(nil, all...)
	all = f.needed(all)
	if o := f.try(f.In, false, all...); o != nil && o.solved() {
		after := fixed(o, all...)
		for i := range after.Steps { // what led to an intermediate value may be left out
			s := &after.Steps[i]
			for _, known := range before.Steps {
				if known.Object == s.Object && known.Field == s.Field {
					s.From = known.From
				}
			}
		}
		return []fixes.Fix{after}
	}
	return nil
}

// needed leaves out changes without which the others help as well, until there are
// none. They are few.
func (f *Fixer) needed(all []change) []change {
	for i := len(all) - 1; i >= 0; i-- {
		others := slices.Delete(slices.Clone(all), i, i+1)
		if len(others) == 0 {
			break
		}
		if o := f.try(f.In, false, others...); o != nil && o.solved() {
			all, i = others, len(others) // those behind may not be needed any more
		}
	}
	return all
}

// progresses reports whether a failure that remains after a change is worth
// following: it is another one, or less is left to fail.
func (c *change) progresses(m *engine.Problem, core []solver.Reason, o *outcome) bool {
	return c.deletes() || !overlap(m, core, o)
}

// deletes reports whether a change deletes a request or an installed bundle.
func (c *change) deletes() bool {
	return slices.ContainsFunc(c.steps, func(s fixes.Step) bool { return s.Field == "" })
}

// overlap reports whether a failure still has a request of the first one in
// its core.
func overlap(m *engine.Problem, core []solver.Reason, o *outcome) bool {
	type demand struct {
		namespace, request, installed string
		// fault is what a ClusterExtension names that is not there: package, channel
		// and version are looked for in turn.
		fault request.FaultKind
	}
	demands := func(m *engine.Problem, core []solver.Reason) []demand {
		var list []demand
		for _, r := range core {
			switch r.Kind {
			case solver.KindRoot:
				p, asked := m.Root(r.Rule)
				d := demand{namespace: p.JointNamespace(), request: asked.Key().Name}
				if p.ClusterWide && asked.Fault != nil {
					d.fault = asked.Fault.Kind
				}
				list = append(list, d)
			case solver.KindGiven:
				p := m.Model.Of(r.Var)
				list = append(list, demand{namespace: p.JointNamespace(), installed: p.NameOf(r.Var)})
			}
		}
		return list
	}
	first := demands(m, core)
	return slices.ContainsFunc(demands(o.m, o.core), func(d demand) bool { return slices.Contains(first, d) })
}

// changes lists what may remove a core, the safest and smallest changes first and
// each once.
func changes(m *engine.Problem, core []solver.Reason) []change {
	var list []change
	var refused []solver.Var // by OperatorGroups
	for _, r := range core {
		if r.Kind != solver.KindRule {
			continue
		}
		p, o := m.Model.OriginOf(r.Var, r.Rule)
		list = append(list, ruleChanges(p, o)...)
		switch o.Code {
		case code.WrongMode, code.StaticGroup, code.TakenAPI, code.SharedAPI:
			refused = append(refused, o.Bundle)
		}
	}
	for _, r := range core {
		switch r.Kind {
		case solver.KindRoot:
			p, asked := m.Root(r.Rule)
			list = append(list, requestChanges(p, asked)...)
			list = append(list, moves(p, asked, refused)...)
		case solver.KindGiven:
			list = append(list, deleteInstalled(m.Model.Of(r.Var), r.Var))
		}
	}
	slices.SortStableFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.risk, b.risk), cmp.Compare(a.size, b.size))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c change) bool {
		key := c.identity()
		known := seen[key] || len(c.steps) == 0
		seen[key] = true
		return known
	})
}

// identity tells changes apart.
func (c *change) identity() string {
	var key []string
	for _, s := range c.steps {
		key = append(key, string(s.Object.Kind), s.Object.Namespace, s.Object.Name, string(s.Field))
		key = append(key, fmt.Sprint(s.To), "")
	}
	return strings.Join(key, "\x00")
}
