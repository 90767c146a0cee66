package resolver

import "github.com/resolvent/resolvent/solver"

// positive appends the bundles that can meet a choice of the formula.
func positive(f solver.Formula, list []solver.Var) []solver.Var {
	switch f := f.(type) {
	case *solver.Choice:
		for _, segment := range f.Candidates {
			list = append(list, segment...)
		}
		list = append(list, f.Also...)
	case *solver.And:
		for _, part := range f.Parts {
			list = positive(part, list)
		}
	case *solver.Or:
		for _, part := range f.Parts {
			list = positive(part, list)
		}
	}
	return list
}

// negative appends the bundles that an absence of the formula names.
func negative(f solver.Formula, list []solver.Var) []solver.Var {
	switch f := f.(type) {
	case *solver.Absent:
		for _, segment := range f.Vars {
			list = append(list, segment...)
		}
	case *solver.And:
		for _, part := range f.Parts {
			list = negative(part, list)
		}
	case *solver.Or:
		for _, part := range f.Parts {
			list = negative(part, list)
		}
	}
	return list
}
