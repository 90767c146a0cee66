package solver

// Model is a Problem in memory. The zero Model is empty. It must not change while a Solve or a
// Session uses it. Until it changes, it is safe for any number of goroutines.
type Model struct {
	vars   Var
	given  []Var
	roots  []Rule
	rules  map[Var][]Rule
	group  Group
	groups map[Var][]Group
}

// NewVar returns a new variable. Variables count up from 0.
func (m *Model) NewVar() Var {
	v := m.vars
	m.vars++
	return v
}

// Give demands that the variables are selected, before all others.
func (m *Model) Give(vars ...Var) {
	m.given = append(m.given, vars...)
}

// Root demands that f holds, and returns the index of that root.
func (m *Model) Root(f Formula) int {
	m.roots = append(m.roots, Rule{Formula: f})
	return len(m.roots) - 1
}

// Require demands that f holds if v is selected, and returns the index of that
// rule among those of v.
func (m *Model) Require(v Var, f Formula) int {
	if m.rules == nil {
		m.rules = map[Var][]Rule{}
	}
	m.rules[v] = append(m.rules[v], Rule{Formula: f})
	return len(m.rules[v]) - 1
}

// Depend demands that one of the candidates is selected if v is. The most
// preferred candidate comes first; without candidates v cannot be selected. It
// returns the index of that rule among those of v.
func (m *Model) Depend(v Var, candidates ...Var) int {
	return m.Require(v, OneOf(candidates...))
}

// Conflict demands that a and b are not both selected, by a rule of a. It returns
// the index of that rule among those of a.
func (m *Model) Conflict(a, b Var) int {
	return m.Require(a, NoneOf(b))
}

// AtMost demands that at most n of the variables are selected, and returns the
// index of that root.
func (m *Model) AtMost(n int, vars ...Var) int {
	return m.Root(&AtMost{N: n, Vars: vars})
}

// AtMostOne puts the variables into a new group, of which at most one is selected.
func (m *Model) AtMostOne(vars ...Var) Group {
	if m.groups == nil {
		m.groups = map[Var][]Group{}
	}
	g := m.group
	m.group++
	for _, v := range vars {
		m.groups[v] = append(m.groups[v], g)
	}
	return g
}

// Given implements Problem.
func (m *Model) Given() []Var { return m.given }

// Roots implements Problem.
func (m *Model) Roots() []Rule { return m.roots }

// Rules implements Problem.
func (m *Model) Rules(v Var) []Rule { return m.rules[v] }

// Groups implements Problem.
func (m *Model) Groups(v Var) []Group { return m.groups[v] }
