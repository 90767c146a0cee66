package oracle

import (
	"cmp"
	"slices"
)

// SolveInTurn answers each namespace by itself, with what the others have installed. OLM fails the
// second of two new bundles of one API whose groups meet, be they updates or new operators: where a
// namespace would have that, the earlier ones count as carried out.
func SolveInTurn(j Joint, limit int) ([]*Answer, error) {
	order := make([]int, len(j))
	for i := range j {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(newcomer(j[a]), newcomer(j[b])) })
	answers := make([]*Answer, len(j))
	for at, i := range order {
		solve := func(done func(k int) bool) (*Answer, error) {
			p := *j[i]
			p.Groups = nil
			for k, other := range j {
				if k != i && other.Group != nil {
					g := *other.Group
					if !g.Static {
						g.Provides = slices.Concat(g.Provides, provided(other, answers[k], done(k)))
					}
					p.Groups = append(p.Groups, g)
				}
			}
			return Solve(&p, limit)
		}
		alone, err := solve(func(int) bool { return false })
		if err != nil {
			return nil, err
		}
		answers[i] = alone
		before := slices.DeleteFunc(slices.Clone(order[:at]), func(k int) bool {
			return !answers[k].Satisfiable || j[i].Group == nil || j[k].Group == nil || !j[i].Group.meets(j[k].Group)
		})
		if slices.ContainsFunc(before, func(k int) bool { return overlap(brought(j[i], alone), brought(j[k], answers[k])) }) {
			if answers[i], err = solve(func(k int) bool { return slices.Contains(before, k) }); err != nil {
				return nil, err
			}
		}
	}
	return answers, nil
}

// newcomer is 1 if all requests are new, else 0.
func newcomer(p *Problem) int {
	for _, s := range p.Subscriptions {
		if s.InstalledCSV != "" {
			return 0
		}
	}
	return 1
}

// brought are the kinds of what an answer installs.
func brought(p *Problem, a *Answer) (kinds []string) {
	for _, install := range a.Installs {
		for _, c := range p.Catalogs {
			for _, b := range c.Bundles {
				if c.Namespace == install.Namespace && c.Name == install.Catalog && b.Name == install.Bundle {
					kinds = append(kinds, b.Provides...)
				}
			}
		}
	}
	return kinds
}

// provided are the kinds of what is installed, once an answer is carried out if it is.
func provided(p *Problem, a *Answer, done bool) (kinds []string) {
	for _, i := range p.Installed {
		if p.counts(i) && !(done && slices.Contains(a.Replaced, i.Name)) {
			kinds = append(kinds, i.Provides...)
		}
	}
	if done {
		kinds = append(kinds, brought(p, a)...)
	}
	return kinds
}
