package route

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
)

// updateGraph leads from each bundle of a package to the bundles that a request may update
// it to, in its own channel and in others, all by name. Nothing else that is installed
// counts. It finds edges anew each time: a channel of n entries may have n squared of them.
type updateGraph struct {
	p        *model.Part
	variants []request.Object
	versions map[string]semver.Version
}

func newUpdateGraph(p *model.Part, r *request.Request) *updateGraph {
	g := &updateGraph{p, []request.Object{r.Object}, versionsOf(p, r)}
	for _, channel := range r.Channels(p) {
		g.variants = append(g.variants, r.InChannel(channel))
	}
	return g
}

// from returns the bundles that edges lead to from a bundle. A bundle that several channels
// lead to is in it more than once.
func (g *updateGraph) from(name string) []string {
	version, known := g.versions[name]
	if !known {
		return nil
	}
	var names []string
	for _, variant := range g.variants {
		names = append(names, g.p.NamesOf(variant.UpdatesOf(g.p, name, version))...)
	}
	return names
}

// distances returns the least number of edges from each bundle to one of the targets.
func (g *updateGraph) distances(targets []string) map[string]int {
	edges := newReversed()
	for name := range g.versions {
		for _, to := range g.from(name) {
			edges.add(name, to)
		}
	}
	return edges.distances(targets)
}

// reach returns the bundles that edges lead to from a bundle, the closest first, with
// itself.
func (g *updateGraph) reach(from string) []string {
	reached := []string{from}
	seen := map[string]bool{from: true}
	for i := 0; i < len(reached); i++ {
		for _, next := range g.from(reached[i]) {
			if !seen[next] {
				seen[next] = true
				reached = append(reached, next)
			}
		}
	}
	return reached
}

// versionsOf returns, by name, the versions of the bundles of a request's package and of
// its installed bundle.
func versionsOf(p *model.Part, r *request.Request) map[string]semver.Version {
	versions := map[string]semver.Version{}
	if r.Current >= 0 {
		current := &p.Installed[r.Current]
		versions[current.Name()] = current.Version
	}
	for _, c := range p.Catalogs {
		for b := range c.Bundles(r.PackageName()) {
			if _, known := versions[b.Name]; !known {
				versions[b.Name] = b.Version
			}
		}
	}
	return versions
}

// versionOf returns the version that versionsOf has for a bundle.
func versionOf(p *model.Part, r *request.Request, name string) semver.Version {
	if r.Current >= 0 && p.Installed[r.Current].Name() == name {
		return p.Installed[r.Current].Version
	}
	for _, c := range p.Catalogs {
		if b := c.Snapshot.Find(r.PackageName(), name); b != nil {
			return b.Version
		}
	}
	return semver.Version{}
}

// Distance returns the least number of updates by which the request leads from one bundle
// to another, 0 if there is no way. Nothing else that is installed counts.
func Distance(p *model.Part, r *request.Request, from, to string) int {
	bundles := 0
	for _, c := range p.Catalogs {
		if found := c.Snapshot.Package(r.PackageName()); found != nil {
			bundles += len(found.Bundles)
		}
	}
	level, seen := []string{from}, map[string]bool{from: true}
	for n := 1; len(level) > 0; n++ {
		var next []string
		for _, name := range level {
			p.Pace.Step(1 + bundles/pace.PerStep)
			for _, v := range r.UpdatesOf(p, name, versionOf(p, r, name)) {
				switch name := p.NameOf(v); {
				case name == to:
					return n
				case !seen[name]:
					seen[name] = true
					next = append(next, name)
				}
			}
		}
		level = next
	}
	return 0
}

// reversed holds the edges between bundles by where they lead.
type reversed struct {
	numbers map[string]int
	names   []string
	sources []numbers
}

func newReversed() *reversed { return &reversed{numbers: map[string]int{}} }

func (r *reversed) number(name string) int {
	n, known := r.numbers[name]
	if !known {
		n = len(r.names)
		r.numbers[name] = n
		r.names, r.sources = append(r.names, name), append(r.sources, numbers{})
	}
	return n
}

func (r *reversed) add(from, to string) {
	source := r.number(from)
	r.sources[r.number(to)].add(source)
}

// distances returns the least number of edges from each bundle to one of the targets.
func (r *reversed) distances(targets []string) map[string]int {
	distance := map[string]int{}
	for _, target := range targets {
		distance[target] = 0
	}
	for queue := slices.Clone(targets); len(queue) > 0; queue = queue[1:] {
		at, known := r.numbers[queue[0]]
		if !known {
			continue
		}
		for n := range r.sources[at].all() {
			next := r.names[n]
			if _, known := distance[next]; !known {
				distance[next] = distance[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return distance
}

// numbers is a set of small numbers: a list while there are few, a bit for each once these
// take less memory.
type numbers struct {
	few  []int32
	bits []uint64
}

func (s *numbers) add(n int) {
	if s.bits == nil {
		if s.few = append(s.few, int32(n)); len(s.few) < 64 || 32*len(s.few) < n {
			return
		}
		for _, n := range s.few {
			s.set(int(n))
		}
		s.few = nil
	}
	s.set(n)
}

func (s *numbers) set(n int) {
	if missing := n/64 + 1 - len(s.bits); missing > 0 {
		s.bits = append(s.bits, make([]uint64, missing)...)
	}
	s.bits[n/64] |= 1 << (n % 64)
}

// all yields the numbers. One that was added more than once may come more than once.
func (s *numbers) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, n := range s.few {
			if !yield(int(n)) {
				return
			}
		}
		for i, word := range s.bits {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
