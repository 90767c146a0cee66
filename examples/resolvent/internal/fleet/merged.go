package fleet

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// Merged has what is the same in many clusters, or of many rows, once: in which clusters it is so,
// and what else is known of it. The zero Merged is empty.
type Merged[K comparable, V any] struct {
	list []K
	at   map[K]*merged[V]
}

// merged is what is known of one: how many clusters it is in, and the first and the last of them.
type merged[V any] struct {
	known    V
	clusters int
	first    []string
	last     string
}

// Add notes that something is so in a cluster, and returns what else is known of it. Calls about
// one cluster follow each other.
func (m *Merged[K, V]) Add(what K, cluster string) *V {
	one := m.at[what]
	if one == nil {
		if m.at == nil {
			m.at = map[K]*merged[V]{}
		}
		one = &merged[V]{}
		m.at[what] = one
		m.list = append(m.list, what)
	}
	if one.clusters == 0 || one.last != cluster {
		one.clusters, one.last = one.clusters+1, cluster
		if one.clusters <= mostNames {
			one.first = append(one.first, cluster)
		}
	}
	return &one.known
}

// Of returns what is known of something, nil if it was not added.
func (m *Merged[K, V]) Of(what K) *V {
	if one := m.at[what]; one != nil {
		return &one.known
	}
	return nil
}

// All has what was added, in that order, with what is known of it.
func (m *Merged[K, V]) All() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for _, what := range m.list {
			if !yield(what, m.Of(what)) {
				return
			}
		}
	}
}

// Sorted is what was added. What compares as equal is sorted by the number of clusters, the
// most first, then in the order in which it was added.
func (m *Merged[K, V]) Sorted(compare func(a, b K) int) []K {
	list := slices.Clone(m.list)
	slices.SortStableFunc(list, func(a, b K) int {
		return cmp.Or(compare(a, b), cmp.Compare(m.at[b].clusters, m.at[a].clusters))
	})
	return list
}

// mostNames is how many clusters are named of those in which something is so.
const mostNames = 3

// In says in which clusters something is so.
func (m *Merged[K, V]) In(what K) string {
	one := m.at[what]
	names := strings.Join(terminal.Mapped(one.first, terminal.Plain), ", ")
	if one.clusters == 1 {
		return "in cluster " + names
	}
	if one.clusters > len(one.first) {
		names += ", ..."
	}
	return fmt.Sprintf("in %d clusters (%s)", one.clusters, names)
}
