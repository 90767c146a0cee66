package candidate

import "github.com/resolvent/resolvent/solver"

// Positive appends the bundles that can meet a choice of the formula.
func Positive(f solver.Formula, list []solver.Var) []solver.Var {
	switch f := f.(type) {
	case *solver.Choice:
		for _, segment := range f.Candidates {
			list = append(list, segment...)
		}
		list = append(list, f.Also...)
	case *solver.And:
		for _, part := range f.Parts {
			list = Positive(part, list)
		}
	case *solver.Or:
		for _, part := range f.Parts {
			list = Positive(part, list)
		}
	}
	return list
}

// Negative appends the bundles that an absence of the formula names.
func Negative(f solver.Formula, list []solver.Var) []solver.Var {
	switch f := f.(type) {
	case *solver.Absent:
		for _, segment := range f.Vars {
			list = append(list, segment...)
		}
	case *solver.And:
		for _, part := range f.Parts {
			list = Negative(part, list)
		}
	case *solver.Or:
		for _, part := range f.Parts {
			list = Negative(part, list)
		}
	}
	return list
}
