package solver

import (
	"slices"

	"github.com/go-air/gini/z"
)

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
// true. A network sorts as many of xs as matter (odd-even merges, Batcher 1968, cut
// off after n+1 as in Asín, Nieuwenhuis, Oliveras and Rodríguez-Carbonell 2011).
// This takes O(len(xs) log² n) clauses, and unit propagation finds what follows from
// n true ones.
func (s *sat) atMost(unless []z.Lit, n int, xs []z.Lit) {
	switch {
	case n >= len(xs):
	case n == 0:
		for _, x := range xs {
			s.add(unless, []z.Lit{x.Not()})
		}
	case n == 1:
		s.atMostOne(unless, xs)
	default:
		if counts := s.sort(xs, n+1); s.err == nil {
			s.add(unless, []z.Lit{counts[n].Not()})
		}
	}
}

// sort returns up to max literals. More than i true ones of xs imply the i-th.
func (s *sat) sort(xs []z.Lit, max int) []z.Lit {
	if len(xs) == 1 || s.err != nil {
		return xs
	}
	half := len(xs) / 2
	return s.merge(s.sort(xs[:half], max), s.sort(xs[half:], max), max)
}

// merge is sort for the lists a and b, which are sorted.
func (s *sat) merge(a, b []z.Lit, max int) []z.Lit {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	if len(a) == 1 && len(b) == 1 {
		return s.compare(a[0], b[0])
	}
	even := s.merge(everySecond(a, 0), everySecond(b, 0), max/2+1)
	odd := s.merge(everySecond(a, 1), everySecond(b, 1), max/2)
	if s.err != nil {
		return nil
	}
	out := even[:1:1]
	for i, x := range odd {
		if i+1 < len(even) {
			out = append(out, s.compare(even[i+1], x)...)
		} else {
			out = append(out, x)
		}
	}
	if rest := len(odd) + 1; rest < len(even) {
		out = append(out, even[rest:]...)
	}
	return out[:min(len(out), max)]
}

// compare is merge for two literals.
func (s *sat) compare(x, y z.Lit) []z.Lit {
	both := s.newLits(2)
	s.add([]z.Lit{x.Not(), both[0]})
	s.add([]z.Lit{y.Not(), both[0]})
	s.add([]z.Lit{x.Not(), y.Not(), both[1]})
	return both
}

func everySecond(xs []z.Lit, from int) []z.Lit {
	var out []z.Lit
	for i := from; i < len(xs); i += 2 {
		out = append(out, xs[i])
	}
	return out
}

func (s *sat) newLits(n int) []z.Lit {
	lits := make([]z.Lit, n)
	for i := range lits {
		lits[i] = s.newLit()
	}
	return lits
}
