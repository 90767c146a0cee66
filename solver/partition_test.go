package solver

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestComponents: a problem can be satisfied if and only if each of its components can.
func TestComponents(t *testing.T) {
	satisfiable := func(t require.TestingT, p Problem) bool {
		_, err := Solve(context.Background(), p, Options{NoCore: true})
		unsatisfiable := new(Unsatisfiable)
		if !errors.As(err, &unsatisfiable) {
			require.NoError(t, err)
		}
		return err == nil
	}
	several, fail := 0, 0
	forRandom(t, func(t require.TestingT, s *source) {
		for _, p := range []*table{s.problem(12), s.packages()} {
			vars, roots, err := Components(context.Background(), p)
			require.NoError(t, err)
			require.Len(t, roots, len(p.roots))
			by := map[int32]*table{}
			of := func(component int32) *table {
				if by[component] == nil {
					by[component] = &table{rules: p.rules, groups: p.groups}
				}
				return by[component]
			}
			for i, root := range p.roots {
				of(roots[i]).roots = append(of(roots[i]).roots, root)
			}
			for _, v := range p.given {
				of(vars[v]).given = append(of(vars[v]).given, v)
			}
			all := true
			for _, part := range by {
				all = satisfiable(t, part) && all
			}
			require.Equal(t, satisfiable(t, p), all)
			if len(by) > 1 {
				several++
				if !all {
					fail++
				}
			}
		}
	})
	t.Logf("%d with several components, %d of them unsatisfiable", several, fail)
	assert.Positive(t, fail)
	assert.Greater(t, several, fail)
}

// Further variables join what they share clauses with, and nothing else.
func TestComponentsOfFurtherVariables(t *testing.T) {
	var m Model
	a, b, c, d := m.NewVar(), m.NewVar(), m.NewVar(), m.NewVar()
	m.Give(a)
	m.Root(OneOf(b))
	m.Conflict(c, b)
	vars, roots, err := Components(t.Context(), &m, c, d)
	require.NoError(t, err)
	assert.Equal(t, roots[0], vars[c])
	assert.NotEqual(t, roots[0], vars[a])
	assert.NotContains(t, []int32{roots[0], vars[a]}, vars[d])
}
