package oracle

import "fmt"

// asked is a Subscription with its namespace.
type asked struct {
	world        *world
	subscription Subscription
}

// SolvePartly answers the requests that can hold together, taken one by one in
// their order: a request that cannot hold together with those before it is left
// out, and keeps what it has installed. Those behind it need not hold yet, but
// then keep what they have installed.
func SolvePartly(j Joint, limit int) ([]*Answer, error) {
	s := newSearch(j)
	wishes := s.roots
	s.roots = make([]formula, len(wishes))
	for i := range wishes {
		s.roots[i] = formula{op: or, parts: []formula{wishes[i], s.keeping(i)}}
	}
	if err := s.reach(limit); err != nil {
		return nil, err
	}
	answers := make([]*Answer, len(j))
	for i := range j {
		answers[i] = &Answer{}
	}
	if !s.satisfiable() {
		return answers, nil // leaving out does not help
	}
	leftOut := map[*world][]string{}
	for i := range wishes {
		s.roots[i] = wishes[i]
		if s.satisfiable() {
			continue
		}
		s.roots[i] = s.keeping(i)
		w := s.asked[i].world
		leftOut[w] = append(leftOut[w], s.asked[i].subscription.Name)
	}
	if !s.satisfiable() {
		return nil, fmt.Errorf("oracle: what remains cannot hold")
	}
	if err := s.walk(); err != nil {
		return nil, err
	}
	for i, w := range s.worlds {
		answers[i] = s.answer(w)
		answers[i].LeftOut = leftOut[w]
	}
	return answers, nil
}

// keeping says that a request which is left out keeps what it has installed.
func (s *search) keeping(i int) formula {
	w := s.asked[i].world
	cur, installed := w.installed[s.asked[i].subscription.InstalledCSV]
	if !installed {
		return formula{op: and} // holds always
	}
	return formula{op: some, isRequest: true, request: []place{{node: w.base + cur}}, dependent: -1}
}
