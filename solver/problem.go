package solver

import "cmp"

// Var is the caller's handle of one thing that can be selected. Handles are not negative. They
// need not be dense: the cost depends on the number that a solve reaches.
type Var int32

// None is no variable: the owner of given variables and of roots.
const None Var = -1

// Group is the caller's handle of a set of variables of which at most one may be selected. Any
// value is allowed.
type Group int32

// Problem states what must be selected and what follows from it.
//
// It is read lazily: a greedy solve reads only the rules of variables that it selects or
// examines. Methods must return the same as long as a Solve or a Session uses the problem. The
// problem owns the returned slices, which are only read and may be shared. One Solve calls
// from one goroutine. A Problem of concurrent solves must be safe for concurrent use.
type Problem interface {
	// Given returns the variables that are selected first, in this order. A repeated
	// variable counts once.
	Given() []Var

	// Roots returns what must hold in any selection, in the order in which the
	// search takes it.
	Roots() []Rule

	// Rules returns what must hold if v is selected, in the order in which the
	// search takes it.
	Rules(v Var) []Rule

	// Groups returns the groups of v, in any order. A repeated group counts once.
	Groups(v Var) []Group
}

// Rule is a formula that must hold.
type Rule struct {
	Formula Formula

	// Origin belongs to the caller. The package does not read it.
	Origin int32
}

// Formula is a condition on the selected variables: a [*Choice], [*Absent],
// [*AtMost], [*And] or [*Or]. Formulas may share parts, but must not contain
// themselves. They must not change while a solve uses them.
type Formula interface{ formula() }

// Choice holds if one of its members is selected. Without members it never holds.
type Choice struct {
	// Candidates are the members to choose from, most preferred first, one segment after the
	// other. The first place of a repeated variable counts.
	Candidates [][]Var

	// Also lists members that satisfy the choice but are not candidates. It makes nothing
	// selectable. A member that is selectable for another reason is chosen only if no
	// candidate is possible.
	Also []Var
}

// Absent holds if none of its variables is selected.
type Absent struct {
	Vars [][]Var
}

// AtMost holds if at most N of its variables are selected. N is not negative. A repeated
// variable counts once.
type AtMost struct {
	N    int
	Vars []Var
}

// And holds if all of its parts hold. Without parts it holds.
type And struct {
	Parts []Formula
}

// Or holds if one of its parts holds. Without parts it never holds. Earlier parts
// are preferred.
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
	// MaxLiterals bounds the literals of all clauses of one encoding together.
	// 0 means 33,554,432. The maximum is 268,435,456.
	MaxLiterals int

	// MaxConflicts bounds the conflicts of the SAT solver in one Solve, or in one query of a
	// Session or Refusals, core included. Each call of the SAT solver counts as one more. 0
	// means no limit. Exceeding it is an *Incomplete with a *ConflictLimit. See "What is slow"
	// in the package comment.
	MaxConflicts int

	// NoCore leaves the core of an *Unsatisfiable empty. Minimizing the core takes
	// most of the time of an unsatisfiable solve.
	NoCore bool

	// satOnly skips the greedy run, so that tests can compare both ways.
	satOnly bool
	// maxVars bounds the variables of one encoding, auxiliary ones included. Tests lower it.
	maxVars int
}

func (o Options) withDefaults() Options {
	limit := func(stated, otherwise int) int { return min(cmp.Or(max(stated, 0), otherwise), maxAddressable) }
	o.maxVars, o.MaxLiterals = limit(o.maxVars, defaultMaxVars), limit(o.MaxLiterals, defaultMaxLiterals)
	return o
}

// Solution is the answer to a problem that can be satisfied.
type Solution struct {
	// Selected lists the selected variables in the order of their selection.
	Selected []Selection

	// Commitments lists the parts of disjunctions that the search committed to, in the order
	// of commitment.
	Commitments []Commitment
}

// Selection is one selected variable and the reason for its selection.
type Selection struct {
	Var Var

	// Owner is the selected variable whose rule requires Var. It is None if a root requires
	// Var, or if Var was given.
	Owner Var

	// Rule is the index of that rule in the owner's rules, or in the roots. It is -1 if Var
	// was given.
	Rule int

	// Leaf is the choice in that rule that Var satisfies, nil if Var was given.
	Leaf *Choice

	// Place is the position of Var in the concatenated Candidates of Leaf, where repeated
	// ones count. All before it were not possible. Members of Also follow all candidates.
	// It is -1 if Var was given.
	Place int
}

// Commitment is a part of a disjunction that the search chose to hold.
type Commitment struct {
	// Owner and Rule locate the disjunction, as in Selection.
	Owner Var
	Rule  int

	Or   *Or
	Part int

	// After is the number of variables that were selected before.
	After int
}
