// Package listing says which packages, channels and bundles catalogs have, as data and as
// tables. It judges nothing.
package listing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// The types of what is listed are the JSON output as well.

// Listing is what catalogs hold, by catalog and package.
type Listing struct {
	Packages []Package `json:"packages"`
}

// Package is a package of a catalog; Channels and Bundles are there in detail only.
type Package struct {
	Catalog          string `json:"catalog"`
	CatalogNamespace string `json:"catalogNamespace"`
	Package          string `json:"package"`
	DefaultChannel   string `json:"defaultChannel"`
	Head             string `json:"head"` // of the default channel
	Versions         int    `json:"versions"`
	Deprecation      string `json:"deprecation,omitempty"`
	// Lifecycle is that of the head.
	Lifecycle *catalog.Support `json:"lifecycle,omitempty"`
	Match     *Match           `json:"match,omitempty"` // if a Query asks for more than a name
	Channels  []Channel        `json:"channels,omitempty"`
	Bundles   []Bundle         `json:"bundles,omitempty"`
}

type Channel struct {
	Channel     string `json:"channel"`
	Default     bool   `json:"default,omitzero"`
	Head        string `json:"head"`
	Bundles     int    `json:"bundles"`
	Fault       string `json:"fault,omitempty"` // why the channel has no head
	Deprecation string `json:"deprecation,omitempty"`
}

type Bundle struct {
	Bundle      string           `json:"bundle"`
	Version     string           `json:"version"`
	Release     string           `json:"release,omitempty"`
	Channels    []string         `json:"channels"`
	Image       string           `json:"image"`
	Deprecated  bool             `json:"deprecated,omitzero"`
	Deprecation string           `json:"deprecation,omitempty"`
	Lifecycle   *catalog.Support `json:"lifecycle,omitempty"`
}

// Of lists all packages, or those of one name in detail. With a version, as PACKAGE@VERSION,
// these are only the bundles that have it, or one that begins with it. Their support is
// that on a day.
func Of(view *cache.View, asked, date string) Listing {
	l := Listing{Packages: []Package{}}
	name, version, _ := strings.Cut(asked, "@")
	for c := range view.Catalogs() {
		for p := range c.Snapshot.Packages() {
			if name != "" && name != p.Name {
				continue
			}
			described := describe(c, p, date)
			if name != "" {
				described.Channels = terminal.Mapped(p.Channels, describeChannel)
				described.Bundles = slices.DeleteFunc(Bundles(c.Snapshot, p, date), func(b Bundle) bool { return version != "" && !hasVersion(b.Version, version) })
			}
			if version == "" || len(described.Bundles) > 0 {
				l.Packages = append(l.Packages, described)
			}
		}
	}
	return l
}

func describe(c *cache.Catalog, p *catalog.Package, date string) Package {
	described := Package{
		Catalog: c.Key.Name, CatalogNamespace: c.Key.Namespace, Package: p.Name, Head: headOf(p.Channel(p.DefaultChannel)),
		DefaultChannel: p.DefaultChannel, Versions: len(p.Bundles), Deprecation: p.Deprecation,
	}
	if b := c.Snapshot.Find(p.Name, described.Head); b != nil {
		described.Lifecycle = supportOf(p, b, date)
	}
	return described
}

// supportOf is how a bundle is supported on a day, nil if its catalog states nothing.
func supportOf(p *catalog.Package, b *catalog.Bundle, date string) *catalog.Support {
	if l := p.Lifecycle(b.Version); l != nil {
		return l.On(date)
	}
	return nil
}

// headOf names the head of a channel, empty if there is none.
func headOf(c *catalog.Channel) string {
	if c == nil || c.Head() == nil {
		return ""
	}
	return c.Head().Name
}

func describeChannel(c *catalog.Channel) Channel {
	return Channel{Channel: c.Name, Default: c.Default, Head: headOf(c), Bundles: Usable(c), Fault: c.Fault, Deprecation: c.Deprecation}
}

// Usable counts the entries of a channel that have a bundle.
func Usable(c *catalog.Channel) (n int) {
	for i := range c.Entries {
		if c.Entries[i].Bundle != catalog.NoBundle {
			n++
		}
	}
	return n
}

// Bundles describes the bundles of a package, the highest version first.
func Bundles(s *catalog.Snapshot, p *catalog.Package, date string) []Bundle {
	return terminal.Mapped(sorted(s, p), func(b *catalog.Bundle) Bundle { return describeBundle(p, b, date) })
}

func sorted(s *catalog.Snapshot, p *catalog.Package) []*catalog.Bundle {
	bundles := terminal.Mapped(p.Bundles, s.Bundle)
	slices.SortFunc(bundles, func(a, b *catalog.Bundle) int {
		return cmp.Or(b.Version.Compare(a.Version), b.Release.Compare(a.Release), strings.Compare(a.Name, b.Name))
	})
	return bundles
}

func describeBundle(p *catalog.Package, b *catalog.Bundle, date string) Bundle {
	j := Bundle{
		Bundle: b.Name, Version: b.Version.String(), Release: string(b.Release), Channels: []string{},
		Image: b.Image, Deprecated: b.Properties.Deprecated(), Deprecation: b.Deprecation,
		Lifecycle: supportOf(p, b, date),
	}
	for _, c := range p.Channels {
		if c.Entry(b.Name) != nil {
			j.Channels = append(j.Channels, c.Name)
		}
	}
	return j
}

// NearestPackage names the package, or else the bundle, that is closest to a name that no
// catalog has.
func NearestPackage(asked string, view *cache.View) string {
	var packages, bundles []string
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for p := range c.Snapshot.Packages() {
			packages = append(packages, p.Name)
			bundles = append(bundles, terminal.Mapped(p.Bundles, func(id catalog.ID) string { return c.Snapshot.Bundle(id).Name })...)
		}
	}
	return cmp.Or(terminal.Suggestion(asked, packages), terminal.Suggestion(asked, bundles))
}
