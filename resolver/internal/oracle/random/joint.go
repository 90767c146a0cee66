package random

import (
	"math/rand/v2"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

const otherNamespace = "team"

var installModes = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}

// cluster adds holds and operator groups to some problems. It has a source of
// its own, so that the rest of a problem does not depend on it.
func (g *generator) cluster(seed uint64) {
	part := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), p: g.p, kinds: g.kinds}
	for _, i := range g.p.Installed {
		if part.chance(0.15) {
			g.p.Held = append(g.p.Held, i.Name)
		}
	}
	if !part.chance(0.3) {
		return
	}
	g.p.Group = part.group(g.p.Namespace)
	for i := range g.p.Catalogs {
		for j := range g.p.Catalogs[i].Bundles {
			if part.chance(0.5) {
				g.p.Catalogs[i].Bundles[j].Modes = few(part, installModes, 1+part.IntN(4))
			}
		}
	}
	if part.chance(0.6) {
		o := part.group(otherNamespace)
		o.Provides = few(part, g.kinds, 1+part.IntN(2))
		g.p.Groups = []oracle.Group{*o}
	}
	if part.chance(0.15) {
		g.p.Group.Static, g.p.Group.Provides = true, few(part, g.kinds, 3)
	}
	g.p.Group.OwnCatalogs = part.chance(0.15)
}

func (g *generator) group(namespace string) *oracle.Group {
	all := []string{namespace, "one", "two", resolved, otherNamespace}
	o := &oracle.Group{Namespace: namespace}
	if !g.chance(0.3) {
		o.Targets = few(g, all[:3], 1+g.IntN(2))
		if g.chance(0.3) {
			o.Targets = []string{pick(g, all)}
		}
	}
	return o
}

// Joint returns a random problem of two namespaces; the same seed gives
// the same one.
func Joint(seed uint64) oracle.Joint {
	first := Problem(seed)
	first.Groups = nil
	for i := range first.Catalogs {
		if c := &first.Catalogs[i]; c.Namespace == resolved && len(first.Catalogs) == 1 {
			c.Namespace = global // which both namespaces see
		}
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 2)), tangled: true, kinds: kinds[:3], packages: packageNames[:3]}
	g.p = &oracle.Problem{
		Namespace: otherNamespace, Globals: first.Globals, Catalogs: first.Catalogs, Denied: first.Denied,
		BundleScope: first.BundleScope, NamedUpdates: first.NamedUpdates,
	}
	g.modes()
	g.absences()
	g.installed()
	g.subscriptions()
	switch r := g.Float64(); {
	case r < 0.15:
		first.Group = nil
	case r < 0.4:
		first.Group, g.p.Group = g.exile()
	default:
		first.Group = g.jointGroup(resolved, otherNamespace)
		g.p.Group = g.jointGroup(otherNamespace, resolved)
	}
	return oracle.Joint{first, g.p}
}

// absences lets some bundles of the catalogs refuse what another namespace may
// select.
func (g *generator) absences() {
	if !g.chance(0.4) {
		return
	}
	for i := range g.p.Catalogs {
		for j := range g.p.Catalogs[i].Bundles {
			if b := &g.p.Catalogs[i].Bundles[j]; g.chance(0.25) {
				b.Requires = append(b.Requires, oracle.Constraint{Not: []oracle.Constraint{g.constraint(0)}})
			}
		}
	}
}

// modes lets some bundles run in one of the namespaces only.
func (g *generator) modes() {
	for i := range g.p.Catalogs {
		for j := range g.p.Catalogs[i].Bundles {
			b := &g.p.Catalogs[i].Bundles[j]
			b.Modes = nil
			if g.chance(0.4) {
				b.Modes = few(g, installModes, 1+g.IntN(3))
			}
			if g.chance(0.4) {
				b.Requires = nil // two namespaces with answers are rare enough
			}
		}
	}
}

// exile lets a package run only in the other namespace, for the first one.
func (g *generator) exile() (first, second *oracle.Group) {
	pkg := pick(g, g.packages)
	for _, c := range g.p.Catalogs {
		for i := range c.Bundles {
			if b := &c.Bundles[i]; b.Package == pkg {
				b.Modes = []string{"SingleNamespace"}
			}
		}
	}
	targets := []string{resolved}
	return &oracle.Group{Namespace: resolved, Targets: targets}, &oracle.Group{Namespace: otherNamespace, Targets: targets}
}

// jointGroup often watches the other namespace, and often its own or the other one
// alone: two groups that have a namespace in common cannot provide the same API.
func (g *generator) jointGroup(namespace, other string) *oracle.Group {
	o := g.group(namespace)
	switch r := g.Float64(); {
	case r < 0.3:
		o.Targets = []string{resolved, otherNamespace}
	case r < 0.5:
		o.Targets = []string{namespace}
	case r < 0.7:
		o.Targets = []string{other}
	}
	return o
}
