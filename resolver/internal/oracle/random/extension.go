package random

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// extensionRanges mean the same in both languages of ranges.
var extensionRanges = []string{">=1.0.0", "<2.0.0", ">=1.1.0 <2.1.0", "2.0.0", ">9.0.0"}

// Extension returns a random problem of OLM v1; the same seed gives the
// same one.
func Extension(seed uint64) *oracle.Problem {
	p := Problem(seed)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 3)), p: p, packages: packageNames[:3], kinds: kinds[:3]}
	p.Subscriptions, p.Held, p.Group, p.Groups = nil, nil, nil, nil
	for i := range p.Catalogs {
		c := &p.Catalogs[i]
		c.Namespace, c.Name = "", fmt.Sprintf("cat%d", i)
		c.Priority = g.IntN(4)
		g.rebuild(c)
		for j := range c.Bundles {
			c.Bundles[j].Outdated = g.chance(0.15)
		}
	}
	var stay []oracle.Installed
	for _, i := range p.Installed {
		// Bundles in the way of the extension itself would leave little to solve.
		if i.Annotated && i.LeftOut == "" && g.chance(0.4) {
			i.Requires = nil
			stay = append(stay, i)
		}
	}
	p.Installed = stay
	e := &oracle.Extension{Package: pick(g, g.packages), SelfCertified: g.chance(0.3)}
	if g.chance(0.3) {
		e.Range = pick(g, extensionRanges)
	}
	if g.chance(0.5) {
		e.Channels = few(g, channelNames, 1+g.IntN(2))
	}
	if g.chance(0.65) {
		e.Installed, e.InstalledVersion = g.installedBundle(e.Package)
	}
	if g.chance(0.15) {
		e.Catalog = pick(g, p.Catalogs).Name
	}
	p.Extension = e
	return p
}

// rebuild adds a second release of some bundles, which replaces the first one.
func (g *generator) rebuild(c *oracle.Catalog) {
	for _, first := range slices.Clone(c.Bundles) {
		if !g.chance(0.15) {
			continue
		}
		second := first
		second.Name, second.Version = first.Name+"-1", first.Version+"+1"
		c.Bundles = append(c.Bundles, second)
		for i := range c.Packages {
			for j := range c.Packages[i].Channels {
				ch := &c.Packages[i].Channels[j]
				if slices.ContainsFunc(ch.Entries, func(e oracle.Entry) bool { return e.Name == first.Name }) {
					ch.Entries = append(ch.Entries, oracle.Entry{Name: second.Name, Replaces: first.Name})
				}
			}
		}
	}
}

// installedBundle is mostly one that some catalog has.
func (g *generator) installedBundle(pkg string) (name, version string) {
	other := pick(g, append([]string{early}, versions...))
	list := []oracle.Bundle{{Name: bundleName(pkg, other), Version: other}}
	for _, c := range g.p.Catalogs {
		for _, b := range c.Bundles {
			if b.Package == pkg && g.chance(0.8) {
				list = append(list, b)
			}
		}
	}
	b := pick(g, list)
	return b.Name, b.Version
}
