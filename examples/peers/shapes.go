package peers

import "math/rand/v2"

// Shape is a kind of problem.
type Shape struct {
	Name        string
	Satisfiable bool

	// Generate invents a problem of this shape, the same for the same random
	// numbers.
	Generate func(r *rand.Rand) *Problem
}

// Shapes are the kinds of problems that are compared.
var Shapes = []Shape{
	{"few", true, few},
	{"chain", true, chain},
	{"wide", true, wide},
	{"wide-limits", true, wideLimits},
	{"packages", true, packages},
	{"dead-ends", true, deadEnds},
	{"unsatisfiable", false, unsatisfiable},
}

// few has two requests for five variables. The one that both prefer needs
// something that conflicts with them.
func few(r *rand.Rand) *Problem {
	p := new(Problem)
	offered := p.addSeveral(5)
	best, others := offered[0], offered[1:]
	needed := p.add()
	p.depend(best, needed)
	for range 2 {
		request := p.request(best, others[r.IntN(4)], others[r.IntN(4)])
		p.conflict(needed, request)
	}
	p.atMost(2, offered...)
	return p
}

// chain requests a variable that needs the next, and so on, each with an
// alternative that is not needed.
func chain(r *rand.Rand) *Problem {
	const links = 300
	p := new(Problem)
	preferred, alternatives := p.addSeveral(links), p.addSeveral(links)
	p.request(preferred[0])
	for i := range links - 1 {
		p.depend(preferred[i], preferred[i+1], alternatives[r.IntN(links)])
	}
	return p
}

// wide has five requests with 1,000 candidates each, of which the ten best
// conflict with the request.
func wide(r *rand.Rand) *Problem {
	p := new(Problem)
	for range 5 {
		addWide(p, r)
	}
	return p
}

// wideLimits is the same, but at most one of the candidates of each request can
// be selected.
func wideLimits(r *rand.Rand) *Problem {
	p := new(Problem)
	for range 5 {
		p.atMost(1, addWide(p, r)...)
	}
	return p
}

// addWide adds one request and returns its candidates.
func addWide(p *Problem, r *rand.Rand) []int {
	candidates := p.addSeveral(1000)
	shuffle(r, candidates)
	request := p.request(candidates...)
	for _, v := range candidates[:10] {
		p.conflict(v, request)
	}
	return candidates
}

// packages requests ten of 40 packages with 20 versions each. A package is
// installed once at most, and most versions need one from a range of versions of
// a later package.
func packages(r *rand.Rand) *Problem {
	p := new(Problem)
	versions := addPackages(p, r, 40, 20)
	for _, n := range r.Perm(len(versions))[:10] {
		p.request(versions[n]...)
	}
	return p
}

// addPackages returns the versions of each package, newest first.
func addPackages(p *Problem, r *rand.Rand, number, size int) [][]int {
	versions := make([][]int, number)
	for n := range versions {
		versions[n] = p.addSeveral(size)
		p.atMost(1, versions[n]...)
	}
	for n := range number - 1 {
		for i, v := range versions[n] {
			if r.IntN(4) == 0 {
				continue
			}
			later := versions[n+1+r.IntN(number-n-1)]
			// Older versions need older ones.
			p.depend(v, later[i/2:i/2+size/2]...)
		}
	}
	return versions
}

// deadEnds requests something of which all candidates but the last need one thing
// more than there are places for. That shows only after several choices.
func deadEnds(r *rand.Rand) *Problem {
	const candidates, needs = 10, 4
	p := new(Problem)
	var offered []int
	for range candidates - 1 {
		v := p.add()
		offered = append(offered, v)
		places := make([][]int, needs-1)
		for range needs {
			things := p.addSeveral(len(places)) // the same thing in each place
			for i, thing := range things {
				places[i] = append(places[i], thing)
			}
			shuffle(r, things)
			p.depend(v, things...)
		}
		for _, place := range places {
			p.atMost(1, place...)
		}
	}
	p.request(append(offered, p.add())...)
	return p
}

// unsatisfiable asks among packages for one whose versions all need the first
// half of another, and for the second half of that.
func unsatisfiable(r *rand.Rand) *Problem {
	const size = 10
	p := new(Problem)
	versions := addPackages(p, r, 20, size)
	for _, n := range r.Perm(len(versions))[:5] {
		p.request(versions[n]...)
	}
	library, user := p.addSeveral(size), p.addSeveral(size)
	p.atMost(1, library...)
	p.atMost(1, user...)
	for _, v := range user {
		p.depend(v, library[:size/2]...)
	}
	p.request(user...)
	p.request(library[size/2:]...)
	return p
}

func shuffle(r *rand.Rand, indices []int) {
	r.Shuffle(len(indices), func(i, j int) { indices[i], indices[j] = indices[j], indices[i] })
}
