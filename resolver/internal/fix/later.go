package fix

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// later returns the sequence with which the new requests of the groups hold once others were updated:
// take them away, wait for the updates that OLM makes by itself then, create them again. Each step is
// tried in turn. There is none if something is installed for one of the requests, or if others
// fail as well: OLM then makes no updates.
func (s *search) later(sorted *cause.Sorted, groups []int) *result.Fix {
	if s.limited || len(s.waiting) > 0 || len(s.own) == 0 || len(s.in.In.Scopes) != 1 || s.in.In.Scopes[0].Alone() || !moves(s, sorted, groups) {
		return nil
	}
	gone, made := []result.Change(nil), []result.Change(nil)
	var steps []result.Step
	for _, key := range s.own {
		sub := s.in.In.Cluster.Subscription(key)
		if sub == nil || sub.InstalledCSV != "" {
			return nil
		}
		o := objectOf(key)
		again := *sub
		again.Observed = cluster.Observed{}
		gone = append(gone, result.Change{Object: o, Steps: []result.Step{{Object: o}}})
		made = append(made, result.Change{Object: o, Steps: []result.Step{{Object: o, Create: &cluster.Objects{Subscriptions: []cluster.Subscription{again}}}}})
		steps = append(steps, made[len(made)-1].Steps...)
	}
	without, err := s.in.Apply((&result.Fix{Changes: gone}).Steps())
	if err != nil || len(without.In.Scopes) == 0 {
		return nil
	}
	on := route.Automatic(s.ctx, without)
	for n := 1; n < len(on); n++ {
		back, err := result.Apply(on[n], cluster.Scope{}, steps)
		if err != nil {
			return nil
		}
		if t := s.in.On(back).Satisfy(s.ctx); t.Err == nil && !s.stuckAfter(on[0], on[n], t) {
			given := slices.DeleteFunc(gone, func(c result.Change) bool { return s.in.In.Cluster.Subscription(requestOf(c.Object)).Asked() }) // no cluster has these
			return sequence(s, given, made, on[:n+1], t)
		}
	}
	return nil
}

// stuckAfter reports whether a sequence leaves a request stuck that it is for or that was updated.
func (s *search) stuckAfter(before, after *cluster.Index, t *world.Try) bool {
	return slices.ContainsFunc(s.in.In.Cluster.In(s.in.In.Scopes[0].Namespace()).Subscriptions, func(sub cluster.Subscription) bool {
		key := sub.Key()
		moved := route.InstalledFor(before, key) != route.InstalledFor(after, key)
		return (moved || slices.Contains(s.own, key)) && Stuck(t, key)
	})
}

// moves reports whether a cause of the groups has a request with something installed that may be
// updated: else waiting changes nothing.
func moves(s *search, sorted *cause.Sorted, groups []int) bool {
	return slices.ContainsFunc(sorted.Causes, func(c cause.Cause) bool {
		return slices.Contains(groups, c.Group) && slices.ContainsFunc(c.Core, func(m solver.Reason) bool {
			if m.Kind != solver.KindRoot {
				return false
			}
			p, r := s.given.Problem.Root(m.Rule)
			return r.Current >= 0 && len(updatesOf(p, r)) > 0
		})
	})
}

// sequence returns the fix that takes requests away, waits for what OLM does, and creates them again;
// t is what comes then.
func sequence(s *search, gone, made []result.Change, on []*cluster.Index, t *world.Try) *result.Fix {
	f := &result.Fix{Group: s.group, Class: result.ClassSafe, Changes: gone}
	p := s.given.Problem.Scopes[0].Part
	bundle := func(name string) result.Version {
		for c := range p.Catalogs {
			for _, id := range p.Catalogs[c].Snapshot.Named(name) {
				b := p.Catalogs[c].Snapshot.Bundle(id)
				return result.Version{Bundle: b.Key(p.Catalogs[c].Key), Version: &b.Version}
			}
		}
		return result.Version{Bundle: catalog.BundleKey{Name: name}}
	}
	subscriptions := s.in.In.Cluster.In(p.Namespace).Subscriptions
	manual := slices.ContainsFunc(subscriptions, func(sub cluster.Subscription) bool { return sub.Manual && !slices.Contains(s.own, sub.Key()) })
	for _, sub := range subscriptions {
		updates := 0
		for n := 1; n < len(on); n++ {
			if route.InstalledFor(on[n], sub.Key()) != route.InstalledFor(on[n-1], sub.Key()) {
				updates++
			}
		}
		from, to, last := route.InstalledFor(on[0], sub.Key()), route.InstalledFor(on[len(on)-1], sub.Key()), ""
		if updates == 0 {
			continue
		}
		if root := t.Problem.RootOf(sub.Key()); root >= 0 {
			last = chosen(t, root)
		}
		o := objectOf(sub.Key())
		f.Changes = append(f.Changes, result.Change{Object: o, Steps: []result.Step{
			{Object: o, Field: words.AwaitInstalledCSV, To: to, Wait: &result.Wait{Updates: updates, Approval: manual}},
		}})
		if from == "" {
			f.Then.Installs = append(f.Then.Installs, bundle(cmp.Or(last, to)))
			continue
		}
		f.Then.Updates = append(f.Then.Updates, result.Update{From: installedVersion(s, from), To: bundle(cmp.Or(last, to))})
	}
	f.Changes = append(f.Changes, made...)
	for i := range t.Problem.Model.Demands {
		if _, r := t.Problem.Root(i); slices.Contains(s.own, r.Key()) && chosen(t, i) != "" {
			f.Then.Installs = append(f.Then.Installs, bundle(chosen(t, i)))
		}
	}
	f.Then.Stays = true
	return f
}

// chosen returns the bundle of a catalog that a request gets, empty if it gets none.
func chosen(t *world.Try, root int) string {
	p, r := t.Problem.Root(root)
	at := slices.IndexFunc(r.List.Candidates, t.Selects)
	if at < 0 || p.AsInstalled(r.List.Candidates[at]) != nil {
		return ""
	}
	return p.NameOf(r.List.Candidates[at])
}

// installedVersion returns the version of an installed bundle.
func installedVersion(s *search, name string) result.Version {
	for _, p := range s.given.Problem.Model.Parts {
		for i := range p.Installed {
			if b := &p.Installed[i]; b.Name() == name && !b.Foreign {
				return result.Version{Bundle: catalog.BundleKey{Name: name, Package: b.PackageName()}, Version: &b.Version}
			}
		}
	}
	return result.Version{Bundle: catalog.BundleKey{Name: name}}
}
