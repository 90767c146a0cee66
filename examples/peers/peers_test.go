package peers

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Both prefer earlier members of a dependency, mandatory variables in the order
// given, then dependencies in the order in which the variables that state them
// were selected, and give a choice up only if there is no answer with it. So they
// must select the same, and all of it is compared.

func TestShapesAgree(t *testing.T) {
	for _, shape := range Shapes {
		t.Run(shape.Name, func(t *testing.T) {
			for seed := range uint64(2) {
				answer := checkAgree(t, shape.Generate(seeded(seed)))
				if answer.Satisfiable != shape.Satisfiable {
					t.Errorf("seed %d: satisfiable is %v, want %v", seed, answer.Satisfiable, shape.Satisfiable)
				}
			}
		})
	}
}

func TestRandomAgree(t *testing.T) {
	const problems = 1000
	satisfiable := 0
	for seed := range uint64(problems) {
		if checkAgree(t, random(seeded(seed))).Satisfiable {
			satisfiable++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if satisfiable < problems/4 || satisfiable > problems*3/4 {
		t.Errorf("%d of %d problems can be satisfied: that tests one side only", satisfiable, problems)
	}
}

// checkAgree reports where the answers to p differ, and returns that of
// resolvent.
//
// Cores are not compared: a problem can have several, and only that of resolvent
// is minimal.
func checkAgree(t *testing.T, p *Problem) Answer {
	t.Helper()
	resolvent, err := SolveWithResolvent(ForResolvent(p, true))
	if err != nil {
		t.Fatal(err)
	}
	ungrouped, err := SolveWithResolvent(ForResolvent(p, false))
	if err != nil {
		t.Fatal(err)
	}
	if resolvent.Satisfiable != ungrouped.Satisfiable || !slices.Equal(resolvent.Selected, ungrouped.Selected) {
		t.Errorf("resolvent selects %v (satisfiable: %v) with groups, %v (%v) without",
			resolvent.Selected, resolvent.Satisfiable, ungrouped.Selected, ungrouped.Satisfiable)
	}
	deppy, err := SolveWithDeppy(ForDeppy(p))
	if err != nil {
		t.Fatal(err)
	}
	if resolvent.Satisfiable != deppy.Satisfiable || !slices.Equal(resolvent.Selected, deppy.Selected) {
		t.Errorf("resolvent selects %v (satisfiable: %v), deppy %v (%v)",
			resolvent.Selected, resolvent.Satisfiable, deppy.Selected, deppy.Satisfiable)
	}
	return resolvent
}

// They differ by design where a limit names a variable twice: it counts once for
// resolvent, twice for deppy. So no other problem here does that.
func TestRepeatedMember(t *testing.T) {
	p := new(Problem)
	v := p.request(p.add())
	p.atMost(1, v, v)
	resolvent, err := SolveWithResolvent(ForResolvent(p, true))
	if err != nil || !resolvent.Satisfiable {
		t.Errorf("resolvent: %+v, %v", resolvent, err)
	}
	deppy, err := SolveWithDeppy(ForDeppy(p))
	if err != nil || deppy.Satisfiable {
		t.Errorf("deppy: %+v, %v", deppy, err)
	}
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// random has a bit of everything, and often no answer.
func random(r *rand.Rand) *Problem {
	p := new(Problem)
	all := p.addSeveral(3 + r.IntN(15))
	some := func() []int {
		shuffle(r, all)
		return slices.Clone(all[:1+r.IntN(3)])
	}
	for v := range p.Variables {
		p.Variables[v].Mandatory = r.IntN(6) == 0
		for range r.IntN(3) {
			p.depend(v, some()...)
		}
		if other := some()[0]; other != v && r.IntN(3) == 0 {
			p.conflict(v, other)
		}
	}
	for range r.IntN(3) {
		members := append(some(), some()...)
		slices.Sort(members)
		p.atMost(1+r.IntN(2), slices.Compact(members)...)
	}
	return p
}
