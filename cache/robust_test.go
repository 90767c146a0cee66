package cache_test

import (
	"context"
	"io/fs"
	"maps"
	"runtime"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestCancelLoading cancels the reading of catalogs, and of rules on them, at
// random moments.
func TestCancelLoading(t *testing.T) {
	for name, write := range worstCatalogs() {
		switch name {
		case "small YAML documents", "YAML anchors", "many APIs", "long skipRanges", "many rules", "aliases, each document allowed":
		default:
			continue
		}
		t.Run(name, func(t *testing.T) {
			tree := write()
			before := task.Abandoned() // other tests leave deaf file systems behind
			testkit.CancelAtRandom(t, func(ctx context.Context) error {
				_, err := cache.FS(tree, cache.Options{}).Load(ctx)
				if err != nil {
					assert.ErrorIs(t, err, context.Canceled)
				}
				return err
			})
			assert.Eventually(t, func() bool { return task.Abandoned() <= before }, time.Minute, time.Millisecond)
		})
	}
}

func TestCancelEvaluation(t *testing.T) {
	parser := constraints.NewParser(constraints.Limits{})
	rule, err := parser.Rule(`properties.map(a, properties.map(b, properties.map(c, a.type + b.type + c.type))).size() == 0`)
	require.NoError(t, err)
	snapshot, err := cache.LoadFS(t.Context(), worstCatalogs()["many rules"](), cache.Options{})
	require.NoError(t, err)
	run := 0
	testkit.CancelAtRandom(t, func(ctx context.Context) error {
		run++ // another expression, so that nothing is remembered
		_, err := snapshot.Matches(ctx, constraints.Any{Exprs: []constraints.Expr{
			constraints.Label{Label: strconv.Itoa(run)}, constraints.CEL{Rule: rule},
		}}, rules.Facts{})
		if err != nil {
			assert.ErrorIs(t, err, context.Canceled)
		}
		return err
	})
}

// panickingFS is a file system with a fault of its own.
type panickingFS struct{ fstest.MapFS }

func (panickingFS) ReadDir(string) ([]fs.DirEntry, error) { panic("oops") }

// TestPanicsStayWhereTheyAre: a file system that panics fails its own catalog,
// and neither the process nor those who wait for the same reading.
func TestPanicsStayWhereTheyAre(t *testing.T) {
	_, err := cache.LoadFS(t.Context(), panickingFS{}, cache.Options{})
	var fault *task.PanicError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, "oops", fault.Value)

	c := cache.New(cache.CacheOptions{})
	key := catalog.Key{Namespace: "olm", Name: "c"}
	c.Set(key, cache.CatalogConfig{Source: cache.FS(panickingFS{}, cache.Options{})})
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() { errs <- c.Refresh(t.Context()) }()
	}
	for range cap(errs) {
		assert.ErrorAs(t, <-errs, &fault)
	}
	assert.False(t, c.View().Catalog(key).Healthy())
}

// exitingFS ends the goroutine that opens a file of it.
type exitingFS struct{ fstest.MapFS }

func (exitingFS) ReadFile(string) ([]byte, error) { runtime.Goexit(); return nil, nil }
func (e exitingFS) Open(name string) (fs.File, error) {
	if name != "." {
		runtime.Goexit()
	}
	return e.MapFS.Open(name)
}

// What a caller provides and ends its goroutine has failed, and is asked again.
func TestGoexitFails(t *testing.T) {
	text := []byte(`{"schema":"olm.package","name":"p"}`)
	exit := false
	load := func(ctx context.Context) (*catalog.Snapshot, error) {
		if exit {
			runtime.Goexit()
		}
		return cache.Parse(ctx, text, cache.Options{})
	}
	files := func(context.Context) (*catalog.Snapshot, error) {
		if exit {
			return cache.LoadFS(t.Context(), exitingFS{fstest.MapFS{"a.json": {Data: text}, "b.json": {Data: text}}}, cache.Options{})
		}
		return cache.Parse(t.Context(), text, cache.Options{})
	}
	accept := func(_, _ *catalog.Snapshot) error {
		if exit {
			runtime.Goexit()
		}
		return nil
	}
	whole := func(ctx context.Context) (*catalog.Snapshot, error) { return cache.Parse(ctx, text, cache.Options{}) }
	for name, test := range map[string]struct {
		load   func(context.Context) (*catalog.Snapshot, error)
		accept func(last, next *catalog.Snapshot) error
	}{"source": {load, nil}, "file system": {files, nil}, "Accept": {whole, accept}} {
		t.Run(name, func(t *testing.T) {
			c := cache.New(cache.CacheOptions{Accept: test.accept})
			c.Set(coast, cache.CatalogConfig{Source: &source{load: test.load}})
			for range 2 {
				exit = true
				assert.ErrorContains(t, c.Refresh(t.Context()), "the goroutine was ended by what it called")
				assert.False(t, c.View().Catalog(coast).Healthy())
				exit = false
				require.NoError(t, c.Refresh(t.Context()))
				assert.True(t, c.View().Catalog(coast).Healthy())
			}
		})
	}
}

// TestEvaluationCost: beyond the limit a rule fails on the bundles that are
// left, always on the same ones.
func TestEvaluationCost(t *testing.T) {
	tree := worstCatalogs()["many rules"]()
	parser := constraints.NewParser(constraints.Limits{})
	rule, err := parser.Rule(`size(properties) == 2`)
	require.NoError(t, err)
	whole, err := cache.LoadFS(t.Context(), tree, cache.Options{})
	require.NoError(t, err)
	all, err := whole.Matches(t.Context(), constraints.CEL{Rule: rule}, rules.Facts{})
	require.NoError(t, err)
	require.Len(t, all, whole.Len())
	cost, err := whole.Cost(t.Context(), constraints.CEL{Rule: rule}, rules.Facts{})
	require.NoError(t, err)

	for _, limit := range []int{int(cost), int(cost) - 1, int(cost) / 2, 1} {
		limited, err := cache.LoadFS(t.Context(), tree, cache.Options{Limits: catalog.Limits{EvaluationCost: limit}})
		require.NoError(t, err)
		yes, err := limited.Matches(t.Context(), constraints.CEL{Rule: rule}, rules.Facts{})
		require.NoError(t, err)
		failed := maps.Collect(limited.Failures(t.Context(), constraints.CEL{Rule: rule}, rules.Facts{}))
		want, spent := 0, 0
		for ; want < whole.Len() && spent <= limit; want++ {
			_, cost, err := constraints.Match(t.Context(), constraints.CEL{Rule: rule}, whole.Bundle(catalog.ID(want)).Properties, rules.Facts{})
			require.NoError(t, err)
			spent += int(cost)
		}
		assert.Equal(t, want, len(yes))
		assert.Equal(t, whole.Len(), len(yes)+len(failed))
	}
}
