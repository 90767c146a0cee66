package solver

// Model is a Problem in memory, built call by call. The zero value is an empty
// model. It must not be changed while a Solve or a Session uses it, or an error of
// theirs is printed; as long as it is not, any number of goroutines may read it.
type Model struct {
	vars   Var
	given  []Var
	roots  []Rule
	rules  map[Var][]Rule
	group  Group
	groups map[Var][]Group

	varNames   map[Var]string
	ruleNames  map[ruleKey]string
	groupNames map[Group]string
}

// ruleKey is the place of a rule, or of a root if its owner is None.
type ruleKey struct {
	owner Var
	rule  int
}

// NewVar returns a new variable. Variables count up from 0.
func (m *Model) NewVar() Var {
	v := m.vars
	m.vars++
	return v
}

// Give demands that the variables are selected, and before all others.
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
// preferred candidate comes first. It returns the index of that rule among those
// of v.
func (m *Model) Depend(v Var, candidates ...Var) int {
	return m.Require(v, OneOf(candidates...))
}

// Conflict demands that a and b are not both selected, by a rule of a. It returns
// the index of that rule among those of a.
func (m *Model) Conflict(a, b Var) int {
	return m.Require(a, NoneOf(b))
}

// Forbid demands that v is not selected, by a rule of v that never holds. It
// returns the index of that rule among those of v.
func (m *Model) Forbid(v Var) int {
	return m.Require(v, OneOf())
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

// NameVar names v in errors.
func (m *Model) NameVar(v Var, name string) {
	if m.varNames == nil {
		m.varNames = map[Var]string{}
	}
	m.varNames[v] = name
}

// NameRule gives the sentence that a rule of owner, or a root if owner is None,
// stands for in errors.
func (m *Model) NameRule(owner Var, rule int, sentence string) {
	if m.ruleNames == nil {
		m.ruleNames = map[ruleKey]string{}
	}
	m.ruleNames[ruleKey{owner, rule}] = sentence
}

// NameGroup names g in errors, as it follows "at most one of".
func (m *Model) NameGroup(g Group, name string) {
	if m.groupNames == nil {
		m.groupNames = map[Group]string{}
	}
	m.groupNames[g] = name
}

// Given implements Problem.
func (m *Model) Given() []Var { return m.given }

// Roots implements Problem.
func (m *Model) Roots() []Rule { return m.roots }

// Rules implements Problem.
func (m *Model) Rules(v Var) []Rule { return m.rules[v] }

// Groups implements Problem.
func (m *Model) Groups(v Var) []Group { return m.groups[v] }

// VarName implements Named.
func (m *Model) VarName(v Var) string { return m.varNames[v] }

// RuleName implements Named.
func (m *Model) RuleName(owner Var, rule int) string { return m.ruleNames[ruleKey{owner, rule}] }

// GroupName implements Named.
func (m *Model) GroupName(g Group) string { return m.groupNames[g] }
