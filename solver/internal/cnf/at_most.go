package cnf

import "slices"

// pairwiseMax is the number of literals up to which one clause per pair is the smallest
// encoding of "at most one": six take 15 clauses, and 16 as a square; seven take 21, and 20.
const pairwiseMax = 6

// AtMostOne adds clauses that allow at most one of xs, unless a literal of unless
// is true.
//
// Many literals use the product encoding (Chen 2010): they form a square whose
// rows and columns have a variable each. A literal implies its row and its column;
// at most one row and one column may be true. This takes 2n + O(√n) clauses, and
// unit propagation finds what it finds in the pairs.
func (s *Solver) AtMostOne(unless, xs []Lit) {
	if len(xs) <= pairwiseMax {
		for i, x := range xs {
			for _, y := range xs[:i] {
				s.Add(unless, []Lit{x.Not(), y.Not()})
			}
		}
		return
	}
	width := 1
	for width*width < len(xs) {
		width++
	}
	rows := s.lits((len(xs) + width - 1) / width)
	columns := s.lits(width)
	for i, x := range xs {
		s.Add([]Lit{x.Not(), rows[i/width]})
		s.Add([]Lit{x.Not(), columns[i%width]})
	}
	s.AtMostOne(unless, rows)
	s.AtMostOne(unless, columns)
}

// AtMost adds clauses that allow at most n of xs, unless a literal of unless is
// true. A network sorts as many of xs as matter (odd-even merges, Batcher 1968, cut
// off after n+1 as in Asín, Nieuwenhuis, Oliveras and Rodríguez-Carbonell 2011).
// This takes O(len(xs) log² n) clauses, and unit propagation finds what follows from
// n true ones.
func (s *Solver) AtMost(unless []Lit, n int, xs []Lit) {
	switch {
	case n >= len(xs):
	case n == 0:
		for _, x := range xs {
			s.Add(unless, []Lit{x.Not()})
		}
	case n == 1:
		s.AtMostOne(unless, xs)
	default:
		if counts := s.sort(xs, n+1); s.work.Proceed(0) {
			s.Add(unless, []Lit{counts[n].Not()})
		}
	}
}

// sort returns up to max literals. More than i true ones of xs imply the i-th.
func (s *Solver) sort(xs []Lit, max int) []Lit {
	if len(xs) == 1 || !s.work.Proceed(0) {
		return xs
	}
	half := len(xs) / 2
	return s.merge(s.sort(xs[:half], max), s.sort(xs[half:], max), max)
}

// merge is sort for two sorted lists.
func (s *Solver) merge(a, b []Lit, max int) []Lit {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	if len(a) == 1 && len(b) == 1 {
		return s.compare(a[0], b[0])
	}
	even := s.merge(everySecond(a, 0), everySecond(b, 0), max/2+1)
	odd := s.merge(everySecond(a, 1), everySecond(b, 1), max/2)
	if !s.work.Proceed(0) {
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
func (s *Solver) compare(x, y Lit) []Lit {
	both := s.lits(2)
	s.Add([]Lit{x.Not(), both[0]})
	s.Add([]Lit{y.Not(), both[0]})
	s.Add([]Lit{x.Not(), y.Not(), both[1]})
	return both
}

func everySecond(xs []Lit, from int) []Lit {
	var out []Lit
	for i := from; i < len(xs); i += 2 {
		out = append(out, xs[i])
	}
	return out
}

func (s *Solver) lits(n int) []Lit {
	list := make([]Lit, n)
	for i := range list {
		list[i] = s.NewLit()
	}
	return list
}
