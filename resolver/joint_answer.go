package resolver

import "github.com/resolvent/resolvent/solver"

// resolutions turns a solution into one answer a part.
func (j *joint) resolutions(s *solver.Solution) []*Resolution {
	selected := make([][]solver.Selection, len(j.parts))
	for _, sel := range s.Selected {
		part, local := j.at(sel.Var)
		own := sel
		own.Var = local
		switch {
		case sel.Owner == solver.None && sel.Rule >= 0:
			own.Rule -= part.firstRoot
		case sel.Owner != solver.None:
			// Only that it is a bundle matters, and it may be one of another part.
			own.Owner = local
		}
		selected[part.index] = append(selected[part.index], own)
	}
	foreign := make(map[*problem][]askedConstraint)
	for i, part := range j.parts {
		for _, n := range part.neighbours {
			for _, c := range part.asked(selected[i]) {
				c.formula = shifted(c.formula, -n.shift)
				foreign[n.problem] = append(foreign[n.problem], c)
			}
		}
	}
	resolutions := make([]*Resolution, len(j.parts))
	for i, part := range j.parts {
		resolutions[i] = part.resolution(selected[i], foreign[part.problem])
	}
	return resolutions
}
