package resolver_test

import (
	"context"
	"slices"
	"testing"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// BenchmarkExplain explains real failures: core and derivation alone, with the
// search for fixes, and why an answer is not better.
func BenchmarkExplain(b *testing.B) {
	for _, name := range []string{"unsat-missing", "unsat-package", "fifty-and-unsat"} {
		var known *cluster.Index
		if name == "fifty-and-unsat" {
			objects := realCluster(b, "fifty").Objects()
			objects.Subscriptions = append(slices.Clone(objects.Subscriptions), realCluster(b, "unsat-package").Objects().Subscriptions...)
			known = cluster.NewIndex(objects)
		} else {
			known = realCluster(b, name)
		}
		view := realView(b)
		for mode, options := range map[string]policy.Options{"core": {NoFixes: true}, "fixes": {}} {
			b.Run(name+"/"+mode, func(b *testing.B) {
				r := resolver.New()
				b.ReportAllocs()
				for b.Loop() {
					_, _ = r.Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: view, Options: options}, cluster.InNamespace("operators"))
				}
			})
		}
	}
	b.Run("ten-mixed/justify", func(b *testing.B) {
		view, known := realView(b), realCluster(b, "ten-mixed")
		r := resolver.New()
		for b.Loop() {
			if _, err := r.Justify(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("operators")); err != nil {
				b.Fatal(err)
			}
		}
	})
}
