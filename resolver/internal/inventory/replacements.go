package inventory

import "github.com/resolvent/resolvent/resolver/cluster"

// replacements follow spec.replaces among the ClusterServiceVersions of a
// namespace.
type replacements struct {
	// by leads from a name to the first object, by name, that replaces it.
	by map[string]*cluster.ClusterServiceVersion
	// failed keeps how the chains end that start at an object.
	failed map[*cluster.ClusterServiceVersion]bool
}

func (n *Namespace) replacements() replacements {
	r := replacements{by: map[string]*cluster.ClusterServiceVersion{}, failed: map[*cluster.ClusterServiceVersion]bool{}}
	for i := range n.CSVs {
		next := &n.CSVs[i]
		if next.Replaces == next.Name || copied(next) {
			continue
		}
		if _, known := r.by[next.Replaces]; !known {
			r.by[next.Replaces] = next
		}
	}
	return r
}

// EndsInFailure reports whether the chain of spec.replaces that starts at a
// ClusterServiceVersion of the namespace ends in one in phase Failed. A cycle does
// not.
func (n *Namespace) EndsInFailure(csv *cluster.ClusterServiceVersion) bool {
	return n.replacements().endInFailure(csv)
}

// endInFailure walks each chain once: what follows holds for all of it, so that all
// chains together take linear time.
func (r replacements) endInFailure(csv *cluster.ClusterServiceVersion) bool {
	var chain []*cluster.ClusterServiceVersion
	for {
		// A chain that returns to where it was ends in nothing.
		if known, ok := r.failed[csv]; ok {
			return r.note(chain, known)
		}
		r.failed[csv] = false
		chain = append(chain, csv)
		next := r.by[csv.Name]
		if next == nil {
			return r.note(chain, csv.Phase == cluster.PhaseFailed)
		}
		csv = next
	}
}

func (r replacements) note(chain []*cluster.ClusterServiceVersion, failed bool) bool {
	for _, csv := range chain {
		r.failed[csv] = failed
	}
	return failed
}
