package listing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Shown is all that catalogs say of bundles.
type Shown struct {
	Bundles []Details `json:"bundles"`
}

// Details is what a catalog says of a bundle.
type Details struct {
	Bundle
	Package          string           `json:"package"`
	Catalog          string           `json:"catalog"`
	CatalogNamespace string           `json:"catalogNamespace"`
	In               []Membership     `json:"in"`
	Provides         []properties.GVK `json:"provides"`
	Requires         []string         `json:"requires"`
	InstallModes     []string         `json:"installModes"`
	MinKubeVersion   string           `json:"minKubeVersion,omitempty"`
	MaxOpenShift     string           `json:"maxOpenShiftVersion,omitempty"`
	// Architectures are those that the bundle states, or amd64. Disconnected is "yes" or "no",
	// empty if the bundle does not state it.
	Architectures      []string `json:"architectures"`
	OperatingSystems   []string `json:"operatingSystems,omitempty"`
	Features           []string `json:"features,omitempty"`
	Disconnected       string   `json:"disconnected,omitempty"`
	SuggestedNamespace string   `json:"suggestedNamespace,omitempty"`
	// Warnings are about what the bundle states, and about its package and channels.
	Warnings []string `json:"warnings,omitempty"`
}

// Membership is the place of a bundle in a channel.
type Membership struct {
	Channel   string   `json:"channel"`
	Default   bool     `json:"default,omitzero"`
	Head      bool     `json:"head,omitzero"`
	Updates   []string `json:"updates"` // by name: what it replaces first, then what it skips
	SkipRange string   `json:"skipRange,omitempty"`
	UpdatedBy []string `json:"updatedBy"` // nearest to the head first
}

// Show describes a bundle by its name, or as PACKAGE[@VERSION], of each catalog, in order of
// priority. Without a version it is the head of the default channel; a version may be the
// beginning of one, of which the highest counts. Its support is that on a day.
func Show(view *cache.View, asked, date string) Shown {
	shown := Shown{Bundles: []Details{}}
	for _, c := range byPriority(view) {
		if b := meant(c.Snapshot, asked); b != nil {
			shown.Bundles = append(shown.Bundles, detailsOf(c, b, date))
		}
	}
	return shown
}

func byPriority(view *cache.View) []*cache.Catalog {
	catalogs := slices.DeleteFunc(slices.Collect(view.Catalogs()), func(c *cache.Catalog) bool { return c.Snapshot == nil })
	slices.SortStableFunc(catalogs, func(a, b *cache.Catalog) int { return cmp.Compare(b.Priority, a.Priority) })
	return catalogs
}

// Exact is the bundle that PACKAGE or PACKAGE@VERSION asks for, as Show reads it, where that
// is no complete version; nil if it is, or no catalog has any. The catalogs that Subscriptions
// to the package name come first. Without a version it is the head of the first channel that a
// request for the package asks for and the package has, else of the default one. The name of
// a request stands for its package, unless a catalog has a package of that name.
func Exact(view *cache.View, requests *cluster.Index, asked string) *catalog.Bundle {
	pkg, version, at := strings.Cut(asked, "@")
	if known := PackageOf(view, requests, pkg); known != pkg {
		if asked, pkg = known, known; at {
			asked += "@" + version
		}
	} else if _, err := semver.Parse(strings.TrimPrefix(version, "v")); err == nil {
		return nil
	}
	subscriptions := slices.DeleteFunc(slices.Clone(requests.Objects().Subscriptions), func(s cluster.Subscription) bool { return s.Package != pkg })
	channels := terminal.Mapped(subscriptions, func(s cluster.Subscription) string { return s.Channel })
	for _, e := range requests.Extensions() {
		if e.Package == pkg {
			channels = append(channels, e.Channels...)
		}
	}
	catalogs := byPriority(view)
	first := slices.DeleteFunc(slices.Clone(catalogs), func(c *cache.Catalog) bool {
		return !slices.ContainsFunc(subscriptions, func(s cluster.Subscription) bool { return s.Names(c.Key) })
	})
	for _, c := range append(first, catalogs...) {
		if b := meant(c.Snapshot, asked, channels...); b != nil && c.Snapshot.Package(pkg) != nil {
			return b
		}
	}
	return nil
}

// Named is what names a bundle: its package and version, as another package may have a bundle of the
// same name, unless the package has several of that version.
func Named(view *cache.View, b *catalog.Bundle) string {
	for c := range view.Catalogs() {
		if c.Snapshot == nil || c.Snapshot.Package(b.Package) == nil {
			continue
		}
		for _, id := range c.Snapshot.Package(b.Package).Bundles {
			if other := c.Snapshot.Bundle(id); other.Name != b.Name && other.Version.Equals(b.Version) {
				return b.Name
			}
		}
	}
	return b.Package + "@" + b.Version.String()
}

// PackageOf is the package that the request of a name asks for, where no catalog has one of
// that name.
func PackageOf(view *cache.View, requests *cluster.Index, name string) string {
	for c := range view.Catalogs() {
		if c.Snapshot != nil && c.Snapshot.Package(name) != nil {
			return name
		}
	}
	for _, s := range requests.Objects().Subscriptions {
		if s.Name == name {
			return s.Package
		}
	}
	for _, e := range requests.Extensions() {
		if e.Name == name {
			return e.Package
		}
	}
	return name
}

// meant is the bundle that is asked for, nil if there is none.
func meant(s *catalog.Snapshot, asked string, channels ...string) *catalog.Bundle {
	name, version, _ := strings.Cut(asked, "@")
	p := s.Package(name)
	if p == nil {
		if ids := s.Named(asked); len(ids) > 0 {
			return s.Bundle(ids[0])
		}
		return nil
	}
	channel := p.DefaultChannel
	if at := slices.IndexFunc(channels, func(name string) bool { return p.Channel(name) != nil }); at >= 0 {
		channel = channels[at]
	}
	head := headOf(p.Channel(channel))
	bundles := sorted(s, p)
	if at := slices.IndexFunc(bundles, func(b *catalog.Bundle) bool {
		return version == "" && b.Name == head || version != "" && hasVersion(b.Version.String(), version)
	}); at >= 0 {
		return bundles[at]
	}
	if version == "" && len(bundles) > 0 {
		return bundles[0]
	}
	return nil
}

// hasVersion reports whether a version is the one that is asked for, or begins with it.
func hasVersion(version, asked string) bool {
	rest, begins := strings.CutPrefix(version, strings.TrimPrefix(asked, "v"))
	return begins && (rest == "" || strings.ContainsAny(rest[:1], ".-+"))
}

func detailsOf(c *cache.Catalog, b *catalog.Bundle, date string) Details {
	p := c.Snapshot.Package(b.Package)
	d := Details{
		Bundle: describeBundle(p, b, date), Package: b.Package, Catalog: c.Key.Name, CatalogNamespace: c.Key.Namespace, In: []Membership{},
		Provides: append([]properties.GVK{}, b.Properties.GVKs()...), InstallModes: []string{},
		Requires: terminal.Mapped(b.Constraints, func(c constraints.Constraint) string { return c.Expr.String() }),
	}
	m := b.Properties.Metadata()
	d.Architectures, d.OperatingSystems = m.Architectures(), m.OperatingSystems()
	d.Features, d.SuggestedNamespace = m.Features(), m.SuggestedNamespace()
	if runs, stated := m.Disconnected(); runs {
		d.Disconnected = "yes"
	} else if stated {
		d.Disconnected = "no"
	}
	if m != nil {
		d.MinKubeVersion = m.MinKubeVersion
		d.InstallModes = terminal.Mapped(m.Supported(), func(mode properties.InstallMode) string { return string(mode) })
	}
	if most, limited := b.Properties.MaxOpenShift(); limited {
		d.MaxOpenShift = most.String()
	}
	if p.Deprecation != "" {
		d.Warnings = append(d.Warnings, fmt.Sprintf("package %s is deprecated: %s", p.Name, terminal.Flat(p.Deprecation)))
	}
	for _, stated := range b.Properties.All() {
		if remark := stated.UnquotedLimit(); remark != "" {
			d.Warnings = append(d.Warnings, remark)
		}
	}
	for _, channel := range p.Channels {
		e := channel.Entry(b.Name)
		if e == nil {
			continue
		}
		if channel.Deprecation != "" {
			d.Warnings = append(d.Warnings, fmt.Sprintf("channel %s is deprecated: %s", channel.Name, terminal.Flat(channel.Deprecation)))
		}
		m := Membership{Channel: channel.Name, Default: channel.Default, Head: headOf(channel) == b.Name, SkipRange: e.SkipRange.String(), UpdatedBy: []string{}}
		m.Updates = append([]string{}, slices.Collect(e.Edges())...)
		for place := range channel.Updates(b.Name, &b.Version) {
			m.UpdatedBy = append(m.UpdatedBy, place.At().Name)
		}
		d.In = append(d.In, m)
	}
	return d
}

func WriteShown(w *terminal.Page, shown Shown) {
	for i, d := range shown.Bundles {
		if i > 0 {
			w.WriteByte('\n')
		}
		d.write(w)
	}
}

func (d *Details) write(w *terminal.Page) {
	key := catalog.Key{Namespace: d.CatalogNamespace, Name: d.Catalog}
	terminal.Printf(w, "%s\n", w.Bold(fmt.Sprintf("%s, package %s of catalog %s", d.Bundle.Bundle, d.Package, key)))
	if d.Deprecated || d.Deprecation != "" {
		terminal.Printf(w, "%s %s\n", w.Notice("deprecated:"), terminal.Flat(cmp.Or(d.Deprecation, "never newly selected")))
	}
	for _, warning := range d.Warnings {
		terminal.Printf(w, "%s %s\n", w.Notice("warning:"), warning)
	}
	t := terminal.Table{Untitled: true}
	t.Row("version", d.version())
	t.Row("image", d.Image)
	t.Row("install modes", strings.Join(d.InstallModes, ", "))
	t.Row("Kubernetes", terminal.Labeled("at least ", d.MinKubeVersion))
	t.Row("OpenShift", terminal.Labeled("at most ", d.MaxOpenShift))
	t.Row("architectures", strings.Join(d.Architectures, ", "))
	if len(d.OperatingSystems) > 0 {
		t.Row("systems", strings.Join(d.OperatingSystems, ", "))
	}
	if len(d.Features) > 0 {
		t.Row("features", strings.Join(d.Features, ", "))
	}
	if d.Disconnected != "" {
		t.Row("disconnected", d.Disconnected)
	}
	if d.SuggestedNamespace != "" {
		t.Row("namespace", d.SuggestedNamespace+" (suggested)")
	}
	if d.Lifecycle != nil {
		t.Row("support of "+d.Lifecycle.Minor, d.Lifecycle.String())
	}
	w.WriteByte('\n')
	t.Write(&w.Buffer, w.Style)
	terminal.Section(&w.Buffer, w.Bold("Provides"), terminal.Mapped(d.Provides, func(g properties.GVK) string { return g.String() }))
	requires := d.Requires
	if len(requires) == 0 {
		requires = []string{"nothing"}
	}
	terminal.Section(&w.Buffer, w.Bold("Requires"), requires)
	w.WriteByte('\n')
	t = terminal.Table{}
	t.Row("CHANNEL", "PLACE", "UPDATES", "SKIPRANGE", "UPDATED BY")
	for _, m := range d.In {
		place := ""
		if m.Head {
			place = "head"
		}
		if m.Default {
			place = strings.TrimPrefix(place+", default", ", ")
		}
		t.Row(m.Channel, place, strings.Join(m.Updates, ", "), m.SkipRange, terminal.Few(m.UpdatedBy))
	}
	t.Write(&w.Buffer, w.Style)
}
