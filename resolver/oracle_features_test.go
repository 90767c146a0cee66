package resolver_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// features counts what random problems are about: a rule that no problem reaches
// is not tested.
type features struct {
	sync.Mutex
	counts map[string]int
}

// add counts the features of a problem that the predicates find.
func (f *features) add(found map[string]bool) {
	f.Lock()
	defer f.Unlock()
	if f.counts == nil {
		f.counts = map[string]int{}
	}
	for name, holds := range found {
		if holds {
			f.counts[name]++
		} else {
			f.counts[name] += 0
		}
	}
}

// report prints the counts; with enough problems each must be there.
func (f *features) report(t *testing.T, compared int64) {
	t.Helper()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(f.counts)) {
		lines = append(lines, fmt.Sprintf("%6d %s", f.counts[name], name))
		if compared > 2000 {
			assert.Positive(t, f.counts[name], name)
		}
	}
	t.Logf("%d problems compared, of these\n%s", compared, strings.Join(lines, "\n"))
}

// updateFeatures are those of the Subscriptions of one namespace.
func updateFeatures(p *oracle.Problem) map[string]bool {
	installed := map[string]oracle.Installed{}
	for _, i := range p.Installed {
		if i.LeftOut == "" {
			installed[i.Name] = i
		}
	}
	found := map[string]bool{}
	for _, name := range []string{
		"a CSV states another package than its Subscription", "a second Subscription to the same package",
		"a second Subscription to the stated package alone", "two Subscriptions that installed the same CSV",
		"startingCSV skipped", "startingCSV of what another Subscription installed", "empty channel of several, new",
		"empty channel of several, installed", "an update from a CSV of another package", "a CSV of another version than its package", "several catalogs", "held", "group", "bundle scope",
		"global catalogs left out", "an update that is installed already",
	} {
		found[name] = false
	}
	mark := func(name string, holds bool) { found[name] = found[name] || holds }
	mark("several catalogs", len(p.Catalogs) > 1)
	mark("held", len(p.Held) > 0)
	mark("group", p.Group != nil)
	mark("global catalogs left out", p.Group != nil && p.Group.OwnCatalogs)
	mark("bundle scope", p.BundleScope)
	for i, s := range p.Subscriptions {
		cur, isInstalled := installed[s.InstalledCSV]
		mark("a CSV states another package than its Subscription", isInstalled && cur.Annotated && cur.Package != "" && cur.Package != s.Package)
		mark("a CSV of another version than its package", isInstalled && cur.Package != "" && cur.Version != cur.PackageVersion)
		for j, o := range p.Subscriptions {
			other, has := installed[o.InstalledCSV]
			if i == j || !has {
				continue
			}
			mark("two Subscriptions that installed the same CSV", o.InstalledCSV == s.InstalledCSV)
			mark("a second Subscription to the same package", !isInstalled && o.Package == s.Package)
			mark("a second Subscription to the stated package alone", !isInstalled && o.Package != s.Package && other.Package == s.Package)
			mark("startingCSV of what another Subscription installed", !isInstalled && s.StartingCSV == o.InstalledCSV)
		}
		for _, c := range p.Catalogs {
			for _, k := range c.Packages {
				if k.Name != s.Package {
					continue
				}
				several := s.Channel == "" && len(k.Channels) > 1
				mark("empty channel of several, new", several && !isInstalled)
				mark("empty channel of several, installed", several && isInstalled)
				for _, ch := range k.Channels {
					for _, e := range ch.Entries {
						mark("startingCSV skipped", !isInstalled && s.StartingCSV != "" && slices.Contains(e.Skips, s.StartingCSV))
						from := e.Replaces == cur.Name || slices.Contains(e.Skips, cur.Name)
						_, has := installed[e.Name]
						mark("an update that is installed already", isInstalled && from && has && e.Name != cur.Name)
						mark("an update from a CSV of another package", isInstalled && from && !strings.HasPrefix(cur.Name, k.Name))
					}
				}
			}
		}
	}
	return found
}

// extensionFeatures are those of a ClusterExtension.
func extensionFeatures(p *oracle.Problem) map[string]bool {
	e := p.Extension
	var known, inside, inRange bool
	for _, c := range p.Catalogs {
		for _, b := range c.Bundles {
			known = known || b.Name == e.Installed
		}
		for _, k := range c.Packages {
			for _, ch := range k.Channels {
				lists := slices.ContainsFunc(ch.Entries, func(n oracle.Entry) bool { return n.Name == e.Installed })
				inside = inside || k.Name == e.Package && lists && slices.Contains(e.Channels, ch.Name)
			}
		}
	}
	inRange = e.Range != "" && oracle.InRange(e.Range, e.InstalledVersion)
	has, channels := e.Installed != "", len(e.Channels) > 0
	return map[string]bool{
		"installed, in the channels":     has && channels && inside,
		"installed, out of the channels": has && channels && known && !inside,
		"installed, in the range":        has && known && inRange,
		"installed, out of the range":    has && known && e.Range != "" && !inRange,
		"installed, in no catalog":       has && !known,
		"installed, a later release":     has && strings.Contains(e.InstalledVersion, "+"),
		"installed, SelfCertified":       has && e.SelfCertified,
		"something else is installed":    len(p.Installed) > 0,
		"several catalogs":               len(p.Catalogs) > 1,
	}
}

// jointFeatures are those of several namespaces: where one watches the other,
// bundles meet what the other's ask for and break its absences.
func jointFeatures(j oracle.Joint) map[string]bool {
	watched, absence := false, false
	for i, p := range j {
		g := j[1-i].Group
		watched = watched || g != nil && (len(g.Targets) == 0 || slices.Contains(g.Targets, p.Namespace))
	}
	for _, c := range j[0].Catalogs {
		for _, b := range c.Bundles {
			absence = absence || slices.ContainsFunc(b.Requires, func(c oracle.Constraint) bool { return c.Not != nil })
		}
	}
	return map[string]bool{
		"one watches the other": watched, "one watches the other, and bundles refuse others": watched && absence && !j[0].BundleScope,
	}
}
