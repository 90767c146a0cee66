// Package outcome turns inputs into results: answers, or a failure with its explanation and
// its fixes. It joins the packages world, answer, explain and fix. It also reads what OLM
// states of the progress of requests, in the conditions, phases and reasons of their objects,
// and finds the packages that answers depend on: a record of a problem holds no more.
package outcome

import (
	"context"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// All resolves each scope by itself, or all namespaces as one problem if the options say
// so.
func All(ctx context.Context, w world.World, scopes []cluster.Scope) []result.Outcome {
	outcomes := make([]result.Outcome, len(scopes))
	var joint []cluster.Scope
	if w.In.Options.Jointly { // the namespaces, by name and each once
		joint = slices.DeleteFunc(slices.Clone(scopes), func(s cluster.Scope) bool { return !request.KindOf(s).Namespaced })
		slices.SortFunc(joint, cluster.Scope.Compare)
		joint = slices.Compact(joint)
	}
	var together []*result.Resolution
	var err error
	var turns Turns
	if len(joint) > 0 {
		together, err = Resolve(ctx, w.Of(joint...))
	} else {
		turns = TurnsOf(ctx, w, scopes...)
	}
	pace.Parallel(len(scopes), func(i int) {
		o := &outcomes[i]
		o.Scope = scopes[i]
		at, joined := slices.BinarySearchFunc(joint, o.Scope, cluster.Scope.Compare)
		switch {
		case !joined:
			o.Resolution, o.Err = one(ctx, turns.At(w, o.Scope))
			turns.Only(ctx, w, o.Scope, result.HelpOf(o.Err))
		case err != nil:
			o.Err = err
		default:
			o.Resolution = together[at]
		}
	})
	if (w.In.Options.SingleOwner || w.In.Options.SameVersions) && !w.In.Options.Jointly {
		outcomes = settled(ctx, outcomes, w, turns)
	}
	for i, more := range answer.VersionWarnings(w.In.Cluster, outcomes...) {
		outcomes[i].Resolution = warned(outcomes[i].Resolution, more)
	}
	if !w.In.Options.Jointly {
		for i, more := range answer.Comers(w.In.Cluster, false, outcomes...) {
			outcomes[i].Resolution = warned(outcomes[i].Resolution, more)
		}
	}
	return outcomes
}

// Comers returns, for each scope, what its new bundles provide beside those of another one of the scopes.
func Comers(ctx context.Context, w world.World, turns Turns, scopes []cluster.Scope) [][]result.Reason {
	quick, outcomes := w.With(func(o *policy.Options) { o.NoFixes = true }), make([]result.Outcome, len(scopes))
	pace.Parallel(len(scopes), func(i int) {
		outcomes[i].Scope = scopes[i]
		outcomes[i].Resolution, outcomes[i].Err = one(ctx, turns.At(quick, scopes[i]))
	})
	return answer.Comers(w.In.Cluster, true, outcomes...)
}

// warned returns a resolution with further warnings.
func warned(r *result.Resolution, more []result.Reason) *result.Resolution {
	if len(more) == 0 {
		return r
	}
	with := *r
	with.Warnings = answer.SortWarnings(slices.Concat(r.Warnings, more))
	return &with
}

// settled resolves a namespace again if its choices clash with those for the namespaces
// before it. An answer without a clash stays: no other one would be preferred.
func settled(ctx context.Context, outcomes []result.Outcome, w world.World, turns Turns) []result.Outcome {
	w.In.Chosen = inventory.Providers{}
	done, all := map[cluster.Scope]bool{}, slices.Clone(outcomes)
	for i := range all {
		o := &all[i]
		if !request.KindOf(o.Scope).Namespaced {
			continue
		}
		if o.Resolution != nil && clashes(&w.In, o) {
			o.Resolution, o.Err = one(ctx, turns.At(w, o.Scope))
		}
		if o.Resolution == nil || done[o.Scope] {
			continue
		}
		done[o.Scope] = true
		for j := range o.Resolution.Installs {
			install := &o.Resolution.Installs[j]
			w.In.Chosen.Add(o.Scope.Name, install.Bundle.Name, install.Properties)
		}
	}
	return all
}

// clashes reports whether a choice for a namespace provides a kind of which the options
// admit only the owner, or only the versions, that were chosen for others.
func clashes(in *model.Inputs, o *result.Outcome) bool {
	for i := range o.Resolution.Installs {
		set := o.Resolution.Installs[i].Properties
		if _, _, ok := in.Chosen.Conflict(in.Options, set, func(namespace string) bool { return namespace == o.Scope.Name }); ok {
			return true
		}
	}
	return false
}

// One resolves the only scope of a world.
func One(ctx context.Context, w world.World) (*result.Resolution, error) {
	r, err := one(ctx, w)
	for _, more := range answer.VersionWarnings(w.In.Cluster, result.Outcome{Scope: w.In.Scopes[0], Resolution: r}) {
		r = warned(r, more)
	}
	return r, err
}

// one is [One] without a look at API versions in other namespaces.
func one(ctx context.Context, w world.World) (*result.Resolution, error) {
	resolutions, err := Resolve(ctx, w)
	if err != nil {
		return nil, err
	}
	return resolutions[0], nil
}

// Resolve returns an answer for each scope. The error has its causes and fixes.
func Resolve(ctx context.Context, w world.World) (resolutions []*result.Resolution, err error) {
	err = w.Ask(ctx, "resolving", func(t *world.Try) (err error) {
		if t.Solution != nil {
			resolutions, err = resolutionsOf(t, t.Problem.Model, t.Solution, nil)
			if err == nil {
				resolutions, err = judged(t.Problem, t.Solution, resolutions)
			}
			return err
		}
		sorted, err := explain.Causes(t.Problem, t.Failed())
		if w.In.Options.Partial && sorted != nil && sorted.Stands {
			resolutions, err = partially(t, sorted)
			return err
		}
		return complete(t, sorted, err)
	})
	return resolutions, err
}

// judged returns the resolutions with the warnings of rules about changes. The error is a *Denied
// if such a rule denies them.
func judged(m *world.Problem, solution *solver.Solution, resolutions []*result.Resolution) ([]*result.Resolution, error) {
	if !answer.JudgesChanges(m) {
		return resolutions, nil
	}
	resolutions = slices.Clone(resolutions)
	refused := &result.Denied{Resolutions: resolutions}
	for i, breaches := range answer.Breaches(m, solution) {
		for _, b := range breaches {
			reason := answer.BreachOf(resolutions[i].Scope, b)
			if b.Rule.Warn {
				resolutions[i] = warned(resolutions[i], []result.Reason{reason})
				continue
			}
			refused.Rules = append(refused.Rules, reason)
			refused.Others = append(refused.Others, result.Other{Kind: result.OtherPolicy, Constraints: []string{b.Rule.String()}})
		}
	}
	if len(refused.Rules) == 0 {
		return resolutions, nil
	}
	refused.Home = m.Home()
	return resolutions, refused
}

// Failure explains the solver's error, with all causes and fixes. Any other error it
// returns as it is.
func Failure(t *world.Try, err error) error {
	sorted, err := explain.Causes(t.Problem, err)
	return complete(t, sorted, err)
}

// complete returns a failure with what OLM states of its requests and, unless the options say
// not to, with fixes.
func complete(t *world.Try, sorted *cause.Sorted, failure error) error {
	failed, ok := errors.AsType[*result.NotSatisfiable](failure)
	unhealthy, health := errors.AsType[*result.CatalogsUnhealthy](failure)
	switch {
	case health && unhealthy.NotGiven(): // no object has to change for that
		return failure
	case ok:
		whole := *failed
		if !t.In.Options.NoFixes {
			whole.Blocking, whole.Proceeding = sortOut(t.Problem, sorted)
			whole.Help, whole.Uncovered = fix.Search(t, sorted, failed.Causes...)
		}
		var requests []cluster.RequestKey
		for _, c := range whole.Causes {
			requests = append(requests, c.Requests...)
			for i := 0; len(c.Requests) == 0 && i < len(t.In.Scopes) && whole.Repair == nil; i++ { // what is installed contradicts itself
				whole.Repair = Repair(t.In.Cluster, t.In.Scopes[i].Namespace())
			}
		}
		whole.Conditions = Conditions(t.In.Cluster, requests...)
		whole.Runs, whole.Until = Runs(whole.Fixes, t.In.Cluster, requests...)
		return &whole
	case t.In.Options.NoFixes || !slices.ContainsFunc(t.Problem.Model.Parts, func(p *model.Part) bool { return p.Refused == failure }):
		return failure
	}
	help, uncovered := fix.Search(t, nil)
	further := result.Further{Uncovered: uncovered}
	switch refused := failure.(type) {
	case *result.CatalogsUnhealthy:
		return &result.CatalogsUnhealthy{Scope: refused.Scope, Catalogs: refused.Catalogs, Help: help, Further: further}
	case *result.Ambiguous:
		whole := *refused
		whole.Help, whole.Further = help, further
		return &whole
	case *result.InvalidInput:
		return &result.InvalidInput{Subject: refused.Subject, Err: refused.Err, Help: help, Further: further}
	}
	return failure
}

// sortOut returns which requests are blocking, and which could proceed without them.
func sortOut(m *world.Problem, sorted *cause.Sorted) (blocking, proceeding []cluster.RequestKey) {
	if !sorted.Stands || len(sorted.Accepted) < 2 {
		return nil, nil
	}
	for i, accepted := range sorted.Accepted {
		if _, request := m.Root(i); accepted {
			proceeding = append(proceeding, request.Key())
		} else {
			blocking = append(blocking, request.Key())
		}
	}
	return blocking, proceeding
}

// Ask solves the world and calls question with the answer. If there is none, err is the
// reason and nothing is selected. Ask explains the error that question returns.
func Ask(ctx context.Context, w world.World, question func(s *explain.Solved, err error) error) error {
	return w.Ask(ctx, "explaining", func(t *world.Try) error {
		err := t.Failed()
		if len(t.Problem.Scopes) > 0 {
			err = question(explain.NewSolved(t), err)
		}
		if ended := t.Problem.Model.Pace.Ended(); ended != nil {
			return ended
		}
		if _, unknown := errors.AsType[*result.UnknownBundle](err); err == nil || unknown {
			return err
		}
		return Failure(t, err)
	})
}

// Justify returns, for each bundle that is installed or kept, why it is in the answer.
func Justify(ctx context.Context, w world.World) (list []result.Justification, err error) {
	err = Ask(ctx, w, func(s *explain.Solved, err error) error {
		if err != nil {
			return err
		}
		list = make([]result.Justification, 0, len(s.Solution.Selected))
		for k := range s.Solution.Selected {
			if b := s.Part.AsInstalled(s.Solution.Selected[k].Var); b != nil && b.Foreign {
				continue
			}
			j, err := s.Justification(k)
			if err != nil {
				return err
			}
			list = append(list, j)
		}
		return nil
	})
	return list, err
}

// resolutionsOf returns the answers of a solution, one per Part, with what they leave out. Their
// warnings of choices below the head state what decides. of is the problem that was solved.
func resolutionsOf(t *world.Try, of solver.Problem, solution *solver.Solution, leftOut map[int][]result.LeftOut) ([]*result.Resolution, error) {
	resolutions := answer.ResolutionsOf(t.Problem, solution)
	for i, r := range resolutions {
		warnings, err := explain.Decided(t, of, solution, i, r.Warnings)
		if err != nil {
			return nil, explain.Failure(t.Problem, err)
		}
		if len(warnings)+len(leftOut[i]) > 0 {
			with := *r
			with.Warnings, with.LeftOut = answer.SortWarnings(warnings), leftOut[i]
			resolutions[i] = &with
		}
	}
	return resolutions, nil
}

// partially resolves the accepted requests. A request that is left out keeps its installed
// bundle.
func partially(t *world.Try, sorted *cause.Sorted) ([]*result.Resolution, error) {
	m := t.Problem
	left := model.Restricted{Model: m.Model, Stay: m.Model.Given(), Demands: slices.Clone(m.Model.Demands)}
	for i := range left.Demands {
		left.Demands[i].Formula = sorted.Remaining(m, i)
	}
	again := t.Solve(left)
	if again.Solution == nil {
		return nil, explain.Failure(m, again.Failed())
	}
	blocking, leftOut := sorted.Blocking(), map[int][]result.LeftOut{}
	for i, accepted := range sorted.Accepted {
		if !accepted {
			p, request := m.Root(i)
			of := cause.Of(blocking[i].CoreOf(i))
			of.Apart = blocking[i].Apart
			leftOut[p.Index] = append(leftOut[p.Index], result.LeftOut{Request: request.Key(), Err: explain.Explain(m, of)})
		}
	}
	resolutions, err := resolutionsOf(t, left, again.Solution, leftOut)
	if err != nil {
		return nil, err
	}
	return judged(m, again.Solution, resolutions)
}
