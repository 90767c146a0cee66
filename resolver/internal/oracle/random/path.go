package random

import (
	"math/rand/v2"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// Route asks for the updates that lead what a Subscription has installed to
// another bundle of its package.
type Route struct {
	Problem                   *oracle.Problem
	Subscription, Package, To string
}

// Path returns a random problem with a route through it, mostly over several
// catalogs; the same seed gives the same one.
func Path(seed uint64) *Route {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 4)), packages: packageNames[1:3], kinds: kinds[:3], depth: 1}
	g.busy = 0.1 + 0.4*g.Float64()
	g.p = &oracle.Problem{
		Namespace: resolved, Globals: []string{global}, BundleScope: g.chance(0.2), NamedUpdates: g.chance(0.2),
	}
	for g.catalogs(); len(g.p.Catalogs) == 1 && g.chance(0.9); g.catalogs() {
		g.p.Catalogs = nil
	}
	if g.chance(0.7) {
		g.installed()
		g.subscriptions()
	}
	g.packages = packageNames[:3]
	apart := len(g.p.Catalogs) > 1 && g.chance(0.6)
	for i := range g.p.Catalogs {
		listed := few(g, rungs, max(1, 4-len(g.p.Catalogs)+g.IntN(2)))
		offered := listed
		switch {
		case apart:
			listed, offered = rungs, everyOther(i%2)
		case g.chance(0.1):
			offered = listed[1:]
		}
		if apart || i == 0 || g.chance(0.8) {
			g.ladder(&g.p.Catalogs[i], packageNames[0], listed, offered)
		}
	}
	s := g.subscription(packageNames[0])
	s.Name, s.Package, s.StartingCSV = "route", packageNames[0], ""
	first := g.bundle(s.Package, rungs[g.IntN(2)])
	s.InstalledCSV = first.Name
	g.p.Subscriptions = append(g.p.Subscriptions, s)
	g.p.Installed = append(g.p.Installed, oracle.Installed{
		Name: first.Name, Version: first.Version, Provides: first.Provides, Annotated: true, Package: s.Package, PackageVersion: first.Version,
	})
	g.cluster(seed)
	return &Route{g.p, s.Name, s.Package, bundleName(s.Package, pick(g, rungs[2:]))}
}

// ExtensionPath returns a random problem of OLM v1 on one catalog with a route through
// it; the same seed gives the same one.
func ExtensionPath(seed uint64) *Route {
	p := Extension(seed)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 5)), p: p, packages: packageNames[1:3], kinds: kinds[:3], depth: 1, busy: 0.2}
	e := p.Extension
	c := &oracle.Catalog{Name: "cat0"}
	for _, name := range g.packages {
		g.addPackage(c, name, 1)
	}
	e.Package, e.Range, e.Catalog, e.SelfCertified = packageNames[0], "", "", g.chance(0.1)
	if g.chance(0.2) {
		e.Range = pick(g, extensionRanges)
	}
	if e.Channels = nil; g.chance(0.8) {
		e.Channels = []string{pick(g, []string{"stable", "beta"})}
	}
	listed := few(g, rungs, 4+g.IntN(2))
	g.ladder(c, e.Package, listed, listed)
	p.Catalogs = []oracle.Catalog{*c}
	e.InstalledVersion = rungs[g.IntN(2)]
	e.Installed = bundleName(e.Package, e.InstalledVersion)
	return &Route{p, "", e.Package, bundleName(e.Package, pick(g, rungs[2:]))}
}

// rungs are the versions of the package that a route leads through.
var rungs = []string{"1.0.0", "1.1.0", "2.0.0", "2.1.0", "3.0.0"}

// everyOther lists every other rung from one on.
func everyOther(first int) []string {
	var some []string
	for i := first; i < len(rungs); i += 2 {
		some = append(some, rungs[i])
	}
	return some
}

// ladder adds a package whose updates go mostly one version at a time: what is
// open to every version leads everywhere in one step. Entries whose bundles are not
// offered are virtual, so that two catalogs may have to take turns.
func (g *generator) ladder(c *oracle.Catalog, pkg string, listed, offered []string) {
	p := oracle.Package{Name: pkg, Default: "stable"}
	listed = slices.Sorted(slices.Values(listed))
	for _, v := range offered {
		c.Bundles = append(c.Bundles, g.bundle(pkg, v))
	}
	names := []string{"stable", "beta"}[:1+g.IntN(2)]
	split := len(names) == 2 && g.chance(0.6) // then one leads on from where the other ends
	for k, name := range names {
		ch := oracle.Channel{Name: name}
		for i, v := range listed {
			if half := len(listed) / 2; split && (k == 0 && i > half || k == 1 && i < half) {
				continue
			}
			e := oracle.Entry{Name: bundleName(pkg, v)}
			switch rung := slices.Index(rungs, v); {
			case i > 0:
				e.Replaces = bundleName(pkg, listed[i-1])
				if g.chance(0.3) {
					e.Skips = []string{bundleName(pkg, rungs[rung-1])}
				}
			case rung > 0:
				e.Replaces = bundleName(pkg, rungs[rung-1])
			}
			if g.chance(0.1) {
				e.SkipRange = pick(g, skipRanges)
			}
			ch.Entries = append(ch.Entries, e)
		}
		p.Channels = append(p.Channels, ch)
	}
	c.Packages = append(c.Packages, p)
}
