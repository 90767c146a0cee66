package plan

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// withVersions returns the cluster with other versions. An empty version stays as it is.
func withVersions(c *cluster.Index, openShift, kubernetes string) *cluster.Index {
	return c.WithObjects(func(o *cluster.Objects) {
		o.OpenShiftVersion = cmp.Or(openShift, o.OpenShiftVersion)
		o.KubernetesVersion = cmp.Or(kubernetes, o.KubernetesVersion)
	})
}

// hop is the update of the cluster to one version on the way to the target. Rows of one
// namespace or ClusterExtension move before it.
type hop struct {
	// in is the world before the update; each move changes its cluster.
	in   *world.World
	rows []updates.Status
	// openShift and kubernetes are the versions; an empty one stays as it is.
	openShift, kubernetes string
	// limits are those of these versions.
	limits *model.ClusterLimits
}

func newHop(in *world.World, rows []updates.Status, openShift, kubernetes string) (*hop, error) {
	limits, err := model.ReadLimits(withVersions(in.In.Cluster, openShift, kubernetes).ClusterScoped())
	return &hop{in, rows, openShift, kubernetes, limits}, err
}

// name returns the name of the version in TargetStatus.Blocks.
func (h *hop) name() string { return cmp.Or(h.openShift, "target") }

// move moves the installed bundles that may not run at the version to ones that may, then sets
// the version. It notes the updates in the rows, and what blocks them.
func (h *hop) move(ctx context.Context) (err error) {
	again, of := true, groups{5 * route.Budget(h.in.In.Options), map[int]failed{}}
	for n := 0; again && n <= len(h.rows); n++ { // each round moves a row
		if err := h.moveEach(ctx, n > 0); err != nil {
			return err
		}
		if again, err = h.moveTogether(ctx, &of); err != nil {
			return err
		}
	}
	h.in.In.Cluster = withVersions(h.in.In.Cluster, h.openShift, h.kubernetes)
	return nil
}

// moveEach moves one row after another. After a move it tries the blocked rows again.
func (h *hop) moveEach(ctx context.Context, othersMoved bool) error {
	var m *engine.Problem // of in; nil after in has changed
	again := false        // a move may unblock a row, or take another one along
	for i, pass := 0, 0; i < len(h.rows) || again && pass < maxPasses; i++ {
		if i == len(h.rows) {
			i, again = 0, false
			pass++
		}
		target := h.rows[i].Target
		if none, ok := errors.AsType[*updates.NoPath](target.Err); (othersMoved || pass > 0) && ok && len(none.Blocked) > 0 && target.Blocks == h.name() {
			target.Blocks, target.Until = "", ""
		}
		if target.Blocks != "" {
			continue // noted before
		}
		if m == nil {
			t := h.in.Read(ctx)
			if m = t.Problem; t.Err != nil {
				if incomplete, ok := errors.AsType[*result.Incomplete](t.Err); ok {
					return incomplete
				}
				h.rows[i].Target.Err, h.rows[i].Target.Blocks = t.Err, h.name()
				continue
			}
		}
		moved, err := h.moveRow(ctx, m, i)
		if err != nil {
			return err
		}
		if moved {
			m, again = nil, true
		}
	}
	return nil
}

// maxPasses bounds the passes over all rows for one version; few need a third.
const maxPasses = 10

// moveRow moves one row to a bundle that may run at the version, and reports whether it
// moved.
func (h *hop) moveRow(ctx context.Context, m *engine.Problem, i int) (moved bool, err error) {
	row := &h.rows[i]
	p, r := m.Root(rootOf(m, row.Request))
	refused, again := h.refusal(p, r), row.Target.Err != nil
	until := waitsFor(row)
	if runs := h.replaced(p, row, r); runs != nil {
		refused, until = runs, cmp.Or(until, "ClusterServiceVersion "+row.Next+" is in phase Succeeded")
	}
	row.Target.Err = nil
	if refused == nil {
		return false, nil
	}
	first := row.Target.Refusal
	row.Target.Refusal = refused // of the bundle that blocks
	if until != "" {
		h.block(row, errors.New(row.Reason()), until)
		return false, nil
	}
	there, newer := h.fitting(p, r)
	path, err := h.path(ctx, m, i, there, again)
	switch {
	case ctx.Err() != nil:
		return false, &result.Incomplete{Phase: "searching a path", Err: ctx.Err()}
	case err != nil:
		until := ""
		if p.Installed[r.Current].Held() != nil {
			until = allowed(p, r)
		}
		h.block(row, h.explain(m, row, err, newer), until)
		return false, nil
	}
	for _, step := range path.Steps {
		step.Hop, step.Refusal = h.openShift, refused
		row.Target.Updates = append(row.Target.Updates, step)
	}
	row.Target.Refusal = cmp.Or(first, refused)
	h.in.In.Cluster = route.AfterSteps(h.in.In.Cluster, row.Request, path.Steps)
	return true, nil
}

// block notes that a row blocks the version.
func (h *hop) block(row *updates.Status, err error, until string) {
	row.Target.Blocks, row.Target.Err, row.Target.Until = h.name(), err, until
}

// path finds the updates of a row to one of the bundles there, with as few other packages as
// possible.
func (h *hop) path(ctx context.Context, m *engine.Problem, i int, there []string, again bool) (*updates.Path, error) {
	run := func(search *route.Search) (*updates.Path, error) {
		return search.Run(func(*model.Part, *request.Request) ([]string, error) { return there, nil })
	}
	beside := func(free []string) (*updates.Path, error) {
		search := route.New(ctx, others(*h.in, h.rows, i, free), h.rows[i].Request)
		search.Bare = true
		return run(search)
	}
	search := route.New(ctx, *h.in, h.rows[i].Request)
	search.First = m
	path, err := run(search)
	// Try to move nothing else; that is in vain if no step at all is possible.
	if !again && len(search.Reached) > 1 {
		if alone, _ := beside(nil); alone != nil {
			return alone, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return fewer(path, beside), nil
}

// explain completes the error of a row without a path: with newer bundles that may run at the
// version, with fixes, or with the failure of other requests that it waits for.
func (h *hop) explain(m *engine.Problem, row *updates.Status, err error, newer []string) error {
	none, ok := errors.AsType[*updates.NoPath](err)
	if !ok {
		return err
	}
	none.Fitting = newer
	if row.Request.Kind == cluster.KindExtension && len(newer) > 0 && !h.in.In.Options.NoFixes {
		none.Help = fix.SearchGoal(&world.Try{World: *h.in, Problem: m}, fix.Path{Request: row.Request, To: newer[0]}) // its range may forbid it
	}
	if len(none.Blocked) > 0 && failsAsOthers(row, none) {
		return waiting{row.Reason(), none} // the rows of the others state why they fail
	}
	return err
}

// waitsFor returns what a row waits for before OLM updates it, empty if it waits for nothing
// that OLM states.
func waitsFor(row *updates.Status) string {
	switch {
	case row.State == updates.PendingApproval:
		return "InstallPlan " + row.Fixes[0].Changes[0].Object.Name + " is approved"
	case row.State == updates.Held && row.Why.Reason.Code() == code.HeldUpdate:
		return "OperatorCondition " + row.Installed + " is Upgradeable again"
	case row.State == updates.Pending:
		return row.Why.Reason.Args().Subject + " is in phase Succeeded"
	}
	return ""
}

// replaced returns why the bundle that still runs may not run within the limits, while the one
// that replaces it waits or is being installed. It returns nil if it may, or nothing replaces
// it.
func (h *hop) replaced(p *model.Part, row *updates.Status, r *request.Request) *result.Reason {
	csv := named(p.State.CSVs, row.Installed, func(v *cluster.ClusterServiceVersion) string { return v.Name })
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
func failsAsOthers(row *updates.Status, none *updates.NoPath) bool {
	return row.Err != nil && (!row.FailsItself() || !slices.ContainsFunc(none.Blocked, func(b updates.BlockedUpdate) bool {
		unsatisfied, ok := errors.AsType[*result.NotSatisfiable](b.Err)
		return !ok || slices.Contains(unsatisfied.Blocking, row.Request)
	}))
}

// waiting is the error of a row that gets no updates because other requests fail. As it
// wraps a NoPath, the row is tried again once others have moved.
type waiting struct {
	text string
	none *updates.NoPath
}

func (w waiting) Error() string { return w.text }
func (w waiting) Unwrap() error { return w.none }

// fewer returns a path on which a minimal set of other packages moves: find finds none
// without any one of them.
func fewer(path *updates.Path, find func(free []string) (*updates.Path, error)) *updates.Path {
	free := moved(path)
	for size := len(free); size > 0; size /= 2 {
		for from := 0; from < len(free); {
			without := slices.Delete(slices.Clone(free), from, min(from+size, len(free)))
			if shorter, err := find(without); err == nil {
				path, free = shorter, without
			} else {
				from += size
			}
		}
	}
	return path
}

// moved returns the packages other than its own that a path updates.
func moved(path *updates.Path) (packages []string) {
	for _, s := range path.Steps {
		if s.Resolution == nil {
			continue
		}
		for i := range s.Resolution.Installs {
			if pkg := s.Resolution.Installs[i].Bundle.Package; pkg != path.Package {
				packages = append(packages, pkg)
			}
		}
	}
	return words.Distinct(packages)
}

// others returns the inputs in which the packages of all other rows are pinned, except the
// free ones.
func others(in world.World, rows []updates.Status, i int, free []string) world.World {
	options := *in.In.Options
	options.Pins = slices.Clone(options.Pins)
	for k := range rows {
		if rows[k].Package != rows[i].Package && !slices.Contains(free, rows[k].Package) {
			options.Pins = append(options.Pins, policy.Pin{Namespace: in.In.Scopes[0].Namespace(), Package: rows[k].Package})
		}
	}
	in.In.Options = &options
	return in
}

// excludes returns the versions of OpenShift that the lifecycle of a bundle's minor names if
// openShift is not among them, else nil. The lifecycle does not count if the bundle states
// olm.maxOpenShiftVersion.
func excludes(p *model.Part, pkg string, version semver.Version, set *properties.Set, openShift string) []string {
	to, known := properties.OpenShiftOf(openShift)
	l := lifecycle(p, pkg, version)
	if _, limited := set.MaxOpenShift(); limited || !known || l == nil {
		return nil
	}
	versions, stated := l.OpenShift()
	if !stated || slices.ContainsFunc(versions, func(text string) bool {
		v, ok := properties.OpenShiftOf(text)
		return ok && v.Compare(to) == 0
	}) {
		return nil
	}
	return append([]string{}, versions...)
}

// lifecycle returns what the first catalog that has one states of the minor of a version,
// nil if none has.
func lifecycle(p *model.Part, pkg string, version semver.Version) *catalog.Lifecycle {
	for _, c := range p.Catalogs {
		if stated := c.Snapshot.Package(pkg); stated != nil {
			if l := stated.Lifecycle(version); l != nil {
				return l
			}
		}
	}
	return nil
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
	of := h.refuses(set)
	for _, c := range p.Catalogs {
		for b := range c.Bundles(pkg) {
			if of == "" && b.Name == current.Name() {
				set = b.Properties
				of = h.refuses(set)
			}
		}
	}
	var why result.Args
	if of == code.BlocksUpdates {
		why.Err = set.OpenShiftFault()
	} else if of != "" {
		why = h.limits.Args(of, set)
	} else if why.Names = excludes(p, pkg, current.Version, set, h.openShift); why.Names != nil {
		of = code.Lifecycle
	} else {
		return nil
	}
	if of == code.OpenShift {
		why.Has = "" // the cluster does not have that version yet
	}
	why.Subject, why.Bundle, why.Package = current.Name(), current.Name(), pkg
	reason := result.New(of, why)
	return &reason
}

// refuses returns why a bundle keeps the cluster from the version, empty if it does not: it
// cannot run there, or OLM does not accept what it states of OpenShift.
func (h *hop) refuses(set *properties.Set) code.Code {
	if h.openShift != "" && set.OpenShiftFault() != nil {
		return code.BlocksUpdates
	}
	return h.limits.Refuse(set)
}

// unrequested returns rows of installed bundles without a request that may not run at a
// version: nothing updates them.
func (h *hop) unrequested(ctx context.Context) (blocked []updates.Status) {
	scope := h.in.In.Scopes[0]
	if scope.Kind != cluster.KindSubscription || !slices.ContainsFunc(inventory.Counting(h.in.In.Cluster.In(scope.Name)), func(csv *cluster.ClusterServiceVersion) bool {
		return !slices.ContainsFunc(h.rows, func(row updates.Status) bool { return row.Installed == csv.Name })
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
			blocked = append(blocked, updates.Status{
				Request: cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: scope.Name}, Package: one.PackageName(), Installed: one.Name(), State: updates.AtDeadEnd,
				Target: &updates.TargetStatus{Hops: h.rows[0].Target.Hops, Refusal: refused, Blocks: h.name(), Err: errUnrequested},
			})
		}
	}
	return blocked
}

var errUnrequested = errors.New("no Subscription has it installed, so nothing updates it: subscribe to its package, or delete it before the update")

// fitting returns the bundles of a request's package that may run within the limits, and
// those among them that are newer than the installed one.
func (h *hop) fitting(p *model.Part, r *request.Request) (names, newer []string) {
	current := &p.Installed[r.Current]
	for _, c := range p.Catalogs {
		for b := range c.Bundles(r.PackageName()) {
			if h.refuses(b.Properties) != "" || excludes(p, r.PackageName(), b.Version, b.Properties, h.openShift) != nil || b.Name == current.Name() {
				continue
			}
			if names = append(names, b.Name); b.Version.GT(current.Version) {
				newer = append(newer, b.Name)
			}
		}
	}
	return words.Distinct(names), words.Distinct(newer)
}
