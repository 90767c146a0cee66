package answer

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/reason"
)

// findUnneeded lists the bundles that came as dependencies and that nothing requires any
// more. OLM created their Subscriptions, and no chain of constraints leads to them from
// another Subscription or from a bundle without one.
func (a *answer) findUnneeded() {
	generated := make([]bool, len(a.selected))
	var wanted []int
	for n := range a.selected {
		for _, i := range a.requests[n] {
			if a.scope.Requests[i].Generated() {
				generated[n] = true
			} else {
				wanted = append(wanted, n)
			}
		}
	}
	if !slices.Contains(generated, true) {
		return
	}
	for _, v := range a.p.Given(nil) {
		wanted = append(wanted, a.at(v))
	}
	needs := make([][]int, len(a.selected)) // by bundle, those that satisfy its constraints
	for _, c := range a.required {
		if c.by == a.p {
			owner := a.at(c.owner)
			needs[owner] = append(needs[owner], c.satisfiers...)
		} else {
			// A bundle that another namespace requires is needed, whatever for.
			wanted = append(wanted, c.satisfiers...)
		}
	}
	needed := make([]bool, len(a.selected))
	for len(wanted) > 0 {
		n := wanted[len(wanted)-1]
		wanted = wanted[:len(wanted)-1]
		if !needed[n] {
			needed[n] = true
			wanted = append(wanted, needs[n]...)
		}
	}
	for n, v := range a.selected {
		if !generated[n] || needed[n] {
			continue
		}
		name := a.p.NameOf(v)
		a.out.Unneeded = append(a.out.Unneeded, name)
		a.add(reason.Unneeded(name))
	}
	slices.Sort(a.out.Unneeded)
}
