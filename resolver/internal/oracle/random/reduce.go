package random

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// Reduce drops parts of a problem for as long as it still fails.
func Reduce(p *oracle.Problem, fails func(*oracle.Problem) bool) *oracle.Problem {
	for {
		smaller := reduceOnce(p, fails)
		if smaller == nil {
			return p
		}
		p = smaller
	}
}

// reduceOnce returns the first smaller problem that still fails. An edit
// changes a copy; those that change nothing are not tried.
func reduceOnce(p *oracle.Problem, fails func(*oracle.Problem) bool) *oracle.Problem {
	for i := 0; ; i++ {
		c := p.Clone()
		e := &editor{skip: i}
		e.problem(c)
		if !e.done {
			return nil
		}
		if fails(c) {
			return c
		}
	}
}

// editor makes one change: the first one after skip others.
type editor struct {
	skip int
	done bool
}

func (e *editor) now() bool {
	if e.done {
		return false
	}
	if e.skip--; e.skip >= 0 {
		return false
	}
	e.done = true
	return true
}

func remove[T any](e *editor, list *[]T) {
	for i := range *list {
		if e.now() {
			*list = slices.Delete(*list, i, i+1)
			return
		}
	}
}

func clear[T comparable](e *editor, field *T) {
	var zero T
	if *field != zero && e.now() {
		*field = zero
	}
}

func (e *editor) problem(p *oracle.Problem) {
	remove(e, &p.Catalogs)
	remove(e, &p.Subscriptions)
	remove(e, &p.Installed)
	remove(e, &p.Denied)
	remove(e, &p.Held)
	remove(e, &p.Plans)
	clear(e, &p.TooNew)
	clear(e, &p.Enforced)
	clear(e, &p.Group)
	if p.Extension != nil {
		remove(e, &p.Extension.Channels)
		clear(e, &p.Extension.Range)
		clear(e, &p.Extension.Catalog)
		clear(e, &p.Extension.Installed)
		clear(e, &p.Extension.SelfCertified)
	}
	remove(e, &p.Groups)
	clear(e, &p.BundleScope)
	clear(e, &p.NamedUpdates)
	for i := range p.Catalogs {
		e.catalog(&p.Catalogs[i])
	}
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		clear(e, &s.StartingCSV)
		clear(e, &s.Channel)
		clear(e, &s.Source)
		clear(e, &s.SourceNamespace)
		clear(e, &s.InstalledCSV)
		clear(e, &s.CurrentCSV)
		clear(e, &s.Plan)
		clear(e, &s.State)
		remove(e, &s.Conditions)
	}
	for i := range p.Installed {
		b := &p.Installed[i]
		remove(e, &b.Provides)
		remove(e, &b.Labels)
		e.constraints(&b.Requires)
		clear(e, &b.LeftOut)
		clear(e, &b.Phase)
		clear(e, &b.Reason)
		clear(e, &b.Replaces)
	}
}

func (e *editor) catalog(c *oracle.Catalog) {
	remove(e, &c.Packages)
	remove(e, &c.Bundles)
	clear(e, &c.Priority)
	clear(e, &c.Down)
	for i := range c.Packages {
		remove(e, &c.Packages[i].Channels)
		for j := range c.Packages[i].Channels {
			entries := &c.Packages[i].Channels[j].Entries
			remove(e, entries)
			for k := range *entries {
				remove(e, &(*entries)[k].Skips)
				clear(e, &(*entries)[k].SkipRange)
				clear(e, &(*entries)[k].Replaces)
			}
		}
	}
	for i := range c.Bundles {
		b := &c.Bundles[i]
		remove(e, &b.Provides)
		remove(e, &b.Labels)
		e.constraints(&b.Requires)
		clear(e, &b.Deprecated)
		clear(e, &b.Outdated)
		remove(e, &b.Modes)
	}
}

// constraints drops a constraint or shrinks one.
func (e *editor) constraints(list *[]oracle.Constraint) {
	remove(e, list)
	for i := range *list {
		e.constraint(&(*list)[i])
	}
}

// constraint drops a child, or puts an only child in place of its parent.
func (e *editor) constraint(c *oracle.Constraint) {
	for _, children := range []*[]oracle.Constraint{&c.All, &c.Any, &c.Not} {
		if len(*children) == 1 && e.now() {
			*c = (*children)[0]
			return
		}
		if len(*children) > 1 {
			remove(e, children)
		}
		for i := range *children {
			e.constraint(&(*children)[i])
		}
	}
}
