package status

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// hop is the update of the cluster to one version on the way to the target. Rows of one
// namespace or ClusterExtension move before it.
type hop struct {
	// in is the world before the update; each move changes its cluster.
	in   *world.World
	rows []*ahead
	// openShift and kubernetes are the versions; an empty one stays as it is.
	openShift, kubernetes string
	// limits are those of these versions.
	limits *model.ClusterLimits
	// refused has why requests must move, held what others wait for that cannot.
	refused map[cluster.RequestKey]*result.Reason
	held    map[cluster.RequestKey]string
}

// ahead is the look ahead of one request from how it stands now.
type ahead struct {
	now    *result.Status
	target result.TargetStatus
}

// row returns the row with what was found.
func (a *ahead) row() result.Status {
	row := *a.now
	row.Target = &a.target
	return row
}

// blocks sets the version that the request blocks, why, and what to wait for.
func (a *ahead) blocks(version string, err error, until string) {
	a.target.Blocks, a.target.Err, a.target.Until = version, err, until
}

func newHop(in *world.World, rows []*ahead, openShift, kubernetes string) (*hop, error) {
	limits, err := model.ReadLimits(in.At(openShift, kubernetes).In.Cluster.ClusterScoped())
	return &hop{in, rows, openShift, kubernetes, limits, map[cluster.RequestKey]*result.Reason{}, map[cluster.RequestKey]string{}}, err
}

// name returns the name of the version in TargetStatus.Blocks.
func (h *hop) name() string { return cmp.Or(h.openShift, "target") }

// move moves the installed bundles that may not run at the version to ones that may, then sets
// the version. It adds to the look ahead of each row its updates, and what blocks it.
func (h *hop) move(ctx context.Context) error {
	defer func() { *h.in = h.in.At(h.openShift, h.kubernetes) }()
	t := h.in.Read(ctx)
	if incomplete, ok := errors.AsType[*result.Incomplete](t.Err); ok {
		return incomplete
	}
	var must []cluster.RequestKey
	for _, a := range h.rows {
		switch {
		case a.target.Blocks != "": // it did before
		case t.Problem == nil:
			a.blocks(h.name(), t.Err, "")
		case h.mustMove(t.Problem, a):
			must = append(must, a.now.Request)
		}
	}
	if t.Refused { // it keeps the namespace from updates, and is said once if none needs any
		for i, a := range h.rows {
			if a.target.Blocks == "" && (slices.Contains(must, a.now.Request) || len(must) == 0 && i == 0) {
				a.blocks(h.name(), t.Err, "")
			}
		}
		return nil
	}
	if len(must) == 0 {
		return nil
	}
	for _, a := range h.rows {
		h.held[a.now.Request] = waitsFor(a.now)
	}
	for root := range t.Problem.Scopes[0].Requests {
		if p, r := t.Problem.Root(root); r.Current >= 0 && p.Installed[r.Current].Held() != nil {
			h.held[r.Key()] = cmp.Or(h.held[r.Key()], allowed(p, r))
		}
	}
	joint := route.NewJoint(t, h)
	turns, missed := joint.Run(must)
	if len(turns) > 0 {
		*h.in = h.in.On(turns[len(turns)-1].After)
	}
	further, err := h.follow(ctx, missed)
	if err != nil {
		return err
	}
	turns = append(turns, further...)
	after, automatic := joint.After(turns), joint.ByItself(turns)
	if ctx.Err() != nil {
		return &result.Incomplete{Phase: "searching a path", Err: ctx.Err()}
	}
	for k, turn := range turns {
		h.addRows(turn.After)
		for i, move := range turn.Moves {
			target := &h.of(move.Request).target
			target.Updates = append(target.Updates, result.PathStep{
				Hop: h.openShift, Turn: k, Refusal: cmp.Or(h.refused[move.Request], h.refused[turn.For]), After: after[k], With: slices.Delete(slices.Clone(turn.Moves), i, i+1), ByItself: automatic[k],
				Channel: turn.Channel, Bundle: move.Bundle, Resolution: turn.Resolution,
			})
		}
	}
	return nil
}

// of returns the look ahead of a request.
func (h *hop) of(key cluster.RequestKey) *ahead {
	return h.rows[slices.IndexFunc(h.rows, func(a *ahead) bool { return a.now.Request == key })]
}

// addRows adds rows of requests that came on the way.
func (h *hop) addRows(now *cluster.Index) {
	if len(now.In(h.in.In.Scopes[0].Namespace()).Subscriptions) <= len(h.rows) {
		return // none goes on the way
	}
	known := make(map[cluster.RequestKey]bool, len(h.rows))
	for _, a := range h.rows {
		known[a.now.Request] = true
	}
	for _, s := range request.KindOf(h.in.In.Scopes[0]).Stated(now, h.in.In.Scopes[0]) {
		if !known[s.Key] {
			now := &result.Status{Request: s.Key, Package: s.Package, Next: s.Installed, State: result.StateNotInstalled}
			h.rows = append(h.rows, &ahead{now, result.TargetStatus{Hops: h.rows[0].target.Hops}})
		}
	}
}

// mustMove reports whether a row must move, and can as far as OLM states. It notes why it must.
func (h *hop) mustMove(m *world.Problem, a *ahead) bool {
	row := a.now
	p, r := m.Root(m.RootOf(row.Request))
	refused, until := h.refusal(p, r), waitsFor(row)
	if runs := h.replaced(p, row, r); runs != nil {
		refused, until = runs, cmp.Or(until, words.PhaseSucceeded("ClusterServiceVersion "+row.Next))
	}
	if refused == nil {
		return false
	}
	h.refused[row.Request] = refused
	if until != "" {
		a.target.Refusal = refused // of the bundle that blocks
		a.blocks(h.name(), errors.New(row.Reason()), until)
		return false
	}
	a.target.Refusal = cmp.Or(a.target.Refusal, refused)
	return true
}

// follow finds updates of rows for which the joint search found none, as it was cut off, and
// notes the others as blocked.
func (h *hop) follow(ctx context.Context, missed []route.Missed) (turns []route.Turn, err error) {
	for i := 0; i < len(missed); i++ {
		a := h.of(missed[i].Request)
		t := h.in.Read(ctx)
		if t.Err != nil {
			a.blocks(h.name(), t.Err, "")
			continue
		}
		p, r := t.Problem.Root(t.Problem.RootOf(a.now.Request))
		refused := h.refusal(p, r)
		if refused == nil {
			a.blocks("", nil, "")
			continue // others took it along
		}
		search := route.New(ctx, *h.in, a.now.Request)
		search.First = t.Problem
		path, err := search.Run(func(p *model.Part, r *request.Request) ([]string, error) { return h.Fitting(p, r), nil })
		if ctx.Err() != nil {
			return nil, &result.Incomplete{Phase: "searching a path", Err: ctx.Err()}
		}
		if err == nil {
			found := route.Turns(h.in.In.Cluster, path)
			if err = h.worse(ctx, t.Problem, path, found); err == nil {
				turns = append(turns, found...)
				*h.in = h.in.On(found[len(found)-1].After)
				missed = slices.Delete(missed, i, i+1)
				i = -1 // others may follow
				continue
			}
		}
		until := ""
		if p.Installed[r.Current].Held() != nil {
			until = allowed(p, r)
		}
		if none, ok := errors.AsType[*result.NoPath](err); ok {
			for k := 0; k < len(missed[i].Near) && len(none.Blocked) > 0; k++ {
				until = cmp.Or(until, h.held[missed[i].Near[k]])
			}
			err = h.explain(t.Problem, a.now, *none, h.fitting(p, r, true), missed[i].CutOff)
		}
		a.target.Refusal = refused // of the bundle that blocks
		a.blocks(h.name(), err, until)
	}
	return turns, nil
}

// worse returns an error if a path takes another request from a bundle that may run at the
// version to one that may not. m is the problem before the path.
func (h *hop) worse(ctx context.Context, m *world.Problem, path *result.Path, turns []route.Turn) error {
	t := h.in.On(turns[len(turns)-1].After).Read(ctx)
	if t.Err != nil {
		return t.Err
	}
	for root := range t.Problem.Scopes[0].Requests {
		p, r := t.Problem.Root(root)
		before := m.RootOf(r.Key())
		if refused := h.refusal(p, r); refused != nil && (before < 0 || h.refusal(m.Root(before)) == nil) {
			none := &result.NoPath{Request: path.Request, Package: path.Package, From: path.From, Reached: []string{path.From}}
			none.Blocked = []result.BlockedUpdate{{From: path.From, To: path.To, Err: errors.New("it takes along " + r.Key().String() + ": " + refused.Message())}}
			return none
		}
	}
	return nil
}

// Stays implements route.Destination.
func (h *hop) Stays(key cluster.RequestKey) bool { return h.held[key] != "" }

// Refuses implements route.Destination.
func (h *hop) Refuses(p *model.Part, r *request.Request) bool { return h.refusal(p, r) != nil }

// explain returns the error of a row without a path: with newer bundles that may run at the
// version, with fixes, or with the failure of other requests that it waits for. cutOff is true if
// the search for updates of others ended at its limit.
func (h *hop) explain(m *world.Problem, row *result.Status, none result.NoPath, newer []string, cutOff bool) error {
	none.Fitting, none.CutOff = newer, cutOff && len(none.Blocked) > 0
	if request.KindOf(row.Request.Scope()).Ranged && len(newer) > 0 && !h.in.In.Options.NoFixes {
		none.Help = fix.SearchGoal(&world.Try{World: *h.in, Problem: m}, fix.Reaches{Request: row.Request, To: newer[0]}) // its range may forbid it
	}
	if len(none.Blocked) > 0 && failsAsOthers(row, &none) {
		return waiting{row.Reason(), &none} // the rows of the others state why they fail
	}
	return &none
}

// waitsFor returns what a row waits for before OLM updates it, empty if it waits for nothing
// that OLM states.
func waitsFor(row *result.Status) string {
	switch {
	case row.State == result.StatePendingApproval && (len(row.Fixes) == 0 || row.Fixes[0].Steps()[0].Field == ""): // it may not be approved, or another repair comes first
		return words.ApprovedOrReplaced(row.Why.Reason.Args().Subject)
	case row.State == result.StatePendingApproval:
		return words.Approved(row.Why.Reason.Args().Subject)
	case row.State == result.StateHeld && row.Why.Reason.Code() == words.HeldUpdate:
		return words.UpgradeableAgain(row.Installed)
	case row.State == result.StatePending:
		return words.PhaseSucceeded(row.Why.Reason.Args().Subject)
	}
	return ""
}

// replaced returns why the bundle that still runs may not run within the limits, while the one
// that replaces it waits or is being installed. It returns nil if it may, or nothing replaces
// it.
func (h *hop) replaced(p *model.Part, row *result.Status, r *request.Request) *result.Reason {
	csv := inventory.CSV(p.State, row.Installed)
	if csv == nil || r.Current < 0 || p.Installed[r.Current].Name() == csv.Name {
		return nil
	}
	list, err := inventory.PropertiesOf(p.State, csv, "0.0.0")
	if err != nil {
		return nil // OLM reads no limit there either
	}
	set, _ := properties.Decode(list, nil)
	version, _ := semver.Parse(csv.Version)
	return h.refusalOf(p, &model.InstalledBundle{CSV: csv, Properties: set, Version: version}, r.PackageName())
}

// allowed returns what a request waits for whose operator refuses updates.
func allowed(p *model.Part, r *request.Request) string {
	return "OperatorCondition " + p.Installed[r.Current].Name() + " is Upgradeable again"
}

// failsAsOthers reports whether a row gets no updates because other requests of its
// namespace fail.
func failsAsOthers(row *result.Status, none *result.NoPath) bool {
	return row.Err != nil && (row.State != result.StateFailed || !slices.ContainsFunc(none.Blocked, func(b result.BlockedUpdate) bool {
		unsatisfied, ok := errors.AsType[*result.NotSatisfiable](b.Err)
		return !ok || slices.Contains(unsatisfied.Blocking, row.Request)
	}))
}

// waiting is the error of a row that gets no updates because other requests fail. As it
// wraps a NoPath, the row is tried again once others have moved.
type waiting struct {
	text string
	none *result.NoPath
}

func (w waiting) Error() string { return w.text }
func (w waiting) Unwrap() error { return w.none }

// excludes returns the versions of OpenShift that the lifecycle of a bundle's minor names if
// openShift is not among them, else nil. The lifecycle does not count if the bundle states
// olm.maxOpenShiftVersion.
func excludes(p *model.Part, pkg string, version semver.Version, set *properties.Set, openShift string) []string {
	target, known := properties.OpenShiftOf(openShift)
	l := Lifecycle(p, pkg, version)
	if _, limited := set.MaxOpenShift(); limited || !known || l == nil {
		return nil
	}
	versions, stated := l.OpenShift()
	if !stated || slices.ContainsFunc(versions, func(text string) bool {
		v, ok := properties.OpenShiftOf(text)
		return ok && v.Compare(target) == 0
	}) {
		return nil
	}
	return append([]string{}, versions...)
}

// refusal returns why the installed bundle of a request may not run within the limits, nil
// if it may. What its catalogs state counts as well: the installed object may state less.
func (h *hop) refusal(p *model.Part, r *request.Request) *result.Reason {
	if r.Current < 0 {
		return nil
	}
	return h.refusalOf(p, &p.Installed[r.Current], r.PackageName())
}

// refusalOf is [hop.refusal] for an installed bundle.
func (h *hop) refusalOf(p *model.Part, current *model.InstalledBundle, pkg string) *result.Reason {
	set := current.Properties
	code := h.refuses(set)
	for _, c := range p.Catalogs {
		for b := range c.Bundles(pkg) {
			if code == "" && b.Name == current.Name() {
				set = b.Properties
				code = h.refuses(set)
			}
		}
	}
	switch about := reason.Bundle(current.Name(), pkg); code {
	case words.BlocksUpdates:
		return new(reason.BlocksUpdates(about, set.OpenShiftFault()))
	case words.OpenShift:
		limit, _ := h.limits.OpenShift(set) // the cluster does not have the other version yet
		return new(reason.OpenShift(about, limit, ""))
	case words.Kubernetes:
		least, has := h.limits.Kubernetes(set)
		return new(reason.Kubernetes(about, least, has))
	default:
		if versions := excludes(p, pkg, current.Version, set, h.openShift); versions != nil {
			return new(reason.Lifecycle(about, versions))
		}
	}
	return nil
}

// refuses returns why a bundle keeps the cluster from the version, empty if it does not: it
// cannot run there, or OLM does not accept what it states of OpenShift.
func (h *hop) refuses(set *properties.Set) words.Code {
	if h.openShift != "" && set.OpenShiftFault() != nil {
		return words.BlocksUpdates
	}
	return h.limits.Refuse(set)
}

// unrequested returns rows of installed bundles without a request that may not run at a
// version: nothing updates them.
func (h *hop) unrequested(ctx context.Context) (blocked []result.Status) {
	scope := h.in.In.Scopes[0]
	kind := request.KindOf(scope)
	if !kind.Namespaced || !slices.ContainsFunc(inventory.Counting(h.in.In.Cluster.In(scope.Name)), func(csv *cluster.ClusterServiceVersion) bool {
		return !slices.ContainsFunc(h.rows, func(a *ahead) bool { return a.now.Installed == csv.Name })
	}) {
		return nil
	}
	t := h.in.Read(ctx)
	if t.Err != nil {
		return nil // moveEach notes the error in the rows
	}
	p := t.Problem.Scopes[0].Part
	for k := range p.Installed {
		one := &p.Installed[k]
		if one.Requested || one.Foreign {
			continue
		}
		if refused := h.refusalOf(p, one, one.PackageName()); refused != nil {
			blocked = append(blocked, result.Status{
				Request: kind.All(scope), Package: one.PackageName(), Installed: one.Name(), State: result.StateAtDeadEnd,
				Target: &result.TargetStatus{Hops: h.rows[0].target.Hops, Refusal: refused, Blocks: h.name(), Err: words.ErrUnrequested},
			})
		}
	}
	return blocked
}

// Fitting implements route.Destination: the bundles of a request's package that may run within
// the limits, but for the installed one.
func (h *hop) Fitting(p *model.Part, r *request.Request) []string { return h.fitting(p, r, false) }

// fitting is [hop.Fitting], or only those that are newer than the installed bundle.
func (h *hop) fitting(p *model.Part, r *request.Request, newer bool) (names []string) {
	for _, c := range p.Catalogs {
		for b := range c.Bundles(r.PackageName()) {
			if h.refuses(b.Properties) == "" && excludes(p, r.PackageName(), b.Version, b.Properties, h.openShift) == nil && (r.Current < 0 || b.Name != p.Installed[r.Current].Name()) && (!newer || b.Version.GT(p.Installed[r.Current].Version)) {
				names = append(names, b.Name)
			}
		}
	}
	return words.Distinct(names)
}
