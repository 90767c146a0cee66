package mirror

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// followed is one call of Find.
type followed struct {
	ctx      context.Context
	problem  resolver.Problem
	scopes   []cluster.Scope
	resolver *resolver.Resolver
	extent   portion
	// installed are the bundles that requests have installed, now or on the way.
	installed map[catalog.BundleKey]bool
	// held is true if an operator refuses its update: then there is a second way, without that.
	held bool
	// withInstalled is true if installed bundles are needed.
	withInstalled bool
}

func newFinder(ctx context.Context, p resolver.Problem, scopes []cluster.Scope, o Options) *followed {
	p.Options.NoFixes, p.Cluster = true, cmp.Or(p.Cluster, cluster.NewIndex(cluster.Objects{}))
	held := func(c cluster.OperatorCondition) bool { return c.Upgradeable != nil && c.Upgradeable.Status == "False" }
	return &followed{
		ctx: ctx, problem: p, scopes: scopes, resolver: resolver.New(), withInstalled: !o.WithoutInstalled,
		held: slices.ContainsFunc(p.Cluster.Objects().OperatorConditions, held),
	}
}

// walk is the sequence of answers that the requests get.
type walk struct {
	// outcomes are the first answers.
	outcomes []result.Outcome
	// installs are the installs of all answers and paths.
	installs []result.Install
	// last is the problem after all answers. kept has the bundles that the last answer for
	// a scope keeps.
	last resolver.Problem
	kept map[cluster.Scope][]result.Kept
	// routes lead on from dead ends.
	routes []route
	// answers has, by scope, what each answer does.
	answers map[cluster.Scope][]effect
}

// follow returns the ways. whole is nil for the whole catalogs. For cut ones it has the ways
// on the whole catalogs, whose routes follow takes beyond dead ends.
func (f *followed) follow(view *cache.View, whole []*walk) (ways []*walk, err error) {
	for i, released := range []bool{false, true} {
		if released && !f.held {
			break
		}
		w := &walk{last: f.problem, kept: map[cluster.Scope][]result.Kept{}, answers: map[cluster.Scope][]effect{}}
		w.last.Catalogs = view
		if released {
			objects := f.problem.Cluster.Objects()
			objects.OperatorConditions = nil
			w.last.Cluster = cluster.NewIndex(objects)
		}
		if err := f.walk(w); err != nil {
			return nil, err
		}
		var routes []route
		if whole != nil {
			routes = whole[i].routes
		} else if routes, err = f.deadEnds(w); err != nil {
			return nil, err
		}
		if err := f.leadOn(w, routes); err != nil {
			return nil, err
		}
		ways = append(ways, w)
	}
	return ways, nil
}

// errBudget is the error of a way with too many steps.
var errBudget = errors.New("there are more steps on the way than the budget for paths allows")

// walk carries answers out until there is no new one.
func (f *followed) walk(w *walk) error {
	budget := f.problem.Options.Budget()
	for more := true; more; budget-- {
		if budget <= 0 {
			return &result.Incomplete{Phase: "following requests", Err: errBudget}
		}
		more = false
		outcomes := f.resolver.ResolveAll(f.ctx, w.last, f.scopes)
		if w.outcomes == nil {
			w.outcomes = outcomes
		}
		var answers []*result.Resolution
		for i := range outcomes {
			o := &outcomes[i]
			if err := f.ctx.Err(); err != nil {
				return &result.Incomplete{Phase: "following requests", Err: err}
			}
			if o.Result().Ended() {
				return o.Err
			}
			isNew := w.note(o)
			if o.Err != nil {
				continue
			}
			answers = append(answers, o.Resolution)
			// A cycle of answers ends here: none of them is new.
			more = more || isNew && len(o.Resolution.Installs)+len(o.Resolution.Replaced) > 0
		}
		w.last = w.last.After(answers...)
	}
	return nil
}

// effect is what an answer does: it fails, or takes steps and leaves out requests.
type effect struct {
	fails   bool
	steps   []result.Operation
	leftOut []cluster.RequestKey
}

func effectOf(r *result.Resolution) effect {
	return effect{steps: r.Operations(), leftOut: words.Mapped(r.LeftOut, func(l result.LeftOut) cluster.RequestKey { return l.Request })}
}

func (e effect) equal(other effect) bool {
	return e.fails == other.fails && slices.Equal(e.steps, other.steps) && slices.Equal(e.leftOut, other.leftOut)
}

func (e effect) String() string {
	parts := words.Texts(e.steps)
	for _, key := range e.leftOut {
		parts = append(parts, "leave out "+key.Name)
	}
	switch {
	case e.fails:
		return "it fails"
	case len(parts) == 0:
		return "nothing"
	}
	return strings.Join(parts, "; ")
}

// note adds an answer to the way, and reports whether it is the first of its scope that does
// what it does.
func (w *walk) note(o *result.Outcome) (isNew bool) {
	does := effect{fails: true}
	if o.Err == nil {
		w.installs = append(w.installs, o.Resolution.Installs...)
		w.kept[o.Scope] = o.Resolution.Kept
		does = effectOf(o.Resolution)
	}
	isNew = !slices.ContainsFunc(w.answers[o.Scope], does.equal)
	w.answers[o.Scope] = append(w.answers[o.Scope], does)
	return isNew
}

// route is a path through other channels, from a dead end of a request's channel.
type route struct {
	request cluster.RequestKey
	// to is the bundle at the end, empty for the head.
	to string
	// channels are the channels that the request is changed to.
	channels []string
}

// deadEnds returns a route for each request that is at a dead end after the way. There is none
// for a scope that fails: nothing is known of what comes after that.
func (f *followed) deadEnds(w *walk) ([]route, error) {
	rows, err := f.resolver.Status(f.ctx, w.last, f.scopes, nil)
	var routes []route
	for i := range rows {
		row, answers := &rows[i], w.answers[rows[i].Request.Scope()]
		if row.State == result.StateAtDeadEnd && !slices.ContainsFunc(answers, func(e effect) bool { return e.fails }) {
			routes = append(routes, route{request: row.Request})
		}
	}
	return routes, err
}

// leadOn follows the routes. A route without a path is left out.
func (f *followed) leadOn(w *walk, routes []route) error {
	for _, to := range routes {
		path, err := f.resolver.Path(f.ctx, w.last, to.request, to.to)
		if _, none := errors.AsType[*result.NoPath](err); !none && result.Of(err).Ended() {
			return err
		}
		if err != nil {
			continue
		}
		to.to, to.channels = path.To, nil
		for _, step := range path.Steps {
			if step.Resolution == nil {
				to.channels = append(to.channels, step.Channel)
			} else {
				w.installs = append(w.installs, step.Resolution.Installs...)
				scope := to.request.Scope()
				w.answers[scope] = append(w.answers[scope], effectOf(step.Resolution))
			}
		}
		w.routes = append(w.routes, to)
	}
	return nil
}

// compare returns the first difference as a *differentError. Once an answer on the whole
// catalogs fails, the rest does not count: with fewer candidates it may go on.
func (w *walk) compare(got *walk) error {
	for i := range w.outcomes {
		o := &w.outcomes[i]
		want, got := w.answers[o.Scope], got.answers[o.Scope]
		if end := slices.IndexFunc(want, func(e effect) bool { return e.fails }); end >= 0 {
			want, got = want[:end], got[:min(end, len(got))]
		}
		if slices.EqualFunc(want, got, effect.equal) {
			continue
		}
		step := 0
		for step < min(len(want), len(got)) && want[step].equal(got[step]) {
			step++
		}
		return &differentError{o.Scope, step + 1, at(want, step), at(got, step)}
	}
	return nil
}

func at(answers []effect, i int) string {
	if i < len(answers) {
		return answers[i].String()
	}
	return "nothing more"
}
