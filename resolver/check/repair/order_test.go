package repair_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/repair"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// left repairs findings in an order, one after another or together, and counts those that stay.
func left(t *testing.T, text []byte, order []int, together bool) int {
	judged, report := checked(t, fstest.MapFS{"c.json": {Data: text}}, "")
	c := repair.Read(judged, map[string][]byte{"c.json": text}, nil, report.Findings, check.Options{})
	var list []*check.Finding
	for _, i := range order {
		list = append(list, &report.Findings[i])
	}
	if together {
		_, err := c.Apply(t.Context(), list...)
		require.NoError(t, err)
	} else {
		for _, f := range list {
			_, err := c.Apply(t.Context(), f)
			require.NoError(t, err)
		}
	}
	if changed := c.Changed()["c.json"]; changed != nil {
		text = changed
	}
	_, after := checked(t, fstest.MapFS{"c.json": {Data: text}}, "")
	n := 0
	for _, f := range list {
		if slices.ContainsFunc(f.Identities, after.All.Has) {
			n++
		}
	}
	return n
}

func permutations(list []int) (all [][]int) {
	if len(list) < 2 {
		return [][]int{list}
	}
	for i, first := range list {
		for _, rest := range permutations(slices.Delete(slices.Clone(list), i, i+1)) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

// All repairs together mend what the best order of single repairs does.
func TestOrders(t *testing.T) {
	judged, mattered := 0, 0
	for seed := range testkit.Scale(30, 1000) {
		r := rand.New(rand.NewPCG(uint64(seed), 62))
		b := sound(r)
		for range 3 {
			b = broken(r, b)
		}
		text := []byte(b.text())
		_, report := checked(t, fstest.MapFS{"c.json": {Data: text}}, "")
		var which []int
		for i := range report.Findings {
			if repair.Repairable(&report.Findings[i]) {
				which = append(which, i)
			}
		}
		if len(which) < 2 || len(which) > testkit.Scale(4, 6) {
			continue
		}
		judged++
		best, worst := len(which), 0
		for _, order := range permutations(which) {
			n := left(t, text, order, false)
			best, worst = min(best, n), max(worst, n)
		}
		if best < worst {
			mattered++
		}
		assert.LessOrEqual(t, left(t, text, which, true), best, "seed %d\n%s", seed, text)
	}
	t.Logf("%d catalogs, of which %d need a certain order", judged, mattered)
}

// A repair that is in the way of another one comes later.
func TestRepairInTheWay(t *testing.T) {
	text := `{"schema":"olm.package","name":"a","defaultChannel":"s"}
{"schema":"olm.channel","package":"a","name":"s","entries":[{"name":"a.v1.0.1"},{"name":"a.v1.1.0","replaces":"a.v1.0.1"},{"name":"a.v2.0.0","replaces":"a.v1.1.0"},{"name":"a.v1.1.9","replaces":"a.v1.1.0"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1.0.1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.1"}},{"type":"olm.gvk","value":{"group":"g.io","version":"v1","kind":"A"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v1.1.0","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.1.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v2.0.0","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}]}
`
	_, report := checked(t, fstest.MapFS{"c.json": {Data: []byte(text)}}, "")
	var which []int
	for i, f := range report.Findings {
		if f.Code == "severalHeads" || f.Code == "entry" {
			which = append(which, i)
		}
	}
	require.Len(t, which, 2)
	for _, order := range permutations(which) {
		assert.Zero(t, left(t, []byte(text), order, true))
	}
}
