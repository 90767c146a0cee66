package random

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// The vocabulary of random problems. Everything is scarce on purpose: the same
// few names meet again in every role.
var (
	packageNames = []string{"a", "b", "c", "d", "e", "f"}
	kinds        = []string{"Ka", "Kb", "Kc", "Kd", "Ke", "Kf"}
	labels       = []string{"red", "blue"}
	channelNames = []string{"alpha", "beta", "stable"}
	versions     = []string{"1.0.0", "1.1.0", "2.0.0", "2.1.0"}
	ranges       = []string{">=1.0.0", ">=1.0.0", "<2.0.0", "<2.0.0", ">=1.1.0", ">=1.1.0 <2.1.0", "1.0.0", ">=1.0.0 <1.1.0", "2.0.0 || 1.0.0", ">9.0.0"}
	skipRanges   = []string{">=0.0.1", "<1.1.0", ">=1.0.0 <2.0.0", "<2.1.0", "none"}
)

// early is a version that is installed here and there, and in no catalog.
const early = "0.9.0"

const (
	resolved = "operators"
	global   = "olm"
	unseen   = "elsewhere"
)

// Problem returns a random problem; the same seed gives the same one.
func Problem(seed uint64) *oracle.Problem {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	g.p = &oracle.Problem{
		Namespace: resolved, Globals: []string{global},
		BundleScope: g.chance(0.25), NamedUpdates: g.chance(0.3),
	}
	g.depth = 1 + g.IntN(3)
	switch r := g.Float64(); {
	case r < 0.35:
		g.tangled = true
		g.packages = packageNames[:4+g.IntN(3)]
		g.busy = 0.5 + 0.3*g.Float64()
	case r < 0.6:
		g.moving = true
		g.packages = packageNames[:2+g.IntN(2)]
		g.busy = 0.1 + 0.4*g.Float64()
	default:
		g.packages = packageNames[:2+g.IntN(3)]
		g.busy = 0.3 + 0.5*g.Float64()
	}
	g.kinds = kinds[:len(g.packages)]
	g.catalogs()
	g.installed()
	g.subscriptions()
	if g.chance(0.05) {
		g.p.Denied = []string{g.bundleName(pick(g, g.packages))}
	}
	g.cluster(seed)
	return g.p
}

type generator struct {
	*rand.Rand
	p *oracle.Problem
	// tangled problems have plain channels and many constraints; the others
	// have odd channels, several catalogs and many updates. In moving ones nearly
	// everything is installed, with several channels for its updates.
	tangled, moving bool
	packages        []string
	kinds           []string
	depth           int     // of compound constraints
	busy            float64 // chance of a bundle to require something
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// few picks up to n different ones.
func few[T any](g *generator, from []T, n int) []T {
	all := slices.Clone(from)
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

func bundleName(pkg, version string) string { return pkg + ".v" + version }

func (g *generator) bundleName(pkg string) string { return bundleName(pkg, pick(g, versions)) }

// forerunner names a bundle that an update may come from: mostly one of the
// package, else one that is in no catalog or of a package that was renamed.
func (g *generator) forerunner(pkg string) string {
	switch r := g.Float64(); {
	case r < 0.15:
		return bundleName(pkg, early)
	case r < 0.3:
		return g.bundleName(pick(g, g.packages))
	}
	return g.bundleName(pkg)
}

func (g *generator) catalogs() {
	count := 1
	if g.chance(0.5) && (!g.tangled || g.chance(0.2)) {
		count += 1 + g.IntN(2)
	}
	for i := range count {
		c := oracle.Catalog{Namespace: global, Name: fmt.Sprintf("cat%d", i)}
		if g.chance(0.3) {
			c.Namespace = resolved
		} else if g.chance(0.05) {
			c.Namespace = unseen
		}
		if i == 1 && g.chance(0.2) && g.p.Catalogs[0].Namespace != c.Namespace {
			c.Name = g.p.Catalogs[0].Name
		}
		if g.chance(0.3) {
			c.Priority = g.IntN(4) - 1
		}
		for _, name := range g.packages {
			if g.chance(0.97 / (1 + 0.5*float64(i))) {
				g.addPackage(&c, name, count)
			}
		}
		g.p.Catalogs = append(g.p.Catalogs, c)
	}
}

func (g *generator) addPackage(c *oracle.Catalog, name string, catalogs int) {
	most := len(versions)
	switch {
	case g.tangled && catalogs == 1 && len(g.packages) < 6:
		most = 3
	case g.tangled:
		most = 2
	case catalogs > 1 || len(g.packages) > 3:
		most = 3
	}
	stated := few(g, versions, max(1, most-g.IntN(3)))
	slices.Sort(stated)
	if g.tangled {
		p := oracle.Package{Name: name, Default: "stable", Channels: []oracle.Channel{{Name: "stable"}}}
		previous := ""
		for _, v := range stated {
			c.Bundles = append(c.Bundles, g.bundle(name, v))
			p.Channels[0].Entries = append(p.Channels[0].Entries, oracle.Entry{Name: bundleName(name, v), Replaces: previous})
			previous = bundleName(name, v)
		}
		c.Packages = append(c.Packages, p)
		return
	}
	for _, v := range stated {
		if !g.chance(0.05) && !(g.moving && g.chance(0.1)) { // else its entries are virtual
			c.Bundles = append(c.Bundles, g.bundle(name, v))
		}
	}
	p := oracle.Package{Name: name}
	channels := 1 + g.IntN(3)
	if g.moving {
		channels = max(2, channels)
	}
	for _, channel := range few(g, channelNames, channels) {
		p.Channels = append(p.Channels, g.channel(name, channel, stated))
	}
	p.Default = p.Channels[0].Name
	if g.chance(0.1) {
		p.Default = "gone"
	}
	c.Packages = append(c.Packages, p)
}

// channel makes mostly one chain of the versions, oldest last.
func (g *generator) channel(pkg, name string, stated []string) oracle.Channel {
	ch := oracle.Channel{Name: name}
	previous := ""
	if g.chance(0.4) {
		previous = g.forerunner(pkg)
	}
	for i, v := range stated {
		if len(stated) > 1 && g.chance(0.2) && (len(ch.Entries) > 0 || i+1 < len(stated)) {
			continue
		}
		e := oracle.Entry{Name: bundleName(pkg, v), Replaces: previous}
		if e.Replaces == e.Name {
			e.Replaces = ""
		}
		if g.chance(0.03) {
			e.Replaces = ""
		}
		if g.chance(0.15) {
			e.Skips = append(e.Skips, g.forerunner(pkg))
		}
		if n := len(ch.Entries); n > 0 && g.chance(0.15) {
			last := ch.Entries[n-1]
			e.Skips = append(e.Skips, last.Name)
			if g.chance(0.5) {
				e.Replaces = last.Replaces // the last one stands beside the chain
			}
		}
		if g.chance(0.25) {
			e.SkipRange = pick(g, skipRanges)
		}
		ch.Entries = append(ch.Entries, e)
		previous = e.Name
	}
	switch {
	case g.chance(0.02):
		ch.Entries[0].Replaces = previous // a cycle, perhaps of one
	case g.chance(0.01):
		ch.Entries = nil
	}
	return ch
}

func (g *generator) bundle(pkg, v string) oracle.Bundle {
	b := oracle.Bundle{Package: pkg, Name: bundleName(pkg, v), Version: v, Deprecated: g.chance(0.04)}
	if own := kinds[slices.Index(packageNames, pkg)]; g.tangled || g.chance(0.8) {
		b.Provides = append(b.Provides, own)
	}
	if other := pick(g, g.kinds); !g.tangled && g.chance(0.1) && !slices.Contains(b.Provides, other) {
		b.Provides = append(b.Provides, other)
	}
	if g.chance(0.3) {
		b.Labels = append(b.Labels, pick(g, labels))
	}
	for g.chance(g.busy) && len(b.Requires) < 4 {
		b.Requires = append(b.Requires, g.requirement())
	}
	if g.tangled && g.chance(0.25) {
		// What holds through an absence at first, and no longer in the end.
		late := g.simple()
		if g.chance(0.5) {
			b.Requires = append(b.Requires, late)
		}
		b.Requires = slices.Insert(b.Requires, 0, oracle.Constraint{Any: []oracle.Constraint{{Not: []oracle.Constraint{late}}, g.simple()}})
	}
	return b
}

// requirement is a constraint as a property states it.
func (g *generator) requirement() oracle.Constraint {
	switch {
	case g.tangled && g.chance(0.3):
		return g.alternatives()
	case g.tangled && g.chance(0.9):
		return g.simple()
	case g.chance(0.12):
		return oracle.Constraint{Label: pick(g, labels), Old: true}
	case g.chance(0.4):
		c := g.constraint(0)
		c.Old = c.Rule == nil
		return c
	}
	return g.constraint(g.depth)
}

// simple asks for an API, or for a package in any version.
func (g *generator) simple() oracle.Constraint {
	if g.chance(0.5) {
		return oracle.Constraint{Kind: pick(g, g.kinds)}
	}
	return oracle.Constraint{Package: pick(g, g.packages), Range: ">=1.0.0"}
}

// alternatives is an any that holds through absences, or that has to be decided
// for one of its parts.
func (g *generator) alternatives() oracle.Constraint {
	absent := func() oracle.Constraint { return oracle.Constraint{Not: []oracle.Constraint{g.simple()}} }
	both := func() oracle.Constraint {
		return oracle.Constraint{All: []oracle.Constraint{g.constraint(0), absent()}}
	}
	switch g.IntN(4) {
	case 0:
		return oracle.Constraint{Any: []oracle.Constraint{absent(), g.constraint(g.IntN(2))}}
	case 1:
		return oracle.Constraint{Any: []oracle.Constraint{both(), g.constraint(g.IntN(2))}}
	case 2:
		return oracle.Constraint{Any: []oracle.Constraint{both(), both(), g.constraint(0)}}
	default:
		return oracle.Constraint{Any: []oracle.Constraint{{All: []oracle.Constraint{g.constraint(0), g.constraint(0)}}, both(), absent()}}
	}
}

func (g *generator) constraint(depth int) oracle.Constraint {
	if depth > 0 && g.chance(0.75) {
		var children []oracle.Constraint
		for range 1 + g.IntN(3) {
			children = append(children, g.constraint(depth-1))
		}
		switch r := g.Float64(); {
		case r < 0.5:
			return oracle.Constraint{Any: children}
		case r < 0.75:
			return oracle.Constraint{All: children}
		default:
			return oracle.Constraint{Not: children}
		}
	}
	switch r := g.Float64(); {
	case r < 0.45:
		return oracle.Constraint{Kind: pick(g, g.kinds)}
	case r < 0.85:
		return oracle.Constraint{Package: pick(g, g.packages), Range: pick(g, ranges)}
	case r < 0.91:
		return oracle.Constraint{Rule: &oracle.Rule{Label: pick(g, labels)}}
	case r < 0.98:
		return oracle.Constraint{Rule: &oracle.Rule{Package: pick(g, g.packages), AtLeast: pick(g, versions)}}
	default:
		return oracle.Constraint{Rule: &oracle.Rule{Fails: true}}
	}
}

// installed puts bundles on the cluster, most of them as some catalog states
// them.
func (g *generator) installed() {
	for _, pkg := range g.packages {
		if g.tangled && g.chance(0.7) || !g.moving && !g.chance(0.25) || g.chance(0.15) {
			continue
		}
		b := g.bundle(pkg, pick(g, versions))
		if !g.tangled && g.chance(0.15) {
			b = g.bundle(pkg, early)
		} else if g.chance(0.7) {
			for _, c := range g.p.Catalogs {
				for _, o := range c.Bundles {
					if o.Package == pkg && g.chance(0.6) {
						b = o
					}
				}
			}
		}
		i := oracle.Installed{Name: b.Name, Version: b.Version, Provides: b.Provides}
		if i.Annotated = g.chance(0.75); i.Annotated {
			i.Labels, i.Requires = b.Labels, b.Requires
			i.Package, i.PackageVersion = pkg, b.Version
			switch r := g.Float64(); {
			case r < 0.05:
				i.Package, i.PackageVersion = "", ""
			case r < 0.25 || g.moving && r < 0.4:
				i.Package = pick(g, g.packages)
			}
			switch r := g.Float64(); {
			case r < 0.1:
				i.Version = ""
			case r < 0.2:
				i.Version = pick(g, versions) // which is not that of the package
			}
		} else {
			if g.chance(0.3) {
				i.Requires = []oracle.Constraint{{Kind: pick(g, g.kinds), Old: true}}
			}
			if g.chance(0.2) {
				i.Version = ""
			}
		}
		if g.chance(0.05) {
			i.LeftOut = pick(g, []string{"copied", "deleting"})
		}
		g.p.Installed = append(g.p.Installed, i)
	}
}

func (g *generator) subscriptions() {
	for _, i := range g.p.Installed {
		if !g.chance(0.85) {
			continue
		}
		s := g.subscription(g.packageOf(i, 0.8))
		s.InstalledCSV = i.Name
		g.p.Subscriptions = append(g.p.Subscriptions, s)
		if s.Package != i.Name[:1] && g.chance(0.6) {
			g.rename(i.Name, s.Package)
		}
		if g.chance(0.25) || g.moving && g.chance(0.2) {
			second := g.subscription(g.packageOf(i, 0.4))
			if g.chance(0.3) {
				second.StartingCSV = i.Name
			}
			if g.chance(0.3) {
				second.InstalledCSV = i.Name
			}
			g.p.Subscriptions = append(g.p.Subscriptions, second)
		}
	}
	for len(g.p.Subscriptions) == 0 || g.chance(0.25) && len(g.p.Subscriptions) < 4 {
		pkg := pick(g, g.packages)
		if g.taken(pkg) && g.chance(0.7) {
			continue
		}
		s := g.subscription(pkg)
		if g.chance(0.05) {
			s.InstalledCSV = g.bundleName(s.Package)
		}
		g.p.Subscriptions = append(g.p.Subscriptions, s)
	}
	g.Shuffle(len(g.p.Subscriptions), func(i, j int) {
		s := g.p.Subscriptions
		s[i].Name, s[j].Name = s[j].Name, s[i].Name
	})
}

// rename lets bundles of a package replace one of another package, as where a
// package goes on under another name.
func (g *generator) rename(from, pkg string) {
	for _, c := range g.p.Catalogs {
		for _, p := range c.Packages {
			for _, ch := range p.Channels {
				if p.Name == pkg && len(ch.Entries) > 0 && g.chance(0.7) {
					ch.Entries[g.IntN(len(ch.Entries))].Skips = []string{from}
				}
			}
		}
	}
}

// packageOf is a package that a Subscription names for what is installed: with
// the given chance the one that its name speaks of, else often the stated one.
func (g *generator) packageOf(i oracle.Installed, named float64) string {
	switch {
	case g.chance(named):
		return i.Name[:1]
	case i.Package != "" && g.chance(0.7):
		return i.Package
	}
	return pick(g, g.packages)
}

// taken reports whether something is subscribed or installed of a package.
func (g *generator) taken(pkg string) bool {
	return slices.ContainsFunc(g.p.Subscriptions, func(s oracle.Subscription) bool { return s.Package == pkg }) ||
		slices.ContainsFunc(g.p.Installed, func(i oracle.Installed) bool { return i.Name[:1] == pkg })
}

func (g *generator) subscription(pkg string) oracle.Subscription {
	s := oracle.Subscription{Name: fmt.Sprintf("sub%d", len(g.p.Subscriptions)), Package: pkg}
	if g.chance(0.03) {
		s.Package = pick(g, packageNames)
	}
	var offering []oracle.Catalog
	for _, c := range g.p.Catalogs {
		if offers(c, s.Package) {
			offering = append(offering, c)
		}
	}
	if len(offering) == 0 {
		return s
	}
	c := pick(g, offering)
	p := c.Packages[slices.IndexFunc(c.Packages, func(p oracle.Package) bool { return p.Name == s.Package })]
	if g.chance(0.65) && !(g.moving && g.chance(0.5)) {
		s.Channel = pick(g, p.Channels).Name
	} else if g.chance(0.05) {
		s.Channel = pick(g, channelNames)
	}
	if g.chance(0.65) {
		s.Source = c.Name
		if g.chance(0.7) {
			s.SourceNamespace = c.Namespace
		}
	}
	if g.chance(0.15) {
		s.StartingCSV = g.startingCSV(p, s.Channel)
	}
	return s
}

// startingCSV names mostly an entry of the channel, if that is known; often one
// that another entry skips.
func (g *generator) startingCSV(p oracle.Package, channel string) string {
	ch := pick(g, p.Channels)
	for _, c := range p.Channels {
		if c.Name == channel && g.chance(0.8) {
			ch = c
		}
	}
	var names, skipped []string
	for _, e := range ch.Entries {
		names = append(names, e.Name)
		if slices.ContainsFunc(ch.Entries, func(o oracle.Entry) bool { return slices.Contains(o.Skips, e.Name) }) {
			skipped = append(skipped, e.Name)
		}
	}
	switch {
	case len(skipped) > 0 && g.chance(0.5):
		return pick(g, skipped)
	case len(names) > 0 && g.chance(0.8):
		return pick(g, names)
	}
	return g.bundleName(p.Name)
}

func offers(c oracle.Catalog, pkg string) bool {
	return slices.ContainsFunc(c.Packages, func(p oracle.Package) bool { return p.Name == pkg })
}

// DropRequirement removes one requirement of a catalog's bundle, and reports
// whether there was one.
func DropRequirement(p *oracle.Problem, r *rand.Rand) bool {
	var stating []*oracle.Bundle
	for i := range p.Catalogs {
		for j := range p.Catalogs[i].Bundles {
			if b := &p.Catalogs[i].Bundles[j]; len(b.Requires) > 0 {
				stating = append(stating, b)
			}
		}
	}
	if len(stating) == 0 {
		return false
	}
	b := stating[r.IntN(len(stating))]
	i := r.IntN(len(b.Requires))
	b.Requires = slices.Delete(b.Requires, i, i+1)
	return true
}
