package check_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// wide is a package with one channel, in which each entry skips and covers all
// those below it.
func wide(bundles int) fs.FS {
	var text strings.Builder
	text.WriteString(pkg("p"))
	entries := make([]string, bundles)
	for i := range bundles {
		text.WriteString(bundle("p", i))
		entries[i] = fmt.Sprintf("{name: p.v%d, replaces: p.v%d, skipRange: '<%d.0.0'}", i, i-1, i)
	}
	text.WriteString(channel("p", "c", strings.Join(entries, ", ")))
	return fstest.MapFS{"c.yaml": {Data: []byte(text.String())}}
}

// loose is a package with one channel, in which each entry skips many that are not there.
func loose(bundles int) fs.FS {
	var text strings.Builder
	text.WriteString(pkg("p"))
	entries := make([]string, bundles)
	for i := range bundles {
		text.WriteString(bundle("p", i))
		skips := make([]string, 20)
		for k := range skips {
			skips[k] = fmt.Sprintf("p.w%d-%d", i, k)
		}
		entries[i] = fmt.Sprintf("{name: p.v%d, replaces: p.v%d, skips: [%s]}", i, i-1, strings.Join(skips, ", "))
	}
	text.WriteString(channel("p", "c", strings.Join(entries, ", ")))
	return fstest.MapFS{"c.yaml": {Data: []byte(text.String())}}
}

// ruled is a package of which each bundle states a rule that costs much.
func ruled(bundles int) fs.FS {
	var text strings.Builder
	text.WriteString(pkg("p"))
	entries := make([]string, bundles)
	for i := range bundles {
		text.WriteString(bundle("p", i, fmt.Sprintf(`{type: olm.constraint, value: {failureMessage: m, cel: {rule: 'properties.all(p, %d >= 0)'}}}`, i)))
		entries[i] = fmt.Sprintf("{name: p.v%d, replaces: p.v%d}", i, i-1)
	}
	text.WriteString(channel("p", "c", strings.Join(entries, ", ")))
	return fstest.MapFS{"c.yaml": {Data: []byte(text.String())}}
}

// TestCancelCalls cancels all calls of the package at random moments.
func TestCancelCalls(t *testing.T) {
	shape := generate.Real(1)
	shape.Packages = 80
	for name, tree := range map[string]fs.FS{
		"like a real one": shape.FS(),
		"a broken chain":  generate.Chain(10, 10, 5),
		"one long chain":  wide(400),
		"loose edges":     loose(500),
		"expensive rules": ruled(100),
	} {
		checked, err := cache.FS(tree, cache.Options{}).LoadChecked(t.Context())
		require.NoError(t, err)
		key := catalog.Key{Name: "c"}
		known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "s", Package: "p"}}})
		for call, do := range map[string]func(ctx context.Context) error{
			"Run": func(ctx context.Context) error {
				_, err := check.Run(ctx, []check.Catalog{{Key: key, Checked: checked}}, check.Options{})
				return err
			},
			"Diff": func(ctx context.Context) error {
				difference, err := check.Diff(ctx, key, checked.Snapshot, checked.Snapshot, check.Options{})
				if err == nil {
					_, err = difference.Cluster(ctx, key, known)
				}
				return err
			},
		} {
			t.Run(name+"/"+call, func(t *testing.T) {
				testkit.CancelAtRandom(t, func(ctx context.Context) error {
					err := do(ctx)
					if ctx.Err() != nil && err != nil {
						var incomplete *result.Incomplete
						require.ErrorAs(t, err, &incomplete)
						assert.ErrorIs(t, err, context.Canceled)
					}
					return err
				})
			})
		}
	}
}
