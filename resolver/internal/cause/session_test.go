package cause_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// said returns what is found, without order: that of rules depends on the question that
// found them.
func said(s *cause.Sorted) []string {
	list := []string{fmt.Sprint(s.Stands, s.Accepted)}
	for _, c := range s.Causes {
		core := words.Texts(c.Core)
		slices.Sort(core)
		list = append(list, fmt.Sprint(c.Requests, core))
	}
	slices.Sort(list)
	return list
}

// TestSession: one session for all questions finds the causes that solving each anew finds.
func TestSession(t *testing.T) {
	e := engine.New()
	compared := 0
	for seed := range uint64(testkit.Count(1500, 20000)) {
		p := random.Problem(4_000_000 + seed)
		objects, view, options, err := random.Inputs(t.Context(), oracle.Joint{p}, random.BlobsOf(p))
		require.NoError(t, err)
		read, err := e.Read(t.Context(), model.Inputs{
			Cluster: cluster.NewIndex(objects), View: view, Options: &options, Scopes: []cluster.Scope{cluster.InNamespace(p.Namespace)},
		})
		if err != nil {
			continue
		}
		_, core, err := read.Solve(read.Model)
		require.NoError(t, err)
		if core == nil {
			continue
		}
		each, err := cause.Find(read, core)
		require.NoError(t, err)
		func() {
			defer func(most int) { *cause.MaxSolves = most }(*cause.MaxSolves)
			*cause.MaxSolves = 0
			once, err := cause.Find(read, core)
			require.NoError(t, err)
			require.Equal(t, said(each), said(once), "seed %d", seed)
		}()
		compared++
	}
	t.Logf("%d failures", compared)
	assert.Greater(t, compared, 100)
}
