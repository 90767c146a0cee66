// Package solver chooses: from what must hold and from preferences it makes the
// one selection that a written procedure defines. It knows variables, formulas
// and groups, and nothing of what they stand for.
//
// A caller implements [Problem] over its own data, or fills a [Model], and
// calls [Solve]. A [Session] answers what would be possible, and why not, for
// explaining an answer. The SAT solver underneath is github.com/go-air/gini;
// none of its types shows.
//
// # What is selected
//
// The universe are the variables that can be selected at all: the given ones,
// the candidates of roots, and the candidates of the rules of each of these.
// The clauses are: every given variable is selected; every root holds; the
// rules of every selected variable hold; of a group, one member at most is
// selected. A selection that satisfies them is a model.
//
// Let S be the selection, Q a queue of obligations, and C the set of
// commitments, all empty at first. To say that something is possible means that
// there is a model that contains S and satisfies C and that something.
//
//  1. The given variables are added to S in their order. Q is filled with the
//     roots, then with the rules of the given variables, in order.
//  2. The first obligation is taken from Q, as long as there is one:
//     A [Choice] that no member of S satisfies adds the first possible
//     candidate to S, and the rules of that to the end of Q. (If no candidate
//     is possible, a member of Also in the universe is.)
//     An [Absent] or [AtMost] adds nothing: it is a clause.
//     An [And] is replaced by its parts, which are taken next, in order.
//     An [Or] that holds on S, absences included, is put aside to be watched.
//     Otherwise its first possible part joins C for good, and is taken next.
//  3. With Q empty, the watched disjunctions that no longer hold move into Q, in
//     the order in which they came to be watched. If there are none, S is the
//     answer; otherwise 2 goes on.
//
// As every step keeps S and C possible, it never gets stuck once a model
// exists: the models that satisfy the clauses have a member of each choice and
// a part of each disjunction. It ends, since S and C only grow, and a watched
// disjunction returns to Q only after S grew. The answer is a model, and unique,
// because each step is determined by the ones before. It is not the smallest
// model, nor the best by a sum of weights: it is the one in which no choice
// could have been better without an earlier one being worse.
//
// # How it is found
//
// Nearly all problems in practice hold no surprise. So the procedure first runs
// without a SAT solver, with "not refuted" in place of "possible". A variable is
// refuted if it shares a group with a selected one, if an absence that must hold
// names it, if a limit is used up, or if one of its own rules cannot hold
// because of such facts, looking ahead over a few levels. All of these are sound:
// what they refute is not possible.
//
// If this run ends, its selection is the answer. For it is a model, as groups,
// absences and limits were observed throughout, every choice was seen to, and
// every disjunction holds. It contains S as it was at each step and satisfies C
// as it was, and so proves that each thing chosen was possible when it was. The
// things before it were refuted, and so impossible. By induction over the steps,
// both runs are the same.
//
// If instead the run finds everything refuted that could serve an obligation,
// it is discarded, but goes on to find all places where that happens. Then the
// universe is split into parts that share no clause. A model of the whole is a
// model of each part, and what the run did in a part does not depend on the
// others; so the run stands where it found no such place. The other parts are
// encoded as clauses, and the same procedure runs with a SAT solver to tell what
// is possible in them, by solving under S and C as assumptions (Eén and
// Sörensson 2003). The last model found spares most calls: what is true in it is
// possible. What no SAT solver sees in good time is seen by counting: roots whose
// candidates lie in fewer cliques of groups than there are roots (Hall 1935).
//
// Formulas become clauses by definitions in one direction (Plaisted and
// Greenbaum 1986), as nothing is negated but single variables. Groups use the
// product encoding (Chen 2010) beyond a handful of members, and limits above one
// a sequential counter (Sinz 2005). All demands that the empty selection does
// not meet are assumptions, so that the clauses by themselves always have a
// model, the empty one.
//
// # Why there is no answer
//
// If there is no model, a second encoding of those parts makes every demand
// conditional on a literal of its own: equal formulas of different origin stay
// apart. A set of demands that contradict each other then is a set of
// assumptions. It is first narrowed to what counting or the SAT solver needed,
// encoded once more without the rest if that is much less, and then shrunk by
// leaving out one member after the other for good whenever the others still are contradictory
// (deletion; Dershowitz, Hanna and Nadel 2006, and Marques-Silva 2010 for a
// survey). A selection that meets all but one shows by small changes which others
// are needed as well (model rotation; Belov and Marques-Silva 2011); where counting
// found the contradiction, it also finds such selections. Whatever remains is
// needed, so that the core of [Unsatisfiable] is minimal, though others may be
// smaller.
//
// # Guarantees
//
// The same problem has the same answer, to the order of its parts, and the same
// core. A Solve ends within 50 ms after its context does, unless a method of the
// Problem is in the way; it starts no goroutine. It does not panic.
package solver
