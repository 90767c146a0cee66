// Package upgrade finds the updates on the way to something: those of one request to a version,
// and those of all requests of a scope before the cluster itself is updated, hop by hop. How
// requests stand now is in package status, the search over update edges in package route.
package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/status"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// Target is what the cluster is to be updated to. An empty version stays as it is.
type Target struct {
	OpenShiftVersion, KubernetesVersion string
	// Catalogs has all catalogs at a version on the way, by the versions of Hops. At a version
	// without an entry they stay as they are.
	Catalogs map[string]*cache.View
}

// Hops returns the versions of OpenShift that a cluster is updated to in turn, one minor
// after another; the last one is the target. 4.23 and 5.0 are one of them. If the current
// version is unknown, or of a major from which no minors lead there, the target is the only
// one. A target below the current version is an error.
func (t *Target) Hops(current string) ([]string, error) {
	now, known := properties.OpenShiftOf(current)
	then, ok := properties.OpenShiftOf(t.OpenShiftVersion)
	if !known || !ok {
		return []string{t.OpenShiftVersion}, nil
	}
	if then.Compare(now) < 0 {
		return nil, fmt.Errorf("the target OpenShift %s is below %s, which the cluster runs", t.OpenShiftVersion, current)
	}
	hops := words.Texts(now.To(then))
	return append(hops[:max(0, len(hops)-1)], t.OpenShiftVersion), nil
}

// kubernetes is the version of a hop: that of the target comes with the last one.
func (t *Target) kubernetes(last bool) string {
	if last {
		return t.KubernetesVersion
	}
	return ""
}

// LookAhead notes in the rows of one scope which updates the target takes before each of its
// versions, and what blocks it. It adds rows of bundles without a request, and of
// dependencies that come on the way, if they block the target or must be updated.
func LookAhead(ctx context.Context, w world.World, rows []updates.Status, target *Target) (all []updates.Status, err error) {
	defer pace.Recover(&err, "looking ahead for", w.In.Subject)
	hops, err := target.Hops(w.In.Cluster.ClusterScoped().OpenShiftVersion)
	if err = cmp.Or(err, notBelow(w.In.Cluster.ClusterScoped().KubernetesVersion, target.KubernetesVersion)); err != nil {
		return nil, &result.InvalidInput{Subject: "target", Err: err}
	}
	for i := range rows {
		rows[i].Target = &updates.TargetStatus{Hops: hops, NotJudged: rows[i].State == updates.NotJudged}
	}
	if len(rows) == 0 || rows[0].Target.NotJudged { // and so is the whole scope
		return rows, noteLimits(ctx, w, rows, hops, target)
	}
	known, there, blocked := len(rows), w, []updates.Status(nil)
	remarks := map[cluster.RequestKey][]string{}
	for _, row := range rows {
		remarks[row.Request] = words.Mapped(row.Remarks, func(r result.Reason) string { return r.Key() })
	}
	for i, version := range hops {
		h, err := newHop(&there, rows, version, target.kubernetes(i == len(hops)-1))
		if err != nil {
			return nil, err
		}
		h.addRows(there.In.Cluster)
		for _, row := range h.unrequested(ctx) {
			if !slices.ContainsFunc(blocked, func(known updates.Status) bool { return known.Installed == row.Installed }) {
				blocked = append(blocked, row)
			}
		}
		if err := h.move(ctx); err != nil {
			return nil, err
		}
		rows = h.rows
		moved := slices.ContainsFunc(rows, func(row updates.Status) bool {
			return slices.ContainsFunc(row.Target.Updates, func(s updates.Step) bool { return s.Hop == version })
		})
		view := target.Catalogs[version]
		if view != nil {
			there = there.Over(view)
		}
		if moved || view != nil {
			noteRemarks(ctx, there, rows, version, remarks)
		}
	}
	if len(target.Catalogs) > 0 {
		after, err := status.Requests(ctx, there.With(func(o *policy.Options) { o.NoFixes = true }))
		if err != nil {
			return nil, err
		}
		for i := range after {
			row, there := status.RowOf(rows, after[i].Request), &after[i]
			if row != nil && (there.State == updates.Failed || there.State == updates.AtDeadEnd) {
				row.Target.There = there
			}
		}
	}
	came := slices.DeleteFunc(rows[known:], func(row updates.Status) bool { return row.Target.OK() && len(row.Target.Updates) == 0 })
	return append(rows[:known+len(came)], blocked...), nil
}

// noteLimits notes which rows that are not judged have something installed that may not run at a
// version, as it states itself.
func noteLimits(ctx context.Context, w world.World, rows []updates.Status, hops []string, target *Target) error {
	w = w.With(func(o *policy.Options) { o.LenientHealth = true })
	t := w.Read(ctx)
	if t.Problem == nil {
		return t.Err
	}
	for i, version := range hops {
		h, err := newHop(&w, rows, version, target.kubernetes(i == len(hops)-1))
		if err != nil {
			return err
		}
		for k := range rows {
			row, p := &rows[k], t.Problem.Scopes[0].Part
			at := slices.IndexFunc(p.Installed, func(b model.InstalledBundle) bool { return b.Name() == row.Installed })
			if at < 0 || row.Target.Blocks != "" {
				continue
			}
			if refused := h.refusalOf(p, &p.Installed[at], row.Package); refused != nil {
				*row.Target = updates.TargetStatus{Hops: hops, Refusal: refused, Blocks: h.name(), Err: errNotGiven}
			}
		}
	}
	return nil
}

var errNotGiven = errors.New("whether a newer version may run there is not known, as the content of its catalog was not given")

// noteRemarks notes what is to be known of rows once the cluster is at a version, but for what
// was known before. Without moves and other catalogs it is the same.
func noteRemarks(ctx context.Context, there world.World, rows []updates.Status, version string, known map[cluster.RequestKey][]string) {
	t := there.Read(ctx)
	if t.Problem == nil {
		return
	}
	for i := range rows {
		row := &rows[i]
		root := t.Problem.RootOf(row.Request)
		if root < 0 || row.Target.Blocks != "" {
			continue
		}
		var now []string
		for _, remark := range status.Remarks(t.Problem.Root(root)) {
			now = append(now, remark.Key())
			if !slices.Contains(known[row.Request], remark.Key()) {
				if row.Target.Remarks == nil {
					row.Target.Remarks = map[string][]result.Reason{}
				}
				row.Target.Remarks[version] = append(row.Target.Remarks[version], remark)
			}
		}
		known[row.Request] = now
	}
}

// notBelow returns an error if a target is below the minor version of Kubernetes that runs.
func notBelow(current, target string) error {
	from, err := semver.ParseTolerant(current)
	to, wrong := semver.ParseTolerant(target)
	if err != nil || wrong != nil || to.Major > from.Major || to.Major == from.Major && to.Minor >= from.Minor {
		return nil
	}
	return fmt.Errorf("the target Kubernetes %s is below %s, which the cluster runs", target, current)
}
