package check

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// ClusterDifference is what the next resolution of a cluster does differently.
type ClusterDifference struct {
	// Requests are the scopes whose answers differ; Same counts the others.
	Requests []RequestDifference
	Same     int
	// Uses counts, by package and channel, the requests that name them. It is 0 for a package
	// or channel that only an answer has. Channel "" stands for any.
	Uses map[string]map[string]int
}

// RequestDifference compares the two answers for a scope.
type RequestDifference struct {
	// Scope is the scope that was resolved.
	Scope         cluster.Scope
	Before, After result.Result
	// Lines are the differences, each with its reason.
	Lines []string
}

// resolvable is one state of the catalog. Each has a Resolver of its own: a Resolver caches
// only the latest state of a catalog.
type resolvable struct {
	snapshot *catalog.Snapshot
	resolver *resolver.Resolver
}

// Cluster resolves all requests of a cluster with both states. The cluster sees the
// catalog under the key and, for ClusterExtensions, under its name alone. It may be
// called from any number of goroutines.
//
// The error is an *Incomplete.
func (d *Comparison) Cluster(ctx context.Context, key catalog.Key, known *cluster.Index) (*ClusterDifference, error) {
	was, err := d.resolveAll(ctx, key, known, d.before)
	if err != nil {
		return nil, err
	}
	is, err := d.resolveAll(ctx, key, known, d.after)
	if err != nil {
		return nil, err
	}
	diff := &ClusterDifference{Uses: usesOf(known.Objects(), slices.Concat(was, is))}
	for i := range was {
		lines := d.compareOutcomes(was[i], is[i])
		if len(lines) == 0 && d.touches(was[i], is[i]) {
			if lines, err = d.compareRows(ctx, key, known, was[i].Scope); err != nil {
				return nil, err
			}
		}
		if len(lines) == 0 {
			diff.Same++
			continue
		}
		if was[i].Err == nil && is[i].Err != nil {
			help, err := d.remedy(ctx, key, known, is[i])
			if err != nil {
				return nil, err
			}
			lines = slices.Insert(lines, 1, help...)
		}
		diff.Requests = append(diff.Requests, RequestDifference{
			Scope: was[i].Scope, Before: was[i].Result(), After: is[i].Result(), Lines: lines,
		})
	}
	return diff, nil
}

// remedy says what to do about a scope that only the state after fails: the fix that resolving recommends, and
// whether that works with the state before already; or what stays as it is.
func (d *Comparison) remedy(ctx context.Context, key catalog.Key, known *cluster.Index, is result.Outcome) ([]string, error) {
	fixes := result.HelpOf(is.Err).Fixes
	if len(fixes) == 0 || fixes[0].Class.Warning() != "" {
		return slices.DeleteFunc([]string{text.Of(is.Err, nil).Leave}, func(leave string) bool { return leave == "" }), nil
	}
	fix, when := &fixes[0], "once the catalog has changed"
	if changed, err := fix.Apply(known); err == nil {
		o := d.before.resolver.ResolveAll(ctx, d.problem(key, changed, d.before), []cluster.Scope{is.Scope})[0]
		if incomplete, ok := errors.AsType[*result.Incomplete](o.Err); ok {
			return nil, incomplete
		}
		if o.Err == nil && bringsAll(o.Resolution, &fix.Then) {
			when = "before the catalog changes"
		}
	}
	return []string{"do this " + when + ": " + fix.Text(is.Scope.Namespace())}, nil
}

// bringsAll reports whether an answer installs just the bundles that a fix leads to.
func bringsAll(r *result.Resolution, then *result.Difference) bool {
	want := slices.Concat(then.Installs, words.Mapped(then.Updates, func(u result.Update) result.Version { return u.To }))
	return len(want) == len(r.Installs) && !slices.ContainsFunc(r.Installs, func(in result.Install) bool {
		return !slices.ContainsFunc(want, func(v result.Version) bool { return v.Bundle.Name == in.Bundle.Name })
	})
}

// problem is that of a cluster with one state of the catalog.
func (d *Comparison) problem(key catalog.Key, known *cluster.Index, s resolvable) resolver.Problem {
	objects := known.Objects()
	catalogs := slices.Clone(d.background)
	for _, key := range slices.Compact([]catalog.Key{key, {Name: key.Name}}) {
		c := cache.Catalog{Key: key, Snapshot: s.snapshot}
		c.Priority, c.Labels = objects.Declared(key)
		catalogs = append(catalogs, c)
	}
	return resolver.Problem{Cluster: known, Catalogs: cache.NewView(catalogs), Options: d.options}
}

func (d *Comparison) resolveAll(ctx context.Context, key catalog.Key, known *cluster.Index, s resolvable) ([]result.Outcome, error) {
	outcomes := s.resolver.ResolveAll(ctx, d.problem(key, known, s), known.Scopes())
	for _, o := range outcomes {
		if incomplete, ok := errors.AsType[*result.Incomplete](o.Err); ok {
			return nil, incomplete
		}
	}
	return outcomes, nil
}

// touches reports whether a package of the outcomes of a scope has changes.
func (d *Comparison) touches(outcomes ...result.Outcome) bool {
	for _, o := range outcomes {
		if o.Err != nil {
			return true // what the others of the scope wait for
		}
		for _, s := range o.Resolution.Operations() {
			if slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Package == s.Bundle.Package }) {
				return true
			}
		}
	}
	return false
}

// compareRows returns how the rows of a scope differ whose answers are the same.
func (d *Comparison) compareRows(ctx context.Context, key catalog.Key, known *cluster.Index, scope cluster.Scope) ([]string, error) {
	var rows [2]map[cluster.RequestKey]string
	for i, s := range []resolvable{d.before, d.after} {
		list, err := s.resolver.Status(ctx, d.problem(key, known, s), []cluster.Scope{scope}, nil)
		if incomplete, ok := errors.AsType[*result.Incomplete](err); ok {
			return nil, incomplete
		}
		rows[i] = map[cluster.RequestKey]string{}
		for _, row := range list {
			rows[i][row.Request] = rowText(&row)
		}
	}
	var lines []string
	for _, request := range slices.SortedFunc(maps.Keys(rows[1]), cluster.RequestKey.Compare) {
		if is, was := rows[1][request], rows[0][request]; is != was {
			lines = append(lines, request.Name+": "+is+"; before: "+was)
		}
	}
	return lines, nil
}

// rowText is what a row says beside what is installed.
func rowText(row *result.Status) string {
	text := string(row.State)
	if row.Head != "" {
		text += ", head " + row.Head
		if row.Steps > 0 {
			text += " in " + words.Count(row.Steps, "step")
		}
	}
	for _, r := range row.Remarks {
		text += ", " + r.Message()
	}
	return text
}

// usesOf counts the packages and channels that requests name, and adds those of outcomes.
func usesOf(requests cluster.Objects, outcomes []result.Outcome) map[string]map[string]int {
	uses := map[string]map[string]int{}
	use := func(n int, pkg, channel string) {
		if uses[pkg] == nil {
			uses[pkg] = map[string]int{}
		}
		uses[pkg][channel] += n
	}
	for _, s := range requests.Subscriptions {
		use(1, s.Package, s.Channel)
	}
	for _, e := range requests.ClusterExtensions {
		if len(e.Channels) == 0 {
			use(1, e.Package, "")
		}
		for i, channel := range e.Channels {
			use(max(0, 1-i), e.Package, channel) // it is one request
		}
	}
	for _, o := range outcomes {
		if o.Err == nil {
			for _, s := range o.Resolution.Operations() {
				use(0, s.Bundle.Package, s.Channel)
			}
		}
		if failure, ok := errors.AsType[*result.NotSatisfiable](o.Err); ok {
			for _, c := range failure.Causes {
				for _, r := range c.Constraints {
					use(0, r.Args().Package, "")
				}
			}
		}
	}
	delete(uses, "")
	return uses
}

// compareOutcomes returns the differences, nothing if the outcomes do the same.
func (d *Comparison) compareOutcomes(was, is result.Outcome) []string {
	switch {
	case was.Err != nil && is.Err != nil:
		before, now := was.Messages(), is.Messages()
		if slices.Equal(before, now) {
			return nil
		}
		return []string{"it fails for another reason: " + strings.Join(now, "; "), "before: " + strings.Join(before, "; ")}
	case is.Err != nil:
		return append([]string{"it cannot be resolved any more: " + strings.Join(is.Messages(), "; ")}, d.behind(is.Err)...)
	case was.Err != nil:
		return append([]string{"it can be resolved; before: " + strings.Join(was.Messages(), "; ")}, d.compareInstalls(nil, is.Resolution)...)
	}
	return d.compareInstalls(was.Resolution, is.Resolution)
}

// behind returns the changes of packages that take part in a failure.
func (d *Comparison) behind(err error) []string {
	failure, ok := errors.AsType[*result.NotSatisfiable](err)
	if !ok {
		return nil
	}
	var lines []string
	for _, c := range d.Changes {
		if c.Severity == catalog.Note || !slices.ContainsFunc(failure.Causes, func(of result.Cause) bool {
			return slices.ContainsFunc(of.Constraints, func(r result.Reason) bool { return r.Args().Package == c.Package })
		}) {
			continue
		}
		place := c.Package + ": "
		if c.Channel != "" {
			place = c.Package + ", channel " + c.Channel + ": "
		}
		lines = append(lines, place+c.Message)
	}
	return lines
}

// compareInstalls compares two answers by package, the content of their bundles and their
// warnings; was is nil if there was none.
func (d *Comparison) compareInstalls(was, is *result.Resolution) []string {
	var lines []string
	for _, c := range difference(cmp.Or(was, &result.Resolution{}), is) {
		line := c.pkg + ": " + stepText(c.after)
		if was != nil {
			line += "; before: " + stepText(c.before)
		}
		if why := d.why(c, is); why != "" {
			line += "; why: " + why
		}
		lines = append(lines, line)
	}
	if was == nil {
		return lines
	}
	lines = append(lines, d.otherContent(was, is, len(lines) == 0)...)
	before, after := warnings(was), warnings(is)
	for _, text := range after {
		if !slices.Contains(before, text) {
			lines = append(lines, "it warns: "+text)
		}
	}
	for _, text := range before {
		if !slices.Contains(after, text) {
			lines = append(lines, "it does not warn any more: "+text)
		}
	}
	return lines
}

func warnings(r *result.Resolution) []string {
	return words.Mapped(r.Warnings, func(r result.Reason) string { return r.Message() })
}

// otherContent returns the changes of bundles that both answers install or keep. If all, these
// include what could make the answers differ.
func (d *Comparison) otherContent(was, is *result.Resolution, all bool) (lines []string) {
	steps := was.Operations()
	for _, s := range is.Operations() {
		if s.Action == result.ActionReplace || !slices.Contains(steps, s) {
			continue
		}
		for _, c := range d.Changes {
			told := false
			switch changeKind(c.Kind) {
			case changeImage, changeVersion, changeContent:
				told = true
			case changeModes, changeKube, changeOpenShift, changeRequirements, changeAPIAdded, changeAPIRemoved:
				told = all
			}
			if told && c.Package == s.Bundle.Package && slices.Contains(c.Bundles, s.Bundle.Name) {
				lines = append(lines, c.Package+": "+stepText(s)+"; "+c.Message)
			}
		}
	}
	return lines
}

// changed is a package of which two answers install or keep different bundles.
type changed struct {
	pkg           string
	before, after result.Operation
}

// difference compares two answers by package, in the order of the later one's steps.
func difference(before, after *result.Resolution) []changed {
	was, is := before.Operations(), after.Operations()
	byPackage := func(steps []result.Operation) map[string]result.Operation {
		packages := map[string]result.Operation{}
		for _, s := range steps {
			if s.Action != result.ActionReplace {
				packages[s.Bundle.Package] = s
			}
		}
		return packages
	}
	then, now := byPackage(was), byPackage(is)
	seen := map[string]bool{}
	var list []changed
	for _, s := range slices.Concat(is, was) {
		pkg := s.Bundle.Package
		if c := (changed{pkg, then[pkg], now[pkg]}); !seen[pkg] && c.before != c.after {
			list = append(list, c)
		}
		seen[pkg] = true
	}
	return list
}

// stepText returns a step without its catalog.
func stepText(s result.Operation) string {
	switch {
	case s.Action == "":
		return "nothing"
	case s.Channel != "":
		return "install " + s.Bundle.Name + " from channel " + s.Channel
	}
	return s.String()
}

// why returns the change of the catalog, or the other bundle, that explains a different step.
func (d *Comparison) why(pair changed, is *result.Resolution) string {
	for _, i := range is.Installs {
		if i.Bundle == pair.after.Bundle && pair.before.Action == "" && len(i.For) > 0 && i.For[0].Bundle != "" {
			return "required by " + i.For[0].Bundle
		}
	}
	var texts []string
	for _, c := range d.Changes {
		if c.Package == pair.pkg && d.explains(c, pair.before, pair.after) {
			texts = append(texts, c.Message)
		}
	}
	return strings.Join(texts, "; ")
}

func (d *Comparison) explains(c Change, then, now result.Operation) bool {
	about := func(s result.Operation) bool { return s.Action != "" && slices.Contains(c.Bundles, s.Bundle.Name) }
	switch changeKind(c.Kind) {
	case changeHead:
		return about(now) || c.Channel == now.Channel && now.Channel != ""
	case changeUninstallable, changeBundleRemoved, changeInstallable, changeRequirements, changeModes, changeKube, changeOpenShift, changeDeprecation:
		return about(then) || about(now)
	case changeEdges, changeListed:
		return (about(then) || about(now)) && (c.Channel == then.Channel || c.Channel == now.Channel)
	case changeBundleAdded:
		return about(now) && !d.isHead(c.Package, now)
	case changePackageRemoved, changeChannelRemoved, changeOrder, changeDefaultChannel:
		return c.Channel == "" || c.Channel == then.Channel || c.Channel == now.Channel
	}
	return false
}

// isHead reports whether a step leads to the head of its channel, which another
// change is about.
func (d *Comparison) isHead(pkg string, s result.Operation) bool {
	b := d.after.snapshot.Find(pkg, s.Bundle.Name)
	return b != nil && slices.Contains(finding.HeadOf(d.after.snapshot, b), s.Channel)
}
