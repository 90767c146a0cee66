package plan

import "github.com/resolvent/resolvent/resolver/internal/encode"

// updateGraph leads from the bundles of a package, by name, to those that a
// Subscription may update them to.
type updateGraph map[string][]string

// readUpdateGraph reads the edges that the request would have with each bundle of
// its package installed, whatever else is installed.
func readUpdateGraph(p *encode.Part, s encode.Subscription, cur *encode.InstalledBundle) updateGraph {
	graph := updateGraph{}
	graph[cur.Name()] = s.UpdatesOf(p, cur.Name(), cur.Version)
	for _, c := range p.Universe.Catalogs {
		for b := range c.Bundles(s.PackageName()) {
			if _, known := graph[b.Name]; !known {
				graph[b.Name] = s.UpdatesOf(p, b.Name, b.Version)
			}
		}
	}
	return graph
}

// distances returns the least number of edges from each bundle to the target.
func (g updateGraph) distances(target string) map[string]int {
	reversed := updateGraph{}
	for from, list := range g {
		for _, to := range list {
			reversed[to] = append(reversed[to], from)
		}
	}
	distance := map[string]int{target: 0}
	for queue := []string{target}; len(queue) > 0; queue = queue[1:] {
		for _, next := range reversed[queue[0]] {
			if _, known := distance[next]; !known {
				distance[next] = distance[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return distance
}

// reach lists what can be reached from a bundle, by number of edges.
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
