package oracle

// Joint is a problem of several namespaces with the same catalogs, in order of
// namespace.
type Joint []*Problem

// SolveJoint answers a joint problem: one answer a namespace, all satisfiable
// or none.
func SolveJoint(j Joint, limit int) ([]*Answer, error) {
	s := newSearch(j)
	satisfiable, err := s.solve(limit)
	if err != nil {
		return nil, err
	}
	answers := make([]*Answer, len(j))
	for i := range j {
		answers[i] = &Answer{Ambiguous: s.ambiguous}
		if satisfiable {
			answers[i] = s.answer(s.worlds[i])
		}
	}
	return answers, nil
}

// helps reports whether bundles of one namespace can meet obligations of
// another: its group watches that one.
func (w *world) helps(other *world) bool {
	return w != other && w.Group != nil && w.Group.watches(other.Namespace)
}

// visibleTo lists the worlds whose bundles a leaf of the given world speaks of,
// itself first.
func (s *search) visibleTo(w *world) []*world {
	all := []*world{w}
	for _, o := range s.worlds {
		if o.helps(w) {
			all = append(all, o)
		}
	}
	return all
}

// shared reports whether bundles of two namespaces exclude each other: both
// provide an API, the groups have a namespace in common, and they are not both
// there already.
func (s *search) shared(a, b int) bool {
	v, w := s.of(a), s.of(b)
	if v.Group == nil || w.Group == nil || !v.Group.meets(w.Group) {
		return false
	}
	m, n := s.node(a), s.node(b)
	return (m.catalog >= 0 || n.catalog >= 0) && overlap(m.provides, n.provides)
}
