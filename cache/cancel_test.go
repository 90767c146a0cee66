package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// bundleDirectories is a tree of n bundle directories of one package.
func bundleDirectories(n int) fs.FS {
	tree := fstest.MapFS{}
	for i := range n {
		dir := fmt.Sprintf("p/1.0.%d", i)
		tree[path.Join(dir, "manifests", "csv.yaml")] = &fstest.MapFile{Mode: 0o644, Data: fmt.Appendf(nil,
			"kind: ClusterServiceVersion\nmetadata: {name: p.v1.0.%d}\nspec: {version: 1.0.%d, replaces: p.v1.0.%d, description: %q}\n", i, i, i-1, bytes.Repeat([]byte("x "), 2000))}
		tree[path.Join(dir, "metadata", "annotations.yaml")] = &fstest.MapFile{Mode: 0o644, Data: []byte(
			"annotations: {operators.operatorframework.io.bundle.package.v1: p, operators.operatorframework.io.bundle.channels.v1: c}\n")}
	}
	return tree
}

// longCalls are the calls of the package that take a context, each on what takes
// a while.
func longCalls(t *testing.T) map[string]func(ctx context.Context) error {
	var (
		shape       = generate.Real(1)
		directories = bundleDirectories(100)
		key         = catalog.Key{Namespace: "olm", Name: "c"}
	)
	shape.Packages = 80
	tree := shape.FS()
	snapshot, err := cache.LoadFS(t.Context(), tree, cache.Options{})
	require.NoError(t, err)
	stored := cache.IndexStore{Dir: t.TempDir(), Report: func(err error) { t.Log(err) }}
	_, err = cache.IndexedFS(tree, stored, cache.Options{}).Load(t.Context())
	require.NoError(t, err)
	checked, err := cache.FS(directories, cache.Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	parser := constraints.NewParser(constraints.Limits{})
	run := 0
	return map[string]func(ctx context.Context) error{
		"LoadFS": func(ctx context.Context) error {
			_, err := cache.LoadFS(ctx, tree, cache.Options{})
			return err
		},
		"LoadFS, bundle directories": func(ctx context.Context) error {
			_, err := cache.LoadFS(ctx, directories, cache.Options{})
			return err
		},
		"LoadFS, strict": func(ctx context.Context) error {
			_, err := cache.LoadFS(ctx, tree, cache.Options{Strict: true})
			return err
		},
		"LoadChecked": func(ctx context.Context) error {
			_, err := cache.FS(tree, cache.Options{}).LoadChecked(ctx)
			return err
		},
		"LoadChecked, bundle directories": func(ctx context.Context) error {
			_, err := cache.FS(directories, cache.Options{}).LoadChecked(ctx)
			return err
		},
		"AddedTo": func(ctx context.Context) error {
			_, err := checked.AddedTo(ctx, snapshot, cache.Options{})
			return err
		},
		"FS.Version": func(ctx context.Context) error {
			_, err := cache.FS(tree, cache.Options{}).(cache.Versioned).Version(ctx)
			return err
		},
		"IndexedFS, stored": func(ctx context.Context) error {
			_, err := cache.IndexedFS(tree, stored, cache.Options{}).Load(ctx)
			return err
		},
		"IndexedFS, new": func(ctx context.Context) error {
			_, err := cache.IndexedFS(tree, cache.IndexStore{Dir: t.TempDir()}, cache.Options{}).Load(ctx)
			return err
		},
		"Refresh": func(ctx context.Context) error {
			c := cache.New(cache.CacheOptions{})
			c.Set(key, cache.CatalogConfig{Source: cache.FS(tree, cache.Options{})})
			return c.Refresh(ctx)
		},
		"Run": func(ctx context.Context) error {
			c := cache.New(cache.CacheOptions{})
			for i := range 2 {
				c.Set(catalog.Key{Name: fmt.Sprint(i)}, cache.CatalogConfig{Source: cache.FS(tree, cache.Options{})})
			}
			// It never ends by itself.
			limited, stop := context.WithTimeout(ctx, 100*time.Millisecond)
			defer stop()
			err := c.Run(limited, cache.Schedule{Interval: time.Millisecond, RetryMin: time.Millisecond})
			if errors.Is(err, context.DeadlineExceeded) {
				return nil
			}
			return err
		},
		"Matches": func(ctx context.Context) error {
			run++ // another rule, so that nothing is cached
			rule, err := parser.Rule(fmt.Sprintf("properties.exists(p, p.type.endsWith('a%d'))", run))
			if err != nil {
				return err
			}
			_, err = snapshot.Matches(ctx, constraints.CEL{Rule: rule}, rules.Facts{})
			return err
		},
		"Cost": func(ctx context.Context) error {
			run++
			rule, err := parser.Rule(fmt.Sprintf("properties.all(p, p.type != 'a%d')", run))
			if err != nil {
				return err
			}
			_, err = snapshot.Cost(ctx, constraints.CEL{Rule: rule}, rules.Facts{})
			return err
		},
	}
}

// TestCancelCalls cancels all calls of the package at random moments.
func TestCancelCalls(t *testing.T) {
	for name, call := range longCalls(t) {
		t.Run(name, func(t *testing.T) {
			testkit.CancelAtRandom(t, func(ctx context.Context) error {
				err := call(ctx)
				if err != nil && ctx.Err() != nil {
					assert.ErrorIs(t, err, context.Canceled)
				}
				return err
			})
		})
	}
}

// A call that waits takes no CPU time, and is late all the same.
func TestWaitingCounts(t *testing.T) {
	var took time.Duration
	for i := 0; i < 5 && took <= testkit.AllowedLatency(); i++ { // the garbage of other tests may take the time of one
		runtime.GC()
		again, _ := testkit.CancelAfter(t.Context(), time.Millisecond, func(context.Context) error {
			time.Sleep(10 * testkit.AllowedLatency())
			return nil
		})
		took = max(took, again)
	}
	assert.Greater(t, took, testkit.AllowedLatency(), "of a call that sleeps on")
}
