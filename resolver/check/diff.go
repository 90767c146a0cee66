package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// changeKind is the kind of a [Change].
type changeKind string

const (
	changePackageAdded   changeKind = "packageAdded"
	changePackageRemoved changeKind = "packageRemoved"
	changeDefaultChannel changeKind = "defaultChannel"
	changeChannelAdded   changeKind = "channelAdded"
	changeChannelRemoved changeKind = "channelRemoved"
	changeOrder          changeKind = "order"
	changeHead           changeKind = "head"
	changeBundleAdded    changeKind = "bundleAdded"
	changeBundleRemoved  changeKind = "bundleRemoved"
	changeAPIAdded       changeKind = "apiAdded"
	changeAPIRemoved     changeKind = "apiRemoved"
	changeRequirements   changeKind = "requirements"
	changeEdges          changeKind = "edges"
	changeListed         changeKind = "listed"
	changeImage          changeKind = "image"
	changeVersion        changeKind = "version"
	changeModes          changeKind = "installModes"
	changeKube           changeKind = "minKubeVersion"
	changeOpenShift      changeKind = "maxOpenShiftVersion"
	changeContent        changeKind = "content"
	changeLifecycle      changeKind = "lifecycle"
	changeDeprecation    changeKind = "deprecation"
	changeUninstallable  changeKind = "uninstallable"
	changeInstallable    changeKind = "installable"
)

// Change is a difference between two states of a catalog that its users notice.
type Change struct {
	// Severity is Error if those who follow a channel fail, Warning if some users miss
	// something, else Note.
	Severity catalog.Severity `json:"-"`
	// Kind is packageAdded, packageRemoved, channelAdded, channelRemoved, bundleAdded,
	// bundleRemoved, apiAdded, apiRemoved, defaultChannel, head, order (of a channel), edges
	// (the updates of a channel), listed (by a channel), image, version, installModes,
	// minKubeVersion, maxOpenShiftVersion, requirements, content (of a bundle), deprecation,
	// lifecycle, uninstallable or installable.
	Kind    string `json:"kind"`
	Package string `json:"package"`
	Channel string `json:"channel,omitempty"`
	// Bundles are the bundles that the change is about, oldest first.
	Bundles []string `json:"bundles"`
	Message string   `json:"message"`
}

// Comparison is the difference between two states of a catalog.
type Comparison struct {
	// Changes are sorted by package, the worst first.
	Changes []Change

	background    []cache.Catalog
	options       policy.Options
	before, after resolvable
}

// Diff compares two states of the catalog with the key. [Comparison.Cluster] finds what the
// difference means to a cluster.
//
// The error is a *CatalogsUnhealthy, *InvalidInput, *Incomplete or *Internal of package result.
func Diff(ctx context.Context, key catalog.Key, before, after *catalog.Snapshot, o Options) (*Comparison, error) {
	d := &differ{call: newCall(ctx, o), key: key, before: before, after: after}
	if err := d.installability(); err != nil {
		return nil, err
	}
	d.progress("comparing packages")
	for p := range after.Packages() {
		if before.Package(p.Name) == nil {
			d.add(catalog.Note, changePackageAdded, p.Name, "", nil, "new package, with %s", words.Count(len(p.Bundles), "bundle"))
		}
	}
	for p := range before.Packages() {
		d.comparePackage(p)
	}
	if ctx.Err() != nil {
		return nil, &result.Incomplete{Phase: "comparing packages", Err: ctx.Err()}
	}
	slices.SortStableFunc(d.changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), cmp.Compare(a.Severity, b.Severity))
	})
	return &Comparison{
		Changes:    d.changes,
		background: o.Background,
		options:    o.Resolver,
		before:     resolvable{before, resolver.New()},
		after:      resolvable{after, resolver.New()},
	}, nil
}

// differ is one call of Diff.
type differ struct {
	call
	key           catalog.Key
	before, after *catalog.Snapshot
	changes       []Change
}

func (d *differ) add(severity catalog.Severity, kind changeKind, pkg, channel string, bundles []string, format string, args ...any) {
	d.changes = append(d.changes, Change{severity, string(kind), pkg, channel, bundles, fmt.Sprintf(format, args...)})
}

// installability compares which bundles can be installed.
func (d *differ) installability() error {
	d.progress("finding bundles that cannot be installed")
	was, err := d.state(d.before)
	if err != nil {
		return err
	}
	is, err := d.state(d.after)
	if err != nil {
		return err
	}
	for _, c := range newlyBlocked(is, was, true) {
		names := sortedNames(c.bundles)
		var heads []string
		for _, b := range c.bundles {
			heads = append(heads, finding.HeadOf(is.snapshot, b)...)
		}
		slices.Sort(heads)
		severity := catalog.Warning
		if len(heads) > 0 {
			severity = catalog.Error
		}
		d.add(severity, changeUninstallable, c.pkg, "", names, "%s", finding.NotInstalled(finding.Span(c.pkg, c.bundles), slices.Compact(heads), c.text))
	}
	for _, c := range newlyBlocked(was, is, false) {
		names := sortedNames(c.bundles)
		d.add(catalog.Note, changeInstallable, c.pkg, "", names, "%s can be installed; before: %s", finding.Span(c.pkg, c.bundles), c.text)
	}
	return nil
}

// state is one state of the catalog, with the bundles that cannot be installed.
type state struct {
	snapshot *catalog.Snapshot
	causes   map[catalog.BundleKey][]result.BundleCause
}

func (d *differ) state(s *catalog.Snapshot) (state, error) {
	all := append(slices.Clone(d.options.Background), cache.Catalog{Key: d.key, Snapshot: s})
	list, err := d.uninstallable(all, d.key)
	made := state{s, make(map[catalog.BundleKey][]result.BundleCause, len(list))}
	for _, u := range list {
		b := s.Bundle(u.Bundle)
		made.causes[b.Key(catalog.Key{})] = u.Causes
	}
	return made, err
}

// blocked is a group of bundles of a package that cannot be installed for the same causes.
type blocked struct {
	pkg, text string
	bundles   []*catalog.Bundle
}

// newlyBlocked groups, by package and causes, the bundles that are blocked here but not there.
// Bundles that exist only here count if others is set.
func newlyBlocked(here, there state, others bool) (list []*blocked) {
	known := map[[2]string]*blocked{}
	for id := range catalog.ID(here.snapshot.Len()) {
		b := here.snapshot.Bundle(id)
		key := b.Key(catalog.Key{})
		causes, isBlocked := here.causes[key]
		_, blockedThere := there.causes[key]
		if !isBlocked || blockedThere || !others && there.snapshot.Find(b.Package, b.Name) == nil {
			continue
		}
		texts := words.Mapped(causes, func(c result.BundleCause) string { return finding.Sentence(&c) })
		same := [2]string{b.Package, strings.Join(texts, "; and ")}
		if known[same] == nil {
			known[same] = &blocked{pkg: same[0], text: same[1]}
			list = append(list, known[same])
		}
		known[same].bundles = append(known[same].bundles, b)
	}
	return list
}
