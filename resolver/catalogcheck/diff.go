package catalogcheck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// ChangeKind says what sort of difference a [Change] tells of.
type ChangeKind string

// The kinds of changes.
const (
	ChangePackageAdded   ChangeKind = "packageAdded"
	ChangePackageRemoved ChangeKind = "packageRemoved"
	ChangeDefaultChannel ChangeKind = "defaultChannel"
	ChangeChannelAdded   ChangeKind = "channelAdded"
	ChangeChannelRemoved ChangeKind = "channelRemoved"
	ChangeOrder          ChangeKind = "order"
	ChangeHead           ChangeKind = "head"
	ChangeBundleAdded    ChangeKind = "bundleAdded"
	ChangeBundleRemoved  ChangeKind = "bundleRemoved"
	ChangeAPIAdded       ChangeKind = "apiAdded"
	ChangeAPIRemoved     ChangeKind = "apiRemoved"
	ChangeRequirements   ChangeKind = "requirements"
	ChangeDeprecation    ChangeKind = "deprecation"
	ChangeUninstallable  ChangeKind = "uninstallable"
	ChangeInstallable    ChangeKind = "installable"
)

// Change is a difference between two states of a catalog, in terms of its users.
type Change struct {
	// Severity is Error for what fails those who follow a channel, Warning for
	// what some will miss, else Note.
	Severity Severity
	Kind     ChangeKind
	Package  string
	Channel  string
	// Bundles are those that it is about, oldest first.
	Bundles []string
	Message string
}

// DiffOptions are the options of [Diff]. The zero value works.
type DiffOptions struct {
	// Background are further catalogs, the same before and after.
	Background []cache.Catalog
	// Clusters are states that are resolved with both.
	Clusters []ClusterState
	// Resolver says how constraints are meant, and how requests are resolved.
	Resolver policy.Options
	// Progress, if given, is told what is being done, from one goroutine.
	Progress func(doing string)
}

// Difference is what a change of a catalog comes to.
type Difference struct {
	// Changes are sorted by package, the worst first.
	Changes []Change
	// Clusters are in the order in which they were given.
	Clusters []ClusterDifference
}

// Diff compares two states of the catalog with the key.
//
// The errors are those of [resolver.Resolver.Uninstallable].
func Diff(ctx context.Context, key catalog.Key, before, after *catalog.Snapshot, o DiffOptions) (*Difference, error) {
	d := &differ{key: key, before: before, after: after, resolver: resolver.New(o.Resolver), options: o}
	if err := d.installability(ctx); err != nil {
		return nil, err
	}
	d.progress("comparing packages")
	for p := range after.Packages() {
		if before.Package(p.Name) == nil {
			d.add(Note, ChangePackageAdded, p.Name, "", nil, "new package, with %s", count(len(p.Bundles), "bundle"))
		}
	}
	for p := range before.Packages() {
		d.comparePackage(p)
	}
	slices.SortStableFunc(d.changes, func(a, b Change) int {
		if c := strings.Compare(a.Package, b.Package); c != 0 {
			return c
		}
		return int(b.Severity) - int(a.Severity)
	})
	difference := &Difference{Changes: d.changes}
	for _, c := range o.Clusters {
		d.progress("resolving " + c.Name)
		compared, err := d.compareCluster(ctx, c)
		if err != nil {
			return nil, err
		}
		difference.Clusters = append(difference.Clusters, compared)
	}
	return difference, nil
}

// differ is one call of Diff.
type differ struct {
	key           catalog.Key
	before, after *catalog.Snapshot
	resolver      *resolver.Resolver
	options       DiffOptions
	changes       []Change
}

func (d *differ) progress(doing string) {
	if d.options.Progress != nil {
		d.options.Progress(doing)
	}
}

func (d *differ) add(severity Severity, kind ChangeKind, pkg, channel string, bundles []string, format string, args ...any) {
	d.changes = append(d.changes, Change{severity, kind, pkg, channel, bundles, fmt.Sprintf(format, args...)})
}

// view is the background with one state of the catalog.
func (d *differ) view(s *catalog.Snapshot) *cache.View {
	return cache.NewView(append(slices.Clone(d.options.Background), cache.Catalog{Key: d.key, Snapshot: s}))
}

// installability compares which bundles can be installed.
func (d *differ) installability(ctx context.Context) error {
	d.progress("finding bundles that cannot be installed")
	was, err := d.blocked(ctx, d.before)
	if err != nil {
		return err
	}
	is, err := d.blocked(ctx, d.after)
	if err != nil {
		return err
	}
	d.compareBlocked(d.after, is, was, d.before, func(heads []string, bundles []*catalog.Bundle, names []string, text string) {
		severity, head := Warning, ""
		if len(heads) > 0 {
			severity, head = Error, ", with the head of "+channels(heads)
		}
		pkg := bundles[0].Package
		d.add(severity, ChangeUninstallable, pkg, "", names, "%s cannot be installed%s: %s", span(pkg, bundles), head, text)
	})
	d.compareBlocked(d.before, was, is, d.after, func(_ []string, bundles []*catalog.Bundle, names []string, text string) {
		pkg := bundles[0].Package
		d.add(Note, ChangeInstallable, pkg, "", names, "%s can be installed; before: %s", span(pkg, bundles), text)
	})
	return nil
}

// bundleKey names a bundle in both states.
type bundleKey struct{ pkg, name string }

func (d *differ) blocked(ctx context.Context, s *catalog.Snapshot) (map[bundleKey][]result.Cause, error) {
	list, err := d.resolver.Uninstallable(ctx, nil, d.view(s), d.key)
	if err != nil {
		return nil, err
	}
	blocked := make(map[bundleKey][]result.Cause, len(list))
	for _, u := range list {
		b := s.Bundle(u.Bundle)
		blocked[bundleKey{b.Package, b.Name}] = u.Causes
	}
	return blocked, nil
}

// compareBlocked tells of the bundles of s that are blocked there and are not in
// the other state: merged by package and causes. Bundles that only s has count
// if s is the state after.
func (d *differ) compareBlocked(s *catalog.Snapshot, here, there map[bundleKey][]result.Cause, other *catalog.Snapshot,
	tell func(heads []string, bundles []*catalog.Bundle, names []string, text string)) {
	merged := map[[2]string][]*catalog.Bundle{}
	var order [][2]string
	for id := range catalog.ID(s.Len()) {
		b := s.Bundle(id)
		key := bundleKey{b.Package, b.Name}
		causes, blocked := here[key]
		_, blockedThere := there[key]
		if !blocked || blockedThere || s != d.after && find(other, b.Package, b.Name) == nil {
			continue
		}
		texts := make([]string, len(causes))
		for i, cause := range causes {
			texts[i] = cause.Text()
		}
		group := [2]string{b.Package, strings.Join(texts, "; and ")}
		if merged[group] == nil {
			order = append(order, group)
		}
		merged[group] = append(merged[group], b)
	}
	for _, group := range order {
		bundles := merged[group]
		slices.SortFunc(bundles, func(a, b *catalog.Bundle) int { return a.Version.Compare(b.Version) })
		var heads, names []string
		for _, b := range bundles {
			names = append(names, b.Name)
			heads = append(heads, headOf(s, b)...)
		}
		slices.Sort(heads)
		tell(slices.Compact(heads), bundles, names, group[1])
	}
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
