package solver

import "context"

// Refusals, made by [Solution.Refusals], answers why the solution of a problem does not have
// preferred candidates. A question costs as much as the connected component of its candidate,
// because nothing else can contradict the candidate. It is not safe for concurrent use.
type Refusals struct {
	options    Options
	solution   *Solution
	partition  *partition
	components map[int32]*component
}

// component is a connected component as a problem of its own.
type component struct {
	Problem
	given []Var
	roots []Rule
	// places are the indices of the roots in the whole problem.
	places []int
	// selected and committed are the indices, ascending, of the selections and commitments
	// of the solution in the component.
	selected, committed []int
	session             *Session // nil between the first questions about a small component
	asked               int      // questions
}

func (c *component) Given() []Var  { return c.given }
func (c *component) Roots() []Rule { return c.roots }

// Refusals reads the problem of the solution. The errors are those of Solve except
// *Unsatisfiable.
func (solution *Solution) Refusals(ctx context.Context, p Problem, o Options) (r *Refusals, err error) {
	defer recoverInto(&err)
	r = &Refusals{options: o, solution: solution, components: map[int32]*component{}}
	if r.partition, err = readPartition(ctx, p, nil); err != nil {
		return nil, err
	}
	for n, root := range r.partition.state.roots() {
		c := r.of(None, n)
		c.roots, c.places = append(c.roots, root), append(c.places, n)
	}
	for _, v := range p.Given() {
		c := r.of(v, -1)
		c.given = append(c.given, v)
	}
	for k, s := range solution.Selected {
		c := r.of(s.Var, -1)
		c.selected = append(c.selected, k)
	}
	for k, commitment := range solution.Commitments {
		c := r.of(commitment.Owner, commitment.Rule)
		c.committed = append(c.committed, k)
	}
	return r, r.partition.err
}

// of returns the component of a variable, or of a root if the variable is None.
func (r *Refusals) of(v Var, root int) *component {
	r.partition.proceed(1)
	node := r.partition.vars.Find(int32(v))
	if v == None {
		node = r.partition.root(root)
	}
	set := r.partition.sets.Find(node)
	if r.components[set] == nil {
		r.components[set] = &component{Problem: r.partition.problem}
	}
	return r.components[set]
}

// Core returns why the candidate v could not be selected in place of the k-th selection,
// beside all that was selected and committed to before. The result is a minimal set of
// demands, ordered as in Unsatisfiable, or nil if v could be selected. The Rule of a KindHold
// is the index of the commitment. The errors are those of Solution.Refusals.
func (r *Refusals) Core(ctx context.Context, k int, v Var) (core []Reason, err error) {
	defer recoverInto(&err)
	c := r.of(v, -1)
	if c.session == nil {
		if c.session, err = NewSession(ctx, c, r.options); err != nil {
			return nil, err
		}
	}
	core, err = c.session.Core(ctx, c.before(r.solution, k, v))
	if c.asked++; c.asked < minKept && len(c.selected)+len(c.roots)+len(c.given) < minKept {
		c.session = nil
	}
	for i := range core {
		switch core[i].Kind {
		case KindRoot:
			core[i].Rule = c.places[core[i].Rule]
		case KindHold:
			core[i].Rule = c.committed[core[i].Rule]
		}
	}
	return core, err
}

// before assumes v, and all that the solution selects and commits to in the component before
// the k-th selection.
func (c *component) before(solution *Solution, k int, v Var) (a Assume) {
	for _, i := range c.selected {
		if i >= k {
			break
		}
		a.Select = append(a.Select, solution.Selected[i].Var)
	}
	a.Select = append(a.Select, v)
	for _, i := range c.committed {
		if by := solution.Commitments[i]; by.After <= k {
			a.Hold = append(a.Hold, by.Or.Parts[by.Part])
		}
	}
	return a
}
