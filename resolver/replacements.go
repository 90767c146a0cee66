package resolver

// replacements follow spec.replaces among the ClusterServiceVersions of a
// namespace.
type replacements struct {
	// by leads from a name to the first object, by name, that replaces it.
	by map[string]*ClusterServiceVersion
	// failed remembers how the chains end that start at an object.
	failed map[*ClusterServiceVersion]bool
}

func (n *namespaceState) replacements() replacements {
	r := replacements{by: map[string]*ClusterServiceVersion{}, failed: map[*ClusterServiceVersion]bool{}}
	for i := range n.csvs {
		next := &n.csvs[i]
		if next.Replaces == next.Name || next.copied() {
			continue
		}
		if _, known := r.by[next.Replaces]; !known {
			r.by[next.Replaces] = next
		}
	}
	return r
}

// endInFailure implements Cluster.EndsInFailure. What follows from walking a
// chain once holds for all of it, so that all chains together take linear time.
func (r replacements) endInFailure(csv *ClusterServiceVersion) bool {
	var chain []*ClusterServiceVersion
	for {
		// A chain that returns to where it was ends in nothing.
		if known, ok := r.failed[csv]; ok {
			return r.note(chain, known)
		}
		r.failed[csv] = false
		chain = append(chain, csv)
		next := r.by[csv.Name]
		if next == nil {
			return r.note(chain, csv.Phase == PhaseFailed)
		}
		csv = next
	}
}

func (r replacements) note(chain []*ClusterServiceVersion, failed bool) bool {
	for _, csv := range chain {
		r.failed[csv] = failed
	}
	return failed
}
