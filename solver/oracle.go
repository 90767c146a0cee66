package solver

import "github.com/go-air/gini/z"

// oracle is the tester that knows: what the refuter leaves open is looked up in
// the last model, and decided by the SAT solver only if that does not show it.
//
// The last model always satisfies all clauses together with S and C: it did
// when it was found, and a variable or formula that joined S or C since was
// true in it.
type oracle struct {
	*refuter
	encoding *encoding
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
	return o, o.solve()
}

func (o *oracle) canTake(i int32) bool {
	return o.refuter.canTake(i) &&
		(o.met[i].flags&modelled != 0 || o.solve(o.encoding.lits[i]))
}

func (o *oracle) canHold(f Formula) bool {
	return o.refuter.canHold(f) &&
		(o.holds(f, modelled) || o.solve(o.encoding.formula(f)))
}

func (o *oracle) take(i int32) {
	o.refuter.take(i)
	o.assumed = append(o.assumed, o.encoding.lits[i])
}

// demand is told of roots as well, which are assumed already; encoding a
// formula again costs nothing.
func (o *oracle) demand(f Formula) {
	o.refuter.demand(f)
	o.assumed = append(o.assumed, o.encoding.formula(f))
}

// solve reports whether all that is assumed can hold together with the
// literals. If so, it keeps the model.
func (o *oracle) solve(with ...z.Lit) bool {
	if !o.encoding.solve(append(o.assumed, with...)) {
		return false
	}
	for _, i := range o.encoding.universe {
		if o.encoding.gini.Value(o.encoding.lits[i]) {
			o.met[i].flags |= modelled
		} else {
			o.met[i].flags &^= modelled
		}
	}
	return true
}
