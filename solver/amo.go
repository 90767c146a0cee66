package solver

import "github.com/go-air/gini/z"

// pairwiseMax is the number of literals up to which one clause for each pair
// is the smallest encoding of "at most one".
const pairwiseMax = 6

// atMostOne adds clauses that allow at most one of xs, unless a literal of unless
// is true.
//
// Many literals use the product encoding (Chen 2010): they form a square whose
// rows and columns have a variable each. A literal implies its row and its column;
// at most one row and one column may be true. This takes 2n + O(√n) clauses, and
// unit propagation finds what it finds in the pairs.
func (s *sat) atMostOne(unless, xs []z.Lit) {
	if len(xs) <= pairwiseMax {
		for i, x := range xs {
			for _, y := range xs[:i] {
				s.add(unless, []z.Lit{x.Not(), y.Not()})
			}
		}
		return
	}
	width := 1
	for width*width < len(xs) {
		width++
	}
	rows := s.newLits((len(xs) + width - 1) / width)
	columns := s.newLits(width)
	for i, x := range xs {
		s.add([]z.Lit{x.Not(), rows[i/width]})
		s.add([]z.Lit{x.Not(), columns[i%width]})
	}
	s.atMostOne(unless, rows)
	s.atMostOne(unless, columns)
}

// atMost adds clauses that allow at most n of xs, unless a literal of unless is
// true. It uses a sequential counter (Sinz 2005), with n variables for each of xs.
func (s *sat) atMost(unless []z.Lit, n int, xs []z.Lit) {
	switch {
	case n >= len(xs):
		return
	case n == 0:
		for _, x := range xs {
			s.add(unless, []z.Lit{x.Not()})
		}
		return
	case n == 1:
		s.atMostOne(unless, xs)
		return
	}
	var before []z.Lit // before[j]: more than j of those before x are true
	for i, x := range xs {
		if !s.proceed(n) {
			return
		}
		if i >= n {
			s.add(unless, []z.Lit{x.Not(), before[n-1].Not()})
		}
		counts := s.newLits(min(i+1, n))
		s.add([]z.Lit{x.Not(), counts[0]})
		for j := range before {
			s.add([]z.Lit{before[j].Not(), counts[j]})
			if j+1 < len(counts) {
				s.add([]z.Lit{x.Not(), before[j].Not(), counts[j+1]})
			}
		}
		before = counts
	}
}

func (s *sat) newLits(n int) []z.Lit {
	lits := make([]z.Lit, n)
	for i := range lits {
		lits[i] = s.newLit()
	}
	return lits
}
