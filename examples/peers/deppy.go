package peers

import (
	"errors"
	"slices"
	"strconv"

	"github.com/operator-framework/deppy/pkg/deppy"
	"github.com/operator-framework/deppy/pkg/deppy/constraint"
	"github.com/operator-framework/deppy/pkg/deppy/input"
	deppysolver "github.com/operator-framework/deppy/pkg/deppy/solver"
)

// ForDeppy states p for deppy. The identifier of a variable is its index.
func ForDeppy(p *Problem) []deppy.Variable {
	ids := make([]deppy.Identifier, len(p.Variables))
	for i := range p.Variables {
		ids[i] = deppy.Identifier(strconv.Itoa(i))
	}
	named := func(indices []int) []deppy.Identifier {
		var named []deppy.Identifier
		for _, i := range indices {
			named = append(named, ids[i])
		}
		return named
	}

	simple := make([]*input.SimpleVariable, len(p.Variables))
	for i, v := range p.Variables {
		simple[i] = input.NewSimpleVariable(ids[i])
		if v.Mandatory {
			simple[i].AddConstraint(constraint.Mandatory())
		}
		for _, candidates := range v.Dependencies {
			simple[i].AddConstraint(constraint.Dependency(named(candidates)...))
		}
		for _, other := range v.Conflicts {
			simple[i].AddConstraint(constraint.Conflict(ids[other]))
		}
	}
	for _, limit := range p.Limits {
		// A limit holds whether or not the variable that states it is selected.
		simple[limit.Members[0]].AddConstraint(constraint.AtMost(limit.N, named(limit.Members)...))
	}

	variables := make([]deppy.Variable, len(simple))
	for i, v := range simple {
		variables[i] = v
	}
	return variables
}

// SolveWithDeppy returns the answer of deppy. The error is one that no problem of
// this package should cause.
func SolveWithDeppy(variables []deppy.Variable) (Answer, error) {
	s, err := deppysolver.New()
	if err != nil {
		return Answer{}, err
	}
	selected, err := s.Solve(variables)
	var unsatisfiable deppy.NotSatisfiable
	if errors.As(err, &unsatisfiable) {
		return Answer{Core: len(unsatisfiable)}, nil
	}
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Satisfiable: true}
	for _, v := range selected {
		i, err := strconv.Atoi(v.Identifier().String())
		if err != nil {
			return Answer{}, err
		}
		answer.Selected = append(answer.Selected, i)
	}
	slices.Sort(answer.Selected)
	return answer, nil
}
