package solver

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// conformanceCase is one case of the shared folder conformance/solve.
type conformanceCase struct {
	Name      string
	Variables []struct {
		ID          string
		Constraints []conformanceConstraint
	}
	Expect struct {
		Installed []string
		Error     *struct{ Core []conformanceReason }
	}
}

// conformanceConstraint has exactly one of its fields set.
type conformanceConstraint struct {
	Mandatory  bool
	Prohibited bool
	Dependency []string
	Conflict   string
	AtMost     *struct {
		IDs []string `yaml:"ids"`
		N   int
	} `yaml:"atMost"`
}

// conformanceReason names the constraint with an index of a variable.
type conformanceReason struct {
	ID         string
	Constraint string
	Index      int
}

func TestConformance(t *testing.T) {
	for file, data := range testkit.Files(t, testkit.Shared(t, "conformance", "solve"), "*.yaml") {
		var c conformanceCase
		require.NoError(t, yaml.Unmarshal(data, &c), file)
		t.Run(c.Name, func(t *testing.T) { c.check(t) })
	}
}

func (c *conformanceCase) check(t *testing.T) {
	vars := map[string]Var{}
	names := map[Var]string{}
	var m Model
	for _, v := range c.Variables {
		vars[v.ID] = m.NewVar()
		names[vars[v.ID]] = v.ID
	}
	reasons := map[Reason]conformanceReason{}
	for _, v := range c.Variables {
		for i, constraint := range v.Constraints {
			reason, kind, err := constraint.addTo(&m, vars[v.ID], vars)
			require.NoError(t, err)
			reasons[reason] = conformanceReason{v.ID, kind, i}
		}
	}

	solution, err := Solve(context.Background(), &m, Options{})
	if c.Expect.Error == nil {
		require.NoError(t, err)
		var installed []string
		for _, s := range solution.Selected {
			installed = append(installed, names[s.Var])
		}
		assert.ElementsMatch(t, c.Expect.Installed, installed)
		return
	}
	var unsat *Unsatisfiable
	require.ErrorAs(t, err, &unsat)
	var core []conformanceReason
	for _, r := range unsat.Core {
		core = append(core, reasons[r])
	}
	assert.ElementsMatch(t, c.Expect.Error.Core, core)
}

// addTo adds the constraint of v to m, and returns the reason that it becomes
// and the name of its kind.
func (c conformanceConstraint) addTo(m *Model, v Var, vars map[string]Var) (Reason, string, error) {
	all := func(ids []string) []Var {
		var all []Var
		for _, id := range ids {
			all = append(all, vars[id])
		}
		return all
	}
	rule := func(n int) Reason { return Reason{Kind: KindRule, Var: v, Rule: n} }
	switch {
	case c.Mandatory:
		m.Give(v)
		return Reason{Kind: KindGiven, Var: v, Rule: -1}, "mandatory", nil
	case c.Prohibited:
		return rule(m.Depend(v)), "prohibited", nil
	case c.Dependency != nil:
		return rule(m.Depend(v, all(c.Dependency)...)), "dependency", nil
	case c.Conflict != "":
		return rule(m.Conflict(v, vars[c.Conflict])), "conflict", nil
	case c.AtMost != nil:
		root := m.AtMost(c.AtMost.N, all(c.AtMost.IDs)...)
		return Reason{Kind: KindRoot, Var: None, Rule: root}, "atMost", nil
	}
	return Reason{}, "", fmt.Errorf("constraint of unknown kind: %+v", c)
}
