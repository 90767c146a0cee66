package resolver_test

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// countdown is a context that ends once it was asked some times.
type countdown struct {
	context.Context
	left *atomic.Int64
}

func newCountdown(ctx context.Context, left int64) countdown {
	c := countdown{ctx, new(atomic.Int64)}
	c.left.Store(left)
	return c
}

func (c countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelTurns ends the context at many places of a look at namespaces whose updates bring the same
// API, of which OLM fails all but the first. Rows without an error are those of a whole look, or say
// that the search was cut off.
func TestCancelTurns(t *testing.T) {
	problem := takingTurns(t, 4)
	look := func(ctx context.Context) (rows []result.Status, texts []string, err error) {
		rows, err = resolver.New().Status(ctx, problem, problem.Cluster.Scopes(), nil)
		for i := range rows {
			text, err := json.Marshal(rows[i])
			require.NoError(t, err)
			texts = append(texts, string(text))
		}
		return rows, texts, err
	}
	all := newCountdown(t.Context(), math.MaxInt64)
	_, whole, err := look(all)
	require.NoError(t, err)
	var wrong, cut int
	for left := int64(0); left < math.MaxInt64-all.left.Load(); left += 7 {
		rows, texts, err := look(newCountdown(t.Context(), left))
		require.NotEqual(t, result.ResultInternal, result.Of(err), "%v", err)
		for i := range rows {
			switch {
			case err != nil: // it is not about this row
			case result.HelpOf(rows[i].Err).Search == result.SearchCanceled || rows[i].Search == result.SearchCanceled:
				cut++
			case texts[i] != whole[i]:
				wrong++
			}
		}
	}
	assert.Zero(t, wrong)
	assert.NotZero(t, cut)
}

// takingTurns is a problem of namespaces whose updates bring the same API, where all watch all.
func takingTurns(t *testing.T, n int) resolver.Problem {
	view := worstView(t, []byte(`
{"schema": "olm.package", "name": "p", "defaultChannel": "c"}
{"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1"}, {"name": "p.v2", "replaces": "p.v1"}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "i", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v2", "image": "i", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "2.0.0"}}, {"type": "olm.gvk", "value": {"group": "g", "kind": "K", "version": "v1"}}]}
`))
	var objects cluster.Objects
	for i := range n {
		namespace := "n" + strconv.Itoa(i)
		objects.OperatorGroups = append(objects.OperatorGroups, cluster.OperatorGroup{Namespace: namespace, Name: "g"})
		objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: namespace, Name: "p", Package: "p", Catalog: "worst", CatalogNamespace: "olm", InstalledCSV: "p.v1"})
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: namespace, Name: "p.v1", Version: "1.0.0"})
	}
	return resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view}
}

// TestManyTurns: of more namespaces than fixes are judged for again, each fix stays, and the help says
// that there may be more.
func TestManyTurns(t *testing.T) {
	for n, want := range map[int]result.Search{20: result.SearchComplete, 50: result.SearchLimit} {
		problem := takingTurns(t, n)
		rows, err := resolver.New().Status(t.Context(), problem, problem.Cluster.Scopes(), nil)
		require.NoError(t, err)
		require.Len(t, rows, n)
		for i := range rows[1:] {
			assert.NotEmpty(t, rows[1+i].Reason())
			assert.Equal(t, want, rows[1+i].Search, "%d namespaces, %s: %s", n, rows[1+i].Request, rows[1+i].State)
		}
	}
}
