// Package status finds how each request of a scope stands: what it has installed, what comes next
// and why not the head, what OLM states of it, and whether what waits may be approved. It knows
// no update of the cluster.
package status

import (
	"context"
	"errors"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/observed"
	"github.com/resolvent/resolvent/resolver/internal/others"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/solver"
)

// Of returns the status of each request of one scope. The error is an *Incomplete or an
// *Internal.
func Of(ctx context.Context, w world.World) ([]updates.Status, error) {
	rows, err := Requests(ctx, w)
	if err == nil {
		err = noteApproval(ctx, w, rows)
	}
	return rows, err
}

// noteApproval notes in the rows of a namespace whether its InstallPlan may be approved. If not,
// no fix approves it.
func noteApproval(ctx context.Context, w world.World, rows []updates.Status) error {
	a, err := Approval(ctx, w)
	if a == nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		r.Approval = a
		if r.State == updates.PendingApproval {
			r.Fixes = slices.DeleteFunc(r.Fixes, func(f fixes.Fix) bool {
				return slices.ContainsFunc(f.Changes, func(c fixes.Change) bool {
					return c.Object.Kind == code.ObjectInstallPlan && (a.Waits() || c.Object.Name != a.InstallPlan)
				})
			})
		}
	}
	return nil
}

// NoteVersions notes the versions of the bundles that a row names: what the cluster states of
// the installed one, else what catalogs state, that of the row first. Only of what no catalog has
// counts what the cluster states: another package may have a bundle of the same name.
func NoteVersions(row *updates.Status, in model.Inputs) {
	row.Versions = map[string]string{}
	note := func(name, version string) {
		if name != "" && version != "" && row.Versions[name] == "" {
			row.Versions[name] = version
		}
	}
	stated := func(name string) {
		note(name, request.KindOf(row.Request.Scope()).VersionOf(in.Cluster, row.Request, name))
	}
	names := []string{row.Installed, row.Next, row.Head}
	stated(row.Installed)
	for _, own := range []bool{true, false} {
		for c := range in.View.Catalogs() {
			if c.Snapshot == nil || own != (c.Key == row.Catalog) {
				continue
			}
			for _, name := range names {
				if row.Versions[name] != "" {
				} else if b := c.Snapshot.Find(row.Package, name); b != nil {
					note(name, b.Version.String())
				}
			}
		}
	}
	for _, name := range names {
		stated(name)
	}
}

// Requests is [Of] without a look at what waits for approval.
func Requests(ctx context.Context, w world.World) ([]updates.Status, error) {
	rows := rowsOf(w.In)
	err := w.Ask(ctx, "finding the status of", func(t *world.Try) error {
		if t.Solution != nil {
			return fillRows(rows, explain.NewSolved(t))
		}
		why := outcome.Failure(t, t.Failed())
		if result.Of(why) != result.ResultUnsatisfied {
			return why
		}
		failRows(rows, t.Problem, why)
		return withoutFailing(t.Ctx(), w, rows)
	})
	if of := result.Of(err); err != nil && of != result.ResultIncomplete && of != result.ResultInternal {
		failRows(rows, nil, err)
		err = nil
	}
	observed.Note(rows, w.In.Cluster)
	if err == nil {
		err = await(ctx, w, rows)
	}
	return rows, err
}

// withoutFailing solves the namespace without the requests that have a cause of their own to
// fail. In the rows of the others it notes what keeps them from their head then.
func withoutFailing(ctx context.Context, w world.World, rows []updates.Status) error {
	var failing []cluster.RequestKey
	for i := range rows {
		if rows[i].FailsItself() {
			failing = append(failing, rows[i].Request)
		}
	}
	others := w.Without(func(s cluster.Subscription) bool { return slices.Contains(failing, s.Key()) })
	if w.In.Scopes[0].Alone() || len(others.In.Scopes) == 0 {
		return nil
	}
	left := rowsOf(others.In)
	err := others.Ask(ctx, "finding the status of", func(t *world.Try) error {
		if t.Solution == nil {
			return nil // installed bundles contradict each other
		}
		return fillRows(left, explain.NewSolved(t))
	})
	for i := range left {
		row := RowOf(rows, left[i].Request)
		switch left[i].State {
		case updates.Held, updates.AtDeadEnd, updates.Blocked, updates.Kept:
			left[i].Err = row.Err
			for k := range left[i].Fixes {
				f := &left[i].Fixes[k]
				if with, wrong := w.Apply(f.Steps()); wrong != nil || with.Satisfy(ctx).Err != nil { // else it solves the others, too
					f.Waiting = failing
				}
			}
			*row = left[i]
		default:
			if slices.ContainsFunc(w.In.Cluster.In(w.In.Scopes[0].Namespace()).CSVs, func(csv cluster.ClusterServiceVersion) bool { return csv.Name == left[i].Installed && unfit(&csv) }) {
				// It does not wait for the others, whose fixes do not help it. They stay as they are.
				row.Help = left[i].Help
				for k := range row.Fixes {
					then := &row.Fixes[k].Then
					other := func(v fixes.Version) bool { return v.Bundle.Package != left[i].Package }
					then.Installs, then.Removes = slices.DeleteFunc(then.Installs, other), slices.DeleteFunc(then.Removes, other)
					then.Updates = slices.DeleteFunc(then.Updates, func(u fixes.Update) bool { return other(u.To) })
				}
			}
		}
	}
	return err
}

// unfit reports whether OLM fails what is installed, as its OperatorGroup does not fit it.
func unfit(csv *cluster.ClusterServiceVersion) bool {
	return csv.Phase == "Failed" && csv.Reason == "UnsupportedOperatorGroup"
}

// RowOf returns the row of a request, nil if it has none.
func RowOf(rows []updates.Status, key cluster.RequestKey) *updates.Status {
	if i := slices.IndexFunc(rows, func(row updates.Status) bool { return row.Request == key }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// rowsOf returns a row for each request of the scope, filled in from its object.
func rowsOf(in model.Inputs) (rows []updates.Status) {
	for _, s := range request.KindOf(in.Scopes[0]).Stated(in.Cluster, in.Scopes[0]) {
		rows = append(rows, updates.Status{Request: s.Key, Package: s.Package, Installed: s.Installed})
	}
	return rows
}

// failRows notes the failure of the scope in all rows. m is nil if the scope was not read.
func failRows(rows []updates.Status, m *engine.Problem, err error) {
	state := updates.Failed
	if unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](err); ok && unhealthy.NotGiven() {
		state = updates.NotJudged
	}
	for i := range rows {
		row := &rows[i]
		row.State, row.Err = state, err
		if m != nil && len(m.Scopes) > 0 {
			scope := m.Scopes[0]
			place(row, scope.Part, &scope.Requests[i])
		}
		row.Help = *fixes.HelpOf(err)
		if unsatisfied, ok := errors.AsType[*result.NotSatisfiable](err); ok {
			row.Fixes = unsatisfied.FixesOf(row.Request)
		}
	}
}

// stepsPerRow is the number of steps to fill in a row that needs no explanation.
const stepsPerRow = 8

// maxStuck is the number of rows of a scope for which fixes are searched.
const maxStuck = 20

// fillRows fills in the rows from a solution.
func fillRows(rows []updates.Status, s *explain.Solved) error {
	chosen := make(map[solver.Var]int, len(s.Solution.Selected))
	for k, sel := range s.Solution.Selected {
		chosen[sel.Var] = k
	}
	better := make([][]solver.Var, len(rows))
	for i := range rows {
		row := &rows[i]
		s.Part.Pace.Step(stepsPerRow)
		r := &s.Requests[i]
		head := place(row, s.Part, r)
		for at, v := range r.List.Candidates {
			if k, ok := chosen[v]; ok {
				_, stays := chosen[s.Part.InstalledVar(max(0, r.Current))]
				if err := fill(row, s, r, head, k, at, stays); err != nil {
					return explain.Failure(s.Problem, err)
				}
				if row.State == updates.Blocked && row.Why != nil && row.Why.Reason.Code() == code.Satisfied {
					at++ // what is installed for another request does not come for this one either
				}
				better[i] = r.List.Candidates[:at]
				break
			}
		}
		row.Steps = stepsToHead(row, s.Part, r)
	}
	if err := keep(rows, s, better); err != nil {
		return explain.Failure(s.Problem, err)
	}
	stuck := 0
	for i := range rows {
		row, csv := &rows[i], &cluster.ClusterServiceVersion{}
		if r := &s.Requests[i]; r.Current >= 0 {
			csv = s.Part.Installed[r.Current].CSV
		}
		switch {
		case s.Try.In.Options.NoFixes:
		case row.State == updates.UpdateAvailable && csv.Phase == "Failed" && !unfit(csv):
			row.Help = fix.SearchForward(s.Try, row.Request)
		case stuck == maxStuck:
		case unfit(csv):
			stuck++
			row.Help = fix.SearchGoal(s.Try, fix.Fits{Request: row.Request})
		case row.State == updates.AtDeadEnd, row.State == updates.Blocked, row.State == updates.Held:
			stuck++
			row.Help = fix.SearchGoal(s.Try, fix.Step{Request: row.Request}, row.Why)
			others.AskUpdate(&row.Help, s.Part, &s.Requests[i])
		}
	}
	deny(rows, s)
	for _, warning := range s.Part.Visibility.Warnings {
		for i := range rows {
			if row := &rows[i]; row.Next != "" && (warning.Code() == code.NoOperatorGroup || warning.Code() == code.NoTargets || warning.Code() == code.SelectorDropped) {
				row.Remarks = append(row.Remarks, warning) // of the namespace: OLM does not run what comes next
			}
		}
	}
	return s.Part.Pace.Ended()
}

// keep notes which blocked rows are kept by what requests require that are where they can be.
// better has the bundles that are better than the one that a row gets.
func keep(rows []updates.Status, s *explain.Solved, better [][]solver.Var) error {
	stay := map[int]bool{}
	for i := range rows {
		if rows[i].State == updates.Current {
			stay[i] = true
		}
	}
	for again := true; again; {
		again = false
		for i := range rows {
			row := &rows[i]
			if row.State != updates.Blocked || len(better[i]) == 0 {
				continue
			}
			why, err := s.Keeping(&s.Requests[i], better[i], stay)
			if err != nil {
				return err
			}
			if len(why) > 0 {
				args := result.Args{Subject: row.Installed, Bundle: row.Installed, Package: row.Package, Other: row.Head, Channel: row.Channel}
				row.State, row.Why = updates.Kept, model.Fact(result.New(code.BelowHead, args, why...))
				stay[i], again = true, true
			}
		}
	}
	return nil
}

// deny notes the rules of policies about changes that deny what a solution brings.
func deny(rows []updates.Status, s *explain.Solved) {
	breaches := slices.DeleteFunc(answer.Breaches(s.Problem, s.Solution)[0], func(b policy.Breach) bool { return b.Rule.Warn })
	for i := range rows {
		if row := &rows[i]; len(breaches) > 0 && row.Next != "" {
			args := model.BreachArgs(breaches)
			args.Subject, args.Bundle, args.Package = row.Next, row.Next, row.Package
			row.State, row.Why = updates.Blocked, model.Fact(result.New(code.Denied, *args))
		}
	}
}

// stepsToHead returns the value of Status.Steps.
func stepsToHead(row *updates.Status, p *model.Part, r *request.Request) int {
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

// place notes the head of the request, and the support of the installed bundle.
func place(row *updates.Status, p *model.Part, r *request.Request) request.Head {
	head, stated := r.Head(p, r), r.Stated(p, r)
	row.Head, row.Catalog = head.Name, stated.Catalog
	if head.Name != "" {
		row.Catalog = p.Catalogs[head.Catalog].Key
	}
	switch {
	case head.Place.Channel != nil:
		row.Channel = head.Place.Channel.Name
	case len(stated.Channels) > 0:
		row.Channel = stated.Channels[0]
	}
	if date := p.In.Cluster.ClusterScoped().Date; date != "" && r.Current >= 0 {
		if l := Lifecycle(p, r.PackageName(), p.Installed[r.Current].Version); l != nil {
			row.Support = l.On(date)
		}
	}
	return head
}

// fill fills in a row from the k-th selection of the solution, which is the candidate of the
// request with the index at. stays is true if the installed bundle stays as well.
func fill(row *updates.Status, s *explain.Solved, r *request.Request, head request.Head, k, at int, stays bool) (err error) {
	p, name := s.Part, s.Part.NameOf(r.List.Candidates[at])
	kept := r.Current >= 0 && r.List.Candidates[at] == p.InstalledVar(r.Current)
	row.State = updates.UpdateAvailable
	switch {
	case r.Current < 0:
		row.Installed, row.State = "", updates.NotInstalled
	case kept:
		row.State = updates.Current
	}
	if !kept && p.AsInstalled(r.List.Candidates[at]) != nil && (r.Current < 0 || stays) {
		// The bundle is installed for another request: this one gets nothing.
		if r.Current >= 0 {
			row.State = updates.Blocked
		}
		row.Why = model.Fact(result.New(code.Satisfied, result.Args{Subject: name, Bundle: name, Package: row.Package}, request.Reason(p, r, result.Args{})))
		return nil
	}
	if !kept {
		row.Next = name
	}
	if name == row.Head {
		if kept {
			row.Remarks = remarks(p, r, head)
		}
		return nil
	}
	var why []result.Reason
	switch {
	case kept && p.Installed[r.Current].Held() != nil:
		row.State, why = updates.Held, missing.Held(p, r)
	case at > 0:
		// Better candidates are ruled out.
		if kept {
			row.State = updates.Blocked
		}
		row.Why, err = s.Refusal(k, r.List.Candidates[0])
		return err
	case kept:
		row.State, why = updates.AtDeadEnd, append(missing.Update(p, r), missing.DeadEnd(p, r)...)
	case r.Current >= 0:
		why = missing.OneStep()
	case r.Stated(p, r).StartingCSV != "":
		why = []result.Reason{result.New(code.ByStartingCSV, result.Args{})}
	case head.Place.Channel != nil:
		why = missing.HopelessHead(p, head.Catalog, head.Place.Channel)
	}
	args := result.Args{Subject: name, Bundle: name, Package: row.Package, Other: row.Head, Channel: row.Channel}
	if !p.Kind.Span.ByChannel {
		args.Request = &result.Request{Key: row.Request}
	}
	row.Why = model.Fact(result.New(code.BelowHead, args, why...))
	return nil
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
