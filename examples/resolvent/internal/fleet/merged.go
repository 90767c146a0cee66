package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// Merged keeps what is the same in many clusters once. The zero Merged is empty.
type Merged[T comparable] struct {
	list []T
	in   map[T]*clusters
}

// Add notes that something is so in a cluster.
func (m *Merged[T]) Add(what T, cluster string) {
	c := m.in[what]
	if c == nil {
		if m.in == nil {
			m.in = map[T]*clusters{}
		}
		c = &clusters{}
		m.in[what] = c
		m.list = append(m.list, what)
	}
	if c.number++; c.number <= mostNames {
		c.first = append(c.first, cluster)
	}
}

// Sorted is what was added. What compares as equal is sorted by the number of clusters, the
// most first, then in the order in which it was added.
func (m *Merged[T]) Sorted(compare func(a, b T) int) []T {
	list := slices.Clone(m.list)
	slices.SortStableFunc(list, func(a, b T) int {
		return cmp.Or(compare(a, b), cmp.Compare(m.in[b].number, m.in[a].number))
	})
	return list
}

// mostNames is how many clusters are named of those in which something is so.
const mostNames = 3

// clusters are those in which something is so.
type clusters struct {
	number int
	first  []string
}

// In says where something is so.
func (m *Merged[T]) In(what T) string {
	c := m.in[what]
	names := strings.Join(terminal.Mapped(c.first, terminal.Plain), ", ")
	if c.number == 1 {
		return "in cluster " + names
	}
	if c.number > len(c.first) {
		names += ", ..."
	}
	return fmt.Sprintf("in %d clusters (%s)", c.number, names)
}
