package lock

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// requests returns what the requests of a scope ask for, by name.
func requests(known *cluster.Index, scope cluster.Scope) []Request {
	list := []Request{}
	if e := known.Extension(scope.Extension()); e != nil {
		return append(list, Request{Name: e.Name, Package: e.Package, Channels: e.Channels, Version: e.Version})
	}
	for _, s := range known.In(scope.Namespace()).Subscriptions {
		if !s.Generated {
			list = append(list, Request{
				Name: s.Name, Package: s.Package, Channel: s.Channel, Catalog: catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}.String(), StartingCSV: s.StartingCSV,
			})
		}
	}
	return list
}

// block returns the block of a scope. A bundle that does not move keeps what the lock says of it.
func (s *chooser) block(made *endState) (*Scope, error) {
	block := &Scope{Cluster: s.c.Name, Namespace: s.scope.Namespace(), Extension: s.scope.Extension(), Requests: requests(s.c.Problem.Cluster, s.scope), Bundles: []Bundle{}}
	for _, pkg := range slices.Sorted(maps.Keys(made.bundles)) {
		b := made.bundles[pkg]
		snapshot := s.snapshot(catalog.ParseKey(b.Catalog))
		if snapshot != nil && b.Catalog != "" {
			var err error
			if b.Digest, b.PackageDigest, err = s.shared.digests(s.ctx, snapshot, b.Package, b.Name); err != nil {
				return nil, err
			}
		}
		old := s.before.Bundle(b.Package)
		if old != nil && old.key() == b.key() && old.Digest == b.Digest {
			b.PackageDigest, b.Channel, b.Replaces = old.PackageDigest, old.Channel, old.Replaces
			if !slices.ContainsFunc(b.Way, func(name string) bool { return !slices.Contains(old.Way, name) }) {
				b.Way = old.Way
			}
		} else if old != nil && len(b.Way) == 0 && snapshot != nil && s.exact(b.Package) {
			b.Way = s.between(snapshot, b.Package, old.Name, b.Name)
		}
		if snapshot != nil {
			b.Newer = s.newer(b, old, snapshot)
		}
		for _, value := range append([]string{b.Package, b.Name, b.Channel, b.Image, b.Replaces, b.Request}, b.Way...) {
			if len(value) > maxText || !utf8.ValidString(value) || strings.ContainsFunc(value, unprintable) {
				return nil, &result.InvalidInput{Subject: fmt.Sprintf("bundle %q", b.Name), Err: fmt.Errorf("%.100q has characters that no name has", value)}
			}
		}
		block.Bundles = append(block.Bundles, *b)
	}
	return block, s.judgeAutomatic(block)
}

// between returns the bundles on a shortest way of updates, without its ends.
func (s *chooser) between(snapshot *catalog.Snapshot, pkg, from, to string) []string {
	ways := s.shared.waysTo(s.ctx, snapshot, pkg, to)
	found, first := snapshot.Package(pkg), snapshot.Find(pkg, from)
	if found == nil || first == nil || !ways[from] {
		return nil
	}
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0 && s.ctx.Err() == nil; queue = queue[1:] {
		if queue[0] == to {
			var list []string
			for name := before[to]; name != from && name != ""; name = before[name] {
				list = append(list, name)
			}
			slices.Reverse(list)
			return list
		}
		b := snapshot.Find(pkg, queue[0])
		if b == nil {
			continue
		}
		for _, c := range found.Channels {
			for next := range c.Updates(b.Name, &b.Version) {
				name := next.At().Name
				if _, seen := before[name]; !seen && ways[name] && next.At().Bundle != catalog.NoBundle {
					before[name] = b.Name
					queue = append(queue, name)
				}
			}
		}
	}
	return nil
}

// newer returns the bundles above a locked one in its channel, with the days on which they were
// first seen, as far as a minimum age was ever asked for.
func (s *chooser) newer(b, old *Bundle, snapshot *catalog.Snapshot) (list []Newer) {
	channel := snapshot.Package(b.Package).Channel(b.Channel)
	if channel == nil {
		return nil
	}
	for _, above := range above(s.ctx, snapshot, b.Package, b.Name) {
		if channel.Entry(above.Name) == nil {
			continue
		}
		seen := firstSeen(old, above.Name)
		if seen == "" && s.o.MinAge > 0 {
			seen = s.today.Format(time.DateOnly)
		}
		if seen != "" {
			list = append(list, Newer{above.Name, seen})
		}
	}
	slices.Reverse(list)
	return list
}

func firstSeen(old *Bundle, name string) string {
	if old != nil {
		for _, n := range old.Newer {
			if n.Name == name {
				return n.FirstSeen
			}
		}
	}
	return ""
}

// restricted also asks for the minimum age, and for what the waves before have got.
func (s *chooser) restricted(a allow) allow {
	all := allow{}
	view := s.c.Problem.Catalogs
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for pkg := range c.Snapshot.Packages() {
			if all[pkg.Name] != nil {
				continue
			}
			old := s.before.Bundle(pkg.Name)
			stays := func(catalog.BundleKey) (bool, string) { return false, "" }
			if old != nil {
				stays = s.only(old.key())
			}
			other := a[pkg.Name]
			all[pkg.Name] = func(key catalog.BundleKey) (bool, string) {
				if other != nil {
					if ok, reason := other(key); !ok {
						return false, reason
					}
				}
				if ok, _ := stays(key); ok {
					return true, ""
				}
				if got := s.got[key.Package]; got != nil && !s.leads(key, got) {
					return false, "the waves before " + s.o.Wave + " do not run it"
				}
				return s.oldEnough(key, old)
			}
		}
	}
	return all
}

// leads reports whether a bundle is one of several, or updates lead from it to one.
func (s *chooser) leads(key catalog.BundleKey, to map[string]bool) bool {
	snapshot := s.snapshot(key.Catalog)
	for name := range to {
		if key.Name == name || snapshot != nil && !s.exact(key.Package) && s.shared.waysTo(s.ctx, snapshot, key.Package, name)[key.Name] {
			return true
		}
	}
	return false
}

// oldEnough reports whether a bundle has the minimum age.
func (s *chooser) oldEnough(key catalog.BundleKey, old *Bundle) (bool, string) {
	if s.o.MinAge <= 0 {
		return true, ""
	}
	since := s.today
	if seen, err := day(firstSeen(old, key.Name)); err == nil && seen.Before(since) {
		since = seen
	}
	if snapshot := s.snapshot(key.Catalog); snapshot != nil {
		if b := snapshot.Find(key.Package, key.Name); b != nil {
			if made, ok := createdAt(b); ok && made.Before(since) {
				since = made
			}
		}
	}
	if age := s.today.Sub(since); age < s.o.MinAge {
		return false, fmt.Sprintf("it is %d days old, less than the %d asked for", int(age.Hours()/24), int(s.o.MinAge.Hours()/24))
	}
	return true, ""
}

// notes returns what a reviewer should know of a move.
func (s *chooser) notes(m Move) (notes []string) {
	if m.To == nil {
		return []string{"nothing requests it any more; OLM does not remove what runs"}
	}
	if !m.To.Automatic() {
		notes = append(notes, "OLM does not choose it by itself"+planned(m.To))
	}
	if m.From != nil {
		from, errFrom := semver.Parse(m.From.Version)
		to, errTo := semver.Parse(m.To.Version)
		switch {
		case errFrom != nil || errTo != nil:
		case to.LT(from):
			notes = append(notes, "a downgrade, which OLM does not carry out")
		case to.Major != from.Major:
			notes = append(notes, fmt.Sprintf("a new major version: %d after %d", to.Major, from.Major))
		}
		notes = append(notes, s.lost(m)...)
	}
	if snapshot := s.snapshot(catalog.ParseKey(m.To.Catalog)); snapshot != nil {
		if b := snapshot.Find(m.To.Package, m.To.Name); b != nil && b.Deprecation != "" {
			notes = append(notes, "deprecated: "+b.Deprecation)
		}
		if pkg := snapshot.Package(m.To.Package); pkg != nil && pkg.Deprecation != "" {
			notes = append(notes, "the package is deprecated: "+pkg.Deprecation)
		}
	}
	return notes
}

// planned says what OLM plans instead of a bundle.
func planned(b *Bundle) string {
	if b.Planned == "" {
		return ": it plans nothing"
	}
	return ": it plans " + b.Planned
}

// lost returns the APIs that a bundle provides no more.
func (s *chooser) lost(m Move) (notes []string) {
	find := func(b *Bundle) *catalog.Bundle {
		if snapshot := s.snapshot(catalog.ParseKey(b.Catalog)); snapshot != nil {
			return snapshot.Find(b.Package, b.Name)
		}
		return nil
	}
	from, to := find(m.From), find(m.To)
	if from == nil || to == nil {
		return nil
	}
	for _, api := range from.Properties.GVKs() {
		if !slices.Contains(to.Properties.GVKs(), api) {
			notes = append(notes, "it no longer provides "+text(api))
		}
	}
	return notes
}

func text(api properties.GVK) string { return api.Kind + " " + api.Group + "/" + api.Version }

// inWave returns the clusters of the wave that moves. It refuses one whose earlier waves do not
// run what the lock says.
func (m *maker) inWave(clusters []Cluster) ([]Cluster, error) {
	if m.o.Wave == "" {
		return clusters, nil
	}
	at := slices.IndexFunc(m.before.Waves, func(w Wave) bool { return w.Name == m.o.Wave })
	if at < 0 {
		return nil, fmt.Errorf("wave %s: the lock has no wave of that name", m.o.Wave)
	}
	m.got = map[string]map[string]bool{}
	for _, w := range m.before.Waves[:at] {
		for _, name := range w.Clusters {
			i := slices.IndexFunc(clusters, func(c Cluster) bool { return c.Name == name })
			if i < 0 {
				return nil, fmt.Errorf("wave %s: cluster %s of the earlier wave %s is not given, so nobody knows what it runs", m.o.Wave, name, w.Name)
			}
			for j := range m.before.Scopes {
				s := &m.before.Scopes[j]
				if s.Cluster != name {
					continue
				}
				var missing []string
				for k := range s.Bundles {
					b := &s.Bundles[k]
					if why := s.lacks(clusters[i].Problem.Cluster, b); why != "" {
						missing = append(missing, b.Name+" ("+why+")")
					}
					if m.got[b.Package] == nil {
						m.got[b.Package] = map[string]bool{}
					}
					m.got[b.Package][b.Name] = true
				}
				if len(missing) > 0 {
					return nil, fmt.Errorf("wave %s: %s of the earlier wave %s does not run yet: %s", m.o.Wave, s, w.Name, strings.Join(missing, ", "))
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return !slices.Contains(m.before.Waves[at].Clusters, c.Name) }), nil
}

// Runs reports whether a cluster runs a locked bundle of a scope.
func Runs(known *cluster.Index, s *Scope, b *Bundle) bool { return s.lacks(known, b) == "" }

// lacks returns why a cluster does not run a locked bundle, empty if it does.
func (s *Scope) lacks(known *cluster.Index, b *Bundle) string {
	if s.Extension != "" {
		if e := known.Extension(b.Request); e == nil || e.Installed == nil || e.Installed.Name != b.Name {
			return "the status of ClusterExtension " + b.Request + " does not state it"
		}
		return ""
	}
	for _, v := range known.In(s.Namespace).CSVs {
		switch {
		case v.Name != b.Name:
		case v.Phase == "Succeeded" || v.Phase == "":
			return ""
		default:
			return "its ClusterServiceVersion is in phase " + v.Phase
		}
	}
	return "no ClusterServiceVersion given"
}

// judgeAutomatic notes which bundles of a block OLM does not choose by itself from what is installed:
// it carries out what OLM plans without policies, as long as every bundle of a plan is locked or on
// the way.
func (s *chooser) judgeAutomatic(block *Scope) error {
	p := s.c.Problem
	started := slices.ContainsFunc(p.Cluster.In(s.scope.Namespace()).Subscriptions, func(sub cluster.Subscription) bool { return sub.InstalledCSV != "" })
	if e := p.Cluster.Extension(s.scope.Extension()); e != nil {
		started = e.Installed != nil
	}
	if !started {
		return nil // it gets exactly what startingCSV and version name
	}
	p.Cluster = block.Apply(p.Cluster)
	p.Options = s.options(p.Options, nil)
	p.Options.Policies, p.Options.SystemConstraint, p.Options.Pins = nil, nil, nil
	plan := map[string]string{} // what OLM plans instead, by package
	for range maxSteps {
		if !slices.ContainsFunc(block.Bundles, func(b Bundle) bool { return !Runs(p.Cluster, block, &b) }) {
			return nil
		}
		answer, err := s.resolver.Resolve(s.ctx, p, s.scope)
		if result.Of(err).Ended() {
			return err
		}
		if err != nil || len(answer.Installs) == 0 {
			break
		}
		for i := range answer.Installs {
			key := answer.Installs[i].Bundle
			if b := block.Bundle(key.Package); b == nil || b.Name != key.Name && !slices.Contains(b.Way, key.Name) {
				plan[key.Package] = key.Name
			}
		}
		if len(plan) > 0 {
			break
		}
		p = p.After(answer)
	}
	away := ""
	for i := range block.Bundles {
		if name := plan[block.Bundles[i].Package]; name != "" && away == "" {
			away = name
		}
	}
	for i := range block.Bundles {
		b := &block.Bundles[i]
		if name := plan[b.Package]; name != "" || !Runs(p.Cluster, block, b) {
			b.ByItself = new(bool)
			if b.Planned = name; name == "" {
				b.Planned = away
			}
		}
	}
	return nil
}
