package random

import (
	"fmt"
	"math/rand/v2"

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
		e.InstalledVersion = g.installedVersion(e.Package)
		e.Installed = bundleName(e.Package, e.InstalledVersion)
	}
	p.Extension = e
	return p
}

// installedVersion is mostly one that some catalog has.
func (g *generator) installedVersion(pkg string) string {
	list := []string{early, pick(g, versions)}
	for _, c := range g.p.Catalogs {
		for _, b := range c.Bundles {
			if b.Package == pkg && g.chance(0.8) {
				list = append(list, b.Version, b.Version)
			}
		}
	}
	return pick(g, list)
}
