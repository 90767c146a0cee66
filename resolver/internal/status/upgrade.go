package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
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
		return nil, words.Below("OpenShift", t.OpenShiftVersion, current)
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

// LookAhead returns the rows of one scope with the updates that the target takes before each of
// its versions, and what blocks it. It adds rows of bundles without a request, and of
// dependencies that come on the way, if they block the target or must be updated.
func LookAhead(ctx context.Context, w world.World, now []result.Status, target *Target) (all []result.Status, err error) {
	defer pace.Recover(&err, "looking ahead for", w.In.Subject)
	hops, err := target.Hops(w.In.Cluster.ClusterScoped().OpenShiftVersion)
	if err = cmp.Or(err, notBelow(w.In.Cluster.ClusterScoped().KubernetesVersion, target.KubernetesVersion)); err != nil {
		return nil, &result.InvalidInput{Subject: "target", Err: err}
	}
	rows := make([]*ahead, len(now))
	for i := range now {
		rows[i] = &ahead{&now[i], result.TargetStatus{Hops: hops, NotJudged: now[i].State == result.StateNotJudged}}
	}
	if len(now) == 0 || rows[0].target.NotJudged { // and so is the whole scope
		if err := limit(ctx, w, rows, hops, target); err != nil {
			return nil, err
		}
		return words.Mapped(rows, (*ahead).row), nil
	}
	there, blocked := w, []result.Status(nil)
	remarks := map[cluster.RequestKey][]string{}
	for _, row := range now {
		remarks[row.Request] = words.Mapped(row.Remarks, func(r result.Reason) string { return r.Key() })
	}
	for i, version := range hops {
		h, err := newHop(&there, rows, version, target.kubernetes(i == len(hops)-1))
		if err != nil {
			return nil, err
		}
		h.addRows(there.In.Cluster)
		for _, row := range h.unrequested(ctx) {
			if !slices.ContainsFunc(blocked, func(known result.Status) bool { return known.Installed == row.Installed }) {
				blocked = append(blocked, row)
			}
		}
		if err := h.move(ctx); err != nil {
			return nil, err
		}
		rows = h.rows
		moved := slices.ContainsFunc(rows, func(a *ahead) bool {
			return slices.ContainsFunc(a.target.Updates, func(s result.PathStep) bool { return s.Hop == version })
		})
		view := target.Catalogs[version]
		if view != nil {
			there = there.Over(view)
		}
		if moved || view != nil {
			remark(ctx, there, rows, version, remarks)
		}
		if view == nil {
			remarkCatalogs(w.In.Cluster, rows, version, target.kubernetes(i == len(hops)-1), i == 0)
		}
	}
	if len(target.Catalogs) > 0 {
		after, err := Requests(ctx, there.With(func(o *policy.Options) { o.NoFixes = true }))
		if err != nil {
			return nil, err
		}
		for i := range after {
			at := slices.IndexFunc(rows, func(a *ahead) bool { return a.now.Request == after[i].Request })
			if there := &after[i]; at >= 0 && slices.Contains([]result.State{result.StateFailed, result.StateWaiting, result.StateAtDeadEnd}, there.State) {
				rows[at].target.There = there
			}
		}
	}
	for i, a := range rows {
		if i < len(now) || !a.target.OK() || len(a.target.Updates) > 0 { // else it came on the way, and does not matter
			all = append(all, a.row())
		}
	}
	all = append(all, blocked...)
	for i := range all[len(now):] {
		row := &all[len(now)+i]
		row.Versions = Versions(&w.In, row)
	}
	return all, nil
}

// limit finds which rows that are not judged have something installed that may not run at a
// version, as it states itself.
func limit(ctx context.Context, w world.World, rows []*ahead, hops []string, target *Target) error {
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
		for _, a := range rows {
			p := t.Problem.Scopes[0].Part
			at := slices.IndexFunc(p.Installed, func(b model.InstalledBundle) bool { return b.Name() == a.now.Installed })
			if at < 0 || a.target.Blocks != "" {
				continue
			}
			if refused := h.refusalOf(p, &p.Installed[at], a.now.Package); refused != nil {
				a.target = result.TargetStatus{Hops: hops, Refusal: refused, Blocks: h.name(), Err: words.ErrNotGiven}
			}
		}
	}
	return nil
}

// remark finds what is to be known of rows once the cluster is at a version, but for what was
// known before. Without moves and other catalogs it is the same.
func remark(ctx context.Context, there world.World, rows []*ahead, version string, known map[cluster.RequestKey][]string) {
	t := there.Read(ctx)
	if t.Problem == nil {
		return
	}
	for _, a := range rows {
		key := a.now.Request
		root := t.Problem.RootOf(key)
		if root < 0 || a.target.Blocks != "" {
			continue
		}
		list := Remarks(t.Problem.Root(root))
		if fresh := slices.DeleteFunc(slices.Clone(list), func(r result.Reason) bool { return slices.Contains(known[key], r.Key()) }); len(fresh) > 0 {
			if a.target.Remarks == nil {
				a.target.Remarks = map[string][]result.Reason{}
			}
			a.target.Remarks[version] = fresh
		}
		known[key] = words.Mapped(list, func(r result.Reason) string { return r.Key() })
	}
}

// defaults disables the CatalogSources that OpenShift itself keeps at its version.
var defaults = cluster.OperatorHub{DisableAll: true}

// remarkCatalogs adds what becomes of the image of a row's catalog once the cluster is at a version,
// the first on the way or a later one.
func remarkCatalogs(now *cluster.Index, rows []*ahead, version, kubernetes string, first bool) {
	sources := now.ClusterScoped().CatalogSources
	if at, ok := properties.OpenShiftOf(version); ok {
		kubernetes = cmp.Or(kubernetes, at.Kubernetes())
	}
	for _, a := range rows {
		at := slices.IndexFunc(sources, func(s cluster.CatalogSource) bool { return s.Key == a.now.Catalog })
		if at < 0 || a.target.Blocks != "" || a.now.Request.Scope().Alone() {
			continue
		}
		s := &sources[at]
		staysBehind := version != "" && tagged(s.Image, now.ClusterScoped().OpenShiftVersion)
		then := imageAt(s.ImageTemplate, kubernetes)
		if then == "" && (!first || s.ImageTemplate == "" && !staysBehind) || then == s.Image ||
			defaults.Disables(s.Key) {
			continue
		}
		if a.target.Remarks == nil {
			a.target.Remarks = map[string][]result.Reason{}
		}
		a.target.Remarks[version] = append(a.target.Remarks[version], reason.CatalogImage(s.Key, s.Image, then, cmp.Or(version, "Kubernetes "+kubernetes), s.ImageTemplate))
	}
}

// imageAt returns the image that OLM makes of a template with a version of Kubernetes, empty if the
// template depends on anything else.
func imageAt(template, kubernetes string) string {
	v, err := semver.ParseTolerant(kubernetes)
	if err != nil || template == "" {
		return ""
	}
	text := strings.NewReplacer("{kube_major_version}", fmt.Sprint(v.Major), "{kube_minor_version}", fmt.Sprint(v.Minor)).Replace(template)
	if strings.Count(kubernetes, ".") == 2 {
		text = strings.ReplaceAll(text, "{kube_patch_version}", fmt.Sprint(v.Patch))
	}
	if strings.Contains(text, "{") {
		return ""
	}
	return text
}

// tagged reports whether the tag of an image is the minor version of OpenShift.
func tagged(image, openShift string) bool {
	minor, ok := properties.OpenShiftOf(openShift)
	tag := image[strings.LastIndex(image, ":")+1:]
	return ok && !strings.Contains(image, "@") && strings.TrimPrefix(tag, "v") == minor.String()
}

// notBelow returns an error if a target is below the minor version of Kubernetes that runs.
func notBelow(current, target string) error {
	from, err := semver.ParseTolerant(current)
	to, wrong := semver.ParseTolerant(target)
	if err != nil || wrong != nil || to.Major > from.Major || to.Major == from.Major && to.Minor >= from.Minor {
		return nil
	}
	return words.Below("Kubernetes", target, current)
}
