package solver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// varsOnly hides the names of rules and groups.
type varsOnly struct{ Named }

func (varsOnly) RuleName(Var, int) string { return "" }
func (varsOnly) GroupName(Group) string   { return "" }

// The variables of coreTexts.
const (
	web Var = iota
	db1
	db2
)

// coreTexts are cores with all names, with names of variables only, and without.
var coreTexts = map[string]struct {
	build                  func(m *Model)
	assume                 Assume
	named, partly, without string
}{
	"forbidden": {
		build: func(m *Model) {
			m.Give(web)
			m.NameRule(web, m.Forbid(web), "web is withdrawn")
		},
		named:   "web is given; web is withdrawn",
		partly:  "web is given; rule 0 of web",
		without: "variable 0 is given; rule 0 of variable 0",
	},
	"exclusion": {
		build: func(m *Model) {
			m.Give(web, db1)
			m.NameRule(web, m.Conflict(web, db1), "web does not go with db 1")
		},
		named:   "web is given; db 1 is given; web does not go with db 1",
		partly:  "web is given; db 1 is given; rule 0 of web",
		without: "variable 0 is given; variable 1 is given; rule 0 of variable 0",
	},
	"missing": {
		build: func(m *Model) {
			m.NameRule(None, m.Root(OneOf(web)), "you want web")
			m.NameRule(web, m.Depend(web), "web needs db at least 3; the only others are db 1 and db 2")
		},
		named:   "you want web; web needs db at least 3; the only others are db 1 and db 2",
		partly:  "root 0; rule 0 of web",
		without: "root 0; rule 0 of variable 0",
	},
	"group": {
		build: func(m *Model) {
			m.Give(web)
			m.NameRule(web, m.Depend(web, db1), "web needs db 1")
			m.NameRule(None, m.Root(OneOf(db2)), "you want db 2")
			m.NameGroup(m.AtMostOne(db1, db2), "the versions of db")
		},
		named:   "web is given; you want db 2; web needs db 1; at most one of the versions of db",
		partly:  "web is given; root 0; rule 0 of web; at most one of group 0",
		without: "variable 0 is given; root 0; rule 0 of variable 0; at most one of group 0",
	},
	"limit": {
		build: func(m *Model) {
			m.Give(db1, db2)
			m.NameRule(None, m.AtMost(1, db1, db2), "there is one server")
		},
		named:   "db 1 is given; db 2 is given; there is one server",
		partly:  "db 1 is given; db 2 is given; root 0",
		without: "variable 1 is given; variable 2 is given; root 0",
	},
	"alternatives": {
		build: func(m *Model) {
			m.Give(web)
			either := &Or{Parts: []Formula{OneOf(db1), OneOf(db2)}}
			m.NameRule(web, m.Require(web, either), "web needs a db")
			m.NameRule(None, m.Root(NoneOf(db1, db2)), "you want no db")
		},
		named:   "web is given; you want no db; web needs a db",
		partly:  "web is given; root 0; rule 0 of web",
		without: "variable 0 is given; root 0; rule 0 of variable 0",
	},
	"some names": {
		build: func(m *Model) {
			m.NameVar(web, "")
			m.Root(OneOf(web))
			m.NameRule(web, m.Depend(web, db1), "it needs db 1")
			m.Conflict(web, db1)
		},
		named:   "root 0; it needs db 1; rule 1 of variable 0",
		partly:  "root 0; rule 0 of variable 0; rule 1 of variable 0",
		without: "root 0; rule 0 of variable 0; rule 1 of variable 0",
	},
	"select": {
		build:   func(m *Model) { m.NameRule(db1, m.Forbid(db1), "db 1 is withdrawn") },
		assume:  Assume{Select: []Var{db1}},
		named:   "db 1 is withdrawn; db 1 is to be selected",
		partly:  "rule 0 of db 1; db 1 is to be selected",
		without: "rule 0 of variable 1; variable 1 is to be selected",
	},
	"select what the problem does not know": {
		build:   func(*Model) {},
		assume:  Assume{Select: []Var{99}},
		named:   "variable 99 is to be selected",
		partly:  "variable 99 is to be selected",
		without: "variable 99 is to be selected",
	},
	"avoid": {
		build:   func(m *Model) { m.Give(web) },
		assume:  Assume{Avoid: []Var{web}},
		named:   "web is given; web is not to be selected",
		partly:  "web is given; web is not to be selected",
		without: "variable 0 is given; variable 0 is not to be selected",
	},
	"hold": {
		build:   func(m *Model) { m.Give(web) },
		assume:  Assume{Hold: []Formula{NoneOf(web)}},
		named:   "web is given; formula 0 is to hold",
		partly:  "web is given; formula 0 is to hold",
		without: "variable 0 is given; formula 0 is to hold",
	},
}

func TestCoreTexts(t *testing.T) {
	ctx := context.Background()
	for name, test := range coreTexts {
		t.Run(name, func(t *testing.T) {
			m := new(Model)
			for _, name := range []string{"web", "db 1", "db 2"} {
				m.NameVar(m.NewVar(), name)
			}
			test.build(m)
			session, err := NewSession(ctx, m, Options{}, db1)
			require.NoError(t, err)
			core, err := session.Core(ctx, test.assume)
			require.NoError(t, err)
			for _, way := range []struct {
				want  string
				names Named
				// problem is m with these names.
				problem Problem
			}{
				{test.named, m, m},
				{test.partly, varsOnly{m}, struct {
					Problem
					varsOnly
				}{m, varsOnly{m}}},
				{test.without, nil, struct{ Problem }{m}},
			} {
				var texts []string
				for _, r := range core {
					texts = append(texts, r.Describe(way.names))
				}
				assert.Equal(t, way.want, strings.Join(texts, "; "))

				_, err := Solve(ctx, way.problem, Options{})
				if unsatisfiable, ok := errors.AsType[*Unsatisfiable](err); ok {
					assert.Equal(t, core, unsatisfiable.Core)
					assert.EqualError(t, err, "unsatisfiable: these cannot hold together: "+way.want)
				}
			}
		})
	}
}

func TestNamesOfInvalidProblems(t *testing.T) {
	m := new(Model)
	m.NameVar(m.NewVar(), "web")
	m.Give(web)
	m.Require(web, nil)
	_, err := Solve(context.Background(), m, Options{})
	assert.EqualError(t, err, "invalid problem: rule 0 of web: formula is nil")
	m.NameRule(web, 0, "web needs a db")
	_, err = Solve(context.Background(), m, Options{})
	assert.EqualError(t, err, "invalid problem: web needs a db: formula is nil")
	m.NameRule(None, m.Root(nil), "you want web")
	_, err = Solve(context.Background(), m, Options{})
	assert.EqualError(t, err, "invalid problem: you want web: formula is nil")
	assert.EqualError(t, &Invalid{Owner: web, Rule: -1, Problem: "odd", names: m}, "invalid problem: web: odd")
}

// TestOddNames: a name is part of a line, whatever it holds.
func TestOddNames(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, want := range map[string]string{
		"web\n2":                     "web 2",
		"web\r\n\r\n2":               "web 2",
		"web\u2028\u2029\u0085\v\f2": "web 2",
		"\tweb  2\n":                 "web 2",
		"web\x00\x1b[31m2":           "web [31m2",
		long:                         long[:297] + "...",
		long[:300]:                   long[:300],
		"\n" + long[:300]:            long[:300],
		strings.Repeat("ü", 500):     strings.Repeat("ü", 148) + "...",
		strings.Repeat("\x80", 500):  "\uFFFD",
		" \n\t":                      "",
	} {
		m := new(Model)
		m.NameVar(0, name)
		m.NameGroup(0, name)
		m.NameRule(1, 0, name)
		m.NameRule(None, 0, name)
		for _, text := range []struct {
			reason                Reason
			before, handle, after string
		}{
			{Reason{Kind: KindGiven}, "", "variable 0", " is given"},
			{Reason{Kind: KindSelect}, "", "variable 0", " is to be selected"},
			{Reason{Kind: KindAvoid}, "", "variable 0", " is not to be selected"},
			{Reason{Kind: KindGroup}, "at most one of ", "group 0", ""},
			{Reason{Kind: KindRule}, "rule 0 of ", "variable 0", ""},
			{Reason{Kind: KindRule, Var: 1}, "", "rule 0 of variable 1", ""},
			{Reason{Kind: KindRoot}, "", "root 0", ""},
		} {
			shown := want
			if shown == "" {
				shown = text.handle
			}
			got := text.reason.Describe(m)
			assert.Equal(t, text.before+shown+text.after, got)
			assert.True(t, utf8.ValidString(got))
		}
	}
}

// countingNames counts how often a name is asked for.
type countingNames struct {
	*Model
	asked *int
}

func (c countingNames) VarName(v Var) string {
	*c.asked++
	return c.Model.VarName(v)
}

func (c countingNames) RuleName(owner Var, rule int) string {
	*c.asked++
	return c.Model.RuleName(owner, rule)
}

func (c countingNames) GroupName(g Group) string {
	*c.asked++
	return c.Model.GroupName(g)
}

func TestNamesAreReadWhenPrinted(t *testing.T) {
	ctx := context.Background()
	asked := 0
	_, err := Solve(ctx, countingNames{requests(true), &asked}, Options{})
	require.NoError(t, err)
	session, err := NewSession(ctx, countingNames{pigeons(3, 2), &asked}, Options{})
	require.NoError(t, err)
	core, err := session.Core(ctx, Assume{})
	require.NoError(t, err)
	assert.NotEmpty(t, core)
	_, err = Solve(ctx, countingNames{pigeons(3, 2), &asked}, Options{})
	require.Error(t, err)
	assert.Zero(t, asked)
	assert.NotEmpty(t, err.Error())
	assert.NotZero(t, asked)
}
