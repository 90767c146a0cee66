package resolver

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/solver"
)

// findUnneeded lists the bundles whose Subscriptions OLM made for dependencies
// and that no chain of constraints from a wish leads to any more. Wishes are
// the other Subscriptions and what is installed without one.
func (a *answer) findUnneeded() {
	generated := map[solver.Var]bool{}
	var wanted []solver.Var
	for _, v := range a.selected {
		for _, i := range a.requests[v] {
			if s := a.p.requests[i].subscription; s != nil && s.Generated {
				generated[v] = true
			} else {
				wanted = append(wanted, v)
			}
		}
	}
	if len(generated) == 0 {
		return
	}
	wanted = append(wanted, a.p.Given()...)
	for _, c := range a.asked {
		// What other namespaces need counts, whatever they need it for.
		for _, v := range a.selected {
			if c.by != a.p && meets(c.formula, v) {
				wanted = append(wanted, v)
			}
		}
	}
	needed := map[solver.Var]bool{}
	for len(wanted) > 0 {
		v := wanted[len(wanted)-1]
		wanted = wanted[:len(wanted)-1]
		if needed[v] {
			continue
		}
		needed[v] = true
		for _, c := range a.asked {
			for _, other := range a.selected {
				if c.by == a.p && c.owner == v && !needed[other] && meets(c.formula, other) {
					wanted = append(wanted, other)
				}
			}
		}
	}
	for _, v := range a.selected {
		if !generated[v] || needed[v] {
			continue
		}
		name := a.p.nameOf(v)
		a.out.Unneeded = append(a.out.Unneeded, name)
		a.warnf(Warning{Kind: WarnUnneeded, Subject: name,
			Message: fmt.Sprintf("%s came as a dependency, and nothing requires it any more", name)})
	}
	slices.Sort(a.out.Unneeded)
}
