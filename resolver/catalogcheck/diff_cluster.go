package catalogcheck

import (
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/result"
)

// ClusterState is a cluster to resolve before and after.
type ClusterState struct {
	// Name is what to call it.
	Name    string
	Cluster *resolver.Cluster
}

// ClusterDifference is what a cluster's next resolution would do differently.
type ClusterDifference struct {
	Name string
	// Requests are the namespaces and ClusterExtensions whose answers differ;
	// Same counts the others.
	Requests []RequestDifference
	Same     int
}

// RequestDifference compares the answers for a namespace or ClusterExtension.
type RequestDifference struct {
	// Namespace or Extension is what was resolved.
	Namespace, Extension string
	Before, After        result.Result
	// Lines are the differences, each with its reason.
	Lines []string
}

// compareCluster resolves all requests of a cluster with both states. A cluster
// sees the catalog in its namespace and, for ClusterExtensions, under
// its name alone.
func (d *differ) compareCluster(c ClusterState) (ClusterDifference, error) {
	diff := ClusterDifference{Name: c.Name}
	was, err := d.resolveAll(c.Cluster, d.before)
	if err != nil {
		return diff, err
	}
	is, err := d.resolveAll(c.Cluster, d.after)
	if err != nil {
		return diff, err
	}
	for i := range was {
		lines := d.compareOutcomes(was[i], is[i])
		if len(lines) == 0 {
			diff.Same++
			continue
		}
		diff.Requests = append(diff.Requests, RequestDifference{
			Namespace: was[i].Namespace, Extension: was[i].Extension,
			Before: was[i].Result(), After: is[i].Result(), Lines: lines,
		})
	}
	return diff, nil
}

func (d *differ) resolveAll(cluster *resolver.Cluster, s *catalog.Snapshot) ([]result.Outcome, error) {
	objects := cluster.Objects()
	catalogs := slices.Clone(d.options.Background)
	for _, key := range slices.Compact([]catalog.Key{d.key, {Name: d.key.Name}}) {
		c := cache.Catalog{Key: key, Snapshot: s}
		c.Priority, c.Labels = objects.Declared(key)
		catalogs = append(catalogs, c)
	}
	view := cache.NewView(catalogs)
	outcomes := d.resolver.ResolveNamespaces(d.ctx, cluster.Requesting(), cluster, view)
	for _, e := range objects.ClusterExtensions {
		outcomes = append(outcomes, d.resolver.ResolveExtensions(d.ctx, []string{e.Name}, cluster, view)...)
	}
	for _, o := range outcomes {
		if incomplete, ok := errors.AsType[*result.Incomplete](o.Err); ok {
			return nil, incomplete
		}
	}
	return outcomes, nil
}

// compareOutcomes returns what differs, nothing if the same would be done.
func (d *differ) compareOutcomes(was, is result.Outcome) []string {
	switch {
	case was.Err != nil && is.Err != nil:
		if was.Err.Error() == is.Err.Error() {
			return nil
		}
		return []string{"it fails for another reason: " + is.Err.Error(), "before: " + was.Err.Error()}
	case is.Err != nil:
		return append([]string{"it cannot be resolved any more: " + is.Err.Error()}, d.behind(is.Err)...)
	case was.Err != nil:
		return append([]string{"it can be resolved; before: " + was.Err.Error()}, d.compareInstalls(nil, is.Resolution)...)
	}
	return d.compareInstalls(was.Resolution, is.Resolution)
}

// behind lists the changes of the packages in a failure.
func (d *differ) behind(err error) []string {
	failure, ok := errors.AsType[*result.NotSatisfiable](err)
	if !ok {
		return nil
	}
	var lines []string
	for _, c := range d.changes {
		if c.Severity == catalog.Note || !slices.ContainsFunc(failure.Constraints, func(r result.Reason) bool { return r.Package == c.Package }) {
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

// compareInstalls compares by package; was is nil if there is nothing to compare
// with.
func (d *differ) compareInstalls(was, is *result.Resolution) []string {
	before, after := planOf(was), planOf(is)
	seen := map[string]bool{}
	var lines []string
	for _, s := range slices.Concat(after, before) {
		now, then := after.step(s.pkg), before.step(s.pkg)
		if seen[s.pkg] || now.same(then) {
			continue
		}
		seen[s.pkg] = true
		line := s.pkg + ": " + now.String()
		if was != nil {
			line += "; before: " + then.String()
		}
		if why := d.why(s.pkg, then, now); why != "" {
			line += "; why: " + why
		}
		lines = append(lines, line)
	}
	return lines
}

// plan is what a resolution does, by package.
type plan []step

// step is what is done with a package; without a bundle it is nothing.
type step struct {
	pkg, bundle, channel string
	catalog              catalog.Key
	keeps                bool
	// serves names a bundle that required it, empty if a request did.
	serves string
}

// step returns what is done with a package.
func (p plan) step(pkg string) step {
	for _, s := range slices.Backward(p) {
		if s.pkg == pkg {
			return s
		}
	}
	return step{pkg: pkg}
}

// same reports whether two steps do the same, whatever for.
func (s step) same(other step) bool {
	s.serves, other.serves = "", ""
	return s == other
}

func (s step) String() string {
	switch {
	case s.bundle == "":
		return "nothing"
	case s.keeps:
		return "keep " + s.bundle
	}
	text := "install " + s.bundle
	if s.channel != "" {
		text += " from channel " + s.channel
	}
	return text
}

func planOf(r *result.Resolution) plan {
	if r == nil {
		return nil
	}
	var p plan
	for _, i := range r.Installs {
		s := step{pkg: i.Package, bundle: i.Bundle, channel: i.Channel, catalog: i.Catalog}
		if len(i.For) > 0 {
			s.serves = i.For[0].Bundle
		}
		p = append(p, s)
	}
	for _, k := range r.Kept {
		p = append(p, step{pkg: k.Package, bundle: k.Bundle, keeps: true})
	}
	return p
}

// why gives the change of the catalog, or the other choice, that explains a
// different step.
func (d *differ) why(pkg string, then, now step) string {
	if now.serves != "" && then.bundle == "" {
		return "required by " + now.serves
	}
	var texts []string
	for _, c := range d.changes {
		if c.Package == pkg && d.explains(c, then, now) {
			texts = append(texts, c.Message)
		}
	}
	return strings.Join(texts, "; ")
}

func (d *differ) explains(c Change, then, now step) bool {
	about := func(s step) bool { return s.bundle != "" && slices.Contains(c.Bundles, s.bundle) }
	switch c.Kind {
	case ChangeHead:
		return about(now) || c.Channel == now.channel && now.channel != ""
	case ChangeUninstallable, ChangeBundleRemoved, ChangeInstallable, ChangeRequirements:
		return about(then) || about(now)
	case ChangeBundleAdded:
		return about(now) && !d.isHead(c.Package, now)
	case ChangePackageRemoved, ChangeChannelRemoved, ChangeOrder, ChangeDefaultChannel:
		return c.Channel == "" || c.Channel == then.channel || c.Channel == now.channel
	}
	return false
}

// isHead reports whether a step leads to the head of its channel, which another
// change is about.
func (d *differ) isHead(pkg string, s step) bool {
	p := d.after.Package(pkg)
	if p == nil {
		return false
	}
	channel := p.Channel(s.channel)
	return channel != nil && channel.Head() != nil && channel.Head().Name == s.bundle
}
