package solver

import (
	"slices"

	"github.com/go-air/gini/z"
)

// oracle is the tester that knows: what the refuter leaves open is looked up in
// the last model, and decided by the SAT solver only if that does not show it.
// Outside the part of the problem that is encoded it is no more than a refuter.
//
// The last model always satisfies all clauses together with S and C: it did
// when it was found, and a variable or formula that joined S or C since was
// true in it.
type oracle struct {
	*refuter
	encoding *encoding
	crowd    *crowd  // nil if nothing is to be counted
	assumed  []z.Lit // what is demanded, S and C
}

// newOracle returns an oracle, and whether there is anything to choose: false
// if the clauses contradict each other.
func newOracle(r *refuter, e *encoding) (*oracle, bool) {
	o := &oracle{refuter: r, encoding: e}
	for _, d := range e.given {
		o.assumed = append(o.assumed, d.lit)
	}
	for _, d := range e.roots {
		o.assumed = append(o.assumed, d.lit)
	}
	o.crowd = newCrowd(e, e.roots)
	return o, !o.crowdedOut(none) && o.solve()
}

// crowdedOut reports whether too few candidates are left for the roots if the
// variable, which may be none, is selected as well.
func (o *oracle) crowdedOut(i int32) bool {
	if o.crowd == nil {
		return false
	}
	taken := func(j int32) bool { return j == i || o.met[j].flags&selected != 0 }
	done := func(root int) bool { return slices.ContainsFunc(o.crowd.roots[root].candidates, taken) }
	free := func(j int32) bool {
		return o.met[j].flags&(forbidden|refuted) == 0 && !o.excluded(j) && (i == none || !o.rivals(i, j))
	}
	return o.crowd.overcrowded(done, free) != nil
}

func (o *oracle) canTake(i int32) bool {
	if !o.refuter.canTake(i) {
		return false
	}
	lit := o.encoding.litOf(i)
	return lit == z.LitNull || o.met[i].flags&modelled != 0 || !o.crowdedOut(i) && o.solve(lit)
}

func (o *oracle) canHold(f Formula, by obligation) bool {
	return o.refuter.canHold(f, by) &&
		(!o.encoding.covers(by) || o.holds(f, modelled) || o.solve(o.encoding.formula(f)))
}

func (o *oracle) take(i int32) {
	o.refuter.take(i)
	if lit := o.encoding.litOf(i); lit != z.LitNull {
		o.assumed = append(o.assumed, lit)
	}
}

// demand is told of roots as well, which are assumed already; encoding a
// formula again costs nothing.
func (o *oracle) demand(f Formula, by obligation) {
	o.refuter.demand(f, by)
	if o.encoding.covers(by) {
		o.assumed = append(o.assumed, o.encoding.formula(f))
	}
}

// solve reports whether all that is assumed can hold together with the
// literals. If so, it keeps the model.
func (o *oracle) solve(with ...z.Lit) bool {
	if !o.encoding.solve(append(o.assumed, with...)) {
		return false
	}
	for _, i := range o.encoding.part.vars {
		if o.encoding.gini.Value(o.encoding.lits[i]) {
			o.met[i].flags |= modelled
		} else {
			o.met[i].flags &^= modelled
		}
	}
	return true
}
