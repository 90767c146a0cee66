package constraints

import "slices"

// ReadsCluster reports whether the meaning of an expression depends on Facts:
// whether one of its rules names the variable cluster.
func ReadsCluster(e Expr) bool {
	switch e := e.(type) {
	case CEL:
		return e.Rule.ReadsCluster()
	case All:
		return slices.ContainsFunc(e.Exprs, ReadsCluster)
	case Any:
		return slices.ContainsFunc(e.Exprs, ReadsCluster)
	case Not:
		return slices.ContainsFunc(e.Exprs, ReadsCluster)
	}
	return false
}

// HasRule reports whether an expression holds a rule.
func HasRule(e Expr) bool {
	switch e := e.(type) {
	case CEL:
		return true
	case All:
		return slices.ContainsFunc(e.Exprs, HasRule)
	case Any:
		return slices.ContainsFunc(e.Exprs, HasRule)
	case Not:
		return slices.ContainsFunc(e.Exprs, HasRule)
	}
	return false
}
