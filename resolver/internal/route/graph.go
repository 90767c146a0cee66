package route

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
)

// updateGraph leads from each bundle of a package to the bundles that a request may update
// it to, all by name.
type updateGraph map[string][]string

// readUpdateGraph reads the update edges of a request from each bundle of its package, in
// its own channel and in others. Nothing else that is installed counts.
func readUpdateGraph(p *model.Part, r *request.Request, channels []string) updateGraph {
	variants := []request.Object{r.Object}
	for _, channel := range channels {
		variants = append(variants, r.InChannel(channel))
	}
	graph := updateGraph{}
	for name, version := range versionsOf(p, r) {
		for _, variant := range variants {
			graph[name] = append(graph[name], p.NamesOf(variant.UpdatesOf(p, name, version))...)
		}
	}
	return graph
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

// Distance returns the least number of updates by which the request leads from one bundle
// to another, 0 if there is no way. Nothing else that is installed counts.
func Distance(p *model.Part, r *request.Request, from, to string) int {
	versions, level, seen := versionsOf(p, r), []string{from}, map[string]bool{from: true}
	for n := 1; len(level) > 0; n++ {
		var next []string
		for _, name := range level {
			p.Pace.Step(1 + len(versions)/pace.PerStep)
			for _, v := range r.UpdatesOf(p, name, versions[name]) {
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

// distances returns the least number of edges from each bundle to one of the targets.
func (g updateGraph) distances(targets []string) map[string]int {
	reversed := updateGraph{}
	for from, list := range g {
		for _, to := range list {
			reversed[to] = append(reversed[to], from)
		}
	}
	distance := map[string]int{}
	for _, target := range targets {
		distance[target] = 0
	}
	for queue := slices.Clone(targets); len(queue) > 0; queue = queue[1:] {
		for _, next := range reversed[queue[0]] {
			if _, known := distance[next]; !known {
				distance[next] = distance[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return distance
}

// reach returns the bundles that edges lead to from a bundle, the closest first, with
// itself.
func (g updateGraph) reach(from string) []string {
	reached := []string{from}
	seen := map[string]bool{from: true}
	for i := 0; i < len(reached); i++ {
		for _, next := range g[reached[i]] {
			if !seen[next] {
				seen[next] = true
				reached = append(reached, next)
			}
		}
	}
	return reached
}
