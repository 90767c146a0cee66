package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// withVersions is the cluster with other versions; what is empty stays.
func withVersions(c *cluster.Index, openShift, kubernetes string) *cluster.Index {
	return c.WithObjects(func(o *cluster.Objects) {
		o.OpenShiftVersion = cmp.Or(openShift, o.OpenShiftVersion)
		o.KubernetesVersion = cmp.Or(kubernetes, o.KubernetesVersion)
	})
}

// before notes in the rows what must be done before the cluster is updated to a version, and
// what blocks that, and does it all: what is installed moves only if it may not run there.
func before(ctx context.Context, e *engine.Engine, in *model.Inputs, rows []updates.Status, openShift, kubernetes string) error {
	there := withVersions(in.Cluster, openShift, kubernetes)
	limits, err := model.ReadLimits(there.ClusterScoped())
	if err != nil {
		return err
	}
	again, of := true, groups{5 * route.Budget(in.Options), map[int]failed{}}
	for n := 0; again && n <= len(rows); n++ { // each time one more has moved
		if err := moveEach(ctx, e, in, rows, limits, openShift, n > 0); err != nil {
			return err
		}
		if again, err = moveTogether(ctx, e, in, rows, limits, openShift, &of); err != nil {
			return err
		}
	}
	in.Cluster = withVersions(in.Cluster, openShift, kubernetes)
	return nil
}

// moveEach moves one row after another; those again that were blocked before others moved.
func moveEach(ctx context.Context, e *engine.Engine, in *model.Inputs, rows []updates.Status, limits *model.ClusterLimits, openShift string, othersMoved bool) error {
	readCtx, stop := context.WithCancel(ctx)
	defer stop()
	var m *engine.Problem // of what in says, nil once that has changed
	again := false        // what moved may make way for what is blocked, and may have taken others along
	for i, pass := 0, 0; i < len(rows) || again && pass < maxPasses; i++ {
		if i == len(rows) {
			i, again = 0, false
			pass++
		}
		target := rows[i].Target
		if none, ok := errors.AsType[*updates.NoPath](target.Err); (othersMoved || pass > 0) && ok && len(none.Blocked) > 0 && target.Blocks == cmp.Or(openShift, "target") {
			target.Blocks, target.Until = "", ""
		}
		if target.Blocks != "" {
			continue // it was told
		}
		if m == nil {
			var err error
			if m, err = e.Read(readCtx, stop, *in); err != nil {
				if incomplete, ok := errors.AsType[*result.Incomplete](err); ok {
					return incomplete
				}
				rows[i].Target.Err, rows[i].Target.Blocks = err, cmp.Or(openShift, "target")
				continue
			}
		}
		moved, err := moveBefore(ctx, e, m, in, rows, i, limits, openShift)
		if err != nil {
			return err
		}
		if moved {
			m, again = nil, true
		}
	}
	return nil
}

// maxPasses bounds how often all rows are looked at for one version; few need a third time.
const maxPasses = 10

// moveBefore does for one row what before does for all, and reports whether anything moved.
func moveBefore(ctx context.Context, e *engine.Engine, m *engine.Problem, in *model.Inputs, rows []updates.Status, i int, limits *model.ClusterLimits, hop string) (moved bool, err error) {
	row := &rows[i]
	p, r := m.Root(rootOf(m, row.Request))
	refused := refusal(p, r, limits, hop)
	before := row.Target.Err // nil, but where it is tried again
	row.Target.Err = nil
	if refused == nil {
		return false, nil
	}
	first := row.Target.Refusal
	row.Target.Refusal = refused // of what then blocks
	if row.State == updates.PendingApproval {
		row.Target.Blocks, row.Target.Until = cmp.Or(hop, "target"), approval(row)
		row.Target.Err = errors.New(row.Reason())
		return false, nil
	}
	there, newer := fitting(p, r, limits, hop)
	run := func(search *route.Search) (*updates.Path, error) {
		return search.Run(func(*model.Part, *request.Request) ([]string, error) { return there, nil })
	}
	beside := func(free []string) (*updates.Path, error) {
		search := route.New(ctx, e, others(*in, rows, i, free), row.Request)
		search.Bare = true
		return run(search)
	}
	search := route.New(ctx, e, *in, row.Request)
	search.First = m
	path, err := run(search)
	// What need not move stays, if that leaves a way: none where no step is possible at all.
	var alone *updates.Path
	if before == nil && len(search.Reached) > 1 {
		alone, _ = beside(nil)
	}
	switch {
	case alone != nil:
		path, err = alone, nil
	case err == nil:
		path = fewer(path, beside)
	}
	if ctx.Err() != nil {
		return false, &result.Incomplete{Phase: "searching a path", Err: ctx.Err()}
	}
	if err != nil {
		if none, ok := errors.AsType[*updates.NoPath](err); ok {
			none.Fitting = newer
			if row.Request.Kind == cluster.KindExtension && len(newer) > 0 && !in.Options.NoFixes {
				none.Help = fix.SearchGoal(ctx, e, m, fix.Path{Request: row.Request, To: newer[0]}) // its range may forbid it
			}
			if len(none.Blocked) > 0 && failsAsOthers(row, none) {
				err = waiting{row.Reason(), none} // what the others fail by is told of these
			}
		}
		row.Target.Err, row.Target.Blocks = err, cmp.Or(hop, "target")
		if p.Installed[r.Current].Held() != nil {
			row.Target.Until = allowed(p, r)
		}
		return false, nil
	}
	for _, step := range path.Steps {
		step.Hop, step.Refusal = hop, refused
		row.Target.Updates = append(row.Target.Updates, step)
	}
	row.Target.Refusal = cmp.Or(first, refused)
	in.Cluster = route.AfterSteps(in.Cluster, row.Request, path.Steps)
	return true, nil
}

// approval is what a row waits for whose InstallPlan is not approved.
func approval(row *updates.Status) string {
	return "InstallPlan " + row.Fixes[0].Changes[0].Object.Name + " is approved"
}

// allowed is what a request waits for whose operator refuses updates.
func allowed(p *model.Part, r *request.Request) string {
	return "OperatorCondition " + p.Installed[r.Current].Name() + " is Upgradeable again"
}

// failsAsOthers reports whether it is the failure of other requests of its namespace that keeps
// a row from the updates.
func failsAsOthers(row *updates.Status, none *updates.NoPath) bool {
	return row.Err != nil && (!row.FailsItself() || !slices.ContainsFunc(none.Blocked, func(b updates.BlockedUpdate) bool {
		unsatisfied, ok := errors.AsType[*result.NotSatisfiable](b.Err)
		return !ok || slices.Contains(unsatisfied.Blocking, row.Request)
	}))
}

// waiting is why a row gets no updates, of which none for a hop. It is tried again once others
// have moved.
type waiting struct {
	text string
	none *updates.NoPath
}

func (w waiting) Error() string { return w.text }
func (w waiting) Unwrap() error { return w.none }

// fewer is a path on which no more packages move than must: without any one of those beside its
// own there is none.
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

// moved lists the packages beside its own that a path updates.
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

// others are the inputs in which the packages of all other rows but the free ones stay as they
// are.
func others(in model.Inputs, rows []updates.Status, i int, free []string) model.Inputs {
	options := *in.Options
	options.Pins = slices.Clone(options.Pins)
	for k := range rows {
		if rows[k].Package != rows[i].Package && !slices.Contains(free, rows[k].Package) {
			options.Pins = append(options.Pins, policy.Pin{Namespace: in.Scopes[0].Namespace(), Package: rows[k].Package})
		}
	}
	in.Options = &options
	return in
}

// excludes returns the versions of OpenShift that the lifecycle of a bundle's minor names
// without the one given, nil if it names that or none. It counts where the bundle states no
// olm.maxOpenShiftVersion.
func excludes(p *model.Part, pkg string, version semver.Version, set *properties.Set, openShift string) []string {
	to, err := semver.ParseTolerant(openShift)
	l := lifecycle(p, pkg, version)
	if _, limited := set.MaxOpenShift(); limited || err != nil || l == nil {
		return nil
	}
	versions, stated := l.OpenShift()
	if !stated || slices.Contains(versions, fmt.Sprintf("%d.%d", to.Major, to.Minor)) {
		return nil
	}
	return append([]string{}, versions...)
}

// lifecycle is what the catalogs state of the minor of a version, the preferred one first;
// nil if nothing.
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

// refusal is why what a request has installed may not run within the limits, nil if it
// may. What its catalog states counts beside what it states itself, which may be less.
func refusal(p *model.Part, r *request.Request, limits *model.ClusterLimits, hop string) *result.Reason {
	if r.Current < 0 {
		return nil
	}
	return refusalOf(p, &p.Installed[r.Current], r.PackageName(), limits, hop)
}

func refusalOf(p *model.Part, current *model.InstalledBundle, pkg string, limits *model.ClusterLimits, hop string) *result.Reason {
	set := current.Properties
	of := limits.Refuse(set)
	for _, c := range p.Catalogs {
		for b := range c.Bundles(pkg) {
			if of == "" && b.Name == current.Name() {
				set = b.Properties
				of = limits.Refuse(set)
			}
		}
	}
	var why result.Args
	if of != "" {
		why = limits.Args(of, set)
	} else if why.Names = excludes(p, pkg, current.Version, set, hop); why.Names != nil {
		of = code.Lifecycle
	} else {
		return nil
	}
	if of == code.OpenShift {
		why.Has = "" // the cluster has not that version yet
	}
	why.Subject, why.Bundle, why.Package = current.Name(), current.Name(), pkg
	reason := result.New(of, why)
	return &reason
}

// unrequested are rows of what may not run at a version and no request has installed, so that
// nothing updates it.
func unrequested(ctx context.Context, e *engine.Engine, in model.Inputs, rows []updates.Status, openShift, kubernetes string) (blocked []updates.Status, err error) {
	scope := in.Scopes[0]
	if scope.Kind != cluster.KindSubscription || !slices.ContainsFunc(inventory.Counting(in.Cluster.In(scope.Name)), func(csv *cluster.ClusterServiceVersion) bool {
		return !slices.ContainsFunc(rows, func(row updates.Status) bool { return row.Installed == csv.Name })
	}) {
		return nil, nil
	}
	limits, err := model.ReadLimits(withVersions(in.Cluster, openShift, kubernetes).ClusterScoped())
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m, err := e.Read(ctx, stop, in)
	if err != nil {
		return nil, nil // it is told of the rows
	}
	p := m.Scopes[0].Part
	for k := range p.Installed {
		one := &p.Installed[k]
		if one.Requested || one.Foreign {
			continue
		}
		if refused := refusalOf(p, one, one.PackageName(), limits, openShift); refused != nil {
			blocked = append(blocked, updates.Status{
				Request: cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: scope.Name}, Package: one.PackageName(), Installed: one.Name(), State: updates.AtDeadEnd,
				Target: &updates.TargetStatus{Hops: rows[0].Target.Hops, Refusal: refused, Blocks: cmp.Or(openShift, "target"), Err: errUnrequested},
			})
		}
	}
	return blocked, nil
}

var errUnrequested = errors.New("no Subscription has it installed, so nothing updates it: subscribe to its package, or delete it before the update")

// fitting lists the bundles of the package of a request that may run within the limits, and
// those of them that are newer than what is installed.
func fitting(p *model.Part, r *request.Request, limits *model.ClusterLimits, hop string) (names, newer []string) {
	current := &p.Installed[r.Current]
	for _, c := range p.Catalogs {
		for b := range c.Bundles(r.PackageName()) {
			if limits.Refuse(b.Properties) != "" || excludes(p, r.PackageName(), b.Version, b.Properties, hop) != nil || b.Name == current.Name() {
				continue
			}
			if names = append(names, b.Name); b.Version.GT(current.Version) {
				newer = append(newer, b.Name)
			}
		}
	}
	return words.Distinct(names), words.Distinct(newer)
}

// compare notes how a request stands on the catalogs of the target, where it cannot be
// resolved or is at a dead end.
func compare(row, there *updates.Status) {
	switch there.State {
	case updates.Failed, updates.AtDeadEnd:
		row.Target.There = there
	}
}
