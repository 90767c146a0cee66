package status

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// resolve returns how the requests of a scope stand by what resolving it says. The error is an
// *Incomplete or an *Internal.
func resolve(ctx context.Context, w world.World) (rows []result.Status, err error) {
	objects := stated(w)
	err = w.Ask(ctx, words.FindingStatus, func(t *world.Try) (err error) {
		if t.Solution != nil {
			rows, err = solved(explain.NewSolved(t), objects)
			return err
		}
		why := outcome.Failure(t, t.Failed())
		if result.Of(why) != result.ResultUnsatisfied {
			return why
		}
		rows, err = withoutFailing(t.Ctx(), w, failed(objects, t.Problem, why))
		return err
	})
	if err == nil || result.Of(err).Ended() {
		return rows, err
	}
	return failed(objects, nil, err), nil
}

// stated returns what the objects of the requests of a scope state.
func stated(w world.World) []result.Request {
	return request.KindOf(w.In.Scopes[0]).Stated(w.In.Cluster, w.In.Scopes[0])
}

// read returns the row of a request with what its objects and the catalogs state, and its head.
func read(stated result.Request, p *model.Part, r *request.Request) (result.Status, request.Head) {
	head, states := r.Head(p, r), r.Stated(p, r)
	row := result.Status{Request: stated.Key, Package: stated.Package, Installed: stated.Installed, Head: head.Name, Catalog: states.Catalog}
	if head.Name != "" {
		row.Catalog = p.Catalogs[head.Catalog].Key
	}
	switch {
	case head.Place.Channel != nil:
		row.Channel = head.Place.Channel.Name
	case len(states.Channels) > 0:
		row.Channel = states.Channels[0]
	}
	if date := p.In.Cluster.ClusterScoped().Date; date != "" && r.Current >= 0 {
		if l := Lifecycle(p, r.PackageName(), p.Installed[r.Current].Version); l != nil {
			row.Support = l.On(date)
		}
	}
	if row.UpdateElsewhere = request.Elsewhere(p, r); row.UpdateElsewhere != nil {
		why, _ := request.NotTaken(p, r, row.UpdateElsewhere.Catalog, row.UpdateElsewhere.Bundle)
		row.Remarks = append(row.Remarks, why)
	}
	if why, said := request.Starts(p, r); said {
		row.Remarks = append(row.Remarks, why)
	}
	return row, head
}

// failed returns the rows of requests whose scope fails. m is nil if the scope was not read.
func failed(objects []result.Request, m *world.Problem, err error) []result.Status {
	rows := make([]result.Status, len(objects))
	state := result.StateFailed
	if unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](err); ok && unhealthy.NotGiven() {
		state = result.StateNotJudged
	}
	unsatisfied, contradict := errors.AsType[*result.NotSatisfiable](err)
	for i, stated := range objects {
		row := result.Status{Request: stated.Key, Package: stated.Package, Installed: stated.Installed}
		if m != nil && len(m.Scopes) > 0 {
			row, _ = read(stated, m.Scopes[0].Part, &m.Scopes[0].Requests[i])
		}
		row.State, row.Err, row.Help = state, err, *result.HelpOf(err)
		if contradict {
			row.Fixes = unsatisfied.FixesOf(row.Request)
			if !row.Request.Scope().Alone() && !unsatisfied.KeepsOut(row.Request) {
				row.State = result.StateWaiting
			}
		}
		rows[i] = row
	}
	return rows
}

// withoutFailing solves the namespace without the requests that have a cause of their own to
// fail. It returns the rows with what keeps the others from their head then.
func withoutFailing(ctx context.Context, w world.World, rows []result.Status) ([]result.Status, error) {
	var failing []cluster.RequestKey
	for i := range rows {
		if rows[i].State == result.StateFailed {
			failing = append(failing, rows[i].Request)
		}
	}
	others := w.Without(func(s cluster.Subscription) bool { return slices.Contains(failing, s.Key()) })
	if w.In.Scopes[0].Alone() || len(others.In.Scopes) == 0 {
		return rows, nil
	}
	var left []result.Status
	err := others.Ask(ctx, words.FindingStatus, func(t *world.Try) (err error) {
		if t.Solution != nil { // else installed bundles contradict each other
			left, err = solved(explain.NewSolved(t), stated(others))
		}
		return err
	})
	all := slices.Clone(rows)
	for _, alone := range left {
		row := rowOf(all, alone.Request)
		switch alone.State {
		case result.StateHeld, result.StateAtDeadEnd, result.StateBlocked, result.StateKept:
			alone.Err = row.Err
			alone.Remarks = slices.DeleteFunc(alone.Remarks, func(r result.Reason) bool { return r.Code() == words.ChosenAnyway }) // OLM resolves nothing here now
			var fixes []result.Fix
			for _, f := range alone.Fixes {
				with, wrong := w.Apply(f.Steps())
				var t *world.Try
				if wrong == nil {
					t = with.Satisfy(ctx)
				}
				switch {
				case t == nil || t.Err != nil:
					f.Waiting = failing
				case fix.Stuck(t, alone.Request): // it solves the others, too, and these then stand in the way
					continue
				case slices.ContainsFunc(row.Fixes, same(&f)): // all is resolved then, as the others have it
					f = row.Fixes[slices.IndexFunc(row.Fixes, same(&f))]
				}
				fixes = append(fixes, f)
			}
			alone.Fixes = fixes
			*row = alone
		default:
			if slices.ContainsFunc(w.In.Cluster.In(w.In.Scopes[0].Namespace()).CSVs, func(csv cluster.ClusterServiceVersion) bool {
				return csv.Name == alone.Installed && (inventory.Unfit(w.In.Cluster, &csv) || inventory.FitsNow(w.In.Cluster, &csv))
			}) {
				// It does not wait for the others, whose fixes do not help it. They stay as they are.
				row.Help = alone.Help
				row.Fixes = words.Mapped(alone.Fixes, func(f result.Fix) result.Fix {
					other := func(v result.Version) bool { return v.Bundle.Package != alone.Package }
					f.Then.Installs, f.Then.Removes = slices.DeleteFunc(slices.Clone(f.Then.Installs), other), slices.DeleteFunc(slices.Clone(f.Then.Removes), other)
					f.Then.Updates = slices.DeleteFunc(slices.Clone(f.Then.Updates), func(u result.Update) bool { return other(u.To) })
					return f
				})
			}
		}
	}
	return all, err
}

// same reports whether another fix makes the same changes.
func same(f *result.Fix) func(result.Fix) bool {
	return func(other result.Fix) bool { return reflect.DeepEqual(f.Changes, other.Changes) }
}

// solved returns how requests stand by a solution.
func solved(s *explain.Solved, objects []result.Request) ([]result.Status, error) {
	t := &table{s: s, rows: make([]result.Status, len(objects)), better: make([][]solver.Var, len(objects))}
	chosen := make(map[solver.Var]int, len(s.Solution.Selected))
	for k, sel := range s.Solution.Selected {
		chosen[sel.Var] = k
	}
	for i := range objects {
		s.Part.Pace.Step(stepsPerRow)
		var err error
		if t.rows[i], t.better[i], err = standing(s, objects[i], &s.Requests[i], chosen); err != nil {
			return nil, explain.Failure(s.Problem, err)
		}
	}
	if err := t.keep(); err != nil {
		return nil, explain.Failure(s.Problem, err)
	}
	t.help()
	t.remarkSeconds()
	t.block()
	return t.rows, s.Part.Pace.Ended()
}

// table has the rows of a scope while they are put together. better are, for each, the candidates that are
// better than what it gets.
type table struct {
	s      *explain.Solved
	rows   []result.Status
	better [][]solver.Var
}

// standing returns the row of a request with what it gets of a selection, chosen, and the candidates
// that are better than that.
func standing(s *explain.Solved, stated result.Request, r *request.Request, chosen map[solver.Var]int) (row result.Status, better []solver.Var, err error) {
	row, head := read(stated, s.Part, r)
	if r.Current < 0 {
		row.Installed = ""
	}
	if why, said := request.ChosenAnyway(s.Part, r); said {
		row.Remarks = append(row.Remarks, why)
	}
	at := slices.IndexFunc(r.List.Candidates, func(v solver.Var) bool { _, ok := chosen[v]; return ok })
	if at >= 0 {
		v := r.List.Candidates[at]
		_, stays := chosen[s.Part.InstalledVar(max(0, r.Current))]
		if row.State, row.Next, row.Why, err = choose(s, r, head, row.Channel, chosen[v], at, stays); err != nil {
			return row, nil, err
		}
		if row.State == result.StateBlocked && row.Why != nil && row.Why.Reason.Code() == words.Satisfied {
			at++ // what is installed for another request does not come for this one either
		}
		if row.Next != "" {
			row.Remarks = append(row.Remarks, r.Refusals(s.Part, v)...)
			row.Remarks = append(row.Remarks, deprecations(s.Part, r, v)...)
			for _, never := range answer.NeverInstalled(s.Part, row.Next, s.Part.PropertiesOf(v)) {
				row.State, row.Why = result.StateBlocked, model.Fact(never)
			}
		}
		better = r.List.Candidates[:at]
	}
	if row.State == result.StateCurrent {
		row.Remarks = append(row.Remarks, Remarks(s.Part, r)...)
	}
	row.Steps = stepsToHead(&row, s.Part, r)
	return row, better, nil
}

// keep says of which rows others keep what is better.
func (t *table) keep() error {
	kept, err := t.s.Kept(words.Mapped(t.rows, func(row result.Status) result.State { return row.State }), t.better)
	for i, why := range kept {
		if row := &t.rows[i]; why != nil {
			row.State, row.Why = result.StateKept, model.Fact(reason.BelowHead(reason.Bundle(row.Installed, row.Package), row.Head, row.Channel, nil, why...))
		}
	}
	return err
}

// help searches fixes for the rows that do not go on by themselves.
func (t *table) help() {
	stuck := 0
	for i := range t.rows {
		row, csv := &t.rows[i], &cluster.ClusterServiceVersion{}
		if r := &t.s.Requests[i]; r.Current >= 0 {
			csv = t.s.Part.Installed[r.Current].CSV
		}
		switch {
		case t.s.Try.In.Options.NoFixes:
		case row.State == result.StateUpdateAvailable && csv.Phase == "Failed" && !inventory.Unfit(t.s.Try.In.Cluster, csv) && !inventory.FitsNow(t.s.Try.In.Cluster, csv):
			row.Help = fix.SearchForward(t.s.Try, row.Request)
		case stuck == maxStuck:
		case inventory.Unfit(t.s.Try.In.Cluster, csv):
			stuck++
			row.Help = fix.SearchGoal(t.s.Try, fix.Fits{Request: row.Request})
		case row.State == result.StateAtDeadEnd, row.State == result.StateBlocked, row.State == result.StateHeld:
			stuck++
			row.Help = fix.SearchGoal(t.s.Try, fix.Advances{Request: row.Request}, row.Why)
			row.Others = append(row.Others, fix.Update(t.s.Part, &t.s.Requests[i], row.Fixes)...)
		}
	}
}

// remarkSeconds says which new bundles provide what another namespace has a provider of. What comes as
// a dependency is said in the first row with something to come.
func (t *table) remarkSeconds() {
	for _, sel := range t.s.Solution.Selected {
		if t.s.Problem.Model.Of(sel.Var) != t.s.Part || t.s.Part.AsInstalled(sel.Var) != nil {
			continue
		}
		name := t.s.Part.NameOf(sel.Var)
		at := slices.IndexFunc(t.rows, func(row result.Status) bool { return row.Next == name })
		if at < 0 {
			at = slices.IndexFunc(t.rows, func(row result.Status) bool { return row.Next != "" })
		}
		if at >= 0 {
			t.rows[at].Remarks = append(t.rows[at].Remarks, answer.Seconds(t.s.Part, name, t.s.Part.PropertiesOf(sel.Var), true)...)
		}
	}
}

// block says why OLM would not carry the answer out: what is refused, rights that are missing, rules that
// deny it, or an OperatorGroup without targets.
func (t *table) block() {
	breaches := slices.DeleteFunc(answer.Breaches(t.s.Problem, t.s.Solution)[0], func(b policy.Breach) bool { return b.Rule.Warn })
	refused := slices.DeleteFunc(answer.Refused(t.s.Problem, t.s.Solution), func(r answer.Refusal) bool { return r.Rights != nil })
	rights, _ := answer.MissingRights(t.s.Problem.Model, t.s.Part, t.s.Solution.Selected)
	for i := range t.rows {
		row := &t.rows[i]
		if row.Next == "" {
			continue
		}
		if len(refused) > 0 {
			row.State, row.Why, row.Help = result.StateBlocked, model.Fact(refused[0].Why), result.Help{Home: row.Home, Repair: refused[0].WayOut}
		} else if rights != nil {
			row.State, row.Why = result.StateBlocked, model.Fact(rights.Refused(row.Next))
			row.Help = result.Help{Home: row.Home, Fixes: []result.Fix{rights.Fix(t.s.Part.In.Cluster, row.Next)}}
			row.Fixes[0].Then = answer.EffectOf(t.s.Problem, answer.ChangeSet{Scopes: t.s.Try.In.Scopes}, []*world.Try{t.s.Try}).Then
		}
		if len(breaches) > 0 {
			row.State, row.Why = result.StateBlocked, model.Fact(reason.Denied(reason.Bundle(row.Next, row.Package), breaches))
		}
		for _, warning := range t.s.Part.Visibility.Warnings {
			if c := warning.Code(); c == words.NoTargets || c == words.SelectorDropped {
				row.Remarks = append(row.Remarks, warning) // of the namespace: OLM does not run what comes next
			}
		}
	}
}

// stepsToHead returns the value of Status.Steps.
func stepsToHead(row *result.Status, p *model.Part, r *request.Request) int {
	switch {
	case row.Head == "", row.Installed == row.Head:
		return 0
	case row.Installed != "":
		return route.Distance(p, r, row.Installed, row.Head)
	case row.Next == row.Head:
		return 1
	case row.Next == "":
		return 0
	}
	if steps := route.Distance(p, r, row.Next, row.Head); steps > 0 {
		return 1 + steps
	}
	return 0
}

// choose returns the state of a request that gets the k-th selection of a solution, its candidate
// with the index at; what comes next, and why that is not the head. stays is true if the installed
// bundle stays as well.
func choose(s *explain.Solved, r *request.Request, head request.Head, channel string, k, at int, stays bool) (state result.State, next string, why *result.Explanation, err error) {
	p, v := s.Part, r.List.Candidates[at]
	name, kept := p.NameOf(v), r.Current >= 0 && v == p.InstalledVar(r.Current)
	elsewhere := !kept && p.AsInstalled(v) != nil && (r.Current < 0 || stays) // for another request: this one gets nothing
	state = explain.StateOf(p, r, head.Name, at, stays)
	if !kept && !elsewhere {
		next = name
	}
	about := reason.Bundle(name, r.PackageName())
	var because []result.Reason
	switch {
	case elsewhere:
		return state, "", model.Fact(reason.Satisfied(about, request.Reason(p, r, nil))), nil
	case name == head.Name:
		return state, next, nil, nil
	case state == result.StateHeld:
		because = explain.Held(p, r)
	case at > 0: // better candidates are ruled out
		why, err = s.Refusal(k, r.List.Candidates[0])
		return state, next, why, err
	case state == result.StateAtDeadEnd:
		because = append(explain.Update(p, r), explain.DeadEnd(p, r)...)
	case state == result.StateUpdateAvailable:
		because = []result.Reason{reason.OneStep()}
	case r.Stated(p, r).StartingCSV != "":
		because = []result.Reason{reason.ByStartingCSV()}
	case head.Place.Channel != nil:
		because = explain.HopelessHead(p, head.Catalog, head.Place.Channel)
	}
	var asked *result.Request
	if !p.Kind.Span.ByChannel {
		asked = &result.Request{Key: r.Key()}
	}
	return state, next, model.Fact(reason.BelowHead(about, head.Name, channel, asked, because...)), nil
}

// Lifecycle returns what the first catalog that has one states of the minor of a version,
// nil if none has.
func Lifecycle(p *model.Part, pkg string, version semver.Version) *catalog.Lifecycle {
	for _, c := range p.Catalogs {
		if stated := c.Snapshot.Package(pkg); stated != nil {
			if l := stated.Lifecycle(version); l != nil {
				return l
			}
		}
	}
	return nil
}
