package peers

import (
	"context"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/solver"
)

// ForResolvent states p for the package solver. Variables have their index as
// handle. With groups, limits of one become groups, as they would in practice;
// otherwise all limits are stated like those of deppy.
func ForResolvent(p *Problem, groups bool) *solver.Model {
	m := new(solver.Model)
	for range p.Variables {
		m.NewVar()
	}
	for i, v := range p.Variables {
		if v.Mandatory {
			m.Give(solver.Var(i))
		}
		for _, candidates := range v.Dependencies {
			m.Depend(solver.Var(i), vars(candidates)...)
		}
		for _, other := range v.Conflicts {
			m.Conflict(solver.Var(i), solver.Var(other))
		}
	}
	for _, limit := range p.Limits {
		if groups && limit.N == 1 {
			m.AtMostOne(vars(limit.Members)...)
		} else {
			m.AtMost(limit.N, vars(limit.Members)...)
		}
	}
	return m
}

func vars(indices []int) []solver.Var {
	var vars []solver.Var
	for _, i := range indices {
		vars = append(vars, solver.Var(i))
	}
	return vars
}

// SolveWithResolvent returns the answer of the package solver. The error is one
// that no problem of this package should cause.
func SolveWithResolvent(m *solver.Model) (Answer, error) {
	solution, err := solver.Solve(context.Background(), m, solver.Options{})
	var unsatisfiable *solver.Unsatisfiable
	if errors.As(err, &unsatisfiable) {
		return Answer{Core: len(unsatisfiable.Core)}, nil
	}
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Satisfiable: true}
	for _, s := range solution.Selected {
		answer.Selected = append(answer.Selected, int(s.Var))
	}
	slices.Sort(answer.Selected)
	return answer, nil
}
