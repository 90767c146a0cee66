// Package peers poses the same problems to package solver and to deppy v0.3.0, to
// compare answers and times. It is a module of its own, so that the main module
// does not depend on deppy.
//
//	go -C examples/peers test -bench .
//
// prints how many times longer deppy takes for the same answers. In short runs on
// two busy cores: 2 to 3 times on dead ends, 7 to 10 where nothing fits, 14 on a
// chain, 40 on few variables, 280 on choices among 1,000, 2,000 on packages, and
// 13,000 where at most one of each 1,000 can be selected. If such limits are not
// stated as groups, the last two are 390 and 1,900, and dead ends 1 to 2.
package peers

// Problem is what both solvers understand: variables, of which the mandatory ones
// must be selected, and what follows from a selection.
type Problem struct {
	Variables []Variable
	Limits    []Limit
}

// Variable is something that can be selected. Others refer to it by its index.
type Variable struct {
	Mandatory bool

	// Dependencies are choices: of each, one member must be selected with this
	// variable. The most preferred member comes first.
	Dependencies [][]int

	// Conflicts cannot be selected together with this variable.
	Conflicts []int
}

// Limit forbids that more than N of its members are selected. It has at least one
// member, and none twice.
type Limit struct {
	N       int
	Members []int
}

// Answer is what a solver says about a problem.
type Answer struct {
	Satisfiable bool

	// Selected are the selected variables, in ascending order.
	Selected []int

	// Core is the number of constraints that the solver names as contradicting
	// each other, if the problem is not satisfiable.
	Core int
}

// add returns the index of a new variable.
func (p *Problem) add() int {
	p.Variables = append(p.Variables, Variable{})
	return len(p.Variables) - 1
}

// addSeveral returns the indices of n new variables.
func (p *Problem) addSeveral(n int) []int {
	var added []int
	for range n {
		added = append(added, p.add())
	}
	return added
}

// request adds a mandatory variable that needs one of the candidates, and
// returns its index.
func (p *Problem) request(candidates ...int) int {
	v := p.add()
	p.Variables[v].Mandatory = true
	p.depend(v, candidates...)
	return v
}

func (p *Problem) depend(v int, candidates ...int) {
	p.Variables[v].Dependencies = append(p.Variables[v].Dependencies, candidates)
}

func (p *Problem) conflict(v, other int) {
	p.Variables[v].Conflicts = append(p.Variables[v].Conflicts, other)
}

func (p *Problem) atMost(n int, members ...int) {
	p.Limits = append(p.Limits, Limit{N: n, Members: members})
}
