package solver

// Var is the caller's handle of one thing that can be selected. Handles are
// not negative; they need not be dense, and a problem pays only for those it
// reaches.
type Var int32

// None is no variable: the owner of what was given or asked for by a root.
const None Var = -1

// Group is the caller's handle of a set of variables of which at most one may
// be selected. Any value is allowed.
type Group int32

// Problem says what must be selected and what follows from it.
//
// It is asked lazily: a greedy solve reads only the rules of what it selects
// and of the candidates it looks at. The answers must be pure, that is, the
// same question has the same answer as long as a Solve or a Session uses the
// problem. What is returned stays the problem's own, is only read, and may be
// shared between answers. One Solve asks from one goroutine; a Problem that is
// used by several at a time must allow for it.
type Problem interface {
	// Given returns the variables that are selected before anything else, in
	// this order. A repeated one counts once.
	Given() []Var

	// Roots returns what must hold whatever is selected, in the order in which
	// it is taken.
	Roots() []Rule

	// Rules returns what must hold if v is selected, in the order in which it
	// is taken.
	Rules(v Var) []Rule

	// Groups returns the groups that v is a member of. The order is of no
	// consequence, and a repeated group counts once.
	Groups(v Var) []Group
}

// Rule is a formula that must hold.
type Rule struct {
	Formula Formula

	// Origin is the caller's: the package does not read it.
	Origin int32
}

// Formula is a condition on the selected variables: a *[Choice], [*Absent],
// [*AtMost], [*And] or [*Or]. Formulas may share parts, but must not contain
// themselves; they must not change while a problem that uses them is solved.
type Formula interface{ formula() }

// Choice holds if one of its members is selected. Without members it never
// holds.
type Choice struct {
	// Candidates are the members to choose from, most preferred first: the
	// segments are walked one after the other. The first place of a repeated
	// variable counts.
	Candidates [][]Var

	// Also are members that satisfy the choice when they are selected, but are
	// no candidates: nothing becomes selectable by being named here, and one
	// that is selectable for another reason is chosen only if no candidate is
	// possible.
	Also []Var
}

// Absent holds if none of its variables is selected.
type Absent struct {
	Vars [][]Var
}

// AtMost holds if no more than N, which is not negative, of its variables are
// selected. A repeated variable counts once.
type AtMost struct {
	N    int
	Vars []Var
}

// And holds if all of its parts hold, and so if it has none.
type And struct {
	Parts []Formula
}

// Or holds if one of its parts holds; without parts it never does. Earlier
// parts are preferred.
type Or struct {
	Parts []Formula
}

func (*Choice) formula() {}
func (*Absent) formula() {}
func (*AtMost) formula() {}
func (*And) formula()    {}
func (*Or) formula()     {}

// OneOf returns the choice among the candidates, most preferred first.
func OneOf(candidates ...Var) *Choice {
	return &Choice{Candidates: [][]Var{candidates}}
}

// NoneOf returns the condition that none of vars is selected.
func NoneOf(vars ...Var) *Absent {
	return &Absent{Vars: [][]Var{vars}}
}

// Options adjust a solve. The zero value is ready to use.
type Options struct {
	// MaxVars bounds the variables of one encoding, auxiliary ones included.
	// 0 means 2,097,152; more than 268,435,456 cannot be had.
	MaxVars int

	// MaxLiterals bounds the literals of all clauses of one encoding together.
	// 0 means 33,554,432; more than 268,435,456 cannot be had.
	MaxLiterals int

	// NoCore leaves the core of an *Unsatisfiable out, which takes most of the
	// time of finding one.
	NoCore bool

	// satOnly leaves the greedy run out, and noCount the counting of roots, so
	// that tests can compare both ways. With rotate, the smallest cores come about
	// like large ones.
	satOnly, noCount, rotate bool
}

const (
	defaultMaxVars     = 1 << 21
	defaultMaxLiterals = 1 << 25
	mostOfAny          = 1 << 28 // gini addresses literals with 32 bits
)

func (o Options) withDefaults() Options {
	if o.MaxVars <= 0 {
		o.MaxVars = defaultMaxVars
	}
	if o.MaxLiterals <= 0 {
		o.MaxLiterals = defaultMaxLiterals
	}
	o.MaxVars = min(o.MaxVars, mostOfAny)
	o.MaxLiterals = min(o.MaxLiterals, mostOfAny)
	return o
}

// Solution is the answer to a problem that can be satisfied.
type Solution struct {
	// Selected are the selected variables in the order of their selection.
	Selected []Selection

	// Commitments are the alternatives of disjunctions that the search decided
	// for, in the order of the decisions.
	Commitments []Commitment
}

// Selection says which variable was selected, and what for.
type Selection struct {
	Var Var

	// Owner is the selected variable whose rule asked for Var; None if a root
	// did, or if Var was given.
	Owner Var

	// Rule is the index of that rule in the owner's rules, or in the roots.
	// It is -1 if Var was given.
	Rule int

	// Leaf is the choice in that rule that Var was selected for, nil if Var
	// was given.
	Leaf *Choice

	// Place is the position of Var in the concatenated Candidates of Leaf,
	// repeated ones counted; those before it were not possible. Members of
	// Also stand after all candidates. It is -1 if Var was given.
	Place int
}

// Commitment says which part of a disjunction was chosen to hold.
type Commitment struct {
	// Owner and Rule say where the disjunction stands, as in Selection.
	Owner Var
	Rule  int

	Or   *Or
	Part int

	// After is the number of variables that had been selected by then.
	After int
}
