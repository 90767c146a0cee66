package solver

// check reports whether the formulas of owner's rules are well-formed, and records the
// first fault. It bounds their depth and size before anything else reads them, because all
// walks are recursive and visit shared parts repeatedly.
func (st *state) check(owner Var, rules []Rule) bool {
	for i, r := range rules {
		var c checker
		if what := c.walk(r.Formula, 1); what != "" {
			st.fault(&Invalid{Owner: owner, Rule: i, Problem: what})
			return false
		}
		st.proceed(c.nodes)
	}
	return true
}

// fault records a fault of the problem, unless there is an error already.
func (st *state) fault(what *Invalid) {
	if st.err == nil {
		st.err = what
	}
}

type checker struct {
	nodes int
}

// walk returns the fault of f, "" if it has none.
func (c *checker) walk(f Formula, depth int) (what string) {
	c.nodes++
	switch {
	case depth > maxDepth:
		return "formula is nested too deeply, or contains itself"
	case c.nodes > maxNodes:
		return "formula has too many parts"
	}
	parts, ok := partsOf(f)
	if !ok {
		return "formula is nil"
	}
	if limit, ok := f.(*AtMost); ok && limit.N < 0 {
		return "limit is negative"
	}
	for _, part := range parts {
		if what := c.walk(part, depth+1); what != "" {
			return what
		}
	}
	return ""
}

// eachSegment calls visit for every list of variables in f. It returns the number of
// formulas in f, which the caller counts as steps, because a large f may have no variables.
func eachSegment(f Formula, visit func([]Var)) (formulas int) {
	switch f := f.(type) {
	case *Choice:
		for _, vars := range f.Candidates {
			visit(vars)
		}
		visit(f.Also)
	case *Absent:
		for _, vars := range f.Vars {
			visit(vars)
		}
	case *AtMost:
		visit(f.Vars)
	}
	parts, _ := partsOf(f)
	formulas = 1
	for _, part := range parts {
		formulas += eachSegment(part, visit)
	}
	return formulas
}

// partsOf returns the formulas directly inside f, and whether f is a formula.
func partsOf(f Formula) (parts []Formula, ok bool) {
	switch f := f.(type) {
	case *Choice:
		return nil, f != nil
	case *Absent:
		return nil, f != nil
	case *AtMost:
		return nil, f != nil
	case *And:
		if f != nil {
			return f.Parts, true
		}
	case *Or:
		if f != nil {
			return f.Parts, true
		}
	}
	return nil, false
}
