package lock

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// Difference is why a lock does not hold.
type Difference struct {
	Cluster string
	Scope   cluster.Scope
	// Package is empty if the difference is about the whole scope.
	Package string
	// Message says what differs and why.
	Message string
}

// String returns the difference in one line.
func (d Difference) String() string {
	text := title(d.Cluster, d.Scope) + ": "
	if d.Package != "" {
		text += d.Package + ": "
	}
	return text + d.Message
}

// Check returns why the lock does not hold for the clusters, in their order; nothing if it does.
// It holds if every request is locked, every locked bundle is in its catalog with the content that
// it had, and resolving with these bundles gives exactly them.
func (l *Lock) Check(ctx context.Context, clusters []Cluster, o Options) ([]Difference, error) {
	o.Before, o.MinAge, o.Wave = l, 0, ""
	m, err := newMaker(o, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	lists, err := each(ctx, known(clusters), func(c Cluster) ([]Difference, error) { return m.check(ctx, c) })
	if err != nil {
		return nil, err
	}
	return slices.Concat(lists...), nil
}

func (m *maker) check(ctx context.Context, c Cluster) (list []Difference, err error) {
	scopes := c.Problem.Cluster.Scopes()
	for _, scope := range scopes {
		before := m.before.Find(c.Name, scope)
		if before == nil {
			list = append(list, Difference{c.Name, scope, "", "not locked"})
			continue
		}
		s := chooser{m, ctx, c, scope, before}
		more, err := s.check()
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	for i := range m.before.Scopes {
		if s := &m.before.Scopes[i]; s.Cluster == c.Name && !slices.Contains(scopes, s.Scope()) {
			list = append(list, Difference{c.Name, s.Scope(), "", "locked, but nothing requests it any more"})
		}
	}
	return list, nil
}

func (s *chooser) check() (list []Difference, err error) {
	add := func(pkg, format string, args ...any) {
		list = append(list, Difference{s.c.Name, s.scope, pkg, fmt.Sprintf(format, args...)})
	}
	now := requests(s.c.Problem.Cluster, s.scope)
	for _, r := range now {
		i := slices.IndexFunc(s.before.Requests, func(old Request) bool { return old.Name == r.Name })
		if i < 0 {
			add(r.Package, "request %s is not locked", r.Name)
		} else if old := s.before.Requests[i]; !s.same(old, r) {
			add(r.Package, "request %s asks for something else than when it was locked", r.Name)
		}
	}
	for _, old := range s.before.Requests {
		if !slices.ContainsFunc(now, func(r Request) bool { return r.Name == old.Name }) {
			add(old.Package, "request %s is locked, but no manifest asks for it any more", old.Name)
		}
	}
	pinned := map[string]bool{}
	for i := range s.before.Bundles {
		b := &s.before.Bundles[i]
		if pinned[b.Package] = true; b.Catalog == "" {
			continue
		}
		snapshot := s.snapshot(catalog.ParseKey(b.Catalog))
		switch {
		case snapshot == nil:
			add(b.Package, "catalog %s is not given", b.Catalog)
		case snapshot.Find(b.Package, b.Name) == nil:
			add(b.Package, "%s is gone from catalog %s", b.Name, b.Catalog)
		default:
			locked, _, err := s.shared.digests(s.ctx, snapshot, b.Package, b.Name)
			if err != nil {
				return nil, err
			}
			if found := snapshot.Find(b.Package, b.Name); found.Image != b.Image {
				add(b.Package, "%s has image %s in catalog %s, and %s in the lock", b.Name, found.Image, b.Catalog, b.Image)
			} else if locked != b.Digest {
				add(b.Package, "%s has another content in catalog %s than when it was locked", b.Name, b.Catalog)
			}
		}
	}
	if len(list) > 0 {
		return list, nil // what does not resolve follows from this
	}
	made, err := s.walk(s.ctx, s.c.Problem, s.scope, s.admitted(pinned, nil))
	switch {
	case err != nil:
		return nil, err
	case made.err != nil:
		add("", "%s", strings.Join(strings.Fields(made.err.Error()), " "))
		return list, nil
	}
	for _, m := range Moves(&Lock{Scopes: []Scope{*s.before}}, &Lock{Scopes: []Scope{s.ended(made)}}) {
		switch {
		case m.From == nil:
			add(m.Package, "%s is needed, but not locked", m.To.Name)
		case m.To == nil:
			add(m.Package, "%s is locked, but nothing needs it any more", m.From.Name)
		default:
			add(m.Package, "the cluster gets %s, and %s is locked", m.To.Name, m.From.Name)
		}
	}
	return list, nil
}

// same reports whether a request asks for what it asked for when it was locked. Its own pin counts
// only if it names another bundle than the lock.
func (s *chooser) same(old, now Request) bool {
	if b := s.before.Bundle(now.Package); b != nil && (now.StartingCSV == b.Name || !s.exact(now.Package)) {
		now.StartingCSV = old.StartingCSV
	}
	return reflect.DeepEqual(old, now) || len(old.Channels)+len(now.Channels) == 0 && reflect.DeepEqual(withoutChannels(old), withoutChannels(now))
}

func withoutChannels(r Request) Request {
	r.Channels = nil
	return r
}

// ended returns where a scope ends as a block without what only the lock says.
func (s *chooser) ended(made *endState) Scope {
	block := Scope{Cluster: s.c.Name, Namespace: s.scope.Namespace(), Extension: s.scope.Extension()}
	for _, b := range made.bundles {
		block.Bundles = append(block.Bundles, *b)
	}
	slices.SortFunc(block.Bundles, func(a, b Bundle) int { return strings.Compare(a.Package, b.Package) })
	return block
}

// Judge returns the verdicts on InstallPlans with the lock in place of what resolving now gives: a
// plan with a bundle that is neither locked nor on the way to one that is, is stale. Rules, holds
// and all other reasons to wait stay.
func (l *Lock) Judge(name string, catalogs *cache.View, approvals []result.Approval) []result.Approval {
	shared := &shared{below: map[place]map[string]bool{}}
	judged := slices.Clone(approvals)
	for i := range judged {
		a := &judged[i]
		a.Reasons = slices.DeleteFunc(slices.Clone(a.Reasons), func(r result.ApprovalReason) bool { return r.Kind == "stale" })
		s := l.Find(name, cluster.InNamespace(a.Namespace))
		for _, bundle := range a.Bundles {
			if message := s.refuses(shared, catalogs, bundle); message != "" {
				a.Reasons = append(a.Reasons, result.ApprovalReason{Kind: "stale", Bundle: bundle, Message: message})
			}
		}
		if a.Verdict = result.VerdictApprove; len(a.Reasons) > 0 {
			a.Verdict = result.VerdictWait
		}
	}
	return judged
}

// Standing is how what a request has installed stands to its lock.
type Standing string

// The standings.
const (
	Locked    Standing = "locked"    // it runs what is locked
	Behind    Standing = "behind"    // updates lead from it to what is locked, or nothing is installed
	Ahead     Standing = "ahead"     // updates lead from what is locked to it
	Elsewhere Standing = "elsewhere" // no updates lead from one to the other
	NotLocked Standing = "notLocked" // the lock has no bundle of its package
)

// Standing returns how a row of a cluster's status stands to the lock.
func (l *Lock) Standing(name string, catalogs *cache.View, row *result.Status) Standing {
	s := l.Find(name, row.Request.Scope())
	if s == nil || s.Bundle(row.Package) == nil {
		return NotLocked
	}
	b := s.Bundle(row.Package)
	if row.Installed == b.Name {
		return Locked
	}
	if row.Installed == "" || slices.Contains(b.Way, row.Installed) {
		return Behind
	}
	shared := &shared{below: map[place]map[string]bool{}}
	if c := catalogs.Catalog(catalog.ParseKey(b.Catalog)); c != nil && c.Snapshot != nil {
		switch {
		case shared.waysTo(context.Background(), c.Snapshot, b.Package, b.Name)[row.Installed]:
			return Behind
		case shared.waysTo(context.Background(), c.Snapshot, b.Package, row.Installed)[b.Name]:
			return Ahead
		}
	}
	return Elsewhere
}

// refuses returns why a bundle is not what the lock says, empty if it is or leads there.
func (s *Scope) refuses(shared *shared, catalogs *cache.View, bundle string) string {
	if s == nil {
		return "the lock has nothing for this namespace"
	}
	pkg, locked := "", ""
	for i := range s.Bundles {
		b := &s.Bundles[i]
		if b.Name == bundle || slices.Contains(b.Way, bundle) {
			return ""
		}
		if c := catalogs.Catalog(catalog.ParseKey(b.Catalog)); c != nil && c.Snapshot != nil {
			if shared.waysTo(context.Background(), c.Snapshot, b.Package, b.Name)[bundle] {
				return ""
			}
			if c.Snapshot.Find(b.Package, bundle) != nil {
				pkg, locked = b.Package, b.Name
			}
		}
	}
	if pkg == "" {
		return bundle + " is not locked"
	}
	return fmt.Sprintf("the lock holds %s at %s, and %s does not lead there", pkg, locked, bundle)
}
