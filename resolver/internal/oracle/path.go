package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Paths lists the best sequences of updates, by bundle name, that lead what a
// Subscription, or the ClusterExtension of the problem, has installed to another bundle;
// none if there is no such sequence. The request may be changed to another channel,
// which is a step that names it: the best are those with the fewest changes, and of these
// the shortest. It searches whole states of the cluster, in the order of their cost:
// after each update the other requests are answered as ever, and what that installs,
// replaces and subscribes to is there for the next one.
func Paths(p *Problem, subscription, to string, limit int) (found [][]string, err error) {
	if p.Extension == nil && p.subscription(subscription) == nil {
		return nil, nil
	}
	type state struct {
		problem *Problem
		steps   []string
	}
	type cost struct{ changes, updates int }
	seen := map[string]bool{}
	open := map[cost][]state{{}: {{problem: p}}}
	for len(open) > 0 && len(found) == 0 {
		least := slices.MinFunc(slices.Collect(maps.Keys(open)), func(a, b cost) int {
			return cmp.Or(cmp.Compare(a.changes, b.changes), cmp.Compare(a.updates, b.updates))
		})
		level := slices.DeleteFunc(open[least], func(at state) bool { return seen[at.problem.state()] })
		delete(open, least)
		updated, changed := cost{least.changes, least.updates + 1}, cost{least.changes + 1, least.updates}
		for _, at := range level {
			seen[at.problem.state()] = true
			step := func(to cost, after *Problem, name string) {
				open[to] = append(open[to], state{after, append(slices.Clone(at.steps), name)})
			}
			if at.problem.current(subscription) == to {
				found = append(found, at.steps)
				continue
			}
			successors, err := at.problem.successors(subscription, limit)
			if err != nil {
				return nil, err
			}
			for _, after := range successors {
				step(updated, after, after.current(subscription))
			}
			for channel, after := range at.problem.inChannels(subscription) {
				step(changed, after, ChannelStep+channel)
			}
		}
	}
	return found, nil
}

// ChannelStep begins the step that changes the channel.
const ChannelStep = "set spec.channel to "

// inChannels are the problems with each channel of the package instead.
func (p *Problem) inChannels(subscription string) map[string]*Problem {
	changed := map[string]*Problem{}
	for _, c := range p.Catalogs {
		for _, pkg := range c.Packages {
			for _, ch := range pkg.Channels {
				after := p.Fork()
				switch {
				case p.Extension == nil && pkg.Name == p.subscription(subscription).Package:
					after.subscription(subscription).Channel = ch.Name
				case p.Extension != nil && pkg.Name == p.Extension.Package && len(p.Extension.Channels) > 0:
					after.Extension.Channels = []string{ch.Name}
				default:
					continue
				}
				changed[ch.Name] = after
			}
		}
	}
	return changed
}

// current is what the request has installed.
func (p *Problem) current(subscription string) string {
	if p.Extension != nil {
		return p.Extension.Installed
	}
	return p.subscription(subscription).InstalledCSV
}

func (p *Problem) subscription(name string) *Subscription {
	i := slices.IndexFunc(p.Subscriptions, func(s Subscription) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Subscriptions[i]
}

// state tells states of the namespace apart: what is installed and subscribed to.
func (p *Problem) state() string {
	slices.SortFunc(p.Installed, func(a, b Installed) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(p.Subscriptions, func(a, b Subscription) int { return cmp.Compare(a.Name, b.Name) })
	key, err := json.Marshal([]any{p.Installed, p.Subscriptions, p.Extension})
	if err != nil {
		panic(fmt.Sprintf("oracle: a problem is plain data: %v", err))
	}
	return string(key)
}

// successors lists the states after each update that the request can take.
func (p *Problem) successors(subscription string, limit int) (all []*Problem, err error) {
	if p.Extension != nil {
		return p.extensionSuccessors(limit)
	}
	s := newSearch([]*Problem{p})
	w := s.worlds[0]
	_, updates := w.request(*p.subscription(subscription))
	for _, u := range updates {
		s := newSearch([]*Problem{p})
		root := slices.IndexFunc(s.asked, func(a asked) bool { return a.subscription.Name == subscription })
		s.roots[root].request = slices.DeleteFunc(s.roots[root].request, func(c place) bool { return c.node != u })
		satisfiable, err := s.solve(limit)
		if err != nil {
			return nil, err
		}
		if satisfiable {
			all = append(all, s.after())
		}
	}
	return all, nil
}

// extensionSuccessors are the successors where there is one catalog: there, a range of one
// version leaves the ClusterExtension one candidate.
func (p *Problem) extensionSuccessors(limit int) (all []*Problem, err error) {
	for _, b := range p.Catalogs[0].Bundles {
		if b.Package != p.Extension.Package || b.Version == p.Extension.InstalledVersion ||
			p.Extension.Range != "" && !InRange(p.Extension.Range, b.Version) {
			continue
		}
		only := p.Fork()
		only.Extension.Range = b.Version
		answer, err := Solve(only, limit)
		if err != nil {
			return nil, err
		}
		if answer.Satisfiable {
			after := p.Fork()
			after.Extension.Installed, after.Extension.InstalledVersion = b.Name, b.Version
			all = append(all, after)
		}
	}
	return all, nil
}

// After is the problem once its answer has been carried out, nil if it has none.
func After(p *Problem, limit int) (*Problem, error) {
	s := newSearch([]*Problem{p})
	if satisfiable, err := s.solve(limit); err != nil || !satisfiable || s.ambiguous {
		return nil, err
	}
	return s.after(), nil
}

// after is the problem once the answer has been carried out: what it replaces is
// gone, what it installs is there, for the Subscription that it is a candidate of,
// or for a new one.
func (s *search) after() *Problem {
	w := s.worlds[0]
	p := w.Fork()
	gone := s.answer(w).Replaced
	p.Installed = slices.DeleteFunc(p.Installed, func(i Installed) bool { return slices.Contains(gone, i.Name) })
	for _, c := range s.order {
		n := s.node(c.node)
		if n.catalog < 0 {
			continue
		}
		p.Installed = append(p.Installed, Installed{
			Name: n.name, Version: n.version, Annotated: true, Package: n.stated, PackageVersion: n.statedVersion,
			Provides: n.provides, Labels: n.labels, Requires: n.requires,
		})
		subscribed := false
		for i, r := range s.roots {
			sub := p.subscription(s.asked[i].subscription.Name)
			if _, kept := w.installed[sub.InstalledCSV]; s.wants(r, c.node) && (!kept || slices.Contains(gone, sub.InstalledCSV)) {
				sub.InstalledCSV, subscribed = n.name, true
			}
		}
		if !subscribed {
			from := w.Catalogs[n.catalog]
			p.Subscriptions = append(p.Subscriptions, Subscription{
				Name:    fmt.Sprintf("%s-%s-%s-%s", n.stated, c.channel, from.Name, from.Namespace),
				Package: n.stated, Channel: c.channel, Source: from.Name, SourceNamespace: from.Namespace, InstalledCSV: n.name,
			})
		}
	}
	return p
}
