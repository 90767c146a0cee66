package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Paths lists every shortest sequence of updates, by bundle name, that leads what
// a Subscription has installed to another bundle; none if there is no such
// sequence. It searches breadth first over whole states of the namespace: after
// each update the other requests are answered as ever, and what that installs,
// replaces and subscribes to is there for the next one.
func Paths(p *Problem, subscription, to string, limit int) (found [][]string, err error) {
	if !slices.ContainsFunc(p.Subscriptions, func(s Subscription) bool { return s.Name == subscription }) {
		return nil, nil
	}
	type state struct {
		problem *Problem
		updates []string
	}
	seen := map[string]bool{}
	for level := []state{{problem: p}}; len(level) > 0 && len(found) == 0; {
		var next []state
		reached := map[string]bool{}
		for _, at := range level {
			cur := at.problem.subscription(subscription).InstalledCSV
			if cur == to {
				found = append(found, at.updates)
				continue
			}
			successors, err := at.problem.successors(subscription, limit)
			if err != nil {
				return nil, err
			}
			for _, after := range successors {
				if key := after.state(); !seen[key] {
					reached[key] = true
					updates := append(slices.Clone(at.updates), after.subscription(subscription).InstalledCSV)
					next = append(next, state{after, updates})
				}
			}
		}
		maps.Copy(seen, reached)
		level = next
	}
	return found, nil
}

func (p *Problem) subscription(name string) *Subscription {
	i := slices.IndexFunc(p.Subscriptions, func(s Subscription) bool { return s.Name == name })
	return &p.Subscriptions[i]
}

// state tells states of the namespace apart: what is installed and subscribed to.
func (p *Problem) state() string {
	slices.SortFunc(p.Installed, func(a, b Installed) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(p.Subscriptions, func(a, b Subscription) int { return cmp.Compare(a.Name, b.Name) })
	key, err := json.Marshal([]any{p.Installed, p.Subscriptions})
	if err != nil {
		panic(fmt.Sprintf("oracle: a problem is plain data: %v", err))
	}
	return string(key)
}

// successors lists the states after each update that the Subscription can take.
func (p *Problem) successors(subscription string, limit int) (all []*Problem, err error) {
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

// after is the problem once the answer has been carried out: what it replaces is
// gone, what it installs is there, for the Subscription that it is a candidate of,
// or for a new one.
func (s *search) after() *Problem {
	w := s.worlds[0]
	p := w.Clone()
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
