// Package solver makes the one selection that requirements and preferences define. It
// knows variables, formulas and groups, but not their meaning.
//
// A caller implements [Problem] over its own data, or fills a [Model], and calls [Solve].
// A [Session] answers what else is possible, and why not. [Refusals] answers why a solution
// does not have preferred candidates, one connected component at a time. Errors have the
// caller's handles. A [Reason] is a key for the caller's own words. The SAT solver is
// github.com/go-air/gini, which the API hides.
//
// # What is selected
//
// The universe consists of the variables that can be selected at all: the given
// ones, the candidates of roots, and the candidates of the rules of each of these.
// The clauses are: every given variable is selected; every root holds; the rules
// of every selected variable hold; at most one member of a group is selected. A
// selection that satisfies them is a model.
//
// Let S be the selection, Q a queue of obligations, and C the set of
// commitments, all empty at first. A variable or formula is possible if there is a
// model that contains S and satisfies C and this variable or formula.
//
//  1. The given variables are added to S in their order. Q is filled with the
//     roots, then with the rules of the given variables, in order.
//  2. The first obligation is taken from Q, as long as there is one:
//     A [Choice] that no member of S satisfies adds the first possible
//     candidate to S, and the rules of that candidate to the end of Q. (If no
//     candidate is possible, a member of Also in the universe is.)
//     An [Absent] or [AtMost] adds nothing: it is a clause.
//     An [And] is replaced by its parts, which are taken next, in order.
//     An [Or] that holds on S, absences included, is put aside to be watched.
//     Otherwise its first possible part joins C for good, and is taken next.
//  3. With Q empty, the watched disjunctions that no longer hold move into Q, in
//     the order in which they came to be watched. If there are none, S is the
//     answer; otherwise 2 goes on.
//
// Every step keeps S and C possible. So the procedure never gets stuck once a model
// exists: models that satisfy the clauses have a member of each choice and a part
// of each disjunction. It terminates, since S and C only grow, and a watched
// disjunction returns to Q only after S grew. The answer is a model, and it is
// unique, because the steps before determine each step. It is not the smallest
// model, nor the best by a sum of weights. It is the model in which no choice can be
// better unless an earlier one is worse.
//
// # How it is found
//
// Nearly all problems in practice are easy. So the procedure first runs without a
// SAT solver, with "not refuted" in place of "possible". A variable is
// refuted if it shares a group with a selected one, if an absence that must hold
// names it, if a limit is used up, or if one of its own rules cannot hold
// because of such facts, looking ahead over a few levels. Each of these is sound:
// what is refuted is not possible.
//
// If this run ends, its selection is the answer. It is a model, as the run respects
// groups, absences and limits, satisfies every choice, and leaves every disjunction
// true. It contains S as it was at each step and satisfies C as it was, and so
// proves that each thing chosen was possible when it was chosen. The things before
// it were refuted, and so impossible. By induction over the steps, both runs are
// the same.
//
// If instead the run finds everything refuted that could satisfy an obligation, it
// goes on, to find all obligations where that happens, and is discarded. Then the
// universe is split into connected components, which share no clause. A model of
// the problem is a model of each component, and what the run did in one does not
// depend on the others; so the run stands where it did not get stuck. The other
// components are encoded as clauses, and the same procedure runs with a SAT solver
// that decides what is possible, under S and C as assumptions (Eén and Sörensson
// 2003). The last model found spares most calls: what is true in it is possible. If a candidate
// is not, one call asks whether any of the next ones is, down to the one in the model.
//
// Formulas become clauses by definitions in one direction (Plaisted and
// Greenbaum 1986), as only single variables are negated. Groups use the product
// encoding (Chen 2010) beyond a handful of members, and limits above one a sorting
// network (Batcher 1968; Asín and others 2011). All demands that the empty selection
// does not satisfy are assumptions, so that the clauses by themselves always have a
// model, the empty one.
//
// # Why there is no answer
//
// If there is no model, a second encoding of these components makes every demand
// conditional on a literal of its own: equal formulas of different origin stay
// apart. Where the refuter shows it with nothing selected but the given variables, only
// this encoding is made. A set of contradictory demands is then a set of assumptions. It first
// becomes what the SAT solver needed. Then it shrinks by deletion: one
// member after the other is left out, for good if the others still contradict each
// other (Dershowitz, Hanna and Nadel 2006; Marques-Silva 2010 is a survey). From a
// selection that satisfies all but one, small changes show which others are needed
// as well (model rotation; Belov and Marques-Silva 2011). What remains is needed. So the core of [Unsatisfiable] is minimal, though others
// may be smaller.
//
// # Guarantees
//
// The same problem has the same answer, to the order of its parts, and the same
// core. A Solve ends within 50 ms after its context does, unless a method of the
// Problem takes longer. A panic of the Problem or of this package becomes an
// [*Internal]. gini searches on a goroutine of its own, which ends with the Solve;
// nothing can recover a panic there, and no fuzzing has found one.
//
// # What is slow
//
// Satisfiability is hard: a small problem can take forever. The time then goes into
// conflicts of the SAT solver. Between two of them, and outside of it, the work grows at
// most with the square of the problem's size. So Options.MaxConflicts bounds the work, with
// the same outcome at any speed and load of a machine. (gini orders its decisions by
// floating-point numbers, whose last bits may differ between processor architectures; no
// difference is known.) Some 30,000 conflicts take a second.
//
// Families of problems, within 30,000 conflicts (BenchmarkFamilies; one processor of
// 2.6 GHz, verdict and core together):
//
//	n+1 pigeons in n holes, by groups        8   core of 17 in 0.1 s
//	                                         9   limit exceeded in 0.5 s
//	the same, by a group for each pair       6   core of 133 in 0.1 s
//	                                         7   limit exceeded in 1 s
//	the same, by rules                       7   core of 204 in 0.3 s
//	                                         8   limit exceeded in 0.3 s
//	two sums of n bits that differ          20   core of 150 in 0.2 s
//	                                        40   limit exceeded in 0.4 s
//	Ramsey colorings (3, 4) of n nodes       8   solved in 1 ms
//	                                         9   limit exceeded in 0.4 s
//	n queens                                12   solved in 20 ms
//	                                        20   limit exceeded in 1.4 s
//	n+1 given of at most n of 2n         1,000   core of 1,002 in 80 ms
//	n+1 pairs of at most n                 200   core of 202 in 0.2 s
//	random 3-SAT, 4.26 clauses per variable
//	                                       100   solved in 10 ms
//	                                       150   limit exceeded in 0.9 s
//	chain of packages of 50 versions        40   solved in 0.2 ms
//	chain of n dependencies          1,000,000   solved in 3 s
//	the same, the end forbids the start   1,000   core of 1,001 in 3 ms
//	                                 1,000,000   core of 1,000,001 in 8 s
package solver
