package solver

import (
	"slices"

	"github.com/resolvent/resolvent/solver/internal/cnf"
)

// satTester is the complete tester. It decides by the refuter, then by the last model, and then
// calls the SAT solver. Outside of the scope of its encoding it is only a refuter.
//
// The last model always satisfies all clauses together with S and C. It did when it was found,
// and each variable or formula added to S or C since is true in it.
type satTester struct {
	*refuter
	encoding *encoding
	assumed  []cnf.Lit // given variables, roots, S and C
}

// newSATTester returns a satTester, and whether the problem is satisfiable.
func newSATTester(r *refuter, e *encoding) (*satTester, bool) {
	o := &satTester{refuter: r, encoding: e}
	for _, d := range slices.Concat(e.given, e.roots) {
		o.assumed = append(o.assumed, d.lit)
	}
	return o, o.solve()
}

func (o *satTester) canSelect(i int32, next []Var) bool {
	switch lit := o.encoding.litOf(i); {
	case !o.refuter.canSelect(i, nil):
		return false
	case lit == cnf.None || o.info[i].flags&inModel != 0:
		return true
	case o.solve(lit):
		return true
	}
	o.refute(next)
	return false
}

// refute refutes the variables before the first one in the last model, if none of them can be
// selected. Versions of a package mostly fail together: one call of the SAT solver shows that.
func (o *satTester) refute(vars []Var) {
	var open []int32
	var any []cnf.Lit
	for _, v := range vars {
		i := o.number(v)
		lit := o.encoding.litOf(i)
		if lit == cnf.None || o.info[i].flags&inModel != 0 || !o.proceed(1) {
			break
		}
		if o.refuter.canSelect(i, nil) {
			open, any = append(open, i), append(any, lit)
		}
	}
	if len(open) < 2 || o.err != nil {
		return
	}
	one := o.encoding.sat.NewLit()
	if o.encoding.sat.Add([]cnf.Lit{one.Not()}, any); o.solve(one) {
		return
	}
	for _, i := range open {
		o.info[i].flags |= refuted
	}
}

func (o *satTester) canHold(f Formula, by obligation) bool {
	return o.refuter.canHold(f, by) &&
		(!o.encoding.covers(by) || o.holds(f, inModel) || o.solve(o.encoding.formula(f)))
}

func (o *satTester) addSelected(i int32) {
	o.refuter.addSelected(i)
	if lit := o.encoding.litOf(i); lit != cnf.None {
		o.assumed = append(o.assumed, lit)
	}
}

// addCommitment also gets roots, which are already assumed. Encoding a formula again costs
// nothing.
func (o *satTester) addCommitment(f Formula, by obligation) {
	o.refuter.addCommitment(f, by)
	if o.encoding.covers(by) {
		o.assumed = append(o.assumed, o.encoding.formula(f))
	}
}

// solve reports whether all assumptions can hold together with the literals, and then keeps the
// model.
func (o *satTester) solve(with ...cnf.Lit) bool {
	if !o.encoding.sat.Solve(append(o.assumed, with...)) {
		return false
	}
	for _, i := range o.encoding.scope.vars {
		if o.info[i].flags &^= inModel; o.encoding.sat.True(o.encoding.lits[i]) {
			o.info[i].flags |= inModel
		}
	}
	return true
}
